/* Protocol buffers, as far as RCL1 needs them: reading varints and lengths, writing the same. */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is still to be read. */
struct span {
    const uint8_t *next, *end;
    bool bad;
};

/* The generator must not be what limits a fast server, and small functions that hand a span on by value are only cheap
 * where they melt into their caller. */
#define MELTS static inline __attribute__((always_inline))

/* A number of three bytes and more, or what is none. */
uint64_t read_long_varint(struct span *span);

MELTS uint64_t read_varint(struct span *span)
{
    const uint8_t *next = span->next;
    if (span->end - next >= 2) {
        if (next[0] < 128) return span->next = next + 1, next[0];
        if (next[1] < 128) return span->next = next + 2, (next[0] & 127u) | (uint64_t)next[1] << 7;
    }
    return read_long_varint(span);
}

/* The bytes of a length-delimited field. */
MELTS struct span read_bytes(struct span *span)
{
    uint64_t length = read_varint(span);
    if (length > (uint64_t)(span->end - span->next)) {
        span->bad = true;
        length = 0;
        span->next = span->end;
    }
    struct span bytes = {span->next, span->next + length, false};
    span->next += length;
    return bytes;
}

/* The number of the next field, its wire type in `type`; 0 at the end. */
MELTS unsigned read_field(struct span *span, unsigned *type)
{
    *type = 0;
    if (span->next == span->end) return 0;
    uint64_t tag = read_varint(span);
    *type = tag & 7;
    if (tag < 8 || tag > UINT32_MAX) span->bad = true;
    return span->bad ? 0 : (unsigned)(tag >> 3);
}

MELTS void skip_field(struct span *span, unsigned type)
{
    size_t size = type == 1 ? 8 : type == 5 ? 4 : 0;
    if (type == 0)
        read_varint(span);
    else if (type == 2)
        read_bytes(span);
    else if (size && (size_t)(span->end - span->next) >= size)
        span->next += size;
    else
        span->bad = true, span->next = span->end;
}

static inline uint8_t *write_varint(uint8_t *out, uint64_t value)
{
    for (; value >= 128; value >>= 7) *out++ = (uint8_t)(value | 128);
    *out++ = (uint8_t)value;
    return out;
}

static inline size_t varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >>= 7) size++;
    return size;
}

static inline uint8_t *write_number(uint8_t *out, unsigned field, uint64_t value)
{
    return write_varint(write_varint(out, field << 3), value);
}

/* The tag and the length of a field whose `size` bytes come next. */
static inline uint8_t *write_head(uint8_t *out, unsigned field, size_t size)
{
    return write_varint(write_varint(out, field << 3 | 2), size);
}

static inline uint8_t *write_bytes(uint8_t *out, unsigned field, const void *bytes, size_t size)
{
    out = write_head(out, field, size);
    memcpy(out, bytes, size);
    return out + size;
}

#endif
