/// A cell as units of 4096 bytes, numbered through its slices from 0, each enciphered by itself: AES-256-XTS with the
/// number, 64 bits little-endian, as the tweak.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"

static uint8_t *allocate_units(size_t count) { return aligned_alloc(UNIT, count * UNIT); }

int units_open(postern_cell *cell) {
    cell->scratch = allocate_units(1);
    cell->seal = EVP_CIPHER_CTX_new();
    cell->unseal = EVP_CIPHER_CTX_new();
    if (cell->scratch == NULL || cell->seal == NULL || cell->unseal == NULL) return SQLITE_NOMEM;
    // The key schedules are made here, once; later calls set the tweak only.
    if (EVP_EncryptInit_ex(cell->seal, EVP_aes_256_xts(), NULL, cell->key, NULL) != 1 ||
        EVP_DecryptInit_ex(cell->unseal, EVP_aes_256_xts(), NULL, cell->key, NULL) != 1)
        return SQLITE_IOERR;
    cell->last_errno = 0;
    cell->is_lost = 0;
    return SQLITE_OK;
}

void units_close(postern_cell *cell) {
    // Both wipe the expanded keys.
    EVP_CIPHER_CTX_free(cell->seal);
    EVP_CIPHER_CTX_free(cell->unseal);
    cell->seal = NULL;
    cell->unseal = NULL;
    free(cell->scratch);
    cell->scratch = NULL;
}

int units_write_error(postern_cell *cell, int error) {
    cell->last_errno = error == ENOSPC || error == EDQUOT ? ENOSPC : 0;
    if (cell->last_errno != 0) return SQLITE_FULL;
    // A descriptor that is open for reading only says EBADF, an immutable file EPERM.
    if (error == EROFS || error == EBADF || error == EPERM) return SQLITE_READONLY;
    return SQLITE_IOERR_WRITE;
}

int units_grow(postern_cell *cell) {
    cell->last_errno = 0;
    if (cell->grow == NULL || cell->count >= POSTERN_CELL_SLICES_MAX) return SQLITE_FULL;
    // Room in the table first: once the caller has made the assignment durable, it must not be lost.
    if (cell->count == cell->capacity) {
        uint32_t capacity = cell->capacity * 2;
        uint64_t *slices = sqlite3_realloc64(cell->slices, capacity * sizeof *slices);
        if (slices == NULL) return SQLITE_NOMEM;
        cell->slices = slices;
        cell->capacity = capacity;
    }
    uint64_t offset = cell->grow(cell->context, cell->count);
    switch (offset) {
    case POSTERN_GROW_NONE:
        return SQLITE_FULL;
    case POSTERN_GROW_DISK_FULL:
        return units_write_error(cell, ENOSPC);
    case POSTERN_GROW_READ_ONLY:
        return units_write_error(cell, EROFS);
    case POSTERN_GROW_FAILED:
        return units_write_error(cell, EIO);
    }
    if (offset % UNIT != 0 || offset > INT64_MAX - POSTERN_SLICE_SIZE) return SQLITE_IOERR;
    cell->slices[cell->count] = offset;
    cell->count++;
    return SQLITE_OK;
}

/// Bytes at `unit` that lie together in the file, at most `count` units. 0: past the last slice.
static size_t place(const postern_cell *cell, uint64_t unit, uint32_t count, uint64_t *offset) {
    uint64_t slice = unit / UNITS_PER_SLICE, inside = unit % UNITS_PER_SLICE;
    if (slice >= cell->count) return 0;
    *offset = cell->slices[slice] + inside * UNIT;
    uint64_t room = UNITS_PER_SLICE - inside;
    while (room < count && slice + 1 < cell->count &&
           cell->slices[slice + 1] == cell->slices[slice] + POSTERN_SLICE_SIZE) {
        room += UNITS_PER_SLICE;
        slice++;
    }
    return (room < count ? room : count) * UNIT;
}

static int cipher(EVP_CIPHER_CTX *context, uint64_t unit, const uint8_t *from, uint8_t *to) {
    uint8_t tweak[16] = {0};
    for (int i = 0; i < 8; i++) tweak[i] = (uint8_t)(unit >> (8 * i));
    int length = 0;
    // -1 keeps the direction and the key.
    if (EVP_CipherInit_ex(context, NULL, NULL, NULL, tweak, -1) != 1) return SQLITE_IOERR;
    if (EVP_CipherUpdate(context, to, &length, from, UNIT) != 1 || length != UNIT) return SQLITE_IOERR;
    return SQLITE_OK;
}

/// Writes enciphered units.
static int put(postern_cell *cell, uint64_t first, uint32_t count, const uint8_t *bytes) {
    if (cell->is_lost) return SQLITE_IOERR_FSYNC;
    while (count > 0) {
        uint64_t offset = 0;
        size_t length = place(cell, first, count, &offset);
        if (length == 0) return SQLITE_IOERR_WRITE;
        int error = device_write(cell->fd, bytes, length, offset);
        if (error != 0) return units_write_error(cell, error);
        bytes += length;
        first += length / UNIT;
        count -= (uint32_t)(length / UNIT);
    }
    return SQLITE_OK;
}

int units_read(postern_cell *cell, uint64_t first, uint32_t count, uint8_t *bytes) {
    while (count > 0) {
        uint64_t offset = 0;
        size_t length = place(cell, first, count, &offset);
        if (length == 0 || device_read(cell->fd, bytes, length, offset) != 0) return SQLITE_IOERR_READ;
        for (size_t done = 0; done < length; done += UNIT) {
            int result = cipher(cell->unseal, first + done / UNIT, bytes + done, bytes + done);
            if (result != SQLITE_OK) return result;
        }
        bytes += length;
        first += length / UNIT;
        count -= (uint32_t)(length / UNIT);
    }
    return SQLITE_OK;
}

int units_write(postern_cell *cell, uint64_t first, uint32_t count, const uint8_t *bytes) {
    for (uint32_t i = 0; i < count; i++) {
        int result = cipher(cell->seal, first + i, bytes + (size_t)i * UNIT, cell->scratch);
        if (result == SQLITE_OK) result = put(cell, first + i, 1, cell->scratch);
        if (result != SQLITE_OK) return result;
    }
    return SQLITE_OK;
}

int units_sync(postern_cell *cell) {
    if (cell->is_lost) return SQLITE_IOERR_FSYNC;
    int error = device_sync(cell->fd);
    if (error == 0) return SQLITE_OK;
    // The kernel may have dropped what it could not write, and a second fdatasync would report success.
    cell->is_lost = 1;
    int result = units_write_error(cell, error);
    return result == SQLITE_IOERR_WRITE ? SQLITE_IOERR_FSYNC : result;
}

int run_open(postern_run *run) {
    run->count = 0;
    run->bytes = allocate_units(RUN_UNITS);
    return run->bytes == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

void run_close(postern_run *run) {
    free(run->bytes);
    run->bytes = NULL;
    run->count = 0;
}

static int holds(const postern_run *run, uint64_t unit) {
    return unit >= run->first && unit - run->first < run->count;
}

static uint8_t *bytes_in(const postern_run *run, uint64_t unit) {
    return run->bytes + (size_t)(unit - run->first) * UNIT;
}

int run_put(postern_cell *cell, postern_run *run, uint64_t unit, const uint8_t *bytes) {
    if (!holds(run, unit)) {
        if (run->count == RUN_UNITS || (run->count > 0 && unit != run->first + run->count)) {
            int result = run_flush(cell, run);
            if (result != SQLITE_OK) return result;
        }
        if (run->count == 0) run->first = unit;
        run->count++;
    }
    int result = cipher(cell->seal, unit, bytes, bytes_in(run, unit));
    if (result != SQLITE_OK) run->count = 0;
    return result;
}

int run_get(postern_cell *cell, const postern_run *run, uint64_t unit, uint8_t *bytes) {
    if (holds(run, unit)) return cipher(cell->unseal, unit, bytes_in(run, unit), bytes);
    return units_read(cell, unit, 1, bytes);
}

int run_patch(postern_cell *cell, postern_run *run, uint64_t unit, uint32_t from, uint32_t count,
              const uint8_t *bytes) {
    if (count == UNIT) return run_put(cell, run, unit, bytes);
    int result = run_get(cell, run, unit, cell->scratch);
    if (result != SQLITE_OK) return result;
    memcpy(cell->scratch + from, bytes, count);
    return run_put(cell, run, unit, cell->scratch);
}

int run_peek(postern_cell *cell, const postern_run *run, uint64_t unit, uint32_t from, uint32_t count,
             uint8_t *bytes) {
    if (count == UNIT) return run_get(cell, run, unit, bytes);
    int result = run_get(cell, run, unit, cell->scratch);
    if (result == SQLITE_OK) memcpy(bytes, cell->scratch + from, count);
    return result;
}

int run_flush(postern_cell *cell, postern_run *run) {
    if (run->count == 0) return SQLITE_OK;
    int result = put(cell, run->first, run->count, run->bytes);
    run->count = 0;
    return result;
}
