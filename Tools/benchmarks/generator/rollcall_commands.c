/* What the driver for Rollcall writes. */
#include "rollcall.h"

#include <stdio.h>

enum { OBSERVER = 1, LEFT = 1, SETTING_ATTRIBUTE = 8, SETTING_BRING_IN = 26 };

void rollcall_frame(struct connection *connection, enum rollcall_client_frame kind, const uint8_t *body,
                    const uint8_t *end)
{
    size_t size = (size_t)(end - body), message = 1 + varint_size(size) + size;
    uint8_t *out = output_room(connection, 4 + message);
    out[0] = (uint8_t)(message >> 24), out[1] = (uint8_t)(message >> 16), out[2] = (uint8_t)(message >> 8);
    out[3] = (uint8_t)message;
    write_bytes(out + 4, kind, body, size);
    output_use(connection, 4 + message);
}

static void uid_of(uint32_t person, char *uid) { snprintf(uid, UID_SIZE + 1, "p%07u", person % 10000000); }

void rollcall_begin(struct connection *connection)
{
    uint8_t body[256], *end = body;
    char instance[17], session_id[32], uid[16];
    snprintf(instance, sizeof instance, "%c%015u", connection->role ? 'p' : 's', connection->number);
    output(connection, "RCL1", 4);
    end = write_number(end, 1, 1);
    end = write_number(end, 2, 1);
    end = write_bytes(end, 3, "bench", 5);
    end = write_bytes(end, 4, instance, 16);
    rollcall_frame(connection, HELLO, body, end);
    end = write_bytes(body, 1, session_id,
                      (size_t)snprintf(session_id, sizeof session_id, "bench-%u", session.number));
    if (connection->role == ROLE_PUBLISHER) {
        end = write_bytes(end, 3, uid, (size_t)snprintf(uid, sizeof uid, "bot-%u", connection->number));
        end = write_bytes(end, 4, "device", 6);
    }
    end = write_number(end, 5, 1);
    end = write_number(end, 6, OBSERVER);
    rollcall_frame(connection, JOIN, body, end);
}

void rollcall_publish(struct connection *connection, const struct change *change)
{
    uint8_t payload[PAYLOAD_BYTES], body[256], attribute[128], setting[192], target[32];
    char uid[UID_SIZE + 1];
    uid_of(change->person, uid);
    payload_write(payload, change);
    uint8_t *end = write_bytes(attribute, 1, &rollcall_key, 1);
    size_t attribute_size = (size_t)(write_bytes(end, 2, payload, sizeof payload) - attribute);
    size_t target_size = (size_t)(write_bytes(target, 1, uid, UID_SIZE) - target);
    end = write_bytes(setting, 1, target, target_size);
    size_t setting_size = (size_t)(write_bytes(end, SETTING_ATTRIBUTE, attribute, attribute_size) - setting);
    end = write_number(body, 1, ++connection->attendance.operation);
    rollcall_frame(connection, COMMAND, body, write_bytes(end, 2, setting, setting_size));
}

void rollcall_bring_in(struct connection *connection, uint32_t first, uint32_t count)
{
    uint8_t body[64 * BROUGHT_AT_ONCE], *end = write_number(body, 1, ++connection->attendance.operation);
    for (uint32_t person = first; person < first + count; person++) {
        uint8_t setting[48], target[32];
        char uid[UID_SIZE + 1];
        uid_of(person, uid);
        uint8_t *target_end = write_bytes(write_bytes(target, 1, uid, UID_SIZE), 2, "device01", 8);
        uint8_t *setting_end = write_bytes(setting, 1, target, (size_t)(target_end - target));
        setting_end = write_head(setting_end, SETTING_BRING_IN, 0);
        end = write_bytes(end, 2, setting, (size_t)(setting_end - setting));
    }
    rollcall_frame(connection, COMMAND, body, end);
    connection->unanswered++;
}

void rollcall_leave(struct connection *connection)
{
    uint8_t body[8];
    rollcall_frame(connection, LEAVE, body, write_number(body, 1, LEFT));
}
