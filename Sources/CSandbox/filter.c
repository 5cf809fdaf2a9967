#define _GNU_SOURCE
#include "sandbox.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/// Calls whose arguments do not matter here.
static const int allowed[] = {
    // Memory, but for what may be executed: see below.
    SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(mlock), SCMP_SYS(mlock2), SCMP_SYS(mremap), SCMP_SYS(munlock),
    SCMP_SYS(munmap), SCMP_SYS(membarrier),
    // Threads and waiting.
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(futex), SCMP_SYS(gettid), SCMP_SYS(restart_syscall), SCMP_SYS(rseq),
    SCMP_SYS(getcpu), SCMP_SYS(getpriority), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_yield),
    SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address),
    SCMP_SYS(clock_getres), SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(gettimeofday),
    SCMP_SYS(nanosleep), SCMP_SYS(time),
    // Signals to itself. Libdispatch parks the main thread in rt_sigsuspend.
    SCMP_SYS(pause), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigpending), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(sigaltstack),
    // Descriptors it has.
    SCMP_SYS(close), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(fallocate), SCMP_SYS(fdatasync), SCMP_SYS(fstat),
    SCMP_SYS(fsync), SCMP_SYS(ftruncate), SCMP_SYS(lseek), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(pwrite64),
    SCMP_SYS(pwritev), SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(write), SCMP_SYS(writev),
    // Files: Landlock says which. OpenSSL looks for certificates by name.
    SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(getdents64), SCMP_SYS(newfstatat), SCMP_SYS(readlink),
    SCMP_SYS(readlinkat), SCMP_SYS(stat), SCMP_SYS(statx),
    // Readiness.
    SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_wait), SCMP_SYS(eventfd2),
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(pselect6), SCMP_SYS(select), SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_gettime), SCMP_SYS(timerfd_settime),
    // Sockets of the internet's families, outwards, and the one to the parent.
    SCMP_SYS(connect), SCMP_SYS(getpeername), SCMP_SYS(getsockname), SCMP_SYS(getsockopt), SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(sendto), SCMP_SYS(setsockopt), SCMP_SYS(shutdown),
    // What it is and what it has.
    SCMP_SYS(getegid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getrandom),
    SCMP_SYS(getrusage), SCMP_SYS(getuid), SCMP_SYS(sysinfo), SCMP_SYS(uname),
};

/// Calls that nothing here makes, and whoever has taken the process over would: they end it.
static const int hostile[] = {
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork),
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
    SCMP_SYS(process_madvise),
    SCMP_SYS(chroot), SCMP_SYS(fsmount), SCMP_SYS(fsopen), SCMP_SYS(mount), SCMP_SYS(mount_setattr),
    SCMP_SYS(move_mount), SCMP_SYS(open_by_handle_at), SCMP_SYS(open_tree), SCMP_SYS(pivot_root), SCMP_SYS(setns),
    SCMP_SYS(umount2), SCMP_SYS(unshare),
    SCMP_SYS(add_key), SCMP_SYS(bpf), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(io_uring_setup),
    SCMP_SYS(keyctl), SCMP_SYS(perf_event_open), SCMP_SYS(request_key), SCMP_SYS(userfaultfd),
    SCMP_SYS(delete_module), SCMP_SYS(finit_module), SCMP_SYS(init_module), SCMP_SYS(kexec_file_load),
    SCMP_SYS(kexec_load), SCMP_SYS(ioperm), SCMP_SYS(iopl), SCMP_SYS(modify_ldt), SCMP_SYS(personality),
    SCMP_SYS(reboot), SCMP_SYS(swapoff), SCMP_SYS(swapon), SCMP_SYS(syslog),
};

/// Calls that a library may try and can do without.
static const int refused[] = {
    SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(socketpair),
};

/// Settings of the terminal it has; typing into it (TIOCSTI) is not among them.
static const unsigned terminal[] = {TCGETS, TCSETS, TCSETSW, TCSETSF, TCFLSH, TIOCGWINSZ, FIONREAD, FIONBIO};

static const int descriptor_commands[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC};

/// Names of threads and of memory; not whether the process may be dumped.
static const int process_settings[] = {PR_SET_NAME, PR_SET_VMA};

#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define NAMESPACES \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/// Whether every rule could be added. Those for calls that the machine does not have are left out by the library.
static bool add_rules(scmp_filter_ctx filter) {
    int failure = 0;
    for (size_t i = 0; i < COUNT(allowed); i++) failure |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    for (size_t i = 0; i < COUNT(hostile); i++)
        failure |= seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, hostile[i], 0);
    for (size_t i = 0; i < COUNT(refused); i++) failure |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), refused[i], 0);

#define ALLOW(call, count, ...) failure |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(call), count, __VA_ARGS__)
    for (size_t i = 0; i < COUNT(terminal); i++) ALLOW(ioctl, 1, SCMP_A1_32(SCMP_CMP_EQ, terminal[i]));
    for (size_t i = 0; i < COUNT(descriptor_commands); i++)
        ALLOW(fcntl, 1, SCMP_A1_32(SCMP_CMP_EQ, (scmp_datum_t)descriptor_commands[i]));
    for (size_t i = 0; i < COUNT(process_settings); i++)
        ALLOW(prctl, 1, SCMP_A0_32(SCMP_CMP_EQ, (scmp_datum_t)process_settings[i]));
    // Memory that can be executed is what was mapped before.
    ALLOW(mmap, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    ALLOW(mprotect, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    // A thread and no process. What clone3 is asked for cannot be seen, so the C library has to do without it.
    ALLOW(clone, 1, SCMP_A0(SCMP_CMP_MASKED_EQ, THREAD | NAMESPACES, THREAD));
    failure |= seccomp_rule_add(
        filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    ALLOW(open, 1, SCMP_A1_32(SCMP_CMP_MASKED_EQ, WRITING, 0));
    ALLOW(openat, 1, SCMP_A2_32(SCMP_CMP_MASKED_EQ, WRITING, 0));
    // The low bits of the type; the others are SOCK_NONBLOCK and SOCK_CLOEXEC.
    for (int family = AF_INET; family != 0; family = family == AF_INET ? AF_INET6 : 0) {
        ALLOW(socket, 2, SCMP_A0_32(SCMP_CMP_EQ, (scmp_datum_t)family), SCMP_A1_32(SCMP_CMP_MASKED_EQ, 0xF, SOCK_STREAM));
        ALLOW(socket, 2, SCMP_A0_32(SCMP_CMP_EQ, (scmp_datum_t)family), SCMP_A1_32(SCMP_CMP_MASKED_EQ, 0xF, SOCK_DGRAM));
    }
    scmp_datum_t self = (scmp_datum_t)getpid();
    ALLOW(kill, 1, SCMP_A0_32(SCMP_CMP_EQ, self));
    ALLOW(tgkill, 1, SCMP_A0_32(SCMP_CMP_EQ, self));
    ALLOW(setpriority, 1, SCMP_A0_32(SCMP_CMP_EQ, PRIO_PROCESS));
    // To read a limit, not to set one.
    ALLOW(prlimit64, 1, SCMP_A2(SCMP_CMP_EQ, 0));
#undef ALLOW
    return failure == 0;
}

bool postern_filter_enter(void) {
    // What is not listed is answered as by a kernel that does not have it: libraries know what to do then.
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (filter == NULL) return false;
    bool held = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
                seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 && add_rules(filter) &&
                seccomp_load(filter) == 0;
    seccomp_release(filter);
    return held;
}
