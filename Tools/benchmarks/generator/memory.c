/* Memory that an idle subscriber costs the server. Kernel buffers are not in it. */
#include "basics.h"
#include "process.h"
#include "report.h"
#include "session.h"
#include "tests.h"

enum { WARM_UP = 10 };

void test_memory(const struct parameters *parameters)
{
    static uint64_t empty; /* after the first connections came and went, which cost more */
    report_begin("memory");
    report_number("n", parameters->n);
    if (!empty) {
        if (!session_open(WARM_UP, parameters->people)) {
            report_fault("the first connections failed");
            goto out;
        }
        session_close();
    }
    if (!session_open(0, parameters->people)) {
        report_fault("the session could not be opened");
        goto out;
    }
    if (!empty) empty = process_memory(server_process);
    session.subscribers = resized(session.subscribers, parameters->n * sizeof *session.subscribers);
    memset(session.subscribers, 0, parameters->n * sizeof *session.subscribers);
    session.subscriber_count = parameters->n;
    uint64_t begin = now_ns();
    if (!open_connections(session.subscribers, parameters->n, ROLE_SUBSCRIBER, 64)) {
        report_fault("not all connections could be opened");
        goto out;
    }
    report_number("connects_per_s", parameters->n / ((double)(now_ns() - begin) / 1e9));
    pump_for(300 * MILLISECOND);
    uint64_t full = process_memory(server_process);
    report_number("empty_mb", (double)empty / 1e6);
    report_number("full_mb", (double)full / 1e6);
    report_number("bytes_per_connection", ((double)full - (double)empty) / parameters->n);
out:
    session_close();
    report_end();
}
