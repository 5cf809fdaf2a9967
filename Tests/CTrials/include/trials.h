/// What somebody who has taken the session child over might try, each in a process of its own inside the sandbox.
#pragma once

enum postern_trial {
    TRIAL_OPEN,
    TRIAL_OPEN_FOR_WRITING,
    TRIAL_CREATE,
    TRIAL_LIST,
    TRIAL_UNLINK,
    TRIAL_REOPEN_COPY,
    TRIAL_EXEC,
    TRIAL_FORK,
    TRIAL_THREAD,
    TRIAL_PTRACE,
    TRIAL_READ_PARENT,
    TRIAL_SIGNAL_PARENT,
    TRIAL_SIGNAL_SELF,
    TRIAL_BIND,
    TRIAL_LISTEN,
    TRIAL_CONNECT,
    TRIAL_UNIX_SOCKET,
    TRIAL_NETLINK_SOCKET,
    TRIAL_RAW_SOCKET,
    TRIAL_EXECUTABLE_MEMORY,
    TRIAL_EXECUTABLE_LATER,
    TRIAL_DUMPABLE,
    TRIAL_RAISE_LIMIT,
    TRIAL_TYPE_INTO_TERMINAL,
    TRIAL_MOUNT,
    TRIAL_NAMESPACE,
    TRIAL_KEYRING,
    TRIAL_BPF,
    TRIAL_PERF,
    TRIAL_IO_URING,
    TRIAL_USERFAULTFD,
};

/// Makes the trial.
/// - Parameter path: for those about a file.
/// 0 where it was possible, the errno value that refused it, or the negated number of the signal that ended the process.
/// 1000 where the sandbox could not be entered.
int postern_try(enum postern_trial trial, const char *path);
