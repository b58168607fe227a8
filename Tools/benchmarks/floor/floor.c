/* The floor: the least that a fan-out server on libuv can do. No calls, no rights, no limits, no positions.
 *
 * A client says 'p' (publish) or 'w' (watch) in its first byte. Frames are 4 bytes (length, 2 bytes, little-endian;
 * kind; zero) and a body. A publisher's frames are changes of 64 bytes with the person's number at byte 16. A watcher
 * gets the last change of every person, a frame of kind 2, and then every change, as it came. What was read in a turn
 * of the loop is written once to each watcher at its end; with a tick, what comes sooner than so many ms after the last
 * write waits for so long, and goes out with what comes meanwhile. The held state begins anew with each publisher. With
 * a width, each held change is followed by a frame of kind 3 that says nothing and makes both so many bytes long: what
 * joins cost with longer records.
 *
 *     floor ADDRESS [TICK_MS [WIDTH]]      unix:PATH or tcp:PORT; prints "ready"
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <uv.h>

enum { HEADER = 4, BODY = 64, FRAME = HEADER + BODY, PERSON_OFFSET = 16, KIND_READY = 2, KIND_NOTHING = 3, BACKLOG = 4096 };
enum { MAXIMUM_PEOPLE = 100000, READ_SIZE = 1 << 18 };

struct client {
    union {
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } handle;
    uint32_t place;  /* in the list of watchers, plus one */
    bool publishes;
    uint8_t *rest;   /* of a publisher: an incomplete frame */
    uint32_t rest_size;
};

struct queued {
    uv_write_t request;
    uint8_t bytes[];
};

static uv_loop_t loop;
static bool is_tcp;
static struct client **watchers;
static uint32_t watcher_count, watcher_capacity;
static uint8_t *held;            /* a frame for each person, and what makes it wider */
static size_t width = FRAME;
static uint32_t people;
static uint8_t *turn;            /* the changes of this turn */
static size_t turn_size, turn_capacity;
static uint8_t read_buffer[READ_SIZE];
static uint64_t tick, flushed_at;
static uv_timer_t timer;

static void *resized(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (memory) return memory;
    fputs("floor: no memory\n", stderr);
    exit(70);
}

static void check(int result, const char *what)
{
    if (result >= 0) return;
    fprintf(stderr, "floor: %s: %s\n", what, uv_strerror(result));
    exit(70);
}

static void closed(uv_handle_t *handle)
{
    struct client *client = (struct client *)handle;
    free(client->rest);
    free(client);
}

static void end(struct client *client)
{
    if (uv_is_closing((uv_handle_t *)client)) return;
    if (client->place) {
        struct client *last = watchers[--watcher_count];
        watchers[client->place - 1] = last;
        last->place = client->place;
        client->place = 0;
    }
    uv_close((uv_handle_t *)client, closed);
}

static void written(uv_write_t *request, int status)
{
    struct client *client = (struct client *)request->handle;
    free(request);
    if (status < 0) end(client);
}

/* Writes at once what the system takes; libuv keeps the rest. */
static void send_bytes(struct client *client, const uint8_t *bytes, size_t size)
{
    uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)size);
    int done = client->handle.stream.write_queue_size ? 0 : uv_try_write(&client->handle.stream, &buffer, 1);
    if (done == UV_EAGAIN) done = 0;
    if (done < 0) return end(client);
    if ((size_t)done == size) return;
    struct queued *queued = resized(NULL, sizeof *queued + size - (size_t)done);
    memcpy(queued->bytes, bytes + done, size - (size_t)done);
    buffer = uv_buf_init((char *)queued->bytes, (unsigned)(size - (size_t)done));
    check(uv_write(&queued->request, &client->handle.stream, &buffer, 1, written), "write");
}

static void flush(void)
{
    for (uint32_t i = watcher_count; i > 0; i--) send_bytes(watchers[i - 1], turn, turn_size);
    turn_size = 0;
    flushed_at = uv_now(&loop);
}

static void tick_ends(uv_timer_t *handle)
{
    (void)handle;
    flush();
}

static void turn_ends(uv_check_t *handle)
{
    (void)handle;
    if (!turn_size || uv_is_active((uv_handle_t *)&timer)) return;
    if (uv_now(&loop) - flushed_at >= tick)
        flush();
    else
        check(uv_timer_start(&timer, tick_ends, tick, 0), "timer");
}

static void change(const uint8_t *frame)
{
    uint32_t person;
    memcpy(&person, frame + HEADER + PERSON_OFFSET, sizeof person);
    if (person >= MAXIMUM_PEOPLE) return;
    if (person >= people) {
        held = resized(held, (size_t)(person + 1) * width);
        memset(held + (size_t)people * width, 0, (size_t)(person + 1 - people) * width);
        for (; width > FRAME && people <= person; people++) {
            size_t rest = width - FRAME - HEADER;
            uint8_t *nothing = held + (size_t)people * width + FRAME;
            nothing[0] = (uint8_t)rest;
            nothing[1] = (uint8_t)(rest >> 8);
            nothing[2] = KIND_NOTHING;
        }
        people = person + 1;
    }
    memcpy(held + (size_t)person * width, frame, FRAME);
}

static void publish(struct client *client, const uint8_t *bytes, size_t size)
{
    if (client->rest_size) {
        client->rest = resized(client->rest, client->rest_size + size + FRAME);
        memcpy(client->rest + client->rest_size, bytes, size);
        size += client->rest_size;
        bytes = client->rest;
    }
    size_t whole = size - size % FRAME;
    if (turn_size + whole > turn_capacity) turn = resized(turn, turn_capacity = (turn_size + whole) * 2);
    memcpy(turn + turn_size, bytes, whole);
    for (size_t offset = 0; offset < whole; offset += FRAME) change(turn + turn_size + offset);
    turn_size += whole;
    client->rest_size = (uint32_t)(size - whole);
    if (!client->rest_size) return;
    if (!client->rest) client->rest = resized(NULL, FRAME);
    memmove(client->rest, bytes + whole, client->rest_size);
}

static void watch(struct client *client)
{
    static const uint8_t ready[HEADER] = {0, 0, KIND_READY, 0};
    // Who comes in the middle of a turn has its changes in the held state.
    if (turn_size) flush();
    if (people) send_bytes(client, held, (size_t)people * width);
    send_bytes(client, ready, sizeof ready);
    if (watcher_count == watcher_capacity) {
        watcher_capacity = watcher_capacity * 2 + 64;
        watchers = resized(watchers, watcher_capacity * sizeof *watchers);
    }
    watchers[watcher_count++] = client;
    client->place = watcher_count;
}

static void received(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    struct client *client = (struct client *)stream;
    const uint8_t *bytes = (const uint8_t *)buffer->base;
    if (size < 0) return end(client);
    if (size == 0) return;
    if (client->publishes) return publish(client, bytes, (size_t)size);
    if (client->place) return;
    if (bytes[0] == 'w') return watch(client);
    if (bytes[0] != 'p') return end(client);
    static const uint8_t ready[HEADER] = {0, 0, KIND_READY, 0};
    client->publishes = true;
    people = 0;
    send_bytes(client, ready, sizeof ready);
    publish(client, bytes + 1, (size_t)size - 1);
}

static void allocate(uv_handle_t *handle, size_t size, uv_buf_t *buffer)
{
    (void)handle, (void)size;
    *buffer = uv_buf_init((char *)read_buffer, READ_SIZE);
}

static void accepted(uv_stream_t *listener, int status)
{
    if (status < 0) return;
    struct client *client = calloc(1, sizeof *client);
    if (!client) return;
    check(is_tcp ? uv_tcp_init(&loop, &client->handle.tcp) : uv_pipe_init(&loop, &client->handle.pipe, 0), "handle");
    if (uv_accept(listener, &client->handle.stream) < 0) return end(client);
    if (is_tcp) uv_tcp_nodelay(&client->handle.tcp, 1);
    if (uv_read_start(&client->handle.stream, allocate, received) < 0) end(client);
}

int main(int count, char **arguments)
{
    static union {
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } listener;
    static uv_check_t check_handle;
    if (count == 4) width = strtoull(arguments[3], NULL, 10);
    if (count < 2 || count > 4 || (width != FRAME && width < FRAME + HEADER) || width > 1 << 15) {
        fputs("usage: floor unix:PATH|tcp:PORT [TICK_MS [WIDTH]]\n", stderr);
        return 64;
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    tick = count > 2 ? strtoull(arguments[2], NULL, 10) : 0;
    check(uv_loop_init(&loop), "loop");
    check(uv_timer_init(&loop, &timer), "timer");
    check(uv_check_init(&loop, &check_handle), "check");
    check(uv_check_start(&check_handle, turn_ends), "check");
    is_tcp = strncmp(arguments[1], "tcp:", 4) == 0;
    if (is_tcp) {
        struct sockaddr_in address;
        check(uv_ip4_addr("127.0.0.1", atoi(arguments[1] + 4), &address), "address");
        check(uv_tcp_init(&loop, &listener.tcp), "listener");
        check(uv_tcp_bind(&listener.tcp, (const struct sockaddr *)&address, 0), arguments[1]);
    } else if (strncmp(arguments[1], "unix:", 5) == 0) {
        check(uv_pipe_init(&loop, &listener.pipe, 0), "listener");
        check(uv_pipe_bind(&listener.pipe, arguments[1] + 5), arguments[1]);
    } else {
        fprintf(stderr, "floor: '%s' is no address\n", arguments[1]);
        return 64;
    }
    check(uv_listen(&listener.stream, BACKLOG, accepted), arguments[1]);
    puts("ready");
    fflush(stdout);
    return uv_run(&loop, UV_RUN_DEFAULT);
}
