#include "histogram.h"

double histogram_quantile(const struct histogram *histogram, double quantile)
{
    uint64_t wanted = (uint64_t)(quantile * (double)histogram->total), sum = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        sum += histogram->buckets[bucket];
        if (sum <= wanted && sum < histogram->total) continue;
        if (sum == 0) return 0;
        if (bucket < 2 * HISTOGRAM_STEPS) return bucket;
        unsigned shift = bucket / HISTOGRAM_STEPS - 1;
        return (double)((uint64_t)(HISTOGRAM_STEPS + bucket % HISTOGRAM_STEPS) << shift) + (double)(1ull << shift) / 2;
    }
    return 0;
}
