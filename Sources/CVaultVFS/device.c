/// System calls on the vault file: interrupted and short transfers are carried on.
#include <errno.h>
#include <unistd.h>

#include "cell.h"

int device_read(int fd, uint8_t *bytes, size_t count, uint64_t offset) {
    while (count > 0) {
        ssize_t done = pread(fd, bytes, count, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        // The vault is shorter than its geometry says.
        if (done == 0) return EIO;
        bytes += done;
        count -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int device_write(int fd, const uint8_t *bytes, size_t count, uint64_t offset) {
    while (count > 0) {
        ssize_t done = pwrite(fd, bytes, count, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return EIO;
        bytes += done;
        count -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int device_sync(int fd) {
    while (fdatasync(fd) != 0)
        if (errno != EINTR) return errno;
    return 0;
}
