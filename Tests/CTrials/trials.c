#define _GNU_SOURCE
#include "trials.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

static void *nothing(void *context) { return context; }

static int error_of(long result) { return result < 0 ? errno : 0; }

static int make_socket(int family, int type) { return socket(family, type | SOCK_CLOEXEC, 0); }

/// On a port that nobody listens to.
static int connect_nowhere(int socket) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connect(socket, (struct sockaddr *)&address, sizeof address);
}

static int bind_somewhere(int socket) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return bind(socket, (struct sockaddr *)&address, sizeof address);
}

static int read_parent(void) {
    char byte;
    struct iovec own = {&byte, 1}, other = {&byte, 1};
    return error_of(process_vm_readv(getppid(), &own, 1, &other, 1, 0));
}

static int start_thread(void) {
    pthread_t thread;
    int failure = pthread_create(&thread, NULL, nothing, NULL);
    return failure != 0 ? failure : pthread_join(thread, NULL);
}

static int map(int protection, int later) {
    void *page = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return errno;
    return later == 0 ? 0 : error_of(mprotect(page, 4096, later));
}

static int raise_limit(void) {
    struct rlimit limit = {4096, 4096};
    return error_of(setrlimit(RLIMIT_CORE, &limit));
}

/// - Parameter copy: a file in memory, opened before.
static int make(enum postern_trial trial, const char *path, int copy) {
    char name[64];
    char *const none[] = {NULL};
    switch (trial) {
    case TRIAL_OPEN: return error_of(open(path, O_RDONLY | O_CLOEXEC));
    case TRIAL_OPEN_FOR_WRITING: return error_of(open(path, O_WRONLY | O_CLOEXEC));
    case TRIAL_CREATE: return error_of(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    case TRIAL_LIST: return error_of(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    case TRIAL_UNLINK: return error_of(unlink(path));
    case TRIAL_REOPEN_COPY:
        snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
        return error_of(open(name, O_RDONLY | O_CLOEXEC));
    case TRIAL_EXEC: return error_of(execve("/bin/true", none, none));
    case TRIAL_FORK: return error_of(fork());
    case TRIAL_THREAD: return start_thread();
    case TRIAL_PTRACE: return error_of(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
    case TRIAL_READ_PARENT: return read_parent();
    case TRIAL_SIGNAL_PARENT: return error_of(kill(getppid(), 0));
    case TRIAL_SIGNAL_SELF: return error_of(kill(getpid(), 0));
    case TRIAL_BIND: return error_of(bind_somewhere(make_socket(AF_INET, SOCK_STREAM)));
    case TRIAL_LISTEN: return error_of(listen(make_socket(AF_INET, SOCK_STREAM), 1));
    case TRIAL_CONNECT: return error_of(connect_nowhere(make_socket(AF_INET, SOCK_STREAM)));
    case TRIAL_UNIX_SOCKET: return error_of(make_socket(AF_UNIX, SOCK_STREAM));
    case TRIAL_NETLINK_SOCKET: return error_of(make_socket(AF_NETLINK, SOCK_RAW));
    case TRIAL_RAW_SOCKET: return error_of(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
    case TRIAL_EXECUTABLE_MEMORY: return map(PROT_READ | PROT_WRITE | PROT_EXEC, 0);
    case TRIAL_EXECUTABLE_LATER: return map(PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC);
    case TRIAL_DUMPABLE: return error_of(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    case TRIAL_RAISE_LIMIT: return raise_limit();
    case TRIAL_TYPE_INTO_TERMINAL: return error_of(ioctl(STDIN_FILENO, TIOCSTI, "x"));
    case TRIAL_MOUNT: return error_of(mount("none", "/mnt", "tmpfs", 0, NULL));
    case TRIAL_NAMESPACE: return error_of(unshare(CLONE_NEWUSER));
    case TRIAL_KEYRING: return error_of(syscall(SYS_keyctl, 0, -3, 0, 0, 0));
    case TRIAL_BPF: return error_of(syscall(SYS_bpf, 0, NULL, 0));
    case TRIAL_PERF: return error_of(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
    case TRIAL_IO_URING: return error_of(syscall(SYS_io_uring_setup, 1, NULL));
    case TRIAL_USERFAULTFD: return error_of(syscall(SYS_userfaultfd, 0));
    }
    return 1000;
}

int postern_try(enum postern_trial trial, const char *path) {
    int results[2];
    if (pipe2(results, O_CLOEXEC) != 0) return 1000;
    int copy = memfd_create("trial", MFD_CLOEXEC);
    pid_t child = fork();
    if (child == 0) {
        struct postern_sandbox sandbox = {0};
        int result = 1000;
        if (postern_sandbox_enter(&sandbox) == 0 && sandbox.landlock > 0 && sandbox.filter)
            result = make(trial, path, copy);
        if (write(results[1], &result, sizeof result) != sizeof result) _exit(1);
        _exit(0);
    }
    close(results[1]);
    close(copy);
    int result = 1000, status = 0;
    ssize_t got = read(results[0], &result, sizeof result);
    close(results[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) return 1000;
    if (WIFSIGNALED(status)) return -WTERMSIG(status);
    return got == sizeof result ? result : 1000;
}
