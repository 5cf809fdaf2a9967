/// What the test programs of C code share: checks, a vault file in memory of the test, faults in system calls.
#pragma once
// For sqlite3_key.
#define SQLITE_HAS_CODEC 1
#include <sqlcipher/sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "vaultvfs.h"

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

/// A file of noise with slices in it; cells take every second one, so that they are never adjacent.
#define VAULT_SLICES 24u
#define VAULT_HEADER 65536u
#define VAULT_SIZE (VAULT_HEADER + VAULT_SLICES * POSTERN_SLICE_SIZE)

typedef struct {
    const char *name;
    int fd;
    uint8_t key[64];
    /// Slices that the test's cell has, and how many it may get.
    uint64_t slices[VAULT_SLICES];
    uint32_t count, limit;
} vault;

/// A deterministic generator: the same numbers in every run.
uint64_t test_random(uint64_t *state);

/// A new vault in an unlinked file; its cell, "cell", has `count` slices and may grow to `limit`.
void vault_make(vault *v, uint32_t count, uint32_t limit);
/// A vault with the same key and slices over other bytes; its cell is called "copy".
void vault_from_image(vault *v, const vault *like, const uint8_t *image);
void vault_drop(vault *v);
void vault_image(const vault *v, uint8_t *image);

/// Registers the cell and opens it as a Connection of the program does. A result of SQLite's.
int cell_open(vault *v, int fresh, sqlite3 **db);
/// Opens the registered cell.
int cell_connect(const vault *v, sqlite3 **db);
void cell_close(const vault *v, sqlite3 *db);

/// A new vault with a fresh cell of 3 slices, open.
sqlite3 *open_new(vault *v, uint32_t limit);
/// The cell opened again, which must succeed.
sqlite3 *reopen(vault *v);

void run(sqlite3 *db, const char *sql);
int64_t number(sqlite3 *db, const char *sql);
/// Inserts `count` rows with bodies of `size` bytes made from their numbers; a result of SQLite's.
int insert(sqlite3 *db, int64_t first, int count, int size);
/// Whether rows 0 ..< count, and no others, are there with their bodies.
void check_rows(sqlite3 *db, int64_t count);
void check_integrity(sqlite3 *db);

// Faults: calls on `fault_fd` other than -1 go through these (the linker wraps them).

typedef struct {
    int fd;
    /// After this many more writes, writes fail with `write_errno`; negative: never.
    int writes_until_fault, write_errno;
    /// The next `interruptions` calls say EINTR; transfers are cut to `longest` bytes if that is not 0.
    int interruptions;
    size_t longest;
    /// After this many more syncs, syncs fail with `sync_errno`; negative: never.
    int syncs_until_fault, sync_errno;
    /// Called after each write and at each sync.
    void (*wrote)(const uint8_t *bytes, size_t count, uint64_t offset);
    void (*synced)(void);
    long writes, syncs;
} fault_plan;
extern fault_plan faults;

// Cases that have a file of their own.

void a_power_cut_loses_no_acknowledged_commit(void);
void any_write_or_sync_may_fail(void);
