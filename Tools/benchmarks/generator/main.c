/* The load generator: see ../README.md. */
#include "basics.h"
#include "connection.h"
#include "process.h"
#include "report.h"
#include "session.h"
#include "tests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const struct driver *const drivers[] = {&driver_rollcall, &driver_floor, &driver_redis, &driver_nats,
                                               &driver_mosquitto};

static const struct {
    const char *name;
    void (*run)(const struct parameters *);
    bool needs_state;
} tests[] = {{"fanout", test_fanout, false},
             {"latency", test_latency, false},
             {"join", test_join, true},
             {"storm", test_storm, true},
             {"memory", test_memory, false}};

static _Noreturn void usage(void)
{
    fputs("usage: generator DRIVER ADDRESS PROCESS TEST...\n"
          "  DRIVER   rollcall, floor, redis, nats or mosquitto\n"
          "  ADDRESS  unix:PATH or tcp:PORT of this machine\n"
          "  PROCESS  number of the server's process\n"
          "  TEST     fanout, latency, join, storm or memory, then :NAME=NUMBER for each parameter of\n"
          "           n, people, window, repeated, changes, rate, seconds\n",
          stderr);
    exit(64);
}

static bool set(struct parameters *parameters, const char *name, double value)
{
    struct {
        const char *name;
        uint32_t *place;
        double maximum;
    } counts[] = {{"n", &parameters->n, 100000},         {"people", &parameters->people, 100000},
                  {"window", &parameters->window, 60000}, {"repeated", &parameters->repeated, 100000},
                  {"changes", &parameters->changes, 1e9}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (strcmp(name, counts[i].name) != 0) continue;
        if (!(value >= 0 && value <= counts[i].maximum)) return false;
        *counts[i].place = (uint32_t)value;
        return true;
    }
    if (strcmp(name, "rate") == 0 && value > 0 && value <= 1e6) return parameters->rate = value, true;
    if (strcmp(name, "seconds") == 0 && value > 0 && value <= 600) return parameters->seconds = value, true;
    return false;
}

static void run(char *text)
{
    struct parameters parameters = {.n = 100, .people = 256, .window = 256, .rate = 100, .seconds = 1};
    char *name = strtok(text, ":");
    for (char *word; (word = strtok(NULL, ":"));) {
        char *equals = strchr(word, '='), *end;
        if (!equals) usage();
        *equals = 0;
        double value = strtod(equals + 1, &end);
        if (*end || !set(&parameters, word, value)) {
            fprintf(stderr, "generator: '%s=%s' is no parameter of '%s' or out of range\n", word, equals + 1, name);
            exit(64);
        }
    }
    if (parameters.n == 0 || parameters.people == 0 || parameters.people % MAXIMUM_PUBLISHERS
        || parameters.repeated % MAXIMUM_PUBLISHERS || parameters.repeated > parameters.people) {
        fputs("generator: n is 1 or more, people and repeated are multiples of 4\n", stderr);
        exit(64);
    }
    for (size_t i = 0; name && i < sizeof tests / sizeof *tests; i++) {
        if (strcmp(name, tests[i].name) != 0) continue;
        if (tests[i].needs_state && !session.driver->keeps_state) fail("%s holds no state", session.driver->name);
        tests[i].run(&parameters);
        return;
    }
    usage();
}

int main(int count, char **arguments)
{
    if (count < 5) usage();
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (strcmp(arguments[1], drivers[i]->name) == 0) session.driver = drivers[i];
    server_process = atoi(arguments[3]);
    if (!session.driver || server_process <= 0) usage();
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    connections_begin(arguments[2]);
    for (int i = 4; i < count; i++) {
        run(arguments[i]);
        errno = 0;
        if (!process_lives(server_process)) fail("the server is gone after %s", arguments[i]);
    }
    return 0;
}
