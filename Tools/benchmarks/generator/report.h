/* Results: one JSON object in one line for each measurement. */
#ifndef REPORT_H
#define REPORT_H

#include "histogram.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From due to received, of all changes that count. */
extern struct histogram latencies;

/* The server, whose CPU time and memory are measured. */
extern pid_t server_process;

void report_begin(const char *test);
void report_number(const char *name, double value);
void report_fault(const char *what);
void report_end(void);

/* The books: gaps, duplicates, wrong values, and whether all was delivered. */
void report_books(bool complete);

/* A stretch of time under measurement. */
struct stretch {
    uint64_t begin, cpu, deliveries, merged, messages, bytes, idle;
    uint32_t delivered;
};

void stretch_begin(struct stretch *stretch);

/* Reports rates, the server's CPU and the generator's load since the begin. */
void report_stretch(const struct stretch *stretch);

#endif
