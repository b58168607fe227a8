/* Rollcall, RCL1 version 1 (Protocol/SPEC.md). Publishers are observers with the right to act for others; they bring
 * the people in and change an attribute of them. Subscribers are observers; they read every frame as far as is needed
 * to see each change, and hold each to its position and each record to its person. */
#include "rollcall.h"

#include <stdio.h>

enum server_frame { JOINED = 2, SNAPSHOT, PART, DELTA, ACK, PING, NOTICE, CLOSED };
enum { ACTS_FOR_OTHERS = 4, LARGEST_FRAME = 1 << 20 };

static void read_position(struct span fields, uint64_t *epoch, uint64_t *seq)
{
    unsigned field, type;
    *epoch = *seq = 0;
    while ((field = read_field(&fields, &type))) {
        if (field == 1 && type == 0)
            *epoch = read_varint(&fields);
        else if (field == 2 && type == 0)
            *seq = read_varint(&fields);
        else
            skip_field(&fields, type);
    }
}

/* The join is complete when the copy has reached its position. */
static void copy_moved(struct connection *connection)
{
    struct attendance *mine = &connection->attendance;
    if (mine->joined && mine->has_copy && mine->epoch == mine->join_epoch && mine->seq >= mine->join_seq)
        connection->ready = true;
}

static bool joined(struct connection *connection, struct span fields)
{
    struct attendance *mine = &connection->attendance;
    unsigned field, type;
    uint64_t rights = 0;
    while ((field = read_field(&fields, &type))) {
        if (field == 6 && type == 0)
            rights = read_varint(&fields);
        else if (field == 9 && type == 2)
            read_position(read_bytes(&fields), &mine->join_epoch, &mine->join_seq);
        else
            skip_field(&fields, type);
    }
    mine->joined = true;
    mine->epoch = mine->join_epoch;
    if (connection->role == ROLE_PUBLISHER && !(rights & ACTS_FOR_OTHERS)) {
        connection_fail(connection, "the relay gives no right to act for others");
        return false;
    }
    return true;
}

static bool snapshot(struct connection *connection, struct span fields)
{
    struct attendance *mine = &connection->attendance;
    unsigned field, type;
    while ((field = read_field(&fields, &type))) {
        if (field == 1 && type == 2)
            read_position(read_bytes(&fields), &mine->epoch, &mine->seq);
        else
            skip_field(&fields, type);
    }
    mine->loading = true;
    mine->records = 0;
    return !fields.bad;
}

/* The end of a snapshot: the copy is whole. */
static void snapshot_ends(struct connection *connection, struct span end)
{
    struct attendance *mine = &connection->attendance;
    unsigned field, type;
    uint64_t live = 0;
    while ((field = read_field(&end, &type)))
        if (field == 1 && type == 0)
            live = read_varint(&end);
        else
            skip_field(&end, type);
    if (live > mine->records) session.seen.wrong++;
    mine->loading = false;
    mine->has_copy = true;
    copy_moved(connection);
}

/* The fields of a part, as far as they have come: a thousand joiners have half a part each most of the time, and to
 * keep the halves would be most of the generator's work. Returns the bytes used; below 0 is a fault. */
static ptrdiff_t part(struct connection *connection, const uint8_t *bytes, size_t size)
{
    struct attendance *mine = &connection->attendance;
    bool is_whole = size >= mine->part_left;
    const uint8_t *used = bytes;
    struct span fields = {bytes, bytes + (is_whole ? mine->part_left : size), false};
    unsigned field, type;
    do {
        // Nearly all are records of less than 128 bytes.
        for (const uint8_t *at = fields.next; fields.end - at > 2 && at[0] == (1 << 3 | 2); at = fields.next) {
            if (at[1] > fields.end - at - 2 || at[1] >= 128) break;
            fields.next = at + 2 + at[1];
            if (!rollcall_record(connection, at + 2, fields.next)) return -1;
            mine->records++;
        }
        used = fields.next;
        if (!(field = read_field(&fields, &type))) break;
        if (type != 2) return -1;
        struct span body = read_bytes(&fields);
        if (fields.bad) break;
        if (field == 1) {
            if (!rollcall_record(connection, body.next, body.end)) return -1;
            mine->records++;
        } else if (field == 2)
            snapshot_ends(connection, body);
        used = fields.next;
    } while (true);
    if (fields.bad && is_whole) return -1;
    mine->part_left -= (size_t)(used - bytes);
    return used - bytes;
}

/* Whether a part begins here, of which at least the lengths have come; then they are used up. */
static bool part_begins(struct connection *connection, const uint8_t *head, size_t size, size_t length, size_t *offset)
{
    if (size < 4 + 1 + 4 || head[4] != (PART << 3 | 2)) return false;
    struct span lengths = {head + 5, head + size, false};
    uint64_t body = read_varint(&lengths);
    size_t before = (size_t)(lengths.next - head) - 4;
    if (lengths.bad || before + body != length) return false;
    connection->attendance.part_left = body;
    *offset += 4 + before;
    return true;
}

static bool delta(struct connection *connection, struct span fields)
{
    struct attendance *mine = &connection->attendance;
    uint64_t to = 0, from = 0, to_epoch = mine->epoch, from_epoch = 0;
    unsigned field, type;
    struct span records = {0};
    while (!records.next && (field = read_field(&fields, &type))) {
        const uint8_t *begin = fields.next;
        if (field == 5 && type == 2)
            records = (struct span){begin, fields.end, false};
        else if (field == 1 && type == 0)
            to = read_varint(&fields);
        else if (field == 2 && type == 0)
            to_epoch = read_varint(&fields);
        else if (field == 3 && type == 0)
            from = read_varint(&fields);
        else if (field == 4 && type == 0)
            from_epoch = read_varint(&fields);
        else
            skip_field(&fields, type);
    }
    if (!from) from = to - 1;
    if (!from_epoch) from_epoch = to_epoch;
    if (!mine->has_copy || (to_epoch == mine->epoch && to <= mine->seq)) return !fields.bad;
    if (from_epoch != mine->epoch || from > mine->seq) {
        session.seen.gaps++; // this client does not ask again, it reports.
        return !fields.bad;
    }
    for (field = 5, type = 2; records.next && field; field = read_field(&records, &type)) {
        if (field != 5)
            skip_field(&records, type);
        else {
            struct span record = read_bytes(&records);
            if (!rollcall_record(connection, record.next, record.end)) return false;
        }
    }
    if (records.bad || fields.bad) return false;
    mine->epoch = to_epoch;
    mine->seq = to;
    message_ends(connection);
    copy_moved(connection);
    return true;
}

static bool ack(struct connection *connection, struct span fields)
{
    unsigned field, type;
    while ((field = read_field(&fields, &type))) {
        uint64_t value = type == 0 ? read_varint(&fields) : (skip_field(&fields, type), 0);
        if (field == 2 && value != 0) {
            char text[64];
            snprintf(text, sizeof text, "a command was refused with code %u", (unsigned)value);
            connection_fail(connection, text);
            return false;
        }
    }
    if (connection->unanswered) connection->unanswered--;
    return !fields.bad;
}

static bool ping(struct connection *connection, struct span fields)
{
    const struct attendance *mine = &connection->attendance;
    unsigned field, type;
    uint64_t time = 0;
    uint8_t body[64], position[24], *end = body;
    while ((field = read_field(&fields, &type)))
        if (field == 2 && type == 0)
            time = read_varint(&fields);
        else
            skip_field(&fields, type);
    if (mine->has_copy)
        end = write_bytes(end, 1, position,
                          (size_t)(write_number(write_number(position, 1, mine->epoch), 2, mine->seq) - position));
    rollcall_frame(connection, PONG, body, write_number(end, 2, time));
    return !fields.bad;
}

static bool understand(struct connection *connection, struct span message)
{
    unsigned type, kind = read_field(&message, &type);
    if (type != 2) return false;
    struct span body = read_bytes(&message);
    if (message.bad) return false;
    switch (kind) {
    case JOINED: return joined(connection, body);
    case SNAPSHOT: return snapshot(connection, body);
    case DELTA: return delta(connection, body);
    case ACK: return ack(connection, body);
    case PING: return ping(connection, body);
    case CLOSED: connection_fail(connection, "the relay ended the connection with Closed"); return true;
    default: return true;
    }
}

static ptrdiff_t parse(struct connection *connection, const uint8_t *bytes, size_t size)
{
    size_t offset = 0;
    while (!connection->dead) {
        if (connection->attendance.part_left) {
            ptrdiff_t used = part(connection, bytes + offset, size - offset);
            if (used < 0) return -1;
            offset += (size_t)used;
            if (connection->attendance.part_left) break;
        }
        if (size - offset < 4) break;
        const uint8_t *head = bytes + offset;
        size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (length == 0 || length > LARGEST_FRAME) return -1;
        if (part_begins(connection, head, size - offset, length, &offset)) continue;
        if (size - offset - 4 < length) break;
        if (!understand(connection, (struct span){head + 4, head + 4 + length, false})) return -1;
        offset += 4 + length;
    }
    return (ptrdiff_t)offset;
}

const struct driver driver_rollcall = {.name = "rollcall",
                                       .publishers = MAXIMUM_PUBLISHERS,
                                       .window = 64,
                                       .keeps_state = true,
                                       .begin = rollcall_begin,
                                       .parse = parse,
                                       .publish = rollcall_publish,
                                       .bring_in = rollcall_bring_in,
                                       .leave = rollcall_leave};
