/* The records that Rollcall sends: who is in which slot, and the changes of their attribute. */
#include "basics.h"
#include "rollcall.h"

enum { SLOTS = 1 << 22 };

/* Who is in which slot. All connections of a session are told the same, and are held to it. */
struct place {
    uint32_t person;       /* plus one; 0 is nobody */
    uint8_t uid[UID_SIZE]; /* as it was told first */
};

static uint32_t slot_limit;
static struct place *places;
static unsigned places_of_session;

/* Places for a new session, or for a slot above all others. */
__attribute__((noinline)) static void make_places(uint32_t slot)
{
    uint32_t limit = slot >= session.people * 2 + 64 ? slot + 1 : session.people * 2 + 64;
    uint32_t from = places_of_session == session.number ? slot_limit : 0;
    if (limit > slot_limit || !places) {
        places = resized(places, limit * sizeof *places);
        slot_limit = limit;
    }
    memset(places + from, 0, (slot_limit - from) * sizeof *places);
    places_of_session = session.number;
}

static inline struct place *place(uint32_t slot)
{
    if (places_of_session != session.number || slot >= slot_limit) make_places(slot);
    return &places[slot];
}

/* A person whom nobody was told of. */
static void new_person(struct place *place, struct span uid)
{
    uint32_t number = 0;
    for (const uint8_t *digit = uid.next + 1; digit < uid.end; digit++) number = number * 10 + (*digit - '0');
    if (uid.end - uid.next != UID_SIZE || number >= session.people) {
        session.seen.wrong++;
        return;
    }
    place->person = number + 1;
    memcpy(place->uid, uid.next, UID_SIZE);
}

/* The uid comes first where there is one; nothing behind it is of interest. */
MELTS void person(uint32_t slot, struct span fields)
{
    unsigned type, field = read_field(&fields, &type);
    if (field != 1 || type != 2) return;
    struct span uid = read_bytes(&fields);
    struct place *known = place(slot);
    if (!known->person)
        new_person(known, uid);
    else if (uid.end - uid.next != UID_SIZE || memcmp(uid.next, known->uid, UID_SIZE) != 0)
        session.seen.wrong++;
}

MELTS bool entry(struct connection *connection, uint32_t slot, struct span fields)
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
    if (place(slot)->person != in_payload + 1)
        session.seen.wrong++;
    else
        deliver(connection, value.next);
    return true;
}

/* Any record, field by field. */
__attribute__((noinline)) static bool any_record(struct connection *connection, struct span fields)
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
        if (slot >= SLOTS) return false;
    }
    return !fields.bad;
}

/* The attribute of a person as it is written always, up to its value. */
static const uint8_t usual_entry[] = {
    0x82, 0x01, 7 + PAYLOAD_BYTES, 0x08, ATTRIBUTES, 0x12, 1, 's', 0x1a, PAYLOAD_BYTES};

/* Nearly every record is one of three: a person of short fields with its attribute, the attribute alone, a device.
 * Those are told by their bytes in one go, since a storm has millions of them and the generator one core; whatever
 * differs is read field by field. */
bool rollcall_record(struct connection *connection, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *begin = at;
    if (end - at < 16 || at[0] != 0x08) return any_record(connection, (struct span){begin, end, false});
    uint32_t slot = at[1];
    at += 2;
    if (slot >= 128) slot = (slot & 127) | (uint32_t)*at++ << 7;
    if (slot >= 1 << 14) slot = (slot & 0x3fff) | (uint32_t)*at++ << 14;
    if (slot >= 1 << 21) return any_record(connection, (struct span){begin, end, false});
    if (at[0] == 0x2a && at[1] == end - at - 2) return true;
    struct place *known = place(slot);
    if (at[0] == 0x22 && at[1] >= 2 + UID_SIZE && at[1] < 128 && at[1] <= end - at - 2 && known->person
        && at[2] == 0x0a && at[3] == UID_SIZE && memcmp(at + 4, known->uid, UID_SIZE) == 0)
        at += 2 + at[1];
    if (end - at != sizeof usual_entry + PAYLOAD_BYTES || memcmp(at, usual_entry, sizeof usual_entry) != 0)
        return any_record(connection, (struct span){begin, end, false});
    const uint8_t *payload = at + sizeof usual_entry;
    uint32_t in_payload;
    memcpy(&in_payload, payload + PERSON_OFFSET, sizeof in_payload);
    if (known->person != in_payload + 1)
        session.seen.wrong++;
    else
        deliver(connection, payload);
    return true;
}
