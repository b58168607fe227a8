/* Non-blocking connections to the server under test, all on one epoll. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAXIMUM_PUBLISHERS = 4 };

enum role { ROLE_SUBSCRIBER, ROLE_PUBLISHER };

struct buffer {
    uint8_t *bytes;
    size_t begin, end, capacity;
};

/* What a connection has seen of the publishers' numbers (stream.c). */
struct order {
    uint32_t last[MAXIMUM_PUBLISHERS]; /* the newest number before this message */
    uint32_t low[MAXIMUM_PUBLISHERS], high[MAXIMUM_PUBLISHERS], count[MAXIMUM_PUBLISHERS]; /* in this message */
};

/* What a late joiner holds (joining.c). */
struct held {
    uint32_t *versions; /* newest number of each person, 0 is none */
    uint32_t people;    /* that have one */
    uint64_t since, full_at, bytes_until_full;
};

/* Where a connection to Rollcall is in its call (driver_rollcall.c). */
struct attendance {
    uint64_t epoch, seq, join_epoch, join_seq, records;
    uint64_t part_left; /* bytes that are still to come of the running part of a snapshot */
    bool joined, loading, has_copy;
    uint64_t operation;
};

struct connection {
    int descriptor;
    enum role role;
    unsigned number; /* of its role */
    bool open;       /* the transport is up */
    bool ready;      /* the driver's handshake is done */
    bool dead;
    bool waits_to_write;
    uint8_t step; /* the driver's own */
    uint64_t opened_at, received;
    unsigned unanswered; /* changes without an answer, where the server gives one */
    struct buffer unread, unsent;
    struct order order;
    struct held *held; /* NULL: not a late joiner */
    struct attendance attendance;
};

/* The address to connect to, `unix:PATH` or `tcp:PORT` of this machine; and the epoll. */
void connections_begin(const char *address);

/* NULL: the listener's queue is full, try again. */
struct connection *connection_open(enum role role, unsigned number);

void connection_close(struct connection *connection);

/* Takes a connection out of service and says why. */
void connection_fail(struct connection *connection, const char *why);

/* Connections that failed since the start. */
extern unsigned failed_connections;

/* Bytes received since the start, and the clock after the last read. */
extern uint64_t received_bytes, received_at;

/* Handles what is ready; waits at most so long for it. Returns the number of events. */
int pump(int timeout_ms);

void pump_for(uint64_t ns);

/* Room for `size` bytes of output; `output_use` tells how many were written. */
uint8_t *output_room(struct connection *connection, size_t size);

static inline void output_use(struct connection *connection, size_t size) { connection->unsent.end += size; }

static inline void output(struct connection *connection, const void *bytes, size_t size)
{
    memcpy(output_room(connection, size), bytes, size);
    output_use(connection, size);
}

void output_text(struct connection *connection, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sends what waits, as far as the system takes it. */
void output_flush(struct connection *connection);

#endif
