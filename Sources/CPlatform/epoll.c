#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

const int postern_stream_socket = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

/// Most events taken in one wait; the others come with the next one.
#define BATCH 64

int postern_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int postern_wakeup_create(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void postern_wakeup_signal(int fd) {
    uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void postern_wakeup_clear(int fd) {
    uint64_t count;
    while (read(fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
}

static int control(int epoll, int operation, int fd, uint64_t token, bool reads, bool writes) {
    struct epoll_event event = {.events = (reads ? EPOLLIN | EPOLLRDHUP : 0u) | (writes ? EPOLLOUT : 0u)};
    event.data.u64 = token;
    return epoll_ctl(epoll, operation, fd, &event) == 0 ? 0 : errno;
}

int postern_epoll_add(int epoll, int fd, uint64_t token, bool reads, bool writes) {
    return control(epoll, EPOLL_CTL_ADD, fd, token, reads, writes);
}

int postern_epoll_modify(int epoll, int fd, uint64_t token, bool reads, bool writes) {
    return control(epoll, EPOLL_CTL_MOD, fd, token, reads, writes);
}

void postern_epoll_remove(int epoll, int fd) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
}

int postern_epoll_wait(int epoll, struct postern_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[BATCH];
    int count = epoll_wait(epoll, events, capacity < BATCH ? capacity : BATCH, milliseconds);
    for (int i = 0; i < count; i++) {
        ready[i].token = events[i].data.u64;
        ready[i].readable = (events[i].events & (EPOLLIN | EPOLLRDHUP)) != 0;
        ready[i].writable = (events[i].events & EPOLLOUT) != 0;
        ready[i].failed = (events[i].events & (EPOLLERR | EPOLLHUP)) != 0;
    }
    return count < 0 ? 0 : count;
}

int64_t postern_monotonic_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
