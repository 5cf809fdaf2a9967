#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Started by root, it keeps the one privilege of locking memory.
static int drop_privileges(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, held) != 0) return -1;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        __u32 kept = i == CAP_TO_INDEX(CAP_IPC_LOCK) ? CAP_TO_MASK(CAP_IPC_LOCK) : 0;
        held[i].effective &= kept;
        held[i].permitted &= kept;
        held[i].inheritable = 0;
    }
    return (int)syscall(SYS_capset, &header, held);
}

int postern_sandbox_enter(struct postern_sandbox *sandbox) {
    // Threads that are there already would keep what Landlock takes. The kernel grants this to a lone thread only.
    if (unshare(CLONE_THREAD) != 0) {
        errno = EBUSY;
        return -1;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || drop_privileges() != 0) return -1;
    if (postern_landlock_enter(&sandbox->landlock) != 0) return -1;
    sandbox->filter = postern_filter_enter();
    return 0;
}

/// In the sandbox: what of it does not hold, in bits.
static int try_everything(const struct postern_sandbox *sandbox) {
    int open_file = sandbox->landlock > 0 && open("/proc/self/exe", O_RDONLY | O_CLOEXEC) >= 0;
    int port = sandbox->filter ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    int listens = port >= 0 && listen(port, 1) == 0;
    return open_file | listens << 1;
}

bool postern_sandbox_holds(struct postern_sandbox *sandbox) {
    int results[2];
    if (pipe2(results, O_CLOEXEC) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        struct postern_sandbox held = {0};
        if (postern_sandbox_enter(&held) != 0) _exit(1);
        if (write(results[1], &held, sizeof held) != sizeof held) _exit(1);
        if (try_everything(&held) != 0) _exit(1);
        if (!held.filter) _exit(0);
        // The last one ends the process where the filter holds.
        char *const nothing[] = {NULL};
        execve("/bin/true", nothing, nothing);
        _exit(1);
    }
    close(results[1]);
    int status = 0;
    bool told = child > 0 && read(results[0], sandbox, sizeof *sandbox) == sizeof *sandbox;
    close(results[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !told) return false;
    if (sandbox->filter) return WIFSIGNALED(status);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
