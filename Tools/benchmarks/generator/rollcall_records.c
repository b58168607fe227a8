/* The records that Rollcall sends: who is in which slot, and the changes of their attribute. */
#include "basics.h"
#include "rollcall.h"

/* Who is in which slot. All connections of a session are told the same, and are held to it. */
static uint32_t slot_limit, *person_in_slot; /* plus one; 0 is nobody */
static unsigned slots_of_session;

static uint32_t *place(uint32_t slot)
{
    if (slots_of_session != session.number || slot >= slot_limit) {
        uint32_t limit = slot >= session.people * 2 + 64 ? slot + 1 : session.people * 2 + 64;
        uint32_t from = slots_of_session == session.number ? slot_limit : 0;
        if (limit > slot_limit || !person_in_slot) {
            person_in_slot = resized(person_in_slot, limit * sizeof *person_in_slot);
            slot_limit = limit;
        }
        memset(person_in_slot + from, 0, (slot_limit - from) * sizeof *person_in_slot);
        slots_of_session = session.number;
    }
    return &person_in_slot[slot];
}

static void person(uint32_t slot, struct span fields)
{
    unsigned field, type;
    while ((field = read_field(&fields, &type))) {
        if (field != 1 || type != 2) {
            skip_field(&fields, type);
            continue;
        }
        struct span uid = read_bytes(&fields);
        uint32_t number = 0;
        for (const uint8_t *digit = uid.next + 1; digit < uid.end; digit++) number = number * 10 + (*digit - '0');
        uint32_t *known = place(slot);
        if (uid.end - uid.next != UID_SIZE || number >= session.people || (*known && *known != number + 1))
            session.seen.wrong++;
        else
            *known = number + 1;
    }
}

static bool entry(struct connection *connection, uint32_t slot, struct span fields)
{
    unsigned field, type;
    uint64_t keyed = 0;
    struct span name = {0}, value = {0};
    while ((field = read_field(&fields, &type))) {
        if (field == 1 && type == 0)
            keyed = read_varint(&fields);
        else if (field == 2 && type == 2)
            name = read_bytes(&fields);
        else if (field == 3 && type == 2)
            value = read_bytes(&fields);
        else
            skip_field(&fields, type);
    }
    if (fields.bad || keyed != ATTRIBUTES || name.end - name.next != 1 || *name.next != rollcall_key) return false;
    if (value.end - value.next != PAYLOAD_BYTES) return false;
    uint32_t in_payload;
    memcpy(&in_payload, value.next + PERSON_OFFSET, sizeof in_payload);
    if (*place(slot) != in_payload + 1)
        session.seen.wrong++;
    else
        deliver(connection, value.next);
    return true;
}

bool rollcall_record(struct connection *connection, struct span fields)
{
    unsigned field, type;
    uint32_t slot = 0;
    while ((field = read_field(&fields, &type))) {
        if (field == 1 && type == 0)
            slot = (uint32_t)read_varint(&fields);
        else if (field == 4 && type == 2)
            person(slot, read_bytes(&fields));
        else if (field == 16 && type == 2) {
            if (!entry(connection, slot, read_bytes(&fields))) return false;
        } else
            skip_field(&fields, type);
        if (slot >= 1 << 22) return false;
    }
    return !fields.bad;
}
