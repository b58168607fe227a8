#include "wire.h"

uint64_t read_long_varint(struct span *span)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && span->next < span->end; shift += 7) {
        uint8_t byte = *span->next++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    span->bad = true;
    span->next = span->end;
    return 0;
}
