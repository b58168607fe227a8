#define _GNU_SOURCE
#include "connection.h"

#include "basics.h"
#include "driver.h"
#include "session.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 20, EVENTS = 1024 };

unsigned failed_connections;
uint64_t received_bytes, received_at;

static int poller = -1;
static union {
    struct sockaddr any;
    struct sockaddr_in tcp;
    struct sockaddr_un local;
} server;
static socklen_t server_size;
static uint8_t *scratch;

void connections_begin(const char *address)
{
    if (strncmp(address, "tcp:", 4) == 0) {
        server.tcp.sin_family = AF_INET;
        server.tcp.sin_port = htons((uint16_t)atoi(address + 4));
        server.tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        server_size = sizeof server.tcp;
    } else if (strncmp(address, "unix:", 5) == 0 && strlen(address + 5) < sizeof server.local.sun_path) {
        server.local.sun_family = AF_UNIX;
        strcpy(server.local.sun_path, address + 5);
        server_size = sizeof server.local;
    } else {
        errno = 0;
        fail("'%s' is no address: unix:PATH or tcp:PORT", address);
    }
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) fail("epoll_create1");
    scratch = make(READ_SIZE, 1);
}

void connection_fail(struct connection *connection, const char *why)
{
    static const char *const roles[] = {"subscriber", "publisher"};
    if (connection->dead) return;
    connection->dead = true;
    if (failed_connections++ < 3)
        fprintf(stderr, "generator: %s %u: %s\n", roles[connection->role], connection->number, why);
    epoll_ctl(poller, EPOLL_CTL_DEL, connection->descriptor, NULL);
}

// MARK: Output

uint8_t *output_room(struct connection *connection, size_t size)
{
    struct buffer *unsent = &connection->unsent;
    if (unsent->begin == unsent->end) unsent->begin = unsent->end = 0;
    if (unsent->end + size > unsent->capacity) {
        unsent->capacity = (unsent->end + size) * 2;
        unsent->bytes = resized(unsent->bytes, unsent->capacity);
    }
    return unsent->bytes + unsent->end;
}

void output_text(struct connection *connection, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof text) fail("a text is too long");
    output(connection, text, (size_t)size);
}

static void watch(struct connection *connection, bool for_writing)
{
    if (connection->waits_to_write == for_writing) return;
    struct epoll_event event = {.events = EPOLLIN | (for_writing ? EPOLLOUT : 0u), .data.ptr = connection};
    if (epoll_ctl(poller, EPOLL_CTL_MOD, connection->descriptor, &event)) fail("epoll_ctl");
    connection->waits_to_write = for_writing;
}

void output_flush(struct connection *connection)
{
    struct buffer *unsent = &connection->unsent;
    if (!connection->open || connection->dead) return;
    while (unsent->begin < unsent->end) {
        ssize_t size =
            send(connection->descriptor, unsent->bytes + unsent->begin, unsent->end - unsent->begin, MSG_NOSIGNAL);
        if (size >= 0)
            unsent->begin += (size_t)size;
        else if (errno == EAGAIN)
            return watch(connection, true);
        else if (errno != EINTR)
            return connection_fail(connection, strerror(errno));
    }
    watch(connection, false);
}

// MARK: Opening and closing

static void opened(struct connection *connection)
{
    int on = 1;
    connection->open = true;
    if (server.any.sa_family == AF_INET)
        setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    session.driver->begin(connection);
    output_flush(connection);
}

struct connection *connection_open(enum role role, unsigned number)
{
    uint64_t now = now_ns();
    int descriptor = socket(server.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) fail("socket");
    // A close resets the connection, so that thousands of short ones leave nothing waiting in the system.
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    int result = connect(descriptor, &server.any, server_size);
    if (result < 0 && errno == EAGAIN) {
        close(descriptor);
        return NULL;
    }
    if (result < 0 && errno != EINPROGRESS) fail("connect");
    struct connection *connection = make(1, sizeof *connection);
    connection->descriptor = descriptor;
    connection->role = role;
    connection->number = number;
    connection->opened_at = now;
    connection->waits_to_write = true;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = connection};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
    if (result == 0) opened(connection);
    return connection;
}

void connection_close(struct connection *connection)
{
    if (!connection) return;
    close(connection->descriptor);
    free(connection->unread.bytes);
    free(connection->unsent.bytes);
    if (connection->held) free(connection->held->versions);
    free(connection->held);
    free(connection);
}

static void finish_connect(struct connection *connection)
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(connection->descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        connection_fail(connection, strerror(error));
    else
        opened(connection);
}

// MARK: Input

static void keep(struct connection *connection, const uint8_t *bytes, size_t size)
{
    struct buffer *unread = &connection->unread;
    if (size > unread->capacity) {
        unread->capacity = size * 2;
        unread->bytes = resized(unread->bytes, unread->capacity);
    }
    memcpy(unread->bytes, bytes, size);
    unread->end = size;
}

static void receive(struct connection *connection)
{
    size_t rest = connection->unread.end;
    if (rest) memcpy(scratch, connection->unread.bytes, rest);
    ssize_t size = recv(connection->descriptor, scratch + rest, READ_SIZE - rest, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) return connection_fail(connection, size ? strerror(errno) : "the server closed the connection");
    received_at = now_ns();
    received_bytes += (uint64_t)size;
    connection->received += (uint64_t)size;
    size_t total = rest + (size_t)size;
    ptrdiff_t used = session.driver->parse(connection, scratch, total);
    if (connection->dead) return;
    if (used < 0) return connection_fail(connection, "bytes that the driver does not understand");
    if (total - (size_t)used > READ_SIZE / 2) return connection_fail(connection, "a message is too long");
    keep(connection, scratch + used, total - (size_t)used);
    if (connection->held) joiner_has_read(connection);
    if (connection->unsent.begin < connection->unsent.end) output_flush(connection);
}

int pump(int timeout_ms)
{
    static struct epoll_event events[EVENTS];
    int count = epoll_wait(poller, events, EVENTS, timeout_ms);
    for (int i = 0; i < count; i++) {
        struct connection *connection = events[i].data.ptr;
        if (connection->dead) continue;
        if (events[i].events & EPOLLOUT) {
            if (connection->open)
                output_flush(connection);
            else
                finish_connect(connection);
        }
        if (!connection->dead && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(connection);
    }
    return count;
}

void pump_for(uint64_t ns)
{
    for (uint64_t end = now_ns() + ns; now_ns() < end;) pump(1);
}
