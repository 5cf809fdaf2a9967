/// SQLite's memory, wiped before it goes back: what a database held in its caches does not stay behind in the process
/// after it is closed. (SQLCipher's own `cipher_memory_security` also locks each block, at several times the cost.)
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"

static void *memory_allocate(int size) { return malloc((size_t)size); }

static int memory_size(void *block) { return block == NULL ? 0 : (int)malloc_usable_size(block); }

static void memory_free(void *block) {
    if (block == NULL) return;
    explicit_bzero(block, malloc_usable_size(block));
    free(block);
}

static void *memory_resize(void *block, int size) {
    size_t old = malloc_usable_size(block), wanted = (size_t)size;
    // Shrinking by less than half is not worth a copy.
    if (wanted <= old && wanted > old / 2) return block;
    void *larger = malloc(wanted);
    if (larger == NULL) return NULL;
    memcpy(larger, block, old < wanted ? old : wanted);
    memory_free(block);
    return larger;
}

static int memory_round_up(int size) { return (size + 7) & ~7; }

static int memory_start(void *unused) {
    (void)unused;
    return SQLITE_OK;
}

static void memory_end(void *unused) { (void)unused; }

const sqlite3_mem_methods memory_methods = {
    .xMalloc = memory_allocate,
    .xFree = memory_free,
    .xRealloc = memory_resize,
    .xSize = memory_size,
    .xRoundup = memory_round_up,
    .xInit = memory_start,
    .xShutdown = memory_end,
};
