/// Records what is written to one file, below everything: whoever calls `pwrite`, `fdatasync`, `fsync` or `ftruncate`
/// in this process, be it Swift or C, calls the recorder's, which passes the call on.
///
/// Linked into a test program it is started by hand. Built as a shared library and named by `LD_PRELOAD`, it watches
/// the file named by `POSTERN_RECORDED_FILE` and writes into the file named by `POSTERN_RECORD`, made and sized
/// beforehand, in the process and in every one that it starts; what they write to standard output is noted as well.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
    POSTERN_RECORDED_WRITE = 1,
    POSTERN_RECORDED_SYNC = 2,
    POSTERN_RECORDED_TRUNCATE = 3,
    POSTERN_RECORDED_NOTE = 4,
};

/// One entry; `count` bytes follow, and padding to a multiple of 16.
typedef struct {
    uint32_t kind;
    uint32_t count;
    /// Write: where. Truncate: the size. Sync: the length of the record when the call began; only writes before that
    /// are known to be durable.
    int64_t offset;
} postern_recorded;

/// Starts a record in memory of the caller's. One at a time. 0, or -1 where `descriptor` is no open file.
int postern_record_start(int descriptor, void *memory, size_t size);
/// Notes something between the calls.
void postern_record_note(const void *bytes, size_t count);
/// Stops; the bytes of entries at the start of the memory, or -1 if they did not fit.
int64_t postern_record_stop(void);
