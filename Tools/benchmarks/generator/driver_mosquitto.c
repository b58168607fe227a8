/* mosquitto, MQTT 3.1.1 without acknowledgements: each person is a topic whose retained message is the held state. */
#include "session.h"

#include <stdio.h>

enum { CONNECT = 0x10, PUBLISH_RETAINED = 0x31, SUBSCRIBE = 0x82 };
enum { CONNACK = 2, PUBLISH = 3, SUBACK = 9, TOPIC_SIZE = 40 };

static int topic(char *text, const char *level)
{
    return snprintf(text, TOPIC_SIZE, "call/%06u/%s", session.number, level);
}

/* A packet; its body stays below 128 bytes, so one byte holds its length. */
static void packet(struct connection *connection, uint8_t kind, const void *body, size_t size)
{
    uint8_t head[2] = {kind, (uint8_t)size};
    output(connection, head, sizeof head);
    output(connection, body, size);
}

static size_t put_text(uint8_t *out, const char *text, size_t size)
{
    out[0] = 0;
    out[1] = (uint8_t)size;
    memcpy(out + 2, text, size);
    return 2 + size;
}

static void begin(struct connection *connection)
{
    char name[TOPIC_SIZE];
    uint8_t body[96] = {0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0}; // Version 4, clean session, no keep-alive.
    size_t size = 10;
    size += put_text(body + size, name, (size_t)snprintf(name, sizeof name, "%c%u-%u-%d", connection->role ? 'p' : 's',
                                                         session.number, connection->number, connection->descriptor));
    packet(connection, CONNECT, body, size);
    if (connection->role == ROLE_PUBLISHER) return;
    body[0] = 0, body[1] = 1;
    size = 2 + put_text(body + 2, name, (size_t)topic(name, "+"));
    body[size++] = 0;
    packet(connection, SUBSCRIBE, body, size);
}

static bool understand(struct connection *connection, uint8_t kind, const uint8_t *body, size_t size)
{
    if (kind == PUBLISH) {
        size_t name = size < 2 ? 0 : (size_t)body[0] << 8 | body[1];
        if (size != 2 + name + PAYLOAD_BYTES) return false;
        deliver(connection, body + 2 + name);
        message_ends(connection);
        return true;
    }
    if (kind == CONNACK) {
        if (connection->role == ROLE_PUBLISHER) connection->ready = true;
        return size == 2 && body[1] == 0;
    }
    if (kind == SUBACK) connection->ready = true;
    return kind == SUBACK;
}

static ptrdiff_t parse(struct connection *connection, const uint8_t *bytes, size_t size)
{
    size_t offset = 0;
    while (size - offset >= 2) {
        size_t length = 0, head = 1;
        unsigned shift = 0;
        do {
            if (offset + head >= size) return (ptrdiff_t)offset;
            length |= (size_t)(bytes[offset + head] & 127) << shift;
            shift += 7;
        } while (bytes[offset + head++] & 128 && shift < 28);
        if (size - offset - head < length) break;
        if (!understand(connection, bytes[offset] >> 4, bytes + offset + head, length)) return -1;
        offset += head + length;
    }
    return (ptrdiff_t)offset;
}

static void publish(struct connection *connection, const struct change *change)
{
    char level[16], name[TOPIC_SIZE];
    uint8_t body[TOPIC_SIZE + 2 + PAYLOAD_BYTES];
    snprintf(level, sizeof level, "%u", change->person);
    size_t size = put_text(body, name, (size_t)topic(name, level));
    payload_write(body + size, change);
    packet(connection, PUBLISH_RETAINED, body, size + PAYLOAD_BYTES);
}

const struct driver driver_mosquitto = {
    .name = "mosquitto", .publishers = 1, .keeps_state = true, .begin = begin, .parse = parse, .publish = publish};
