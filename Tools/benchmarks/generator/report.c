#include "report.h"

#include "basics.h"
#include "process.h"
#include "session.h"

#include <stdio.h>

struct histogram latencies;
pid_t server_process;

void report_begin(const char *test)
{
    printf("{\"test\": \"%s\", \"driver\": \"%s\"", test, session.driver->name);
}

void report_number(const char *name, double value) { printf(", \"%s\": %.10g", name, value); }

void report_fault(const char *what) { printf(", \"error\": \"%s\"", what); }

void report_end(void)
{
    puts("}");
    fflush(stdout);
}

void report_books(bool complete)
{
    report_number("gaps", (double)session.seen.gaps);
    report_number("duplicates", (double)session.seen.duplicates);
    report_number("wrong", (double)session.seen.wrong);
    report_number("undelivered", complete ? 0 : session.published - session.delivered);
}

void stretch_begin(struct stretch *stretch)
{
    contention(server_process);
    *stretch = (struct stretch){
        .begin = now_ns(),
        .cpu = process_cpu(server_process),
        .deliveries = session.seen.deliveries,
        .merged = session.seen.merged,
        .messages = session.seen.messages,
        .bytes = received_bytes,
        .delivered = session.delivered,
    };
}

void report_stretch(const struct stretch *stretch)
{
    double cpu = (double)(process_cpu(server_process) - stretch->cpu) / 1e9;
    double seconds = (double)(now_ns() - stretch->begin) / 1e9;
    double deliveries = (double)(session.seen.deliveries - stretch->deliveries);
    double merged = (double)(session.seen.merged - stretch->merged);
    double messages = (double)(session.seen.messages - stretch->messages);
    double bytes = (double)(received_bytes - stretch->bytes), changes = session.delivered - stretch->delivered;
    report_number("measured_s", seconds);
    report_number("changes_per_s", changes / seconds);
    report_number("deliveries_per_s", deliveries / seconds);
    if (deliveries > 0) {
        report_number("cpu_s_per_million", cpu / deliveries * 1e6);
        report_number("bytes_per_delivery", bytes / deliveries);
        report_number("changes_per_message", (deliveries + merged) / messages);
    }
    if (deliveries + merged > 0) {
        // What merging saves: the cost of a change that reached a subscriber, if only by a newer one of its field.
        report_number("cpu_s_per_million_covered", cpu / (deliveries + merged) * 1e6);
        report_number("merged_share", merged / (deliveries + merged));
    }
    if (changes > 0) report_number("cpu_us_per_change", cpu / changes * 1e6);
    report_number("server_load", cpu / seconds);
    report_number("generator_load", 1 - (double)stretch->idle / 1e9 / seconds);
    report_number("contention", contention(server_process));
}
