/// What Swift on Linux cannot reach by itself: macros, variadics, and calls that must not be optimised away.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Overwrites `count` bytes with zeros; never optimised away.
void postern_wipe(void *bytes, size_t count);
/// Whether two ranges hold the same bytes, in time that depends on `count` alone.
bool postern_equal(const void *a, const void *b, size_t count);
/// Maps `size` bytes, locks them in memory, keeps them out of core dumps and of forked children.
/// `*locked` tells whether the lock was had. NULL with errno set when there is no memory at all.
void *postern_arena_map(size_t size, bool *locked);
