#define _GNU_SOURCE
#include "recorder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// In front of the entries of a record that several processes write.
typedef struct {
    _Atomic uint64_t used;
    uint64_t padding;
} record_head;

static record_head own_head;
static record_head *head = &own_head;
static uint8_t *entries;
static size_t capacity;
static dev_t device;
static ino_t file;
static _Atomic int is_running;

static int is_watched(int descriptor) {
    struct stat status;
    return atomic_load(&is_running) && fstat(descriptor, &status) == 0 && status.st_dev == device &&
           status.st_ino == file;
}

static void append(uint32_t kind, const void *bytes, size_t count, int64_t offset) {
    size_t length = (sizeof(postern_recorded) + count + 15) / 16 * 16;
    uint64_t at = atomic_fetch_add(&head->used, length);
    if (at + length > capacity) return;
    postern_recorded entry = {kind, (uint32_t)count, offset};
    memcpy(entries + at, &entry, sizeof entry);
    if (count > 0) memcpy(entries + at + sizeof entry, bytes, count);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    static __typeof__(&pwrite) real;
    if (real == NULL) real = REAL(pwrite);
    ssize_t done = real(descriptor, bytes, count, offset);
    if (done > 0 && is_watched(descriptor)) append(POSTERN_RECORDED_WRITE, bytes, (size_t)done, offset);
    return done;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, (off_t)offset);
}

static int synced(int descriptor, int (*real)(int)) {
    if (!is_watched(descriptor)) return real(descriptor);
    int64_t before = (int64_t)atomic_load(&head->used);
    int result = real(descriptor);
    if (result == 0) append(POSTERN_RECORDED_SYNC, NULL, 0, before);
    return result;
}

int fdatasync(int descriptor) {
    static __typeof__(&fdatasync) real;
    if (real == NULL) real = REAL(fdatasync);
    return synced(descriptor, real);
}

int fsync(int descriptor) {
    static __typeof__(&fsync) real;
    if (real == NULL) real = REAL(fsync);
    return synced(descriptor, real);
}

int ftruncate(int descriptor, off_t size) {
    static __typeof__(&ftruncate) real;
    if (real == NULL) real = REAL(ftruncate);
    int result = real(descriptor, size);
    if (result == 0 && is_watched(descriptor)) append(POSTERN_RECORDED_TRUNCATE, NULL, 0, size);
    return result;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, (off_t)size); }

int postern_record_start(int descriptor, void *memory, size_t size) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    device = status.st_dev;
    file = status.st_ino;
    entries = memory;
    capacity = size;
    atomic_store(&head->used, 0);
    atomic_store(&is_running, 1);
    return 0;
}

void postern_record_note(const void *bytes, size_t count) {
    if (atomic_load(&is_running)) append(POSTERN_RECORDED_NOTE, bytes, count, 0);
}

int64_t postern_record_stop(void) {
    atomic_store(&is_running, 0);
    uint64_t used = atomic_load(&head->used);
    return used <= capacity ? (int64_t)used : -1;
}

// In a program that was started with the recorder in front of the C library.

#ifdef POSTERN_PRELOADED

/// Standard output is noted, too: what a program said is what it has to have kept.
static int takes_output;

ssize_t write(int descriptor, const void *bytes, size_t count) {
    static __typeof__(&write) real;
    if (real == NULL) real = REAL(write);
    // Before the call: what is said counts from the moment somebody may have heard it.
    if (takes_output && descriptor == STDOUT_FILENO) append(POSTERN_RECORDED_NOTE, bytes, count, 0);
    return real(descriptor, bytes, count);
}

/// The program gives its child an environment of its own.
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    static const char *const names[] = {"LD_PRELOAD", "POSTERN_RECORD", "POSTERN_RECORDED_FILE"};
    enum { NAMES = sizeof names / sizeof *names };
    size_t count = 0;
    while (environment[count] != NULL) count++;
    char **all = calloc(count + NAMES + 1, sizeof *all);
    if (all == NULL) return 12;
    memcpy(all, environment, count * sizeof *all);
    for (size_t i = 0; i < NAMES; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && asprintf(&all[count], "%s=%s", names[i], value) >= 0) count++;
    }
    int result = REAL(posix_spawn)(pid, path, actions, attributes, arguments, all);
    free(all);
    return result;
}

__attribute__((constructor)) static void start(void) {
    const char *record = getenv("POSTERN_RECORD"), *watched = getenv("POSTERN_RECORDED_FILE");
    struct stat status, size;
    if (record == NULL || watched == NULL || stat(watched, &status) != 0) return;
    int descriptor = open(record, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    if (fstat(descriptor, &size) != 0 || size.st_size <= (off_t)sizeof(record_head)) return;
    void *memory = mmap(NULL, (size_t)size.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED) return;
    head = memory;
    entries = (uint8_t *)memory + sizeof(record_head);
    capacity = (size_t)size.st_size - sizeof(record_head);
    device = status.st_dev;
    file = status.st_ino;
    takes_output = 1;
    atomic_store(&is_running, 1);
}

#endif
