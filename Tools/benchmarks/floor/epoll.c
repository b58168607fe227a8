/* The floor below libuv: what floor.c does, on epoll alone. Its protocol is the same, and so is what it leaves out.
 *
 * One round of the loop takes what is ready, and then writes what it has read once to each watcher; with a tick, what
 * comes sooner than so many ms after the last write waits for so long, and goes out with what comes meanwhile.
 *
 *     epoll ADDRESS [TICK_MS]      unix:PATH or tcp:PORT; prints "ready"
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 4, BODY = 64, FRAME = HEADER + BODY, PERSON_OFFSET = 16, KIND_READY = 2, BACKLOG = 4096 };
enum { MAXIMUM_PEOPLE = 100000, READ_SIZE = 1 << 18, ROUND = 512 };

struct buffer {
    uint8_t *bytes;
    size_t size, capacity;
};

struct client {
    int descriptor;
    uint32_t place;      /* in the list of watchers, plus one */
    bool publishes, is_gone;
    struct buffer rest;  /* of a publisher: an incomplete frame; of a watcher: what the system did not take */
    struct client *next; /* of those that are gone */
};

static const uint8_t ready[HEADER] = {0, 0, KIND_READY, 0};
static int poller, listener;
static bool is_tcp;
static struct client **watchers, *gone;
static uint32_t watcher_count, watcher_capacity;
static struct buffer held, turn; /* a frame for each person; the changes since the last write */
static uint8_t read_buffer[READ_SIZE];
static uint64_t tick, flushed_at;
static uint64_t due; /* When what waits is written; 0: nothing waits. */

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "epoll: %s: %s\n", what, strerror(errno));
    exit(70);
}

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static uint8_t *room(struct buffer *buffer, size_t more)
{
    if (buffer->size + more > buffer->capacity) {
        buffer->capacity = (buffer->size + more) * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (!buffer->bytes) fail("memory");
    }
    return buffer->bytes + buffer->size;
}

static void append(struct buffer *buffer, const void *bytes, size_t size)
{
    memcpy(room(buffer, size), bytes, size);
    buffer->size += size;
}

static void drop(struct buffer *buffer, size_t size)
{
    buffer->size -= size;
    memmove(buffer->bytes, buffer->bytes + size, buffer->size);
}

/* Freed at the end of the round: an event of it may still come in this one. */
static void end(struct client *client)
{
    if (client->is_gone) return;
    client->is_gone = true;
    if (client->place) {
        struct client *last = watchers[--watcher_count];
        watchers[client->place - 1] = last;
        last->place = client->place;
    }
    close(client->descriptor);
    client->next = gone;
    gone = client;
}

static void wait_for(struct client *client, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = client};
    if (epoll_ctl(poller, EPOLL_CTL_MOD, client->descriptor, &event) < 0) fail("epoll_ctl");
}

/* How many bytes the system took; below 0: the client is gone. */
static ssize_t taken(struct client *client, const uint8_t *bytes, size_t size)
{
    ssize_t done = send(client->descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done >= 0) return done;
    if (errno == EAGAIN || errno == EINTR) return 0;
    end(client);
    return -1;
}

static void send_bytes(struct client *client, const uint8_t *bytes, size_t size)
{
    ssize_t done = client->rest.size ? 0 : taken(client, bytes, size);
    if (done < 0 || (size_t)done == size) return;
    if (!client->rest.size) wait_for(client, EPOLLIN | EPOLLOUT);
    append(&client->rest, bytes + done, size - (size_t)done);
}

static void send_rest(struct client *client)
{
    ssize_t done = taken(client, client->rest.bytes, client->rest.size);
    if (done < 0) return;
    drop(&client->rest, (size_t)done);
    if (!client->rest.size) wait_for(client, EPOLLIN);
}

static void flush(void)
{
    for (uint32_t i = watcher_count; i > 0; i--) send_bytes(watchers[i - 1], turn.bytes, turn.size);
    turn.size = 0;
    flushed_at = now_ms();
    due = 0;
}

static void hold(const uint8_t *frame)
{
    uint32_t person;
    memcpy(&person, frame + HEADER + PERSON_OFFSET, sizeof person);
    if (person >= MAXIMUM_PEOPLE) return;
    size_t needed = (size_t)(person + 1) * FRAME;
    if (needed > held.size) {
        memset(room(&held, needed - held.size), 0, needed - held.size);
        held.size = needed;
    }
    memcpy(held.bytes + (size_t)person * FRAME, frame, FRAME);
}

static void publish(struct client *client, const uint8_t *bytes, size_t size)
{
    if (client->rest.size) {
        append(&client->rest, bytes, size);
        bytes = client->rest.bytes;
        size = client->rest.size;
    }
    size_t whole = size - size % FRAME;
    for (size_t offset = 0; offset < whole; offset += FRAME) hold(bytes + offset);
    append(&turn, bytes, whole);
    if (client->rest.size)
        drop(&client->rest, whole);
    else
        append(&client->rest, bytes + whole, size - whole);
}

static void watch(struct client *client)
{
    // Who comes in the middle of a turn has its changes in the held state.
    if (turn.size) flush();
    if (held.size) send_bytes(client, held.bytes, held.size);
    if (!client->is_gone) send_bytes(client, ready, sizeof ready);
    if (client->is_gone) return;
    if (watcher_count == watcher_capacity) {
        watcher_capacity = watcher_capacity * 2 + 64;
        watchers = realloc(watchers, watcher_capacity * sizeof *watchers);
        if (!watchers) fail("memory");
    }
    watchers[watcher_count++] = client;
    client->place = watcher_count;
}

static void receive(struct client *client)
{
    ssize_t size = recv(client->descriptor, read_buffer, READ_SIZE, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) return end(client);
    if (client->publishes) return publish(client, read_buffer, (size_t)size);
    if (client->place) return;
    if (read_buffer[0] == 'w') return watch(client);
    if (read_buffer[0] != 'p') return end(client);
    client->publishes = true;
    held.size = 0;
    if (taken(client, ready, sizeof ready) == sizeof ready) publish(client, read_buffer + 1, (size_t)size - 1);
}

static void accept_some(void)
{
    for (int descriptor; (descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
        int on = 1;
        struct client *client = calloc(1, sizeof *client);
        if (!client) fail("memory");
        client->descriptor = descriptor;
        if (is_tcp) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("epoll_ctl");
    }
}

static void listen_on(const char *text)
{
    union {
        struct sockaddr any;
        struct sockaddr_in tcp;
        struct sockaddr_un local;
    } address = {0};
    is_tcp = strncmp(text, "tcp:", 4) == 0;
    if (is_tcp) {
        address.tcp.sin_family = AF_INET;
        address.tcp.sin_port = htons((uint16_t)atoi(text + 4));
        address.tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else if (strncmp(text, "unix:", 5) == 0 && strlen(text + 5) < sizeof address.local.sun_path) {
        address.local.sun_family = AF_UNIX;
        strcpy(address.local.sun_path, text + 5);
    } else {
        fprintf(stderr, "epoll: '%s' is no address\n", text);
        exit(64);
    }
    int on = 1;
    listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) fail("socket");
    if (is_tcp) setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    socklen_t size = is_tcp ? sizeof address.tcp : sizeof address.local;
    if (bind(listener, &address.any, size) < 0 || listen(listener, BACKLOG) < 0) fail(text);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) < 0) fail("epoll_ctl");
}

int main(int count, char **arguments)
{
    if (count < 2 || count > 3) {
        fputs("usage: epoll unix:PATH|tcp:PORT [TICK_MS]\n", stderr);
        return 64;
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    tick = count == 3 ? strtoull(arguments[2], NULL, 10) : 0;
    if ((poller = epoll_create1(EPOLL_CLOEXEC)) < 0) fail("epoll_create1");
    listen_on(arguments[1]);
    puts("ready");
    fflush(stdout);
    for (;;) {
        static struct epoll_event events[ROUND];
        uint64_t now = due ? now_ms() : 0;
        int found = epoll_wait(poller, events, ROUND, due ? due > now ? (int)(due - now) : 0 : -1);
        if (found < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < found; i++) {
            struct client *client = events[i].data.ptr;
            if (!client) {
                accept_some();
                continue;
            }
            if (!client->is_gone && events[i].events & EPOLLOUT) send_rest(client);
            if (!client->is_gone && events[i].events & ~EPOLLOUT) receive(client);
        }
        if (turn.size) {
            uint64_t now = now_ms();
            if (due ? now >= due : now - flushed_at >= tick) flush();
            else if (!due) due = now + tick;
        }
        for (struct client *client; (client = gone);) {
            gone = client->next;
            free(client->rest.bytes);
            free(client);
        }
    }
}
