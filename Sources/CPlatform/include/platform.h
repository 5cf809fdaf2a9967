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
/// Bytes that this process may lock in memory.
int64_t postern_lock_limit(void);

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

// Threads (thread.c).

/// Starts a detached thread with all signals blocked, so that they reach the thread that handles them. Of the name, 15
/// bytes count. 0, or an errno value.
int postern_thread_start(const char *name, void *(*body)(void *), void *context);

// Terminal (terminal.c).

/// The columns and rows of the terminal at `fd`; false where it has none.
bool postern_terminal_size(int fd, int *columns, int *rows);
/// Signals the wakeup descriptor `fd` at every SIGWINCH of this process; -1 puts the default back.
bool postern_resize_watch(int fd);
/// From now on, when SIGHUP or SIGTERM ends this process, it puts the terminal at `input` back to the settings that it
/// has now, if they are still this program's to change, and writes `count` bytes to the terminal at `output`, after
/// which nothing else of this process gets there. What is no terminal is left alone. Call it once, while there is one
/// thread. `bytes` stays the caller's and has to outlive the process. 0, or -1 with errno set.
int postern_terminal_will(int input, int output, const void *bytes, size_t count);

// File systems (filesystem.c).

/// The number that statfs(2) gives the type of the file system `descriptor` is on; -1 with errno set on error.
int64_t postern_file_system_type(int descriptor);
/// Whether another file shares a part of this one's place on the disk (a clone made by `cp --reflink`, or a snapshot,
/// where the file system says so): 1, 0, or -1 where it does not say.
int postern_shares_extents(int descriptor);

// Processes (process.c).

/// O_NOATIME, which Swift does not import.
extern const int postern_noatime;

/// For a process that will hold keys: as much locked memory as it is allowed, not dumpable, no core file, ends with its
/// parent (by SIGHUP), ends where it would be suspended (by SIGKILL), and hears of broken pipes and of file size limits
/// as errors.
/// 0, or -1 with errno set by what failed first.
int postern_harden(void);
/// Opens `/dev/null` in the place of each of the descriptors 0, 1 and 2 that is closed: to be written where it would be
/// read and the other way round. 0, or -1 with errno set.
int postern_occupy_standard_streams(void);
/// Sends one byte and, unless it is -1, a descriptor over a Unix socket, without waiting: EAGAIN where it is full.
/// 0, or -1 with errno set.
int postern_send_descriptor(int socket, uint8_t status, int descriptor);
/// Receives what `postern_send_descriptor` sent; `*descriptor` is -1 where none came, else the caller's to close.
int postern_receive_descriptor(int socket, uint8_t *status, int *descriptor);
/// A copy of these bytes in memory that nobody can change, as a file to be read from its start; -1 with errno set.
int postern_sealed_copy(const void *bytes, size_t count);
/// Blocks SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT and SIGTSTP in this thread and gives a descriptor that reads them;
/// -1 on error.
int postern_signal_descriptor(void);
/// The number of the next signal of that descriptor, or -1.
int postern_next_signal(int descriptor);
/// Starts `path` with `arguments` and `environment` (both NULL-terminated), no signal blocked or ignored. The child
/// inherits every descriptor that is not close-on-exec. 0 with `*child` set, or an errno value.
int postern_spawn(const char *path, char *const arguments[], char *const environment[], int *child);

// The desktop's locks and sleeps (logind.c). Not for threads.

struct postern_logind;

/// A session of this person's is to be locked.
#define POSTERN_LOGIND_LOCK 1
/// The machine is about to sleep, and waits for `postern_logind_let_sleep`, though not for ever.
#define POSTERN_LOGIND_SLEEP 2

/// Begins to listen to logind on the system bus, without waiting for anything; NULL where there is no bus.
struct postern_logind *postern_logind_open(void);
void postern_logind_close(struct postern_logind *logind);
/// What to wait for before `postern_logind_process`: the descriptor (not the caller's), its `poll` events, and the most
/// milliseconds (-1 for any). -1 where the bus is gone.
int postern_logind_interest(struct postern_logind *logind, short *events, int *milliseconds);
/// Takes what has come. What happened, of the bits above, or -1 where the bus is gone.
int postern_logind_process(struct postern_logind *logind);
/// The machine may sleep now, if it is about to.
void postern_logind_let_sleep(struct postern_logind *logind);
/// Whether logind is there and lets its sleep be held up, within so many milliseconds.
bool postern_logind_answers(int milliseconds);

// A sleep that nobody announced (sleep.c).

/// A descriptor that becomes readable when the machine wakes up, or its clock is set; -1 on error.
int postern_clock_watch(void);
/// Waits for the next such time. 0, or -1 on error.
int postern_clock_watch_again(int descriptor);
/// How long this machine slept since it started, in milliseconds: CLOCK_BOOTTIME less CLOCK_MONOTONIC.
int64_t postern_milliseconds_slept(void);
/// Whether something keeps CLOCK_REALTIME right (adjtimex(2)).
bool postern_clock_is_synchronised(void);
