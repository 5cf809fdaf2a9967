#include "platform.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

int64_t postern_file_system_type(int descriptor) {
    struct statfs system;
    while (fstatfs(descriptor, &system) != 0)
        if (errno != EINTR) return -1;
    // The field is signed on some machines; the numbers have 32 bits.
    return (int64_t)(uint32_t)system.f_type;
}

int postern_shares_extents(int descriptor) {
    enum { CAPACITY = 128 };
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + CAPACITY * sizeof(struct fiemap_extent)];
    } request;
    uint64_t start = 0;
    while (1) {
        memset(&request.map, 0, sizeof request.map);
        request.map.fm_start = start;
        request.map.fm_length = FIEMAP_MAX_OFFSET - start;
        request.map.fm_extent_count = CAPACITY;
        if (ioctl(descriptor, FS_IOC_FIEMAP, &request.map) != 0) return -1;
        if (request.map.fm_mapped_extents == 0) return 0;
        for (uint32_t i = 0; i < request.map.fm_mapped_extents; i++) {
            const struct fiemap_extent *extent = &request.map.fm_extents[i];
            if (extent->fe_flags & FIEMAP_EXTENT_SHARED) return 1;
            if (extent->fe_flags & FIEMAP_EXTENT_LAST) return 0;
            start = extent->fe_logical + extent->fe_length;
        }
    }
}
