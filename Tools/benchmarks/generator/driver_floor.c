/* The floor (../floor): frames of 4 bytes, length and kind, and a body. The client says 'w' (watch) or 'p' (publish)
 * first; a watcher gets what is held, a frame of kind 2, and then every change as it came. Kind 3 says nothing. */
#include "session.h"

enum { HEADER = 4, KIND_CHANGE = 1, KIND_READY = 2, KIND_NOTHING = 3 };

static void begin(struct connection *connection)
{
    output(connection, connection->role == ROLE_PUBLISHER ? "p" : "w", 1);
}

static ptrdiff_t parse(struct connection *connection, const uint8_t *bytes, size_t size)
{
    size_t offset = 0;
    while (size - offset >= HEADER) {
        size_t length = (size_t)bytes[offset] | (size_t)bytes[offset + 1] << 8;
        if (size - offset < HEADER + length) break;
        uint8_t kind = bytes[offset + 2];
        if (kind == KIND_CHANGE && length == PAYLOAD_BYTES) {
            deliver(connection, bytes + offset + HEADER);
            message_ends(connection);
        } else if (kind == KIND_READY)
            connection->ready = true;
        else if (kind != KIND_NOTHING)
            return -1;
        offset += HEADER + length;
    }
    return (ptrdiff_t)offset;
}

static void publish(struct connection *connection, const struct change *change)
{
    uint8_t *out = output_room(connection, HEADER + PAYLOAD_BYTES);
    out[0] = PAYLOAD_BYTES;
    out[1] = 0;
    out[2] = KIND_CHANGE;
    out[3] = 0;
    payload_write(out + HEADER, change);
    output_use(connection, HEADER + PAYLOAD_BYTES);
}

const struct driver driver_floor = {
    .name = "floor", .publishers = 1, .keeps_state = true, .begin = begin, .parse = parse, .publish = publish};
