/* NATS, core publish and subscribe: no state is held, so there is no late join. */
#include "session.h"

#include <stdio.h>

static void begin(struct connection *connection)
{
    output_text(connection, "CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false}\r\n");
    if (connection->role == ROLE_SUBSCRIBER) output_text(connection, "SUB call.%06u 1\r\n", session.number);
    output_text(connection, "PING\r\n");
}

/* The number at the end of a line. */
static size_t last_number(const uint8_t *line, const uint8_t *end)
{
    size_t number = 0, unit = 1;
    while (end > line && (end[-1] < '0' || end[-1] > '9')) end--;
    for (; end > line && end[-1] >= '0' && end[-1] <= '9'; end--, unit *= 10) number += (size_t)(end[-1] - '0') * unit;
    return number;
}

static ptrdiff_t parse(struct connection *connection, const uint8_t *bytes, size_t size)
{
    size_t offset = 0;
    while (offset < size) {
        const uint8_t *line = bytes + offset, *newline = memchr(line, '\n', size - offset);
        if (!newline) break;
        size_t next = (size_t)(newline - bytes) + 1;
        if (memcmp(line, "MSG ", 4) == 0) {
            size_t length = last_number(line, newline);
            if (size - next < length + 2) break;
            if (length != PAYLOAD_BYTES) return -1;
            deliver(connection, bytes + next);
            message_ends(connection);
            next += length + 2;
        } else if (memcmp(line, "PING", 4) == 0)
            output_text(connection, "PONG\r\n");
        else if (memcmp(line, "PONG", 4) == 0)
            connection->ready = true;
        else if (memcmp(line, "-ERR", 4) == 0) {
            fprintf(stderr, "generator: the server says: %.*s\n", (int)(newline - line), (const char *)line);
            return -1;
        }
        offset = next;
    }
    return (ptrdiff_t)offset;
}

static void publish(struct connection *connection, const struct change *change)
{
    output_text(connection, "PUB call.%06u %d\r\n", session.number, PAYLOAD_BYTES);
    payload_write(output_room(connection, PAYLOAD_BYTES), change);
    output_use(connection, PAYLOAD_BYTES);
    output(connection, "\r\n", 2);
}

const struct driver driver_nats = {.name = "nats", .publishers = 1, .begin = begin, .parse = parse, .publish = publish};
