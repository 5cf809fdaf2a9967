/// What the session child may still do, once it holds keys: Landlock for files, TCP ports and other processes, seccomp
/// for system calls. What is allowed and why stands in Docs/ARCHITECTURE.md.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How much of the sandbox holds on this kernel.
struct postern_sandbox {
    /// The version of Landlock in force; 0 for none.
    int landlock;
    /// Whether the filter of system calls is in force.
    bool filter;
};

/// The version of Landlock that the kernel offers; 0 for none.
int postern_landlock_version(void);
/// Restricts this process and everything it will be, for good. It has to be its only thread. A kernel that lacks one of
/// both is no failure: `*sandbox` tells what holds.
/// 0, or -1 with errno set; EBUSY where there are other threads.
int postern_sandbox_enter(struct postern_sandbox *sandbox);
/// Tries in a process of its own whether a file can be opened, a port listened to and a program started in the sandbox
/// that holds there. Call it while there is one thread. True where none of it can be done.
bool postern_sandbox_holds(struct postern_sandbox *sandbox);

// The parts of `postern_sandbox_enter` (landlock.c, filter.c).

/// 0 with `*version` set (0 where the kernel has none), or -1.
int postern_landlock_enter(int *version);
/// False where the kernel takes no filter.
bool postern_filter_enter(void);
