#define _GNU_SOURCE
#include "platform.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

void postern_wipe(void *bytes, size_t count) {
    explicit_bzero(bytes, count);
}

bool postern_equal(const void *a, const void *b, size_t count) {
    const volatile uint8_t *x = a, *y = b;
    uint8_t difference = 0;
    for (size_t i = 0; i < count; i++) difference |= x[i] ^ y[i];
    return difference == 0;
}

void *postern_arena_map(size_t size, bool *locked) {
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    *locked = mlock(base, size) == 0;
    madvise(base, size, MADV_DONTDUMP);
    madvise(base, size, MADV_WIPEONFORK);
    return base;
}

int64_t postern_lock_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 0;
    return limit.rlim_cur == RLIM_INFINITY ? INT64_MAX : (int64_t)limit.rlim_cur;
}
