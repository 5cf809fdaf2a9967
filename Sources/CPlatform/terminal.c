#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>

bool postern_terminal_size(int fd, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}

static volatile sig_atomic_t resize_wakeup = -1;

static void did_resize(int signal) {
    (void)signal;
    int saved = errno;
    if (resize_wakeup >= 0) postern_wakeup_signal(resize_wakeup);
    errno = saved;
}

bool postern_resize_watch(int fd) {
    resize_wakeup = fd;
    struct sigaction action = {.sa_handler = fd < 0 ? SIG_DFL : did_resize, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGWINCH, &action, NULL) == 0;
}
