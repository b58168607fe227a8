/* Clock, memory, the end in case of trouble. */
#ifndef BASICS_H
#define BASICS_H

#include <stddef.h>
#include <stdint.h>

/* Monotonic clock in ns. */
uint64_t now_ns(void);

/* Ends the program with a message and, where there is one, the system's reason. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory; ends the program when there is none. */
void *make(size_t count, size_t size);

/* Resized memory; ends the program when there is none. */
void *resized(void *memory, size_t size);

#define SECOND 1000000000ull
#define MILLISECOND 1000000ull

#endif
