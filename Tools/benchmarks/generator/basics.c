#include "basics.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

void fail(const char *format, ...)
{
    int reason = errno;
    va_list arguments;
    va_start(arguments, format);
    fputs("generator: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (reason) fprintf(stderr, ": %s", strerror(reason));
    fputc('\n', stderr);
    exit(70);
}

void *make(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) fail("no memory");
    return memory;
}

void *resized(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (!memory) fail("no memory");
    return memory;
}
