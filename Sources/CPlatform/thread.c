#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

struct beginning {
    char name[16];
    void *(*body)(void *);
    void *context;
};

static void *begin(void *pointer) {
    struct beginning own = *(struct beginning *)pointer;
    free(pointer);
    // By itself: giving another thread a name means writing into /proc.
    prctl(PR_SET_NAME, own.name, 0, 0, 0);
    return own.body(own.context);
}

int postern_thread_start(const char *name, void *(*body)(void *), void *context) {
    struct beginning *beginning = calloc(1, sizeof *beginning);
    if (beginning == NULL) return ENOMEM;
    strncpy(beginning->name, name, sizeof beginning->name - 1);
    beginning->body = body;
    beginning->context = context;
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        free(beginning);
        return error;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, begin, beginning);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error != 0) free(beginning);
    return error;
}
