/// libFuzzer on the log of a cell: SQLite's log header, the frames' headers and their pages, as they are in the clear.
/// What comes of it is an error of SQLite's or a database that is whole; never a crash. `Scripts/prove fuzz` builds it.
#include <openssl/evp.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#define UNIT 4096u
/// Units of the log that are tried: its header, the frames' headers, the first pages.
#define UNITS 12u
#define TOUCHED 4096

static vault v;
static uint8_t base[VAULT_SIZE];
static uint8_t clear[UNITS * UNIT];
static struct {
    uint64_t offset;
    size_t count;
} touched[TOUCHED];
static size_t touched_count;

static void crypt_unit(uint64_t unit, const uint8_t *from, uint8_t *to, int encrypt) {
    uint8_t tweak[16] = {0};
    for (int i = 0; i < 8; i++) tweak[i] = (uint8_t)(unit >> (8 * i));
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length;
    CHECK(context != NULL);
    CHECK(EVP_CipherInit_ex(context, EVP_aes_256_xts(), NULL, v.key, tweak, encrypt) == 1);
    CHECK(EVP_CipherUpdate(context, to, &length, from, (int)UNIT) == 1 && length == (int)UNIT);
    EVP_CIPHER_CTX_free(context);
}

static void wrote(const uint8_t *bytes, size_t count, uint64_t offset) {
    (void)bytes;
    CHECK(touched_count < TOUCHED);
    touched[touched_count].offset = offset;
    touched[touched_count++].count = count;
}

/// A database of some rows with a log that counts, as a killed program leaves it.
static void prepare(void) {
    sqlite3 *db = open_new(&v, 8);
    CHECK(insert(db, 0, 40, 0) == SQLITE_OK);
    CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 6; i++) CHECK(insert(db, 40 + 10 * i, 10, 0) == SQLITE_OK);
    vault_image(&v, base);
    uint32_t count = v.count;
    cell_close(&v, db);
    v.count = count;
    CHECK(pwrite(v.fd, base, VAULT_SIZE, 0) == (ssize_t)VAULT_SIZE);
    for (uint32_t unit = 0; unit < UNITS; unit++)
        crypt_unit(unit, base + v.slices[0] + unit * UNIT, clear + unit * UNIT, 0);
    faults.wrote = wrote;
}

/// SQLite's checksum of a log, over what is a multiple of 8 bytes; big-endian words if the magic says so.
static void checksum(const uint8_t *bytes, size_t count, int big, uint32_t sums[2]) {
    for (size_t i = 0; i < count; i += 8) {
        uint32_t words[2];
        memcpy(words, bytes + i, 8);
        if (big) words[0] = __builtin_bswap32(words[0]), words[1] = __builtin_bswap32(words[1]);
        sums[0] += words[0] + sums[1];
        sums[1] += words[1] + sums[0];
    }
}

static void put_big_endian(uint8_t *bytes, uint32_t value) {
    value = __builtin_bswap32(value);
    memcpy(bytes, &value, 4);
}

/// Makes the log's checksums right, as far as its pages are tried: nothing gets past them by chance.
static void reseal(uint8_t *log) {
    int big = log[3] & 1;
    uint32_t sums[2] = {0, 0};
    checksum(log, 24, big, sums);
    put_big_endian(log + 24, sums[0]);
    put_big_endian(log + 28, sums[1]);
    for (uint32_t frame = 0; 5 + frame < UNITS; frame++) {
        uint8_t *header = log + UNIT + frame * 32;
        memcpy(header + 8, log + 16, 8);
        checksum(header, 8, big, sums);
        checksum(log + (5 + frame) * UNIT, UNIT, big, sums);
        put_big_endian(header + 16, sums[0]);
        put_big_endian(header + 20, sums[1]);
    }
}

/// The input: a byte that says whether checksums are made right, then changes of 2 bytes place, 1 byte length, bytes.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int is_ready;
    if (!is_ready) prepare();
    is_ready = 1;
    if (size < 1) return 0;
    uint8_t log[sizeof clear];
    memcpy(log, clear, sizeof log);
    for (size_t at = 1; at + 3 <= size;) {
        // Most of the places are in the headers.
        size_t place = (size_t)(data[at] | data[at + 1] << 8), count = data[at + 2] % 64;
        place = place < 0xC000 ? place % (2 * UNIT) : place * 7 % sizeof log;
        at += 3;
        for (size_t i = 0; i < count && at < size && place + i < sizeof log; i++) log[place + i] = data[at++];
    }
    if (data[0] & 1) reseal(log);
    touched_count = 0;
    uint32_t count = v.count;
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        uint8_t sealed[UNIT];
        crypt_unit(unit, log + unit * UNIT, sealed, 1);
        uint64_t offset = v.slices[0] + unit * UNIT;
        if (memcmp(sealed, base + offset, UNIT) != 0) CHECK(pwrite(v.fd, sealed, UNIT, (off_t)offset) == (ssize_t)UNIT);
    }
    sqlite3 *db;
    int result = cell_open(&v, 0, &db);
    if (result == SQLITE_OK) {
        sqlite3_exec(db, "SELECT sum(length(body)) FROM rows", NULL, NULL, NULL);
        sqlite3_exec(db, "PRAGMA integrity_check(1)", NULL, NULL, NULL);
        // Whatever it takes for its rows: it goes on, or says no.
        sqlite3_exec(db, "INSERT INTO rows VALUES(1000, x'00')", NULL, NULL, NULL);
    }
    sqlite3_close(db);
    CHECK(postern_cell_unregister(v.name) == SQLITE_OK);
    faults.wrote = NULL;
    for (size_t i = 0; i < touched_count; i++)
        CHECK(pwrite(v.fd, base + touched[i].offset, touched[i].count, (off_t)touched[i].offset) ==
              (ssize_t)touched[i].count);
    faults.wrote = wrote;
    v.count = count;
    return 0;
}
