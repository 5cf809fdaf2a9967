/// The write-ahead log, taken apart so that every page is one unit: SQLite's log header in unit 0, the frames' headers
/// in the table units after it, 32 bytes apart, and the frames' pages after those.
///
/// The header and the table are kept in plain in memory while the cell is open, so that appending needs no reading.
/// A table unit is enciphered as a whole, but XTS enciphers each 16 bytes by themselves, and a frame's header lies
/// within 32 aligned ones: writing the unit again changes nothing on disk but the headers that changed.
#include <stdlib.h>
#include <string.h>

#include "cell.h"

#define LOG_HEADER 32
#define FRAME_HEADER 24
#define FRAME (FRAME_HEADER + (int)UNIT)
#define ENTRY 32u
#define ENTRIES_PER_UNIT (UNIT / ENTRY)

static uint32_t table_units(uint32_t log_slices) {
    // 1 header unit, t table units and f frames with f <= 128 t.
    return (log_slices * UNITS_PER_SLICE - 1 + ENTRIES_PER_UNIT) / (ENTRIES_PER_UNIT + 1);
}

uint32_t postern_cell_log_frames(uint32_t log_slices) {
    if (log_slices < 1 || log_slices > POSTERN_LOG_SLICES_MAX) return 0;
    return log_slices * UNITS_PER_SLICE - 1 - table_units(log_slices);
}

static uint64_t page_unit(const postern_log *log, uint32_t frame) { return 1 + (uint64_t)log->table_units + frame; }

static uint8_t *frame_header(const postern_log *log, uint32_t frame) {
    return log->index + UNIT + (size_t)frame * ENTRY;
}

static void mark_dirty(postern_log *log, const uint8_t *byte) {
    uint32_t unit = (uint32_t)((size_t)(byte - log->index) / UNIT);
    if (log->dirty_from == log->dirty_to) {
        log->dirty_from = unit;
        log->dirty_to = unit + 1;
    }
    if (unit < log->dirty_from) log->dirty_from = unit;
    if (unit >= log->dirty_to) log->dirty_to = unit + 1;
}

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Whether a log begins here. SQLite checks salts and checksums itself; this much tells a log from noise.
static int is_header(const uint8_t *header) {
    return (big_endian(header) & ~1u) == 0x377f0682 && big_endian(header + 4) == 3007000 &&
           big_endian(header + 8) == UNIT;
}

int log_open(postern_cell *cell) {
    postern_log *log = &cell->log;
    memset(log, 0, sizeof *log);
    log->table_units = table_units(cell->log_slices);
    log->frames = postern_cell_log_frames(cell->log_slices);
    log->index = calloc(1 + log->table_units, UNIT);
    if (log->index == NULL) return SQLITE_NOMEM;
    int result = run_open(&log->pages);
    if (result != SQLITE_OK) return result;
    // A log left by an earlier try with the same key must not be replayed into the new database.
    if (cell->fresh) return log_clear(cell);
    result = units_read(cell, 0, 1 + log->table_units, log->index);
    log->exists = result == SQLITE_OK && is_header(log->index);
    return result;
}

void log_close(postern_cell *cell) {
    run_close(&cell->log.pages);
    free(cell->log.index);
    cell->log.index = NULL;
}

int64_t log_size(const postern_cell *cell) {
    return cell->log.exists ? LOG_HEADER + (int64_t)cell->log.frames * FRAME : 0;
}

int log_read(postern_cell *cell, uint8_t *bytes, int count, int64_t offset) {
    postern_log *log = &cell->log;
    int64_t end = log_size(cell);
    while (count > 0 && offset < end) {
        int length;
        const uint8_t *index = NULL;
        if (offset < LOG_HEADER) {
            length = LOG_HEADER - (int)offset;
            index = log->index + offset;
        } else {
            uint32_t frame = (uint32_t)((offset - LOG_HEADER) / FRAME);
            int inside = (int)((offset - LOG_HEADER) % FRAME);
            if (inside < FRAME_HEADER) {
                length = FRAME_HEADER - inside;
                index = frame_header(log, frame) + inside;
            } else {
                length = FRAME - inside;
                if (length > count) length = count;
                int result = run_peek(cell, &log->pages, page_unit(log, frame), (uint32_t)(inside - FRAME_HEADER),
                                      (uint32_t)length, bytes);
                if (result != SQLITE_OK) return result;
            }
        }
        if (length > count) length = count;
        if (index != NULL) memcpy(bytes, index, (size_t)length);
        bytes += length;
        count -= length;
        offset += length;
    }
    if (count == 0) return SQLITE_OK;
    memset(bytes, 0, (size_t)count);
    return SQLITE_IOERR_SHORT_READ;
}

int log_write(postern_cell *cell, const uint8_t *bytes, int count, int64_t offset) {
    postern_log *log = &cell->log;
    if (offset + count > LOG_HEADER + (int64_t)log->frames * FRAME) {
        cell->last_errno = 0;
        return SQLITE_FULL;
    }
    while (count > 0) {
        int length;
        uint8_t *index = NULL;
        if (offset < LOG_HEADER) {
            length = LOG_HEADER - (int)offset;
            index = log->index + offset;
            log->exists = 1;
        } else {
            uint32_t frame = (uint32_t)((offset - LOG_HEADER) / FRAME);
            int inside = (int)((offset - LOG_HEADER) % FRAME);
            if (inside < FRAME_HEADER) {
                length = FRAME_HEADER - inside;
                index = frame_header(log, frame) + inside;
                // The frame names its page: it is let in only if the page will have a place in the database.
                if (inside == 0 && count >= 4) {
                    int result = data_reserve(cell, big_endian(bytes));
                    if (result != SQLITE_OK) return result;
                }
            } else {
                length = FRAME - inside;
                if (length > count) length = count;
                int result = run_patch(cell, &log->pages, page_unit(log, frame), (uint32_t)(inside - FRAME_HEADER),
                                       (uint32_t)length, bytes);
                if (result != SQLITE_OK) return result;
            }
        }
        if (length > count) length = count;
        if (index != NULL) {
            memcpy(index, bytes, (size_t)length);
            mark_dirty(log, index);
        }
        bytes += length;
        count -= length;
        offset += length;
    }
    return SQLITE_OK;
}

static int write_index(postern_cell *cell) {
    postern_log *log = &cell->log;
    uint32_t from = log->dirty_from, count = log->dirty_to - from;
    int result = units_write(cell, from, count, log->index + (size_t)from * UNIT);
    if (result == SQLITE_OK) log->dirty_from = log->dirty_to = 0;
    return result;
}

int log_clear(postern_cell *cell) {
    postern_log *log = &cell->log;
    log->exists = 0;
    log->pages.count = 0;
    memset(log->index, 0, LOG_HEADER);
    mark_dirty(log, log->index);
    return write_index(cell);
}

int log_sync(postern_cell *cell) {
    int result = run_flush(cell, &cell->log.pages);
    if (result == SQLITE_OK) result = write_index(cell);
    return result == SQLITE_OK ? units_sync(cell) : result;
}
