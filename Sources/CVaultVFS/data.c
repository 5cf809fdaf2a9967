/// The database file: page p is the unit after those of the log, plus p.
#include <string.h>

#include "cell.h"

static uint64_t first_unit(const postern_cell *cell) { return (uint64_t)cell->log_slices * UNITS_PER_SLICE; }

static int64_t data_capacity(const postern_cell *cell) {
    return (int64_t)(cell->count - cell->log_slices) * POSTERN_SLICE_SIZE;
}

int data_open(postern_cell *cell) {
    // How much of it is used says the database's first page; beyond lies noise that SQLite never asks for.
    cell->data_size = cell->fresh ? 0 : data_capacity(cell);
    return run_open(&cell->pages);
}

void data_close(postern_cell *cell) { run_close(&cell->pages); }

int data_reserve(postern_cell *cell, uint64_t pages) {
    while (pages > (uint64_t)data_capacity(cell) / UNIT) {
        int result = units_grow(cell);
        if (result != SQLITE_OK) return result;
    }
    return SQLITE_OK;
}

int data_read(postern_cell *cell, uint8_t *bytes, int count, int64_t offset) {
    while (count > 0 && offset < cell->data_size) {
        uint32_t from = (uint32_t)(offset % UNIT), length = UNIT - from;
        if (length > (uint32_t)count) length = (uint32_t)count;
        if (length > cell->data_size - offset) length = (uint32_t)(cell->data_size - offset);
        int result =
            run_peek(cell, &cell->pages, first_unit(cell) + (uint64_t)(offset / UNIT), from, length, bytes);
        if (result != SQLITE_OK) return result;
        bytes += length;
        count -= (int)length;
        offset += length;
    }
    if (count == 0) return SQLITE_OK;
    memset(bytes, 0, (size_t)count);
    return SQLITE_IOERR_SHORT_READ;
}

int data_write(postern_cell *cell, const uint8_t *bytes, int count, int64_t offset) {
    int result = data_reserve(cell, ((uint64_t)offset + (uint64_t)count + UNIT - 1) / UNIT);
    while (result == SQLITE_OK && count > 0) {
        uint32_t from = (uint32_t)(offset % UNIT), length = UNIT - from;
        if (length > (uint32_t)count) length = (uint32_t)count;
        result = run_patch(cell, &cell->pages, first_unit(cell) + (uint64_t)(offset / UNIT), from, length, bytes);
        if (result != SQLITE_OK) break;
        bytes += length;
        count -= (int)length;
        offset += length;
        if (offset > cell->data_size) cell->data_size = offset;
    }
    return result;
}

void data_truncate(postern_cell *cell, int64_t size) {
    if (size < cell->data_size) cell->data_size = size;
}

int data_sync(postern_cell *cell) {
    int result = run_flush(cell, &cell->pages);
    if (result == SQLITE_OK) result = units_sync(cell);
    if (result == SQLITE_OK && cell->data_size > 0) cell->fresh = 0;
    return result;
}
