/* The books about the stream of changes: each subscriber must get each change, in order, once. */
#include "basics.h"
#include "report.h"
#include "session.h"

static uint32_t arrived[RING]; /* how many subscribers have change n, at n modulo RING */

void stream_begin(void) { memset(arrived, 0, sizeof arrived); }

/* Changes of one publisher arrive in the order in which they were sent; those of several, in any interleaving. The
 * changes of one message have no order among them (a merged difference names records by slot), so they are collected
 * and judged when it ends. */
static void collect(struct order *order, uint32_t seq)
{
    unsigned publisher = publisher_number(seq);
    if (order->count[publisher]++ == 0) {
        order->low[publisher] = order->high[publisher] = seq;
        return;
    }
    if (seq < order->low[publisher]) order->low[publisher] = seq;
    if (seq > order->high[publisher]) order->high[publisher] = seq;
}

/* The number before the first one of a publisher. */
static uint32_t before_first(unsigned publisher, unsigned publishers)
{
    return publisher ? publisher - publishers : 0;
}

static void judge(struct order *order, unsigned publisher)
{
    unsigned step = session.driver->publishers;
    uint32_t last = order->last[publisher] ? order->last[publisher] : before_first(publisher, step);
    uint32_t count = order->count[publisher], high = order->high[publisher];
    order->count[publisher] = 0;
    if ((int32_t)(order->low[publisher] - last) <= 0) {
        session.seen.duplicates += count;
        return;
    }
    uint32_t covered = (high - last) / step;
    session.seen.deliveries += count;
    if (count > covered)
        session.seen.duplicates += count - covered;
    else if (session.repeated)
        session.seen.merged += covered - count;
    else
        session.seen.gaps += covered - count;
    for (uint32_t i = 0, seq = last + step; i < covered; i++, seq += step) arrived[seq % RING]++;
    order->last[publisher] = high;
}

void deliver(struct connection *connection, const uint8_t *payload)
{
    struct change change;
    if (!payload_read(payload, &change) || change.person >= session.people || change.seq > session.published) {
        session.seen.wrong++;
        return;
    }
    if (connection->role != ROLE_SUBSCRIBER) return;
    if (connection->held) return joiner_gets(connection, &change);
    collect(&connection->order, change.seq);
    if (session.latency_from && change.time >= session.latency_from)
        histogram_add(&latencies, received_at > change.time ? received_at - change.time : 0);
}

void message_ends(struct connection *connection)
{
    if (connection->role != ROLE_SUBSCRIBER || connection->held) return;
    session.seen.messages++;
    for (unsigned publisher = 0; publisher < session.driver->publishers; publisher++)
        if (connection->order.count[publisher]) judge(&connection->order, publisher);
}

void count_delivered(void)
{
    while (session.delivered < session.published
           && arrived[(session.delivered + 1) % RING] >= session.subscriber_count) {
        session.delivered++;
        arrived[session.delivered % RING] = 0;
    }
}
