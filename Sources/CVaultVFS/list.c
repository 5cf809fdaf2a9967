/// The cells that can be opened, by name.
#include <openssl/crypto.h>
#include <pthread.h>
#include <string.h>

#include "cell.h"
#include "vfs.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static postern_cell *cells;

static postern_cell **find(const char *name, size_t length) {
    postern_cell **place = &cells;
    while (*place != NULL && (strlen((*place)->name) != length || memcmp((*place)->name, name, length) != 0))
        place = &(*place)->next;
    return place;
}

static int is_name(const char *name) {
    size_t length = strnlen(name, POSTERN_CELL_NAME_MAX + 1);
    if (length == 0 || length > POSTERN_CELL_NAME_MAX) return 0;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'))
            return 0;
    }
    return 1;
}

int postern_cell_register(const char *name, int fd, const uint8_t key[64], uint32_t log_slices,
                          const uint64_t *slices, uint32_t count, int fresh, postern_cell_grow grow, void *context) {
    if (name == NULL || !is_name(name) || fd < 0 || key == NULL || slices == NULL) return SQLITE_MISUSE;
    if (log_slices < 1 || log_slices > POSTERN_LOG_SLICES_MAX) return SQLITE_MISUSE;
    if (count < log_slices || count > POSTERN_CELL_SLICES_MAX) return SQLITE_MISUSE;
    for (uint32_t i = 0; i < count; i++)
        if (slices[i] == 0 || slices[i] % UNIT != 0 || slices[i] > INT64_MAX - POSTERN_SLICE_SIZE)
            return SQLITE_MISUSE;
    // XTS with two equal keys is not XTS.
    if (CRYPTO_memcmp(key, key + 32, 32) == 0) return SQLITE_MISUSE;
    int result = vfs_register();
    if (result != SQLITE_OK) return result;

    postern_cell *cell = sqlite3_malloc64(sizeof *cell);
    if (cell == NULL) return SQLITE_NOMEM;
    memset(cell, 0, sizeof *cell);
    cell->slices = sqlite3_malloc64(count * sizeof *slices);
    if (cell->slices == NULL) {
        sqlite3_free(cell);
        return SQLITE_NOMEM;
    }
    memcpy(cell->slices, slices, count * sizeof *slices);
    memcpy(cell->name, name, strlen(name));
    cell->fd = fd;
    cell->key = key;
    cell->log_slices = log_slices;
    cell->capacity = count;
    cell->count = count;
    cell->grow = grow;
    cell->context = context;
    cell->fresh = fresh != 0;

    pthread_mutex_lock(&lock);
    if (*find(name, strlen(name)) != NULL) {
        result = SQLITE_BUSY;
    } else {
        cell->next = cells;
        cells = cell;
    }
    pthread_mutex_unlock(&lock);
    if (result != SQLITE_OK) {
        sqlite3_free(cell->slices);
        sqlite3_free(cell);
    }
    return result;
}

int postern_cell_unregister(const char *name) {
    if (name == NULL) return SQLITE_NOTFOUND;
    pthread_mutex_lock(&lock);
    postern_cell **place = find(name, strlen(name)), *cell = *place;
    int result = cell == NULL ? SQLITE_NOTFOUND : cell->open_files > 0 ? SQLITE_BUSY : SQLITE_OK;
    if (result == SQLITE_OK) *place = cell->next;
    pthread_mutex_unlock(&lock);
    if (result == SQLITE_OK) {
        sqlite3_free(cell->slices);
        sqlite3_free(cell);
    }
    return result;
}

postern_cell *list_open(const char *name, size_t length, int is_database, int *result) {
    pthread_mutex_lock(&lock);
    postern_cell *cell = *find(name, length);
    *result = SQLITE_OK;
    if (cell == NULL || (!is_database && cell->open_files == 0)) *result = SQLITE_CANTOPEN;
    // The database and its log.
    else if (cell->open_files >= (is_database ? 1 : 2)) *result = SQLITE_BUSY;
    if (*result == SQLITE_OK) cell->open_files++;
    pthread_mutex_unlock(&lock);
    return *result == SQLITE_OK ? cell : NULL;
}

void list_close(postern_cell *cell) {
    pthread_mutex_lock(&lock);
    cell->open_files--;
    pthread_mutex_unlock(&lock);
}

postern_cell *list_find(const char *name, size_t length) {
    pthread_mutex_lock(&lock);
    postern_cell *cell = *find(name, length);
    if (cell != NULL && cell->open_files == 0) cell = NULL;
    pthread_mutex_unlock(&lock);
    return cell;
}
