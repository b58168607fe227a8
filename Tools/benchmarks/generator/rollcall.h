/* The parts of the driver for Rollcall: what is written, records, frames. */
#ifndef ROLLCALL_H
#define ROLLCALL_H

#include "session.h"
#include "wire.h"

enum rollcall_client_frame { HELLO = 1, JOIN = 2, COMMAND = 3, PONG = 5, LEAVE = 7 };
enum { UID_SIZE = 8, ATTRIBUTES = 10 };

/* The key of the attribute that changes. */
static const char rollcall_key = 's';

/* Queues a frame: its length and a message whose one field has the bytes from `body` to `end`. */
void rollcall_frame(struct connection *connection, enum rollcall_client_frame kind, const uint8_t *body,
                    const uint8_t *end);

void rollcall_begin(struct connection *connection);
void rollcall_publish(struct connection *connection, const struct change *change);
void rollcall_bring_in(struct connection *connection, uint32_t first, uint32_t count);
void rollcall_leave(struct connection *connection);

/* Reads a record of a Delta or a SnapshotPart and delivers its change. False when it can't be read. */
bool rollcall_record(struct connection *connection, const uint8_t *at, const uint8_t *end);

#endif
