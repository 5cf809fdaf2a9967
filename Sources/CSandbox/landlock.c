#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// From linux/landlock.h of Linux 6.12; Debian 12's header knows versions 1 and 2 only.
#define VERSION_QUERY (1U << 0)
#define RULE_PATH_BENEATH 1

#define FS_VERSION_1 ((1ULL << 13) - 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
#define NET_BIND_TCP (1ULL << 0)
#define SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define SCOPE_SIGNAL (1ULL << 1)

struct ruleset {
    uint64_t files, net, scopes;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/// What may be read: the names of servers, their authorities, the time zone, the number of processors, random bytes, and
/// what the kernel tells everybody about processes and memory. Libdispatch looks at its own threads as `/proc/TID`, which
/// cannot be named beforehand; of other processes, Landlock keeps memory, environment and descriptors closed all the
/// same, as they are not in this domain. Nothing of a person's. All of it is optional, and none may be written.
static const char *const readable[] = {
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
    "/usr/share/zoneinfo",
    "/sys/devices/system/cpu",
    "/dev/urandom",
    "/proc",
};

int postern_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_QUERY);
    return version < 0 ? 0 : (int)version;
}

static int allow_reading(int ruleset, const char *path) {
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return 0;
    struct stat status;
    int result = fstat(place, &status);
    if (result == 0) {
        // Whose processes there are is not to be listed.
        bool is_listed = S_ISDIR(status.st_mode) && strcmp(path, "/proc") != 0;
        struct path_rule rule = {FS_READ_FILE | (is_listed ? FS_READ_DIR : 0), place};
        result = (int)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    }
    close(place);
    return result;
}

int postern_landlock_enter(int *version) {
    *version = postern_landlock_version();
    if (*version < 1) return 0;
    // Each right that the kernel knows is taken away; those of versions to come are not known here.
    struct ruleset rights = {.files = FS_VERSION_1};
    size_t size = sizeof rights.files;
    if (*version >= 2) rights.files |= FS_REFER;
    if (*version >= 3) rights.files |= FS_TRUNCATE;
    if (*version >= 4) {
        rights.net = NET_BIND_TCP;
        size += sizeof rights.net;
    }
    if (*version >= 5) rights.files |= FS_IOCTL_DEV;
    if (*version >= 6) {
        rights.scopes = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
        size += sizeof rights.scopes;
    }
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rights, size, 0);
    if (ruleset < 0) return -1;
    int result = 0;
    for (size_t i = 0; i < sizeof readable / sizeof *readable && result == 0; i++)
        result = allow_reading(ruleset, readable[i]);
    if (result == 0) result = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
    int failure = errno;
    close(ruleset);
    errno = failure;
    return result == 0 ? 0 : -1;
}
