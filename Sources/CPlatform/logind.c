#define _GNU_SOURCE
#include "platform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// sd-bus, as far as it is used (sd-bus(3)). Loaded when it is wanted: the program starts without it, and where it is not
// installed there is no logind either.
typedef int (*handler)(void *message, void *context, void *error);

static struct {
    int (*open_system)(void **bus);
    void *(*flush_close_unref)(void *bus);
    int (*get_fd)(void *bus);
    int (*get_events)(void *bus);
    int (*get_timeout)(void *bus, uint64_t *microseconds);
    int (*process)(void *bus, void **message);
    int (*match_signal_async)(
        void *bus, void **slot, const char *sender, const char *path, const char *interface, const char *member,
        handler did_receive, handler did_install, void *context);
    int (*call_method_async)(
        void *bus, void **slot, const char *destination, const char *path, const char *interface, const char *member,
        handler did_answer, void *context, const char *types, ...);
    int (*message_read)(void *message, const char *types, ...);
    int (*message_is_method_error)(void *message, const char *name);
    const char *(*message_get_path)(void *message);
} sd;

static const char service[] = "org.freedesktop.login1";
static const char manager_path[] = "/org/freedesktop/login1";
static const char manager[] = "org.freedesktop.login1.Manager";
static const char session[] = "org.freedesktop.login1.Session";

struct postern_logind {
    void *bus;
    /// What happened since it was last asked for.
    int events;
    /// While it is open, the machine does not sleep (for as long as logind lets it be held up); -1 where it is not.
    int inhibitor;
    bool is_about_to_sleep;
};

static bool load(void) {
    static bool is_loaded;
    if (is_loaded) return true;
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return false;
    const struct {
        void *place;
        const char *name;
    } symbols[] = {
        {&sd.open_system, "sd_bus_open_system"},
        {&sd.flush_close_unref, "sd_bus_flush_close_unref"},
        {&sd.get_fd, "sd_bus_get_fd"},
        {&sd.get_events, "sd_bus_get_events"},
        {&sd.get_timeout, "sd_bus_get_timeout"},
        {&sd.process, "sd_bus_process"},
        {&sd.match_signal_async, "sd_bus_match_signal_async"},
        {&sd.call_method_async, "sd_bus_call_method_async"},
        {&sd.message_read, "sd_bus_message_read"},
        {&sd.message_is_method_error, "sd_bus_message_is_method_error"},
        {&sd.message_get_path, "sd_bus_message_get_path"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (symbol == NULL) {
            dlclose(library);
            return false;
        }
        memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
    is_loaded = true;
    return true;
}

static int did_get_inhibitor(void *message, void *context, void *error) {
    (void)error;
    struct postern_logind *logind = context;
    int inhibitor;
    if (sd.message_is_method_error(message, NULL) || sd.message_read(message, "h", &inhibitor) < 0) return 0;
    if (logind->inhibitor >= 0) close(logind->inhibitor);
    // The message's own is closed with it.
    logind->inhibitor = fcntl(inhibitor, F_DUPFD_CLOEXEC, 3);
    return 0;
}

static void hold_sleep_up(struct postern_logind *logind) {
    sd.call_method_async(
        logind->bus, NULL, service, manager_path, manager, "Inhibit", did_get_inhibitor, logind, "ssss", "sleep",
        "Postern", "Locks the session first", "delay");
}

static int did_prepare_for_sleep(void *message, void *context, void *error) {
    (void)error;
    struct postern_logind *logind = context;
    int begins;
    if (sd.message_read(message, "b", &begins) < 0) return 0;
    logind->is_about_to_sleep = begins;
    if (begins) {
        logind->events |= POSTERN_LOGIND_SLEEP;
    } else {
        hold_sleep_up(logind);
    }
    return 0;
}

/// A session was to be locked; whose it is comes as an answer. Without one it may be this person's.
static int did_get_user(void *message, void *context, void *error) {
    (void)error;
    struct postern_logind *logind = context;
    uint32_t user;
    bool is_known = !sd.message_is_method_error(message, NULL) && sd.message_read(message, "v", "(uo)", &user, NULL) >= 0;
    if (!is_known || user == getuid()) logind->events |= POSTERN_LOGIND_LOCK;
    return 0;
}

static int did_lock(void *message, void *context, void *error) {
    (void)error;
    struct postern_logind *logind = context;
    if (sd.call_method_async(
            logind->bus, NULL, service, sd.message_get_path(message), "org.freedesktop.DBus.Properties", "Get",
            did_get_user, logind, "ss", session, "User") < 0)
        logind->events |= POSTERN_LOGIND_LOCK;
    return 0;
}

struct postern_logind *postern_logind_open(void) {
    if (!load()) return NULL;
    struct postern_logind *logind = calloc(1, sizeof *logind);
    if (logind == NULL) return NULL;
    logind->inhibitor = -1;
    // Any session of this person's: the terminal's own may be none of logind's (ssh, tmux).
    if (sd.open_system(&logind->bus) < 0 ||
        sd.match_signal_async(
            logind->bus, NULL, service, manager_path, manager, "PrepareForSleep", did_prepare_for_sleep, NULL, logind) <
            0 ||
        sd.match_signal_async(logind->bus, NULL, service, NULL, session, "Lock", did_lock, NULL, logind) < 0) {
        postern_logind_close(logind);
        return NULL;
    }
    hold_sleep_up(logind);
    return logind;
}

void postern_logind_close(struct postern_logind *logind) {
    if (logind->inhibitor >= 0) close(logind->inhibitor);
    if (logind->bus != NULL) sd.flush_close_unref(logind->bus);
    free(logind);
}

int postern_logind_interest(struct postern_logind *logind, short *events, int *milliseconds) {
    int wanted = sd.get_events(logind->bus);
    uint64_t due = UINT64_MAX;
    if (wanted < 0 || sd.get_timeout(logind->bus, &due) < 0) return -1;
    *events = (short)wanted;
    *milliseconds = -1;
    if (due != UINT64_MAX) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t then = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
        *milliseconds = due <= then ? 0 : (int)((due - then) / 1000 + 1 < 60000 ? (due - then) / 1000 + 1 : 60000);
    }
    return sd.get_fd(logind->bus);
}

int postern_logind_process(struct postern_logind *logind) {
    int result;
    // A bus that sends without end gets its turn again with the next call.
    int rounds = 0;
    while ((result = sd.process(logind->bus, NULL)) > 0 && ++rounds < 256) {
    }
    int events = logind->events;
    logind->events = 0;
    return result < 0 ? -1 : events;
}

void postern_logind_let_sleep(struct postern_logind *logind) {
    // Otherwise it holds the next sleep up, too: another session may be open by then.
    if (!logind->is_about_to_sleep) return;
    if (logind->inhibitor >= 0) close(logind->inhibitor);
    logind->inhibitor = -1;
}

bool postern_logind_answers(int milliseconds) {
    struct postern_logind *logind = postern_logind_open();
    if (logind == NULL) return false;
    int64_t end = postern_monotonic_milliseconds() + milliseconds;
    bool answers = false;
    while (!answers) {
        struct pollfd bus = {0};
        int wait = -1;
        bus.fd = postern_logind_interest(logind, &bus.events, &wait);
        int64_t rest = end - postern_monotonic_milliseconds();
        if (bus.fd < 0 || rest <= 0 || poll(&bus, 1, wait >= 0 && wait < rest ? wait : (int)rest) < 0) break;
        if (postern_logind_process(logind) < 0) break;
        answers = logind->inhibitor >= 0;
    }
    postern_logind_close(logind);
    return answers;
}
