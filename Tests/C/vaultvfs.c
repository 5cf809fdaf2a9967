/// The vault's VFS under the sanitizers: every case runs in this process on a file in memory, with faults and power
/// cuts made by wrapping the system calls; the case of a killed process forks.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static sqlite3 *open_new(vault *v, uint32_t limit) {
    sqlite3 *db;
    vault_make(v, 3, limit);
    CHECK(cell_open(v, 1, &db) == SQLITE_OK);
    return db;
}

static sqlite3 *reopen(vault *v) {
    sqlite3 *db;
    CHECK(cell_open(v, 0, &db) == SQLITE_OK);
    return db;
}

static void what_was_committed_is_there_after_closing_and_opening(void) {
    vault v;
    sqlite3 *db = open_new(&v, 20);
    for (int i = 0; i < 20; i++) CHECK(insert(db, i * 100, 100, 0) == SQLITE_OK);
    cell_close(db);
    CHECK(v.count > 3);
    db = reopen(&v);
    check_rows(db, 2000);
    check_integrity(db);
    cell_close(db);
    vault_drop(&v);
}

static void a_killed_process_loses_nothing_it_was_told_is_committed(void) {
    for (int round = 0; round < 6; round++) {
        vault v;
        sqlite3 *db = open_new(&v, 20);
        // Without growth in the child, whose vault record is its own.
        CHECK(insert(db, 0, 2000, 0) == SQLITE_OK);
        run(db, "DELETE FROM rows");
        cell_close(db);
        int told[2];
        CHECK(pipe(told) == 0);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            db = reopen(&v);
            for (int64_t i = 0; i < 1000; i++) {
                if (insert(db, 2 * i, 2, 0) != SQLITE_OK) _exit(2);
                if (write(told[1], "+", 1) != 1) _exit(3);
            }
            _exit(0);
        }
        close(told[1]);
        int64_t acknowledged = 0;
        char mark;
        while (acknowledged < 30 + 70 * round && read(told[0], &mark, 1) == 1) acknowledged++;
        kill(child, SIGKILL);
        int status;
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        while (read(told[0], &mark, 1) == 1) acknowledged++;
        close(told[0]);
        db = reopen(&v);
        int64_t rows = number(db, "SELECT count(*) FROM rows");
        CHECK(rows == 2 * acknowledged || rows == 2 * acknowledged + 2);
        check_rows(db, rows);
        check_integrity(db);
        cell_close(db);
        vault_drop(&v);
    }
}

static void a_transaction_larger_than_the_log_is_refused_and_nothing_is_lost(void) {
    vault v;
    sqlite3 *db = open_new(&v, 20);
    CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
    run(db, "PRAGMA cache_size=50");
    CHECK(insert(db, 1000, 700, 4000) == SQLITE_FULL);
    int number_of_error = -1;
    CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number_of_error) == SQLITE_OK);
    CHECK(number_of_error == 0);
    check_rows(db, 50);
    CHECK(insert(db, 50, 50, 0) == SQLITE_OK);
    check_integrity(db);
    cell_close(db);
    db = reopen(&v);
    check_rows(db, 100);
    cell_close(db);
    vault_drop(&v);
}

static void a_full_region_refuses_more_but_lets_go_of_rows(void) {
    vault v;
    sqlite3 *db = open_new(&v, 5);
    int64_t rows = 0;
    int result;
    while ((result = insert(db, rows, 10, 0)) == SQLITE_OK) rows += 10;
    CHECK(result == SQLITE_FULL && v.count == 5 && rows > 1000);
    check_rows(db, rows);
    for (int i = 0; i < 20; i++) CHECK(insert(db, rows, 10, 0) == SQLITE_FULL);
    // The log can be emptied, because every page in it has its place.
    CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
    // In parts: every page that a deletion touches takes a frame of the log.
    while (number(db, "SELECT count(*) FROM rows") > 100)
        run(db, "DELETE FROM rows WHERE id >= max(100, (SELECT max(id) FROM rows) - 200)");
    check_rows(db, 100);
    CHECK(insert(db, 100, 500, 0) == SQLITE_OK);
    cell_close(db);
    db = reopen(&v);
    check_rows(db, 600);
    check_integrity(db);
    cell_close(db);
    vault_drop(&v);
}

static void interrupted_and_short_transfers_are_carried_on(void) {
    vault v;
    sqlite3 *db = open_new(&v, 20);
    faults.longest = 777;
    for (int i = 0; i < 10; i++) {
        faults.interruptions = 5;
        CHECK(insert(db, i * 50, 50, 0) == SQLITE_OK);
    }
    faults.interruptions = 9;
    cell_close(db);
    db = reopen(&v);
    check_rows(db, 500);
    cell_close(db);
    vault_drop(&v);
}

static void a_full_disk_is_told_from_a_full_cell(void) {
    const struct {
        int error, result, number;
    } table[] = {
        {ENOSPC, SQLITE_FULL, ENOSPC}, {EDQUOT, SQLITE_FULL, ENOSPC}, {EROFS, SQLITE_READONLY, 0},
        {EBADF, SQLITE_READONLY, 0},   {EIO, SQLITE_IOERR, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int after = 0; after < 3; after++) {
            vault v;
            sqlite3 *db = open_new(&v, 20);
            CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
            faults.write_errno = table[i].error;
            faults.writes_until_fault = after;
            int result = SQLITE_OK, number_of_error = -1;
            int64_t rows = 50;
            while ((result = insert(db, rows, 50, 0)) == SQLITE_OK) rows += 50;
            CHECK((result & 0xff) == table[i].result);
            CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number_of_error) == SQLITE_OK);
            CHECK(number_of_error == table[i].number);
            faults.writes_until_fault = -1;
            check_rows(db, rows);
            CHECK(insert(db, rows, 50, 0) == SQLITE_OK);
            cell_close(db);
            db = reopen(&v);
            check_rows(db, rows + 50);
            check_integrity(db);
            cell_close(db);
            vault_drop(&v);
        }
}

static void after_a_failed_sync_nothing_is_written_until_it_is_opened_again(void) {
    vault v;
    sqlite3 *db = open_new(&v, 20);
    CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
    faults.sync_errno = EIO;
    CHECK(insert(db, 50, 50, 0) != SQLITE_OK);
    faults.sync_errno = 0;
    long writes = faults.writes;
    CHECK(insert(db, 50, 50, 0) != SQLITE_OK);
    CHECK(faults.writes == writes);
    CHECK(sqlite3_close(db) == SQLITE_OK);
    CHECK(cell_connect(&db) == SQLITE_OK);
    // Whether the commit whose sync failed is there is open; that it is whole is not.
    int64_t rows = number(db, "SELECT count(*) FROM rows");
    CHECK(rows == 50 || rows == 100);
    CHECK(insert(db, rows, 50, 0) == SQLITE_OK);
    check_rows(db, rows + 50);
    cell_close(db);
    vault_drop(&v);
}

static void a_log_that_was_emptied_is_never_replayed(void) {
    vault v;
    static uint8_t before[VAULT_SIZE];
    sqlite3 *db = open_new(&v, 20);
    CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
    vault_image(&v, before);
    cell_close(db);
    // The same place and key start anew; the old log must not come back into the new database.
    CHECK(cell_open(&v, 1, &db) == SQLITE_OK);
    CHECK(number(db, "SELECT count(*) FROM rows") == 0);
    cell_close(db);
    vault copy;
    vault_from_image(&copy, &v, before);
    CHECK(cell_open(&copy, 1, &db) == SQLITE_OK);
    CHECK(number(db, "SELECT count(*) FROM rows") == 0);
    cell_close(db);
    vault_drop(&copy);
    vault_drop(&v);
}

static void a_damaged_log_ends_before_the_damage(void) {
    vault v, copy;
    static uint8_t image[VAULT_SIZE];
    sqlite3 *db = open_new(&v, 20);
    CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 5; i++) CHECK(insert(db, i, 1, 0) == SQLITE_OK);
    vault_image(&v, image);
    cell_close(db);
    // Unit 5 is the first frame's page (2 slices: 4 table units); each of these commits has two or more frames.
    for (uint32_t unit = 5; unit < 15; unit++) {
        static uint8_t damaged[VAULT_SIZE];
        memcpy(damaged, image, VAULT_SIZE);
        damaged[v.slices[0] + unit * 4096 + 99] ^= 1;
        vault_from_image(&copy, &v, damaged);
        db = reopen(&copy);
        int64_t rows = number(db, "SELECT count(*) FROM rows");
        CHECK(rows <= (unit - 5) / 2);
        check_rows(db, rows);
        check_integrity(db);
        cell_close(db);
        close(copy.fd);
    }
    vault_drop(&v);
}

static void a_wrong_key_and_a_damaged_page_are_told(void) {
    vault v;
    sqlite3 *db = open_new(&v, 20);
    CHECK(insert(db, 0, 500, 0) == SQLITE_OK);
    cell_close(db);
    v.key[5] ^= 1;
    CHECK(cell_open(&v, 0, &db) == SQLITE_NOTADB);
    cell_close(db);
    v.key[5] ^= 1;
    uint8_t byte;
    off_t place = (off_t)v.slices[2] + 20 * 4096 + 7;
    CHECK(pread(v.fd, &byte, 1, place) == 1);
    byte ^= 1;
    CHECK(pwrite(v.fd, &byte, 1, place) == 1);
    db = reopen(&v);
    int result = sqlite3_exec(db, "SELECT sum(length(body)) FROM rows NOT INDEXED", NULL, NULL, NULL);
    if (result == SQLITE_OK) result = sqlite3_exec(db, "PRAGMA integrity_check", NULL, NULL, NULL);
    // What SQLCipher 4.6 says of a page that fails its authentication, without a message of its own.
    CHECK(result == SQLITE_ERROR && strcmp(sqlite3_errmsg(db), sqlite3_errstr(SQLITE_ERROR)) == 0);
    cell_close(db);
    vault_drop(&v);
}

static void only_the_cells_slices_change_and_they_look_like_noise(void) {
    vault v;
    static uint8_t before[VAULT_SIZE], after[VAULT_SIZE];
    sqlite3 *db = open_new(&v, 8);
    vault_image(&v, before);
    int result, i = 0;
    while ((result = insert(db, i * 50, 50, 0)) == SQLITE_OK) i++;
    cell_close(db);
    vault_image(&v, after);
    size_t counts[256] = {0}, total = 0;
    for (uint32_t slice = 0; slice < VAULT_SLICES; slice++) {
        uint64_t start = VAULT_HEADER + (uint64_t)slice * POSTERN_SLICE_SIZE;
        int mine = 0;
        for (uint32_t k = 0; k < v.count; k++) mine |= v.slices[k] == start;
        if (!mine) CHECK(memcmp(before + start, after + start, POSTERN_SLICE_SIZE) == 0);
        for (uint32_t unit = 0; mine && unit < 256; unit++) {
            const uint8_t *bytes = after + start + unit * 4096;
            if (memcmp(before + start + unit * 4096, bytes, 4096) == 0) continue;
            for (int k = 0; k < 4096; k++) counts[bytes[k]]++;
            total += 4096;
        }
    }
    CHECK(memcmp(before, after, VAULT_HEADER) == 0);
    CHECK(total > 5 * POSTERN_SLICE_SIZE);
    double expected = (double)total / 256, chi = 0;
    for (int k = 0; k < 256; k++) {
        double off = (double)counts[k] - expected;
        chi += off * off / expected;
    }
    // 255 degrees of freedom: 5 standard deviations (22.6) about the mean.
    CHECK(chi > 255 - 113 && chi < 255 + 113);
    vault_drop(&v);
}

static uint64_t *misaligned(uint64_t *slices) {
    slices[1] += 512;
    return slices;
}

static void bad_registrations_and_second_connections_are_refused(void) {
    vault v;
    sqlite3 *db = open_new(&v, 20), *second;
    CHECK(sqlite3_open_v2("cell", &second, SQLITE_OPEN_READWRITE, POSTERN_VFS_NAME) == SQLITE_BUSY);
    sqlite3_close(second);
    CHECK(postern_cell_unregister("cell") == SQLITE_BUSY);
    CHECK(postern_cell_register("cell", v.fd, v.key, 2, v.slices, 3, 0, NULL, NULL) == SQLITE_BUSY);
    CHECK(sqlite3_exec(db, "ATTACH 'other' AS other; SELECT * FROM other.sqlite_schema", NULL, NULL, NULL) !=
          SQLITE_OK);
    cell_close(db);
    CHECK(postern_cell_unregister("cell") == SQLITE_NOTFOUND);
    CHECK(sqlite3_open_v2("none", &db, SQLITE_OPEN_READWRITE, POSTERN_VFS_NAME) == SQLITE_CANTOPEN);
    sqlite3_close(db);
    const char *names[] = {"", "a-wal", "a/b", "a b", "0123456789012345678901234567890123456789012345678901234567890123"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(postern_cell_register(names[i], v.fd, v.key, 2, v.slices, 3, 0, NULL, NULL) == SQLITE_MISUSE);
    uint8_t weak[64] = {0};
    CHECK(postern_cell_register("a", v.fd, weak, 2, v.slices, 3, 0, NULL, NULL) == SQLITE_MISUSE);
    CHECK(postern_cell_register("a", -1, v.key, 2, v.slices, 3, 0, NULL, NULL) == SQLITE_MISUSE);
    CHECK(postern_cell_register("a", v.fd, v.key, 0, v.slices, 3, 0, NULL, NULL) == SQLITE_MISUSE);
    CHECK(postern_cell_register("a", v.fd, v.key, 4, v.slices, 3, 0, NULL, NULL) == SQLITE_MISUSE);
    CHECK(postern_cell_register("a", v.fd, v.key, 2, misaligned(v.slices), 3, 0, NULL, NULL) == SQLITE_MISUSE);
    // The figures of Docs/FORMATS.md.
    CHECK(postern_cell_log_frames(4) == 1015 && postern_cell_log_frames(2) == 507);
    CHECK(postern_cell_log_frames(0) == 0 && postern_cell_log_frames(65) == 0);
    vault_drop(&v);
}

// MARK: Power cuts

typedef struct {
    uint64_t offset;
    size_t count;
    uint8_t *bytes;
} pending_write;
static uint8_t durable[VAULT_SIZE];
static pending_write pending[4096];
static size_t pending_count;
static uint64_t cut_random = 42;
static long next_cut;
static int64_t acknowledged_rows;

/// Images of the disk as power cuts would have left it, with the rows that were acknowledged by then.
#define CUTS 60
static uint8_t *cut_image[CUTS];
static int64_t cut_rows[CUTS];
static uint32_t cut_slices[CUTS];
static size_t cuts;
static vault *cut_vault;

/// Since the last sync, each sector of each write may or may not have reached the disk.
static void cut_power(void) {
    uint8_t *image = malloc(VAULT_SIZE);
    CHECK(image != NULL);
    memcpy(image, durable, VAULT_SIZE);
    uint64_t mode = test_random(&cut_random) % 4;
    for (size_t i = 0; i < pending_count; i++)
        for (size_t at = 0; at < pending[i].count;) {
            size_t length = 512 - (pending[i].offset + at) % 512;
            if (length > pending[i].count - at) length = pending[i].count - at;
            uint64_t coin = test_random(&cut_random) % 8;
            // None, all, half or an eighth of them.
            int arrives = mode == 0 ? 0 : mode == 1 ? 1 : mode == 2 ? coin < 4 : coin < 1;
            if (arrives) memcpy(image + pending[i].offset + at, pending[i].bytes + at, length);
            at += length;
        }
    cut_image[cuts] = image;
    cut_rows[cuts] = acknowledged_rows;
    cut_slices[cuts] = cut_vault->count;
    cuts++;
}

static void cut_wrote(const uint8_t *bytes, size_t count, uint64_t offset) {
    CHECK(pending_count < sizeof pending / sizeof *pending);
    pending_write *write = &pending[pending_count++];
    *write = (pending_write){offset, count, malloc(count)};
    CHECK(write->bytes != NULL);
    memcpy(write->bytes, bytes, count);
    if (next_cut-- <= 0 && cuts < CUTS) {
        cut_power();
        next_cut = (long)(test_random(&cut_random) % 40);
    }
}

static void cut_synced(void) {
    for (size_t i = 0; i < pending_count; i++) {
        memcpy(durable + pending[i].offset, pending[i].bytes, pending[i].count);
        free(pending[i].bytes);
    }
    pending_count = 0;
}

static void a_power_cut_loses_no_acknowledged_commit(void) {
    vault v, copy;
    sqlite3 *db = open_new(&v, 20);
    CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
    vault_image(&v, durable);
    cut_vault = &v;
    faults.wrote = cut_wrote;
    faults.synced = cut_synced;
    next_cut = 5;
    uint64_t state = 3;
    int64_t rows = 0;
    while (cuts < CUTS) {
        int count = test_random(&state) % 5 == 0 ? 200 : 1 + (int)(test_random(&state) % 6);
        CHECK(insert(db, rows, count, 0) == SQLITE_OK);
        rows += count;
        acknowledged_rows = rows;
        if (test_random(&state) % 16 == 0)
            CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
    }
    cut_synced();
    faults.wrote = NULL;
    faults.synced = NULL;
    cell_close(db);
    for (size_t i = 0; i < cuts; i++) {
        vault_from_image(&copy, &v, cut_image[i]);
        copy.count = cut_slices[i];
        db = reopen(&copy);
        int64_t found = number(db, "SELECT count(*) FROM rows");
        CHECK(found >= cut_rows[i]);
        check_rows(db, found);
        check_integrity(db);
        // And it goes on from there.
        CHECK(insert(db, found, 30, 0) == SQLITE_OK);
        check_rows(db, found + 30);
        cell_close(db);
        close(copy.fd);
        free(cut_image[i]);
    }
    vault_drop(&v);
}

int main(void) {
#define CASE(name)                               \
    do {                                         \
        name();                                  \
        printf("passed: %s\n", #name);           \
        fflush(stdout);                          \
    } while (0)
    CASE(what_was_committed_is_there_after_closing_and_opening);
    CASE(a_killed_process_loses_nothing_it_was_told_is_committed);
    CASE(a_transaction_larger_than_the_log_is_refused_and_nothing_is_lost);
    CASE(a_full_region_refuses_more_but_lets_go_of_rows);
    CASE(interrupted_and_short_transfers_are_carried_on);
    CASE(a_full_disk_is_told_from_a_full_cell);
    CASE(after_a_failed_sync_nothing_is_written_until_it_is_opened_again);
    CASE(a_log_that_was_emptied_is_never_replayed);
    CASE(a_damaged_log_ends_before_the_damage);
    CASE(a_wrong_key_and_a_damaged_page_are_told);
    CASE(only_the_cells_slices_change_and_they_look_like_noise);
    CASE(bad_registrations_and_second_connections_are_refused);
    CASE(a_power_cut_loses_no_acknowledged_commit);
    return 0;
}
