/* A driver speaks the protocol of one server. */
#ifndef DRIVER_H
#define DRIVER_H

#include "connection.h"
#include "payload.h"

struct driver {
    const char *name;
    unsigned publishers; /* connections that publish, a power of two; change n goes over number n modulo this */
    unsigned window;     /* changes without an answer on each of them; 0: the server gives no answers */
    bool keeps_state;    /* late joins can be measured */

    /* The transport is up: queue the handshake. */
    void (*begin)(struct connection *connection);

    /* Reads whole messages: calls `deliver` for each change and `message_ends` after those of one message; sets
     * `ready` once. Returns the bytes read; below 0 is a fault. */
    ptrdiff_t (*parse)(struct connection *connection, const uint8_t *bytes, size_t size);

    /* Queues one change. */
    void (*publish)(struct connection *connection, const struct change *change);

    /* Queues what makes people known whose status will change; NULL: not needed. Counts as one unanswered change. */
    void (*bring_in)(struct connection *connection, uint32_t first, uint32_t count);

    /* Queues a publisher's goodbye, which clears what the session left on the server; NULL: not needed. */
    void (*leave)(struct connection *connection);
};

extern const struct driver driver_rollcall, driver_floor, driver_redis, driver_nats, driver_mosquitto;

#endif
