#define _GNU_SOURCE
#include "session.h"

#include "basics.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct session session;

bool open_connections(struct connection **connections, unsigned count, enum role role, unsigned flight)
{
    uint64_t end = now_ns() + 60 * SECOND;
    unsigned opened = 0, ready = 0, failed = failed_connections;
    while (ready < count) {
        while (opened < count && opened - ready < flight) {
            struct connection *connection = connection_open(role, opened);
            if (!connection) break;
            connections[opened++] = connection;
        }
        pump(1);
        while (ready < opened && connections[ready]->ready) ready++;
        if (failed_connections != failed || now_ns() > end) {
            fprintf(stderr, "generator: %u of %u connections were ready\n", ready, count);
            return false;
        }
    }
    return true;
}

/* Sends what waits; false when the server does not answer all of it in time. */
static bool settle(uint64_t ns)
{
    unsigned failed = failed_connections;
    for (uint64_t end = now_ns() + ns;;) {
        unsigned unanswered = 0;
        flush_publishers();
        pump(1);
        for (unsigned i = 0; i < session.driver->publishers; i++) unanswered += session.publishers[i]->unanswered;
        if (!unanswered) return failed_connections == failed;
        if (failed_connections != failed || now_ns() > end) return false;
    }
}

static bool bring_in_people(void)
{
    if (!session.driver->bring_in) return true;
    for (uint32_t next = 0, turn = 0; next < session.people; turn++) {
        struct connection *publisher = session.publishers[turn % session.driver->publishers];
        uint32_t count = session.people - next < BROUGHT_AT_ONCE ? session.people - next : BROUGHT_AT_ONCE;
        session.driver->bring_in(publisher, next, count);
        next += count;
        if (publisher->unanswered + 1 >= session.driver->window && !settle(30 * SECOND)) return false;
    }
    return settle(30 * SECOND);
}

bool session_open(unsigned subscribers, uint32_t people)
{
    session.number++;
    session.people = people;
    session.published = session.delivered = 0;
    session.latency_from = 0;
    memset(&session.seen, 0, sizeof session.seen);
    stream_begin();
    session.latest = make(people, sizeof *session.latest);
    session.subscribers = make(subscribers, sizeof *session.subscribers);
    session.subscriber_count = subscribers;
    if (!open_connections(session.publishers, session.driver->publishers, ROLE_PUBLISHER, MAXIMUM_PUBLISHERS))
        return false;
    if (!bring_in_people()) {
        fprintf(stderr, "generator: the people could not be brought in\n");
        return false;
    }
    if (!open_connections(session.subscribers, subscribers, ROLE_SUBSCRIBER, 64)) return false;
    pump_for(50 * MILLISECOND);
    memset(&session.seen, 0, sizeof session.seen);
    return true;
}

void session_close(void)
{
    for (unsigned i = 0; i < session.subscriber_count; i++) connection_close(session.subscribers[i]);
    for (unsigned i = 0; i < session.driver->publishers; i++) {
        struct connection *publisher = session.publishers[i];
        if (!publisher || publisher->dead || !publisher->ready || !session.driver->leave) continue;
        session.driver->leave(publisher);
        output_flush(publisher);
        // The server closes the connection in answer, or does not answer at all.
        publisher->dead = false;
    }
    unsigned failed = failed_connections;
    usleep(50000);
    for (unsigned i = 0; i < session.driver->publishers; i++) {
        connection_close(session.publishers[i]);
        session.publishers[i] = NULL;
    }
    failed_connections = failed;
    free(session.subscribers);
    free(session.latest);
    session.subscribers = NULL;
    session.subscriber_count = 0;
    session.latest = NULL;
    usleep(50000); // The server notices.
}

// MARK: Publishing

static struct connection *publisher_of(uint32_t seq) { return session.publishers[publisher_number(seq)]; }

bool can_publish(void)
{
    return !session.driver->window || publisher_of(session.published + 1)->unanswered < session.driver->window;
}

void publish_change(uint32_t person, uint64_t time)
{
    struct change change = {.seq = ++session.published, .person = person, .time = time};
    struct connection *publisher = publisher_of(change.seq);
    session.latest[person] = change.seq;
    session.driver->publish(publisher, &change);
    if (session.driver->window) publisher->unanswered++;
}

void publish_next(uint64_t time)
{
    uint32_t people = session.repeated ? session.repeated : session.people;
    publish_change((session.published + 1) % people, time);
}

void flush_publishers(void)
{
    for (unsigned i = 0; i < session.driver->publishers; i++) {
        struct connection *publisher = session.publishers[i];
        if (publisher->unsent.begin < publisher->unsent.end) output_flush(publisher);
    }
}

bool drain(uint64_t ns)
{
    for (uint64_t end = now_ns() + ns; session.delivered < session.published && now_ns() < end;) {
        flush_publishers();
        pump(1);
        count_delivered();
    }
    return session.delivered == session.published;
}
