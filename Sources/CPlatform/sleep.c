#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int postern_clock_watch(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) return -1;
    if (postern_clock_watch_again(descriptor) == 0) return descriptor;
    close(descriptor);
    return -1;
}

int postern_clock_watch_again(int descriptor) {
    uint64_t count;
    if (read(descriptor, &count, sizeof count) < 0 && errno != EAGAIN && errno != ECANCELED) return -1;
    // Never due; but the kernel cancels it when CLOCK_REALTIME jumps, as it does after a sleep (timerfd_create(2)).
    struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX / 1000000000 - 1}};
    int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    if (timerfd_settime(descriptor, flags, &never, NULL) == 0) return 0;
    // It was set between both calls: the caller looks at the clocks now.
    return errno == ECANCELED ? timerfd_settime(descriptor, flags, &never, NULL) : -1;
}

int64_t postern_milliseconds_slept(void) {
    struct timespec boot, awake;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    clock_gettime(CLOCK_MONOTONIC, &awake);
    return (int64_t)(boot.tv_sec - awake.tv_sec) * 1000 + (boot.tv_nsec - awake.tv_nsec) / 1000000;
}

bool postern_clock_is_synchronised(void) {
    struct timex state = {0};
    int result = adjtimex(&state);
    return result >= 0 && result != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}
