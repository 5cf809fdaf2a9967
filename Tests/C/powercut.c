/// Power cuts: after a write, the disk holds what was synced, and of what was written since any selection of sectors.
/// Each such disk is opened at once, beside the cell that goes on, and must hold every acknowledged commit.
#include <string.h>
#include <unistd.h>

#include "test.h"

#define CUTS 150

typedef struct {
    uint64_t offset;
    size_t count;
    uint8_t *bytes;
} pending_write;

static uint8_t durable[VAULT_SIZE], image[VAULT_SIZE];
static pending_write pending[4096];
static size_t pending_count;
static uint64_t coins = 42;
static long next_cut;
static int cuts;
static int64_t acknowledged;
static vault *running;

static void check_image(void) {
    vault copy;
    vault_from_image(&copy, running, image);
    sqlite3 *db = reopen(&copy);
    int64_t found = number(db, "SELECT count(*) FROM rows");
    CHECK(found >= acknowledged);
    check_rows(db, found);
    check_integrity(db);
    // And it goes on from there.
    CHECK(insert(db, found, 30, 0) == SQLITE_OK);
    check_rows(db, found + 30);
    cell_close(&copy, db);
    close(copy.fd);
}

static void cut_power(void) {
    memcpy(image, durable, VAULT_SIZE);
    // All sectors, half or an eighth of them, or the last write alone.
    uint64_t mode = test_random(&coins) % 4;
    for (size_t i = 0; i < pending_count; i++)
        for (size_t at = 0; at < pending[i].count;) {
            size_t length = 512 - (pending[i].offset + at) % 512;
            if (length > pending[i].count - at) length = pending[i].count - at;
            uint64_t coin = test_random(&coins) % 8;
            int arrives = mode == 0 || (mode == 1 && coin < 4) || (mode == 2 && coin < 1) ||
                          (mode == 3 && i == pending_count - 1);
            if (arrives) memcpy(image + pending[i].offset + at, pending[i].bytes + at, length);
            at += length;
        }
    cuts++;
    check_image();
}

static void wrote(const uint8_t *bytes, size_t count, uint64_t offset) {
    CHECK(pending_count < sizeof pending / sizeof *pending);
    pending_write *write = &pending[pending_count++];
    *write = (pending_write){offset, count, malloc(count)};
    CHECK(write->bytes != NULL);
    memcpy(write->bytes, bytes, count);
    // The log's header decides whether it is replayed: there the cut is always tried.
    if (next_cut-- > 0 && offset != running->slices[0]) return;
    cut_power();
    next_cut = (long)(test_random(&coins) % 50);
}

static void synced(void) {
    for (size_t i = 0; i < pending_count; i++) {
        memcpy(durable + pending[i].offset, pending[i].bytes, pending[i].count);
        free(pending[i].bytes);
    }
    pending_count = 0;
}

void a_power_cut_loses_no_acknowledged_commit(void) {
    vault v;
    sqlite3 *db = open_new(&v, 12);
    CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
    vault_image(&v, durable);
    running = &v;
    faults.wrote = wrote;
    faults.synced = synced;
    next_cut = 5;
    uint64_t state = 3;
    while (cuts < CUTS) {
        int count = test_random(&state) % 5 == 0 ? 200 : 1 + (int)(test_random(&state) % 6);
        CHECK(insert(db, acknowledged, count, 0) == SQLITE_OK);
        acknowledged += count;
        if (test_random(&state) % 16 == 0)
            CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
        // The rows are few enough to check again and again.
        if (acknowledged > 3000) {
            faults.wrote = NULL;
            synced();
            while (acknowledged > 300) {
                acknowledged -= 300;
                char sql[64];
                snprintf(sql, sizeof sql, "DELETE FROM rows WHERE id >= %d", (int)acknowledged);
                run(db, sql);
            }
            CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
            vault_image(&v, durable);
            faults.wrote = wrote;
        }
    }
    faults.wrote = NULL;
    synced();
    cell_close(&v, db);
    vault_drop(&v);
}
