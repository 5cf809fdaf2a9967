#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

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

/// Milliseconds that the terminal may take.
enum { PATIENCE = 500 };

static struct {
    int input, output, nowhere;
    struct termios found;
    const char *bytes;
    size_t count;
} will;

/// Raw, or whole lines without echo, without signals or without the key that interrupts: as this program sets it. A
/// shell that has taken the terminal back reads keys one by one, too, but lets output be translated.
static bool is_ours(const struct termios *now) {
    bool is_raw = (now->c_oflag & OPOST) == 0;
    bool is_of_lines = (now->c_lflag & ICANON) != 0 && (now->c_lflag & (ECHO | ISIG)) != (ECHO | ISIG);
    bool is_uninterrupted = now->c_cc[VINTR] == _POSIX_VDISABLE && will.found.c_cc[VINTR] != _POSIX_VDISABLE;
    return is_raw || is_of_lines || is_uninterrupted;
}

static void execute_will(int number) {
    // The end of a terminal's first process sends SIGHUP twice: as a hang-up, and as the parent's death.
    static atomic_flag is_begun = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&is_begun)) return;
    struct termios now;
    if (will.input >= 0 && tcgetattr(will.input, &now) == 0 && is_ours(&now)) tcsetattr(will.input, TCSANOW, &will.found);
    if (will.output >= 0) {
        // Other threads may be drawing: what they write goes nowhere from here on.
        int terminal = fcntl(will.output, F_DUPFD_CLOEXEC, 3);
        dup2(will.nowhere, will.output);
        // A terminal that takes nothing, as that of a frozen connection, must not keep a process with keys: a byte at a
        // time never waits for room behind the poll.
        struct pollfd ready = {.fd = terminal, .events = POLLOUT};
        int64_t end = postern_monotonic_milliseconds() + PATIENCE;
        for (size_t i = 0; i < will.count; i++) {
            int64_t rest = end - postern_monotonic_milliseconds();
            if (rest <= 0 || poll(&ready, 1, (int)rest) <= 0 || write(terminal, will.bytes + i, 1) != 1) break;
        }
    }
    signal(number, SIG_DFL);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    kill(getpid(), number);
}

int postern_terminal_will(int input, int output, const void *bytes, size_t count) {
    will.input = tcgetattr(input, &will.found) == 0 ? input : -1;
    will.output = count > 0 && isatty(output) ? output : -1;
    will.bytes = bytes;
    will.count = count;
    will.nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (will.nowhere < 0) return -1;
    struct sigaction action = {.sa_handler = execute_will};
    sigfillset(&action.sa_mask);
    // The terminal may have gone to another process group by then.
    if (signal(SIGTTOU, SIG_IGN) == SIG_ERR) return -1;
    if (sigaction(SIGHUP, &action, NULL) != 0) return -1;
    return sigaction(SIGTERM, &action, NULL);
}
