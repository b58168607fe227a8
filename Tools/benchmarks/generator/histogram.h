/* Counts of durations in buckets that are at most 1 % wide. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_STEPS = 128, HISTOGRAM_BUCKETS = 58 * HISTOGRAM_STEPS };

struct histogram {
    uint64_t total;
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline void histogram_add(struct histogram *histogram, uint64_t ns)
{
    unsigned bucket = (unsigned)ns;
    if (ns >= HISTOGRAM_STEPS) {
        unsigned shift = 63u - (unsigned)__builtin_clzll(ns) - 7u;
        bucket = shift * HISTOGRAM_STEPS + (unsigned)(ns >> shift);
    }
    histogram->buckets[bucket]++;
    histogram->total++;
}

/* The duration in ns that the share `quantile` of all stays at or below; 0 of nothing. */
double histogram_quantile(const struct histogram *histogram, double quantile);

#endif
