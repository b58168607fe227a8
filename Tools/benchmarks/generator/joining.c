/* Late join and join storm: the time from connect() to holding everybody's status, and whether it is the right one. */
#include "basics.h"
#include "process.h"
#include "report.h"
#include "session.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>

enum { JOIN_S = 10, STORM_S = 60, FILL_S = 60, JOINS_S = 20 };

// MARK: A joiner

static struct connection *joiner_open(unsigned number)
{
    struct connection *connection = connection_open(ROLE_SUBSCRIBER, number);
    if (!connection) return NULL;
    connection->held = make(1, sizeof *connection->held);
    connection->held->versions = make(session.people, sizeof *connection->held->versions);
    connection->held->since = connection->opened_at;
    return connection;
}

void joiner_gets(struct connection *connection, const struct change *change)
{
    struct held *held = connection->held;
    uint32_t *version = &held->versions[change->person];
    if (change->seq <= *version) {
        session.seen.duplicates++;
        return;
    }
    if (!*version) held->people++;
    *version = change->seq;
    uint32_t *newest = &connection->order.last[publisher_number(change->seq)];
    if (change->seq > *newest) *newest = change->seq;
}

void joiner_has_read(struct connection *connection)
{
    struct held *held = connection->held;
    if (held->full_at || !connection->ready || held->people < session.people) return;
    held->full_at = now_ns();
    held->bytes_until_full = connection->received;
}

/* Whether it has the last change of every publisher. */
static bool is_at_head(const struct connection *connection)
{
    for (uint32_t i = 0; i < session.driver->publishers && i < session.published; i++) {
        uint32_t seq = session.published - i;
        if (connection->order.last[publisher_number(seq)] < seq) return false;
    }
    return true;
}

static uint32_t wrong_records(const struct connection *connection)
{
    uint32_t wrong = 0;
    for (uint32_t person = 0; person < session.people; person++)
        wrong += connection->held->versions[person] != session.latest[person];
    return wrong;
}

// MARK: Changes in the background

static uint64_t background_due;

/* Any person, but always over the same publisher, so that the last change of a person is the one published last. */
static uint32_t any_person(void)
{
    static uint32_t state = 88172645;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    uint32_t publishers = session.driver->publishers, person = state % session.people;
    return person - person % publishers + (session.published + 1) % publishers;
}

static void background(double rate)
{
    uint64_t time = now_ns();
    for (; background_due <= time && can_publish(); background_due += (uint64_t)(1e9 / rate))
        publish_change(any_person(), time);
    flush_publishers();
    pump(0);
    count_delivered();
}

/* Opens the session and gives everybody a status. */
static bool fill(uint32_t people)
{
    if (!session_open(1, people)) return false;
    unsigned failed = failed_connections;
    for (uint64_t end = now_ns() + FILL_S * SECOND; session.published < people;) {
        while (session.published < people && session.published - session.delivered < 256 && can_publish())
            publish_next(now_ns());
        flush_publishers();
        pump(1);
        count_delivered();
        if (failed_connections != failed || now_ns() > end) return false;
    }
    background_due = now_ns();
    return drain(FILL_S * SECOND);
}

// MARK: Late join

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct joins {
    double *times; /* ms */
    unsigned count;
    uint64_t cpu, bytes, wrong;
};

/* One join: from connect() until it is full; it then waits for a live change, and everything is compared. */
static bool join_once(struct joins *joins, double rate)
{
    uint64_t end = now_ns() + JOIN_S * SECOND, cpu = process_cpu(server_process);
    unsigned failed = failed_connections;
    struct connection *joiner;
    while (!(joiner = joiner_open(joins->count))) background(rate);
    struct held *held = joiner->held;
    while (!held->full_at && failed_connections == failed && now_ns() < end) background(rate);
    joins->cpu += process_cpu(server_process) - cpu;
    bool is_full = held->full_at != 0;
    // The next change of the background must arrive live: so joins lie apart by its pace, as late joins do, and what
    // the server holds is no warmer than the changes keep it.
    uint32_t until_full = session.published;
    bool has_live = false;
    while (is_full && !has_live && failed_connections == failed && now_ns() < end) {
        background(rate);
        has_live = session.published > until_full && is_at_head(joiner);
    }
    if (has_live) {
        joins->times[joins->count++] = (double)(held->full_at - held->since) / 1e6;
        joins->bytes += held->bytes_until_full;
        joins->wrong += wrong_records(joiner);
    } else {
        fprintf(stderr, "generator: a join ended with %u of %u people%s\n", held->people, session.people,
                is_full ? " and without a live change" : "");
    }
    connection_close(joiner);
    return has_live;
}

void test_join(const struct parameters *parameters)
{
    report_begin("join");
    report_number("people", parameters->people);
    report_number("joins", parameters->n);
    session.wants_state = true;
    struct joins joins = {.times = make(parameters->n, sizeof(double))};
    if (!fill(parameters->people)) {
        report_fault("the call could not be filled");
        goto out;
    }
    contention(server_process);
    bool whole = true;
    for (uint64_t end = now_ns() + JOINS_S * SECOND; whole && joins.count < parameters->n && now_ns() < end;) {
        for (uint64_t rest = now_ns() + 2 * MILLISECOND; now_ns() < rest;) background(parameters->rate);
        whole = join_once(&joins, parameters->rate);
    }
    report_number("contention", contention(server_process));
    if (joins.count) {
        qsort(joins.times, joins.count, sizeof(double), ascending);
        report_number("done", joins.count);
        report_number("p50_ms", joins.times[joins.count / 2]);
        report_number("p99_ms", joins.times[(unsigned)((joins.count - 1) * .99)]);
        report_number("cpu_ms_per_join", (double)joins.cpu / 1e6 / joins.count);
        report_number("bytes_per_join", (double)joins.bytes / joins.count);
    }
    session.seen.wrong += joins.wrong;
    report_books(drain(5 * SECOND));
    if (!whole) report_fault("a join was not completed");
out:
    free(joins.times);
    session_close();
    session.wants_state = false;
    report_end();
}

// MARK: Storm

void test_storm(const struct parameters *parameters)
{
    report_begin("storm");
    report_number("people", parameters->people);
    report_number("n", parameters->n);
    session.wants_state = true;
    struct connection **joiners = make(parameters->n, sizeof *joiners);
    double *times = make(parameters->n, sizeof *times);
    unsigned opened = 0, full = 0, failed = failed_connections;
    if (!fill(parameters->people)) {
        report_fault("the call could not be filled");
        goto out;
    }
    contention(server_process);
    uint64_t cpu = process_cpu(server_process), bytes = received_bytes, begin = now_ns();
    uint64_t end = begin + STORM_S * SECOND;
    while (full < parameters->n && failed_connections == failed && now_ns() < end) {
        struct connection *joiner;
        while (opened < parameters->n && (joiner = joiner_open(opened))) joiners[opened++] = joiner;
        background(parameters->rate);
        while (full < opened && joiners[full]->held->full_at) full++;
    }
    report_number("cpu_s", (double)(process_cpu(server_process) - cpu) / 1e9);
    report_number("megabytes", (double)(received_bytes - bytes) / 1e6);
    report_number("contention", contention(server_process));
    report_number("full", full);
    if (full < parameters->n) {
        report_fault("not all joins were completed");
        goto out;
    }
    for (unsigned i = 0; i < full; i++) times[i] = (double)(joiners[i]->held->full_at - begin) / 1e6;
    qsort(times, full, sizeof *times, ascending);
    report_number("last_ms", times[full - 1]);
    report_number("p50_ms", times[full / 2]);
    // The background rests; a last change closes it, and everybody must hold everything as it was published last.
    publish_change(any_person(), now_ns());
    unsigned at_head = 0;
    for (end = now_ns() + JOIN_S * SECOND; at_head < full && failed_connections == failed && now_ns() < end;) {
        flush_publishers();
        pump(1);
        count_delivered();
        while (at_head < full && is_at_head(joiners[at_head])) at_head++;
    }
    for (unsigned i = 0; i < full; i++) session.seen.wrong += wrong_records(joiners[i]);
    report_number("behind", full - at_head);
    report_books(drain(5 * SECOND));
out:
    for (unsigned i = 0; i < opened; i++) connection_close(joiners[i]);
    free(joiners);
    free(times);
    session_close();
    session.wants_state = false;
    report_end();
}
