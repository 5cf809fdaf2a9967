/// What the parts of the VFS share. Nothing here is for callers.
#pragma once
#include <openssl/evp.h>
#include <sqlcipher/sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "vaultvfs.h"

#define UNIT POSTERN_UNIT_SIZE
#define UNITS_PER_SLICE (POSTERN_SLICE_SIZE / POSTERN_UNIT_SIZE)
/// Units that are gathered before they are written.
#define RUN_UNITS 64u

/// Enciphered units with consecutive numbers that are not written yet.
typedef struct {
    uint64_t first;
    uint32_t count;
    uint8_t *bytes;
} postern_run;

/// The log of an open cell: its header and frame headers in plain, and the frames' pages that wait for a sync.
typedef struct {
    uint32_t table_units;
    uint32_t frames;
    /// Whether SQLite's log file "exists": its header is valid, or was written since.
    int exists;
    /// `1 + table_units` units.
    uint8_t *index;
    /// Units of the index that differ from what is on disk: `dirty_from` ..< `dirty_to`.
    uint32_t dirty_from, dirty_to;
    postern_run pages;
} postern_log;

typedef struct postern_cell {
    struct postern_cell *next;
    char name[POSTERN_CELL_NAME_MAX + 1];
    int fd;
    const uint8_t *key;
    uint32_t log_slices;
    uint64_t *slices;
    uint32_t capacity;
    _Atomic uint32_t count;
    postern_cell_grow grow;
    void *context;
    /// Nothing of the database has been synced ever.
    int fresh;
    /// SQLite's open files: the database, its log. Guarded by the list's lock.
    int open_files;

    // Below: the connection's thread only, between the opening and the closing of the database.

    EVP_CIPHER_CTX *seal, *unseal;
    /// One unit for reads and writes of parts of a unit.
    uint8_t *scratch;
    postern_run pages;
    /// Bytes of the database as SQLite is to see it.
    int64_t data_size;
    postern_log log;
    /// errno of the last failed write if that was a full disk; else 0.
    int last_errno;
    /// A sync failed: what is on disk is unknown until the cell is opened again.
    int is_lost;
} postern_cell;

// memory.c

/// An allocator for SQLite that wipes what it frees.
extern const sqlite3_mem_methods memory_methods;

// device.c: whole transfers; 0, or the errno.

int device_read(int fd, uint8_t *bytes, size_t count, uint64_t offset);
int device_write(int fd, const uint8_t *bytes, size_t count, uint64_t offset);
int device_sync(int fd);

// list.c

/// The cell named by the first `length` bytes of `name`, with one more open file; NULL if there is none.
/// `is_database` demands that none is open.
postern_cell *list_open(const char *name, size_t length, int is_database, int *result);
/// One open file less.
void list_close(postern_cell *cell);
/// A cell whose database is open; NULL if there is none. SQLite asks about a database's files only while it has it
/// open, so the cell stays.
postern_cell *list_find(const char *name, size_t length);

// units.c: the cell as numbered units of 4096 bytes, enciphered. Results are SQLite's.

int units_open(postern_cell *cell);
void units_close(postern_cell *cell);
/// Notes why a write failed, and says it in SQLite's words.
int units_write_error(postern_cell *cell, int error);
/// One more slice.
int units_grow(postern_cell *cell);
int units_read(postern_cell *cell, uint64_t first, uint32_t count, uint8_t *bytes);
/// Enciphers `count` units and writes them at once.
int units_write(postern_cell *cell, uint64_t first, uint32_t count, const uint8_t *bytes);
int units_sync(postern_cell *cell);

int run_open(postern_run *run);
void run_close(postern_run *run);
/// Takes one unit in; it is written when the run is flushed.
int run_put(postern_cell *cell, postern_run *run, uint64_t unit, const uint8_t *bytes);
/// Reads one unit, from the run if it is there.
int run_get(postern_cell *cell, const postern_run *run, uint64_t unit, uint8_t *bytes);
/// Changes `count` bytes at `from` inside one unit.
int run_patch(postern_cell *cell, postern_run *run, uint64_t unit, uint32_t from, uint32_t count, const uint8_t *bytes);
/// Reads `count` bytes at `from` inside one unit.
int run_peek(postern_cell *cell, const postern_run *run, uint64_t unit, uint32_t from, uint32_t count, uint8_t *bytes);
/// Writes what was taken in. After an error the run is empty: SQLite undoes whatever was not synced.
int run_flush(postern_cell *cell, postern_run *run);

// data.c: the database file.

int data_open(postern_cell *cell);
void data_close(postern_cell *cell);
int data_read(postern_cell *cell, uint8_t *bytes, int count, int64_t offset);
int data_write(postern_cell *cell, const uint8_t *bytes, int count, int64_t offset);
void data_truncate(postern_cell *cell, int64_t size);
int data_sync(postern_cell *cell);
/// Sees to it that the database can hold `pages` pages.
int data_reserve(postern_cell *cell, uint64_t pages);

// log.c: the write-ahead log.

int log_open(postern_cell *cell);
void log_close(postern_cell *cell);
int log_read(postern_cell *cell, uint8_t *bytes, int count, int64_t offset);
int log_write(postern_cell *cell, const uint8_t *bytes, int count, int64_t offset);
/// Overwrites the header, so that what the log held can never be replayed.
int log_clear(postern_cell *cell);
int log_sync(postern_cell *cell);
int64_t log_size(const postern_cell *cell);
