#include "test.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

fault_plan faults = {.fd = -1, .writes_until_fault = -1, .syncs_until_fault = -1};

ssize_t __real_pwrite(int fd, const void *bytes, size_t count, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t offset);
ssize_t __real_pread(int fd, void *bytes, size_t count, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t offset);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

static int interrupted(void) {
    if (faults.interruptions <= 0) return 0;
    faults.interruptions--;
    errno = EINTR;
    return 1;
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    if (fd != faults.fd) return __real_pwrite(fd, bytes, count, offset);
    if (interrupted()) return -1;
    if (faults.writes_until_fault == 0) {
        errno = faults.write_errno;
        return -1;
    }
    if (faults.writes_until_fault > 0) faults.writes_until_fault--;
    if (faults.longest != 0 && count > faults.longest) count = faults.longest;
    ssize_t done = __real_pwrite(fd, bytes, count, offset);
    faults.writes++;
    if (done > 0 && faults.wrote != NULL) faults.wrote(bytes, (size_t)done, (uint64_t)offset);
    return done;
}

ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t offset) {
    if (fd != faults.fd) return __real_pread(fd, bytes, count, offset);
    if (interrupted()) return -1;
    if (faults.longest != 0 && count > faults.longest) count = faults.longest;
    return __real_pread(fd, bytes, count, offset);
}

int __wrap_fdatasync(int fd) {
    if (fd != faults.fd) return __real_fdatasync(fd);
    if (interrupted()) return -1;
    if (faults.syncs_until_fault == 0) {
        errno = faults.sync_errno;
        return -1;
    }
    if (faults.syncs_until_fault > 0) faults.syncs_until_fault--;
    faults.syncs++;
    if (faults.synced != NULL) faults.synced();
    return 0;
}

uint64_t test_random(uint64_t *state) {
    // SplitMix64.
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static int memory_file(void) {
    int fd = memfd_create("vault", MFD_CLOEXEC);
    CHECK(fd >= 0);
    return fd;
}

void vault_make(vault *v, uint32_t count, uint32_t limit) {
    memset(v, 0, sizeof *v);
    v->name = "cell";
    v->fd = memory_file();
    uint64_t state = 7;
    uint8_t *noise = malloc(VAULT_SIZE);
    CHECK(noise != NULL);
    for (size_t i = 0; i < VAULT_SIZE; i += 8) {
        uint64_t word = test_random(&state);
        memcpy(noise + i, &word, 8);
    }
    CHECK(write(v->fd, noise, VAULT_SIZE) == (ssize_t)VAULT_SIZE);
    free(noise);
    for (int i = 0; i < 64; i++) v->key[i] = (uint8_t)test_random(&state);
    for (uint32_t i = 0; i < VAULT_SLICES / 2; i++)
        v->slices[i] = VAULT_HEADER + (2 * (uint64_t)i + 1) * POSTERN_SLICE_SIZE;
    v->count = count;
    v->limit = limit;
    faults = (fault_plan){.fd = v->fd, .writes_until_fault = -1, .syncs_until_fault = -1};
}

void vault_from_image(vault *v, const vault *like, const uint8_t *image) {
    *v = *like;
    v->name = "copy";
    v->fd = memory_file();
    CHECK(write(v->fd, image, VAULT_SIZE) == (ssize_t)VAULT_SIZE);
}

void vault_drop(vault *v) {
    close(v->fd);
    faults = (fault_plan){.fd = -1, .writes_until_fault = -1, .syncs_until_fault = -1};
}

void vault_image(const vault *v, uint8_t *image) {
    CHECK(__real_pread(v->fd, image, VAULT_SIZE, 0) == (ssize_t)VAULT_SIZE);
}

static uint64_t grow(void *context, uint32_t position) {
    vault *v = context;
    CHECK(position == v->count);
    return v->count < v->limit ? v->slices[v->count++] : 0;
}

static const char database_key[] =
    "x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f'";

int cell_connect(const vault *v, sqlite3 **db) {
    int result = sqlite3_open_v2(v->name, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                                 POSTERN_VFS_NAME);
    if (result != SQLITE_OK) return result;
    run(*db, "PRAGMA cipher_log_level=NONE");
    CHECK(sqlite3_key(*db, database_key, sizeof database_key - 1) == SQLITE_OK);
    result = sqlite3_exec(*db,
                          "PRAGMA cipher_page_size=4096; PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY;"
                          "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=200;"
                          "SELECT count(*) FROM sqlite_schema",
                          NULL, NULL, NULL);
    if (result != SQLITE_OK) return result;
    if (number(*db, "PRAGMA page_count") == 0) run(*db, "PRAGMA journal_mode=MEMORY");
    return sqlite3_exec(*db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
}

int cell_open(vault *v, int fresh, sqlite3 **db) {
    CHECK(postern_cell_register(v->name, v->fd, v->key, 2, v->slices, v->count, fresh, grow, v) == SQLITE_OK);
    int result = cell_connect(v, db);
    if (result == SQLITE_OK && fresh)
        run(*db, "CREATE TABLE rows(id INTEGER PRIMARY KEY, body BLOB NOT NULL); CREATE INDEX bodies ON rows(body)");
    return result;
}

void cell_close(const vault *v, sqlite3 *db) {
    CHECK(sqlite3_close(db) == SQLITE_OK);
    CHECK(postern_cell_unregister(v->name) == SQLITE_OK);
}

sqlite3 *open_new(vault *v, uint32_t limit) {
    sqlite3 *db;
    vault_make(v, 3, limit);
    CHECK(cell_open(v, 1, &db) == SQLITE_OK);
    return db;
}

sqlite3 *reopen(vault *v) {
    sqlite3 *db;
    CHECK(cell_open(v, 0, &db) == SQLITE_OK);
    return db;
}

void run(sqlite3 *db, const char *sql) {
    int result = sqlite3_exec(db, sql, NULL, NULL, NULL);
    if (result != SQLITE_OK) fprintf(stderr, "%d: %s\n", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
    CHECK(result == SQLITE_OK);
}

int64_t number(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement;
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static int body(int64_t id, int size, uint8_t *bytes) {
    uint64_t state = (uint64_t)id;
    if (size == 0) size = 20 + (int)(test_random(&state) % 400);
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)test_random(&state);
    return size;
}

int insert(sqlite3 *db, int64_t first, int count, int size) {
    static uint8_t bytes[65536];
    sqlite3_stmt *statement;
    CHECK(sqlite3_prepare_v2(db, "INSERT INTO rows VALUES(?1, ?2)", -1, &statement, NULL) == SQLITE_OK);
    int result = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (int64_t id = first; result == SQLITE_OK && id < first + count; id++) {
        sqlite3_bind_int64(statement, 1, id);
        sqlite3_bind_blob(statement, 2, bytes, body(id, size, bytes), SQLITE_TRANSIENT);
        sqlite3_step(statement);
        result = sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    if (result == SQLITE_OK) result = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    if (result != SQLITE_OK && !sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

void check_rows(sqlite3 *db, int64_t count) {
    static uint8_t bytes[65536];
    sqlite3_stmt *statement;
    CHECK(sqlite3_prepare_v2(db, "SELECT id, body FROM rows ORDER BY id", -1, &statement, NULL) == SQLITE_OK);
    int64_t id = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        CHECK(sqlite3_column_int64(statement, 0) == id);
        int length = body(id, 0, bytes);
        CHECK(sqlite3_column_bytes(statement, 1) == length);
        CHECK(memcmp(sqlite3_column_blob(statement, 1), bytes, (size_t)length) == 0);
        id++;
    }
    CHECK(sqlite3_finalize(statement) == SQLITE_OK);
    CHECK(id == count);
}

void check_integrity(sqlite3 *db) {
    sqlite3_stmt *statement;
    CHECK(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    CHECK(strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0);
    sqlite3_finalize(statement);
}
