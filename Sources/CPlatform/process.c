#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

const int postern_noatime = O_NOATIME;

// A stopped process would keep its keys for as long as it likes, and its idle clock stands still.
static void end_instead_of_stopping(int signal_number) {
    (void)signal_number;
    kill(getpid(), SIGKILL);
}

int postern_harden(void) {
    struct rlimit none = {0, 0}, locked;
    // What root or the session's manager allows at most may be more than what is set.
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0) {
        locked.rlim_cur = locked.rlim_max;
        setrlimit(RLIMIT_MEMLOCK, &locked);
    }
    struct sigaction suspension = {.sa_handler = end_instead_of_stopping};
    sigemptyset(&suspension.sa_mask);
    if (sigaction(SIGTSTP, &suspension, NULL) != 0) return -1;
    // A peer that is gone or a file at its limit is an error of the call, not the end of the process.
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR) return -1;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return -1;
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    return prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
}

int postern_occupy_standard_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is the one that is missing. The wrong way round, so that using it still fails.
        if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return -1;
    }
    return 0;
}

int postern_send_descriptor(int socket, uint8_t status, int descriptor) {
    struct iovec body = {&status, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == 1 ? 0 : -1;
}

int postern_receive_descriptor(int socket, uint8_t *status, int *descriptor) {
    struct iovec body = {status, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &body, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *descriptor = -1;
    ssize_t got;
    do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != 1) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    return 0;
}

int postern_sealed_copy(const void *bytes, size_t count) {
    int copy = memfd_create("postern", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (copy < 0) return -1;
    size_t done = 0;
    while (done < count) {
        ssize_t written = pwrite(copy, (const char *)bytes + done, count - done, (off_t)done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += (size_t)written;
    }
    if (done == count && fcntl(copy, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
        return copy;
    close(copy);
    return -1;
}

int postern_signal_descriptor(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGTSTP);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_CLOEXEC);
}

int postern_next_signal(int descriptor) {
    struct signalfd_siginfo info;
    ssize_t got;
    do got = read(descriptor, &info, sizeof info);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof info ? (int)info.ssi_signo : -1;
}

int postern_spawn(const char *path, char *const arguments[], char *const environment[], int *child) {
    posix_spawnattr_t attributes;
    int failure = posix_spawnattr_init(&attributes);
    if (failure != 0) return failure;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    pid_t pid = -1;
    failure = posix_spawnattr_setsigmask(&attributes, &none);
    if (failure == 0) failure = posix_spawnattr_setsigdefault(&attributes, &all);
    if (failure == 0) failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (failure == 0) failure = posix_spawn(&pid, path, NULL, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    *child = pid;
    return failure;
}
