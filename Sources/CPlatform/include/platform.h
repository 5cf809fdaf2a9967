/// What Swift on Linux cannot reach by itself: macros, variadics, and calls that must not be optimised away.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Overwrites `count` bytes with zeros; never optimised away.
void postern_wipe(void *bytes, size_t count);
/// Whether two ranges hold the same bytes, in time that depends on `count` alone.
bool postern_equal(const void *a, const void *b, size_t count);
/// Maps `size` bytes, locks them in memory, keeps them out of core dumps and of forked children.
/// `*locked` tells whether the lock was had. NULL with errno set when there is no memory at all.
void *postern_arena_map(size_t size, bool *locked);

// Event loop (epoll.c). Functions that return int give 0 or an errno value unless told otherwise.

/// What one descriptor is ready for.
struct postern_ready {
    uint64_t token;
    bool readable, writable;
    /// An error or hang-up; reading or writing tells which.
    bool failed;
};

/// A new epoll descriptor, or -1 with errno set.
int postern_epoll_create(void);
/// A descriptor by which another thread wakes the loop, or -1 with errno set.
int postern_wakeup_create(void);
void postern_wakeup_signal(int fd);
void postern_wakeup_clear(int fd);
/// Watches `fd`, level-triggered, under a token of the caller's.
int postern_epoll_add(int epoll, int fd, uint64_t token, bool reads, bool writes);
int postern_epoll_modify(int epoll, int fd, uint64_t token, bool reads, bool writes);
void postern_epoll_remove(int epoll, int fd);
/// Waits; a negative time means without end. Returns the number of entries filled in, 0 also when interrupted.
int postern_epoll_wait(int epoll, struct postern_ready *ready, int capacity, int milliseconds);
/// SOCK_STREAM, not blocking and not inherited. Not every module of C headers shows Swift these names.
extern const int postern_stream_socket;
/// CLOCK_MONOTONIC.
int64_t postern_monotonic_milliseconds(void);
/// Starts a detached thread with all signals blocked, so that they reach the thread that handles them.
int postern_thread_start(const char *name, void *(*body)(void *), void *context);

// Terminal (terminal.c).

/// The columns and rows of the terminal at `fd`; false where it has none.
bool postern_terminal_size(int fd, int *columns, int *rows);
/// Signals the wakeup descriptor `fd` at every SIGWINCH of this process; -1 puts the default back.
bool postern_resize_watch(int fd);

// File systems (filesystem.c).

/// The number that statfs(2) gives the type of the file system `descriptor` is on; -1 with errno set on error.
int64_t postern_file_system_type(int descriptor);
/// Whether another file shares a part of this one's place on the disk (a clone made by `cp --reflink`, or a snapshot, where
/// the file system says so): 1, 0, or -1 where it does not say.
int postern_shares_extents(int descriptor);

// Processes (process.c).

/// O_NOATIME, which Swift does not import.
extern const int postern_noatime;

/// For a process that will hold keys: not dumpable, no core file, ends with its parent (by SIGHUP), ends where it would
/// be suspended (by SIGKILL), and hears of broken pipes and of file size limits as errors.
/// 0, or -1 with errno set by what failed first.
int postern_harden(void);
/// Opens `/dev/null` in the place of each of the descriptors 0, 1 and 2 that is closed: to be written where it would be
/// read and the other way round. 0, or -1 with errno set.
int postern_occupy_standard_streams(void);
/// Sends one byte and, unless it is -1, a descriptor over a Unix socket. 0, or -1 with errno set.
int postern_send_descriptor(int socket, uint8_t status, int descriptor);
/// Receives what `postern_send_descriptor` sent; `*descriptor` is -1 where none came, else the caller's to close.
int postern_receive_descriptor(int socket, uint8_t *status, int *descriptor);
/// Blocks SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT and SIGTSTP in this thread and gives a descriptor that reads them;
/// -1 on error.
int postern_signal_descriptor(void);
/// The number of the next signal of that descriptor, or -1.
int postern_next_signal(int descriptor);
/// Starts `path` with `arguments` and `environment` (both NULL-terminated), no signal blocked or ignored. The child
/// inherits every descriptor that is not close-on-exec. 0 with `*child` set, or an errno value.
int postern_spawn(const char *path, char *const arguments[], char *const environment[], int *child);
