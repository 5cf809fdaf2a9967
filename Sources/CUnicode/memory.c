#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unicode/uclean.h>

/// ICU normalises passcodes in buffers of its own. With these functions it leaves none behind: each allocation knows
/// its size, and is wiped when ICU gives it back.
///
/// Installed before `main`, because ICU takes them only before its first use. Texts of up to 27 units lie in ICU's
/// frames on the stack instead, where the next call writes over them.
typedef struct {
    size_t size;
} __attribute__((aligned(16))) block;

static void *allocate(const void *context, size_t size) {
    (void)context;
    if (size > SIZE_MAX - sizeof(block)) return NULL;
    block *head = malloc(sizeof(block) + size);
    if (head == NULL) return NULL;
    head->size = size;
    return head + 1;
}

static void release(const void *context, void *bytes) {
    (void)context;
    if (bytes == NULL) return;
    block *head = (block *)bytes - 1;
    explicit_bzero(bytes, head->size);
    free(head);
}

static void *reallocate(const void *context, void *bytes, size_t size) {
    if (bytes == NULL) return allocate(context, size);
    void *grown = allocate(context, size);
    if (grown == NULL) return NULL;
    size_t old = ((block *)bytes - 1)->size;
    memcpy(grown, bytes, old < size ? old : size);
    release(context, bytes);
    return grown;
}

__attribute__((constructor)) static void install(void) {
    UErrorCode status = U_ZERO_ERROR;
    u_setMemoryFunctions(NULL, allocate, reallocate, release, &status);
    // Somebody used ICU before main: then what it frees is not wiped, and we must not go on as if it were.
    if (U_FAILURE(status)) abort();
}
