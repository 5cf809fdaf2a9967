/// The vault's VFS under the sanitizers: every case runs in this process on a file in memory, with faults made by
/// wrapping the system calls; the case of a killed process forks.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static void what_was_committed_is_there_after_closing_and_opening(void) {
    vault v;
    sqlite3 *db = open_new(&v, 12);
    for (int i = 0; i < 20; i++) CHECK(insert(db, i * 100, 100, 0) == SQLITE_OK);
    cell_close(&v, db);
    CHECK(v.count > 3);
    db = reopen(&v);
    check_rows(db, 2000);
    check_integrity(db);
    cell_close(&v, db);
    vault_drop(&v);
}

static void a_killed_process_loses_nothing_it_was_told_is_committed(void) {
    for (int round = 0; round < 6; round++) {
        vault v;
        sqlite3 *db = open_new(&v, 12);
        // Without growth in the child, whose vault record is its own.
        CHECK(insert(db, 0, 2000, 0) == SQLITE_OK);
        run(db, "DELETE FROM rows");
        cell_close(&v, db);
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
        cell_close(&v, db);
        vault_drop(&v);
    }
}

static void a_transaction_larger_than_the_log_is_refused_and_nothing_is_lost(void) {
    vault v;
    sqlite3 *db = open_new(&v, 12);
    CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
    run(db, "PRAGMA cache_size=50");
    CHECK(insert(db, 1000, 700, 4000) == SQLITE_FULL);
    int number_of_error = -1;
    CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number_of_error) == SQLITE_OK);
    CHECK(number_of_error == 0);
    check_rows(db, 50);
    CHECK(insert(db, 50, 50, 0) == SQLITE_OK);
    check_integrity(db);
    cell_close(&v, db);
    db = reopen(&v);
    check_rows(db, 100);
    cell_close(&v, db);
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
    cell_close(&v, db);
    db = reopen(&v);
    check_rows(db, 600);
    check_integrity(db);
    cell_close(&v, db);
    vault_drop(&v);
}

static void interrupted_and_short_transfers_are_carried_on(void) {
    vault v;
    sqlite3 *db = open_new(&v, 12);
    faults.longest = 777;
    for (int i = 0; i < 10; i++) {
        faults.interruptions = 5;
        CHECK(insert(db, i * 50, 50, 0) == SQLITE_OK);
    }
    faults.interruptions = 9;
    cell_close(&v, db);
    db = reopen(&v);
    check_rows(db, 500);
    cell_close(&v, db);
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
            sqlite3 *db = open_new(&v, 12);
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
            cell_close(&v, db);
            db = reopen(&v);
            check_rows(db, rows + 50);
            check_integrity(db);
            cell_close(&v, db);
            vault_drop(&v);
        }
}

static void after_a_failed_sync_nothing_is_written_until_it_is_opened_again(void) {
    vault v;
    sqlite3 *db = open_new(&v, 12);
    CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
    faults.sync_errno = EIO;
    faults.syncs_until_fault = 0;
    CHECK(insert(db, 50, 50, 0) != SQLITE_OK);
    faults.syncs_until_fault = -1;
    long writes = faults.writes;
    CHECK(insert(db, 50, 50, 0) != SQLITE_OK);
    CHECK(faults.writes == writes);
    CHECK(sqlite3_close(db) == SQLITE_OK);
    CHECK(cell_connect(&v, &db) == SQLITE_OK);
    // Whether the commit whose sync failed is there is open; that it is whole is not.
    int64_t rows = number(db, "SELECT count(*) FROM rows");
    CHECK(rows == 50 || rows == 100);
    CHECK(insert(db, rows, 50, 0) == SQLITE_OK);
    check_rows(db, rows + 50);
    cell_close(&v, db);
    vault_drop(&v);
}

static void a_log_that_was_emptied_is_never_replayed(void) {
    vault v, copy;
    static uint8_t before[VAULT_SIZE], after[VAULT_SIZE];
    sqlite3 *db = open_new(&v, 12);
    CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
    cell_close(&v, db);
    vault_image(&v, before);
    db = reopen(&v);
    CHECK(insert(db, 50, 50, 0) == SQLITE_OK);
    cell_close(&v, db);
    vault_image(&v, after);
    // The log as closing left it, beside the database from before: were it replayed, the rows of after would be here.
    for (int i = 0; i < 2; i++) memcpy(before + v.slices[i], after + v.slices[i], POSTERN_SLICE_SIZE);
    vault_from_image(&copy, &v, before);
    db = reopen(&copy);
    check_rows(db, 50);
    cell_close(&copy, db);
    close(copy.fd);
    vault_drop(&v);
}

static void a_log_left_by_an_earlier_try_is_not_replayed_into_a_new_database(void) {
    vault v, copy;
    static uint8_t image[VAULT_SIZE];
    sqlite3 *db = open_new(&v, 12);
    CHECK(insert(db, 0, 50, 0) == SQLITE_OK);
    vault_image(&v, image);
    cell_close(&v, db);
    vault_from_image(&copy, &v, image);
    CHECK(cell_open(&copy, 1, &db) == SQLITE_OK);
    check_rows(db, 0);
    cell_close(&copy, db);
    close(copy.fd);
    vault_drop(&v);
}

static void a_damaged_log_ends_before_the_damage(void) {
    vault v, copy;
    static uint8_t image[VAULT_SIZE];
    sqlite3 *db = open_new(&v, 12);
    CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 5; i++) CHECK(insert(db, i, 1, 0) == SQLITE_OK);
    vault_image(&v, image);
    cell_close(&v, db);
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
        cell_close(&copy, db);
        close(copy.fd);
    }
    vault_drop(&v);
}

static void a_wrong_key_and_a_damaged_page_are_told(void) {
    vault v;
    sqlite3 *db = open_new(&v, 12);
    CHECK(insert(db, 0, 500, 0) == SQLITE_OK);
    cell_close(&v, db);
    v.key[5] ^= 1;
    CHECK(cell_open(&v, 0, &db) == SQLITE_NOTADB);
    cell_close(&v, db);
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
    cell_close(&v, db);
    vault_drop(&v);
}

static void only_the_cells_slices_change_and_they_look_like_noise(void) {
    vault v;
    static uint8_t before[VAULT_SIZE], after[VAULT_SIZE];
    sqlite3 *db = open_new(&v, 8);
    vault_image(&v, before);
    int result, i = 0;
    while ((result = insert(db, i * 50, 50, 0)) == SQLITE_OK) i++;
    cell_close(&v, db);
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
    sqlite3 *db = open_new(&v, 12), *second;
    CHECK(sqlite3_open_v2("cell", &second, SQLITE_OPEN_READWRITE, POSTERN_VFS_NAME) == SQLITE_BUSY);
    sqlite3_close(second);
    CHECK(postern_cell_unregister("cell") == SQLITE_BUSY);
    CHECK(postern_cell_register("cell", v.fd, v.key, 2, v.slices, 3, 0, NULL, NULL) == SQLITE_BUSY);
    CHECK(sqlite3_exec(db, "ATTACH 'other' AS other; SELECT * FROM other.sqlite_schema", NULL, NULL, NULL) !=
          SQLITE_OK);
    cell_close(&v, db);
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

/// Runs every case, or those whose names are given.
int main(int count, char **arguments) {
#define CASE(name) {#name, name}
    const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        CASE(what_was_committed_is_there_after_closing_and_opening),
        CASE(a_killed_process_loses_nothing_it_was_told_is_committed),
        CASE(a_transaction_larger_than_the_log_is_refused_and_nothing_is_lost),
        CASE(a_full_region_refuses_more_but_lets_go_of_rows),
        CASE(interrupted_and_short_transfers_are_carried_on),
        CASE(a_full_disk_is_told_from_a_full_cell),
        CASE(after_a_failed_sync_nothing_is_written_until_it_is_opened_again),
        CASE(a_log_that_was_emptied_is_never_replayed),
        CASE(a_log_left_by_an_earlier_try_is_not_replayed_into_a_new_database),
        CASE(a_damaged_log_ends_before_the_damage),
        CASE(a_wrong_key_and_a_damaged_page_are_told),
        CASE(only_the_cells_slices_change_and_they_look_like_noise),
        CASE(bad_registrations_and_second_connections_are_refused),
        CASE(any_write_or_sync_may_fail),
        CASE(a_power_cut_loses_no_acknowledged_commit),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int wanted = count < 2;
        for (int k = 1; k < count; k++) wanted |= strcmp(arguments[k], cases[i].name) == 0;
        if (!wanted) continue;
        cases[i].run();
        printf("passed: %s\n", cases[i].name);
        fflush(stdout);
    }
    return 0;
}
