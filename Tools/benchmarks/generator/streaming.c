/* Fan-out: as many changes as the window admits. Latency: a fixed rate of changes, whatever the server does. */
#include "basics.h"
#include "report.h"
#include "session.h"
#include "tests.h"

enum { STALL_S = 3, DRAIN_S = 10 };

#define WARM_UP (300 * MILLISECOND)

/* One round; true if it had nothing to do. */
static bool fill_window(unsigned window, uint32_t limit)
{
    bool sent = false;
    count_delivered();
    while (session.published - session.delivered < window && session.published < limit && can_publish()) {
        publish_next(0);
        sent = true;
    }
    if (sent) flush_publishers();
    return pump(0) == 0 && !sent;
}

void test_fanout(const struct parameters *parameters)
{
    report_begin(parameters->repeated ? "repeat" : "fanout");
    report_number("n", parameters->n);
    report_number("window", parameters->window);
    report_number("people", parameters->people);
    session.repeated = parameters->repeated;
    if (!session_open(parameters->n, parameters->people)) {
        report_fault("the session could not be opened");
        goto out;
    }
    unsigned failed = failed_connections;
    uint64_t time = now_ns(), warm = time + WARM_UP, end = 0, progress_at = time;
    uint32_t progress = 0;
    uint32_t limit = parameters->changes ? parameters->changes : UINT32_MAX;
    bool stalled = false;
    struct stretch stretch = {0};
    while ((!end || time < end) && session.published < limit) {
        bool idle = fill_window(parameters->window, limit);
        uint64_t now = now_ns();
        if (end && idle) stretch.idle += now - time;
        time = now;
        if (!end && time >= warm) {
            stretch_begin(&stretch);
            end = time + (uint64_t)(parameters->seconds * 1e9);
        }
        if (session.delivered != progress) progress = session.delivered, progress_at = time;
        stalled = failed_connections != failed || time - progress_at > STALL_S * SECOND;
        if (stalled) break;
    }
    if (end) report_stretch(&stretch);
    bool complete = !stalled && drain(DRAIN_S * SECOND);
    report_number("published", session.published);
    report_number("deliveries", (double)session.seen.deliveries);
    report_number("messages", (double)session.seen.messages);
    report_books(complete);
    if (stalled) report_fault("no progress");
out:
    session_close();
    session.repeated = 0;
    report_end();
}

void test_latency(const struct parameters *parameters)
{
    report_begin("latency");
    report_number("n", parameters->n);
    report_number("rate", parameters->rate);
    report_number("people", parameters->people);
    if (!session_open(parameters->n, parameters->people)) {
        report_fault("the session could not be opened");
        goto out;
    }
    memset(&latencies, 0, sizeof latencies);
    // A change's time is the one at which it was due, so a stall counts against all that it delayed.
    uint64_t begin = now_ns() + MILLISECOND, step = (uint64_t)(1e9 / parameters->rate), due = begin, time, idle_at = 0;
    uint64_t end = begin + WARM_UP + (uint64_t)(parameters->seconds * 1e9), latest_send = 0;
    unsigned failed = failed_connections;
    struct stretch stretch = {0};
    session.latency_from = begin + WARM_UP;
    while ((time = now_ns()) < end && failed_connections == failed) {
        if (session.published - session.delivered >= RING - 1) break;
        if (idle_at) stretch.idle += time - idle_at;
        if (!stretch.begin && time >= session.latency_from) stretch_begin(&stretch);
        bool sent = false;
        for (; due <= time && due < end && can_publish(); due += step) {
            if (stretch.begin && time - due > latest_send) latest_send = time - due;
            publish_next(due);
            sent = true;
        }
        if (sent) flush_publishers();
        bool idle = pump(0) == 0 && !sent && stretch.begin;
        idle_at = idle ? time : 0;
        count_delivered();
    }
    double rate = (double)(session.seen.deliveries - stretch.deliveries) / parameters->n
        / ((double)(now_ns() - stretch.begin) / 1e9);
    report_stretch(&stretch);
    bool complete = drain(DRAIN_S * SECOND);
    report_number("p50_us", histogram_quantile(&latencies, .5) / 1e3);
    report_number("p99_us", histogram_quantile(&latencies, .99) / 1e3);
    report_number("p999_us", histogram_quantile(&latencies, .999) / 1e3);
    report_number("samples", (double)latencies.total);
    report_number("latest_send_us", (double)latest_send / 1e3);
    report_number("overloaded", rate < .98 * parameters->rate);
    report_books(complete);
out:
    session_close();
    report_end();
}
