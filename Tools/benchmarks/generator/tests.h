/* What can be measured. */
#ifndef TESTS_H
#define TESTS_H

#include <stdint.h>

struct parameters {
    uint32_t n;        /* subscribers, joins, idle connections */
    uint32_t people;
    uint32_t window;   /* changes outstanding */
    uint32_t repeated; /* people whose field is changed again and again; 0: all in turn */
    uint32_t changes;  /* end after so many; 0: no limit */
    double rate;       /* changes per second */
    double seconds;
};

void test_fanout(const struct parameters *parameters);
void test_latency(const struct parameters *parameters);

/* `n` joins one after the other into a call of `people`, while changes go on at `rate`. */
void test_join(const struct parameters *parameters);

/* `n` joins at once. */
void test_storm(const struct parameters *parameters);

/* Growth of the server's resident memory by `n` idle subscribers. */
void test_memory(const struct parameters *parameters);

#endif
