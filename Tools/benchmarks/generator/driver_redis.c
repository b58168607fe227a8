/* Redis and Valkey, RESP3: the held state is a hash with a field for each person, a change is HSET and PUBLISH in one
 * transaction, a subscriber subscribes and then asks for the hash, on one connection. The publisher wants no answers.
 */
#include "session.h"

#include <stdio.h>

enum { KEY_SIZE = 32 };

static int key(char *text) { return snprintf(text, KEY_SIZE, "call:%06u", session.number); }

static void put_bulk(struct connection *connection, const void *bytes, size_t size)
{
    output_text(connection, "$%zu\r\n", size);
    output(connection, bytes, size);
    output(connection, "\r\n", 2);
}

static void command(struct connection *connection, const char *const *words, int count)
{
    output_text(connection, "*%d\r\n", count);
    for (int i = 0; i < count; i++) put_bulk(connection, words[i], strlen(words[i]));
}

static void begin(struct connection *connection)
{
    char name[KEY_SIZE];
    key(name);
    if (connection->role == ROLE_PUBLISHER) {
        command(connection, (const char *[]){"PING"}, 1);
        return;
    }
    command(connection, (const char *[]){"HELLO", "3"}, 2);
    command(connection, (const char *[]){"SUBSCRIBE", name}, 2);
    if (session.wants_state) command(connection, (const char *[]){"HGETALL", name}, 2);
}

static void bulk(struct connection *connection, const uint8_t *bytes, size_t size)
{
    if (size == PAYLOAD_BYTES && memcmp(bytes, "CHNG", 4) == 0) {
        deliver(connection, bytes);
        message_ends(connection);
    } else if (size == 9 && memcmp(bytes, "subscribe", 9) == 0)
        connection->ready = true;
}

/* What nests in RESP is announced by a count and needs no end, so a flat run of lines and bulk strings is enough. */
static ptrdiff_t parse(struct connection *connection, const uint8_t *bytes, size_t size)
{
    size_t offset = 0;
    while (offset < size) {
        const uint8_t *line = bytes + offset, *newline = memchr(line, '\n', size - offset);
        if (!newline) break;
        size_t next = (size_t)(newline - bytes) + 1;
        if (*line == '-' || *line == '!') {
            fprintf(stderr, "generator: the server says: %.*s\n", (int)(newline - line), (const char *)line);
            return -1;
        }
        if (*line == '$' && line[1] != '-') {
            size_t length = 0;
            for (const uint8_t *digit = line + 1; *digit >= '0' && *digit <= '9'; digit++)
                length = length * 10 + (size_t)(*digit - '0');
            if (size - next < length + 2) break;
            bulk(connection, bytes + next, length);
            next += length + 2;
        } else if (*line == '+' && connection->role == ROLE_PUBLISHER && !connection->ready) {
            command(connection, (const char *[]){"CLIENT", "REPLY", "OFF"}, 3);
            connection->ready = true;
        }
        offset = next;
    }
    return (ptrdiff_t)offset;
}

static void publish(struct connection *connection, const struct change *change)
{
    char name[KEY_SIZE], person[16], head[192];
    uint8_t payload[PAYLOAD_BYTES];
    int name_size = key(name), person_size = snprintf(person, sizeof person, "%u", change->person);
    payload_write(payload, change);
    int size = snprintf(head, sizeof head, "*1\r\n$5\r\nMULTI\r\n*4\r\n$4\r\nHSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n",
                        name_size, name, person_size, person);
    output(connection, head, (size_t)size);
    put_bulk(connection, payload, sizeof payload);
    size = snprintf(head, sizeof head, "*3\r\n$7\r\nPUBLISH\r\n$%d\r\n%s\r\n", name_size, name);
    output(connection, head, (size_t)size);
    put_bulk(connection, payload, sizeof payload);
    command(connection, (const char *[]){"EXEC"}, 1);
}

static void leave(struct connection *connection)
{
    char name[KEY_SIZE];
    key(name);
    command(connection, (const char *[]){"DEL", name}, 2);
}

const struct driver driver_redis = {.name = "redis",
                                    .publishers = 1,
                                    .keeps_state = true,
                                    .begin = begin,
                                    .parse = parse,
                                    .publish = publish,
                                    .leave = leave};
