/* One session: its publishers, its subscribers, and the books about what was published and what arrived. */
#ifndef SESSION_H
#define SESSION_H

#include "driver.h"

enum { RING = 1 << 16, BROUGHT_AT_ONCE = 64 };

struct session {
    const struct driver *driver;
    unsigned number;        /* names the session on the server, so that none sees another's state */
    uint32_t people;        /* whose status changes */
    uint32_t repeated;      /* 0: all in turn; else only so many, so that fields change again before they left */
    bool wants_state;       /* subscribers need what is held, where the protocol lets them choose */
    uint32_t published;     /* number of the last change */
    uint32_t delivered;     /* all subscribers have all changes up to this one */
    struct connection *publishers[MAXIMUM_PUBLISHERS];
    struct connection **subscribers;
    unsigned subscriber_count;
    uint32_t *latest; /* number of the last change of each person */
    uint64_t latency_from; /* changes due at or after this time are measured; 0: none */
    struct {
        uint64_t deliveries, messages; /* changes that arrived, and messages that they came in */
        uint64_t merged;               /* changes that a newer one of the same field stood for */
        uint64_t gaps, duplicates, wrong;
    } seen;
};

extern struct session session;

/* The number of the connection that a change goes over: without a division, since every delivery asks. */
static inline unsigned publisher_number(uint32_t seq) { return seq & (session.driver->publishers - 1); }

/* Opens publishers, brings the people in, then opens subscribers. False with a message on failure. */
bool session_open(unsigned subscribers, uint32_t people);

void session_close(void);

/* Opens connections, at most `flight` of them before they are ready. False when one fails or time is up. */
bool open_connections(struct connection **connections, unsigned count, enum role role, unsigned flight);

/* Whether the next change can be published now. */
bool can_publish(void);

/* Publishes the next change, of the person that comes in turn. */
void publish_next(uint64_t time);

void publish_change(uint32_t person, uint64_t time);

void flush_publishers(void);

/* Forgets what arrived in the session before. */
void stream_begin(void);

/* Works out `session.delivered` anew. */
void count_delivered(void);

/* Waits until everything published is delivered. */
bool drain(uint64_t ns);

/* Called by drivers: a subscriber got a change. */
void deliver(struct connection *connection, const uint8_t *payload);

/* Called by drivers: the changes of one message, which have no order among them, were delivered. */
void message_ends(struct connection *connection);

/* A late joiner has read something (joining.c). */
void joiner_has_read(struct connection *connection);

/* What a late joiner does with a change (joining.c). */
void joiner_gets(struct connection *connection, const struct change *change);

#endif
