/// What SQLite calls: names to cells, files to the database or the log of one.
#include "vfs.h"

#include <pthread.h>
#include <string.h>

#include "cell.h"

typedef struct {
    sqlite3_file base;
    postern_cell *cell;
    int is_log;
} postern_file;

static const char log_suffix[] = "-wal";

/// Length of the cell's name in that of a file; `*is_log` tells which of the two it is.
static size_t cell_name(const char *name, int *is_log) {
    size_t length = strlen(name), suffix = sizeof log_suffix - 1;
    *is_log = length > suffix && strcmp(name + length - suffix, log_suffix) == 0;
    return *is_log ? length - suffix : length;
}

static postern_cell *cell_of(sqlite3_file *file) { return ((postern_file *)file)->cell; }

static int is_log(sqlite3_file *file) { return ((postern_file *)file)->is_log; }

// MARK: Files

static void close_database(postern_cell *cell) {
    log_close(cell);
    data_close(cell);
    units_close(cell);
}

static int file_close(sqlite3_file *file) {
    postern_cell *cell = cell_of(file);
    if (!is_log(file)) {
        // Whatever SQLite wanted durable it has synced; the rest is written as a file's cache would be.
        run_flush(cell, &cell->pages);
        close_database(cell);
    }
    list_close(cell);
    return SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return is_log(file) ? log_read(cell_of(file), bytes, count, offset)
                        : data_read(cell_of(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return is_log(file) ? log_write(cell_of(file), bytes, count, offset)
                        : data_write(cell_of(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (is_log(file)) return size == 0 ? log_clear(cell_of(file)) : SQLITE_OK;
    data_truncate(cell_of(file), size);
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags) {
    (void)flags;
    return is_log(file) ? log_sync(cell_of(file)) : data_sync(cell_of(file));
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    *size = is_log(file) ? log_size(cell_of(file)) : cell_of(file)->data_size;
    return SQLITE_OK;
}

/// A cell has one connection, and the vault file is locked by its process: nothing is left to lock.
static int file_lock(sqlite3_file *file, int level) {
    (void)file;
    (void)level;
    return SQLITE_OK;
}

static int file_check_lock(sqlite3_file *file, int *answer) {
    (void)file;
    *answer = 0;
    return SQLITE_OK;
}

/// `PRAGMA postern_log_frames`: how many frames the log holds. `words`: answer, name, argument.
static int answer_pragma(postern_cell *cell, char **words) {
    if (words[1] == NULL || sqlite3_stricmp(words[1], "postern_log_frames") != 0) return SQLITE_NOTFOUND;
    words[0] = sqlite3_mprintf("%u", cell->log.frames);
    return words[0] == NULL ? SQLITE_NOMEM : SQLITE_OK;
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    switch (operation) {
    case SQLITE_FCNTL_PRAGMA:
        return answer_pragma(cell_of(file), argument);
    case SQLITE_FCNTL_LAST_ERRNO:
        *(int *)argument = cell_of(file)->last_errno;
        return SQLITE_OK;
    case SQLITE_FCNTL_SIZE_HINT:
        return SQLITE_OK;
    default:
        return SQLITE_NOTFOUND;
    }
}

static int file_sector_size(sqlite3_file *file) {
    (void)file;
    return UNIT;
}

static int file_characteristics(sqlite3_file *file) {
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/// Version 1: without shared memory, so that only an EXCLUSIVE connection gets a log.
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_lock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

// MARK: Names

static int open_database(postern_cell *cell) {
    int result = units_open(cell);
    if (result == SQLITE_OK) result = data_open(cell);
    if (result == SQLITE_OK) result = log_open(cell);
    if (result != SQLITE_OK) close_database(cell);
    return result;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *flags_out) {
    (void)vfs;
    postern_file *file = (postern_file *)base;
    memset(file, 0, sizeof *file);
    if (name == NULL || (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return SQLITE_CANTOPEN;
    size_t length = cell_name(name, &file->is_log);
    if (file->is_log != ((flags & SQLITE_OPEN_WAL) != 0)) return SQLITE_CANTOPEN;
    int result;
    postern_cell *cell = list_open(name, length, !file->is_log, &result);
    if (cell == NULL) return result;
    if (!file->is_log) {
        result = open_database(cell);
        if (result != SQLITE_OK) {
            list_close(cell);
            return result;
        }
    }
    file->cell = cell;
    file->base.pMethods = &methods;
    if (flags_out != NULL) *flags_out = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
    (void)vfs;
    (void)sync_directory;
    int is_log;
    size_t length = cell_name(name, &is_log);
    postern_cell *cell = list_find(name, length);
    if (cell == NULL || !is_log) return SQLITE_IOERR_DELETE_NOENT;
    int result = log_clear(cell);
    return result == SQLITE_OK ? units_sync(cell) : result;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    (void)vfs;
    (void)flags;
    int is_log;
    size_t length = cell_name(name, &is_log);
    postern_cell *cell = list_find(name, length);
    *answer = cell != NULL && (is_log ? cell->log.exists : !cell->fresh);
    return SQLITE_OK;
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int capacity, char *out) {
    (void)vfs;
    size_t length = strlen(name);
    if (length >= (size_t)capacity || length > POSTERN_CELL_NAME_MAX) return SQLITE_CANTOPEN;
    memcpy(out, name, length + 1);
    return SQLITE_OK;
}

// MARK: The rest, which is the system's

static sqlite3_vfs *system_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return system_vfs(vfs)->xRandomness(system_vfs(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return system_vfs(vfs)->xSleep(system_vfs(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *days) { return system_vfs(vfs)->xCurrentTime(system_vfs(vfs), days); }

static int vfs_time_ms(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    return system_vfs(vfs)->xCurrentTimeInt64(system_vfs(vfs), milliseconds);
}

static int vfs_last_error(sqlite3_vfs *vfs, int capacity, char *text) {
    (void)vfs;
    if (capacity > 0) text[0] = 0;
    return 0;
}

/// Extensions are never loaded.
static void *vfs_dl_open(sqlite3_vfs *vfs, const char *name) {
    (void)vfs;
    (void)name;
    return NULL;
}

static void vfs_dl_error(sqlite3_vfs *vfs, int capacity, char *text) { vfs_last_error(vfs, capacity, text); }

static sqlite3_vfs vfs = {
    .iVersion = 2,
    .szOsFile = sizeof(postern_file),
    .mxPathname = POSTERN_CELL_NAME_MAX + sizeof log_suffix,
    .zName = POSTERN_VFS_NAME,
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_name,
    .xDlOpen = vfs_dl_open,
    .xDlError = vfs_dl_error,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_time,
    .xGetLastError = vfs_last_error,
    .xCurrentTimeInt64 = vfs_time_ms,
};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registered;

static void register_once(void) {
    // Possible only before SQLite's first use, which in the program is this one; elsewhere memory stays as it is.
    sqlite3_config(SQLITE_CONFIG_MALLOC, &memory_methods);
    vfs.pAppData = sqlite3_vfs_find(NULL);
    registered = vfs.pAppData == NULL ? SQLITE_ERROR : sqlite3_vfs_register(&vfs, 0);
}

int vfs_register(void) {
    pthread_once(&once, register_once);
    return registered;
}
