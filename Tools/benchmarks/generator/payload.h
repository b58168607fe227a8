/* The 64 bytes that every change carries, whatever the server: number, time, person, a check over them, and filler. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PAYLOAD_BYTES = 64, PERSON_OFFSET = 16, FILLER_OFFSET = 24 };

/* One change of one person's status. Changes are numbered 1, 2, 3, ... in each session. */
struct change {
    uint32_t seq;
    uint32_t person;
    uint64_t time; /* when it was due, in ns of the monotonic clock */
};

static const char payload_filler[PAYLOAD_BYTES - FILLER_OFFSET + 1] = "audio=off video=on hand=down share=no ..";

static inline uint32_t payload_check(const struct change *change)
{
    uint64_t x = ((uint64_t)change->seq << 32 | change->person) * 0x9e3779b97f4a7c15u ^ change->time;
    x *= 0xd6e8feb86659fd93u;
    return (uint32_t)(x >> 32) | 1;
}

static inline void payload_write(uint8_t *out, const struct change *change)
{
    uint32_t check = payload_check(change);
    memcpy(out, "CHNG", 4);
    memcpy(out + 4, &change->seq, 4);
    memcpy(out + 8, &change->time, 8);
    memcpy(out + PERSON_OFFSET, &change->person, 4);
    memcpy(out + 20, &check, 4);
    memcpy(out + FILLER_OFFSET, payload_filler, PAYLOAD_BYTES - FILLER_OFFSET);
}

_Static_assert((PAYLOAD_BYTES - FILLER_OFFSET) % 8 == 0, "the filler is compared in words");

/* Whether the rest of a payload is the filler; in words, which is a few instructions where memcmp is a call. */
static inline bool is_filler(const uint8_t *bytes)
{
    uint64_t difference = 0, one, other;
    for (unsigned at = 0; at < PAYLOAD_BYTES - FILLER_OFFSET; at += sizeof one) {
        memcpy(&one, bytes + at, sizeof one);
        memcpy(&other, payload_filler + at, sizeof other);
        difference |= one ^ other;
    }
    return difference == 0;
}

/* False when the bytes are not what was written. */
static inline bool payload_read(const uint8_t *bytes, struct change *change)
{
    uint32_t check;
    memcpy(&change->seq, bytes + 4, 4);
    memcpy(&change->time, bytes + 8, 8);
    memcpy(&change->person, bytes + PERSON_OFFSET, 4);
    memcpy(&check, bytes + 20, 4);
    return memcmp(bytes, "CHNG", 4) == 0 && check == payload_check(change)
        && is_filler(bytes + FILLER_OFFSET);
}

#endif
