#ifndef ROLLCALL_CLIBUV_SHIM_H
#define ROLLCALL_CLIBUV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#ifdef __linux__
#include <linux/sockios.h>
#include <sys/syscall.h>
#endif

_Static_assert(
    UV_VERSION_MAJOR == 1 && UV_VERSION_MINOR >= 44,
    "Rollcall is written to the surface of libuv 1.44 and later 1.x");

// Every function here returns a negative errno on failure, which is also how libuv spells its codes. What differs
// between platforms stays in this header, so that the Swift files carry no conditions.

// Why: Swift classes with a method named close cannot reach the function of that name.
static inline void rollcall_close(int fd) {
    (void)close(fd);
}

// Why: the calls that set the two flags atomically exist on Linux only, and SOCK_STREAM imports as another type there.
static inline int rollcall_prepare_descriptor(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
        int code = -errno;
        close(fd);
        return code;
    }
#ifdef SO_NOSIGPIPE
    int on = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return fd;
}

// Why: see above. A non-blocking stream socket that is closed on exec.
static inline int rollcall_stream_socket(int family) {
#ifdef __linux__
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
#else
    int fd = socket(family, SOCK_STREAM, 0);
    return fd < 0 ? -errno : rollcall_prepare_descriptor(fd);
#endif
}

// Why: see above. The next waiting connection, non-blocking and closed on exec.
static inline int rollcall_accept(int listener) {
#ifdef __linux__
    // The system call by its number would do as well; glibc declares the function for GNU sources only.
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return fd < 0 ? -errno : fd;
#else
    int fd = accept(listener, NULL, NULL);
    return fd < 0 ? -errno : rollcall_prepare_descriptor(fd);
#endif
}

// Why: SOCK_STREAM imports as another type there.
static inline int rollcall_stream_type(void) {
    return SOCK_STREAM;
}

// Why: open is variadic. Something harmless to hold a descriptor's place with.
static inline int rollcall_open_reserve(void) {
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

// Why: fcntl is variadic. Another descriptor of the same thing, closed on exec.
static inline int rollcall_duplicate(int fd) {
    int second = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return second < 0 ? -errno : second;
}

// Why: open is variadic, and flock imports as a struct. Locks a directory, without a file of its own, for as long as
// the descriptor is open; gives up at once when another holds the lock.
static inline int rollcall_lock_directory(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    int code = -errno;
    close(fd);
    return code;
}

// Why: the names of the fields and the test macros differ or do not import.
typedef struct {
    uint64_t device;
    uint64_t inode;
    char kind;  // 's' socket, 'd' directory, 'f' regular file, 'l' symbolic link, '?' anything else
} rollcall_file;

static inline int rollcall_look_at(const char *path, rollcall_file *out) {
    struct stat status;
    if (lstat(path, &status) < 0) return -errno;
    out->device = (uint64_t)status.st_dev;
    out->inode = (uint64_t)status.st_ino;
    out->kind = S_ISSOCK(status.st_mode) ? 's' : S_ISDIR(status.st_mode) ? 'd' : S_ISREG(status.st_mode) ? 'f'
        : S_ISLNK(status.st_mode) ? 'l' : '?';
    return 0;
}

// Why: the mode imports as a type of another width on each platform.
static inline int rollcall_set_mode(const char *path, unsigned mode) {
    return chmod(path, (mode_t)mode) < 0 ? -errno : 0;
}
static inline int rollcall_set_owner(const char *path, uint32_t user, uint32_t group) {
    // All bits set stands for no change, as chown has it.
    return lchown(path, (uid_t)user, (gid_t)group) < 0 ? -errno : 0;
}
static inline int rollcall_remove_file(const char *path) {
    return unlink(path) < 0 ? -errno : 0;
}

// Why: the thread-safe look-ups need a buffer and three results. -ENOENT when there is no such name.
static inline int rollcall_user_number(const char *name, uint32_t *out) {
    struct passwd entry, *found = NULL;
    char space[4096];
    int code = getpwnam_r(name, &entry, space, sizeof space, &found);
    if (found == NULL) return code == 0 ? -ENOENT : -code;
    *out = (uint32_t)entry.pw_uid;
    return 0;
}
static inline int rollcall_group_number(const char *name, uint32_t *out) {
    struct group entry, *found = NULL;
    char space[16384];
    int code = getgrnam_r(name, &entry, space, sizeof space, &found);
    if (found == NULL) return code == 0 ? -ENOENT : -code;
    *out = (uint32_t)entry.gr_gid;
    return 0;
}

// Why: the result code alone, as everything here gives it.
static inline int rollcall_listen(int fd, int backlog) {
    return listen(fd, backlog) < 0 ? -errno : 0;
}
static inline int rollcall_bind(int fd, const struct sockaddr *address, socklen_t length) {
    return bind(fd, address, length) < 0 ? -errno : 0;
}

// Why: sockaddr_un has a length byte on some platforms, and its path imports as a tuple of a hundred members.
static inline int rollcall_unix_address(struct sockaddr_un *address, const char *path, size_t length) {
    memset(address, 0, sizeof *address);
    if (length == 0 || length >= sizeof address->sun_path) return -ENAMETOOLONG;
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return 0;
}

// The longest path of a UNIX socket in bytes, without the closing NUL.
static inline size_t rollcall_unix_path_limit(void) {
    return sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
}

// Why: the cast from sockaddr_un to sockaddr.
static inline int rollcall_unix_bind(int fd, const char *path, size_t length) {
    struct sockaddr_un address;
    int code = rollcall_unix_address(&address, path, length);
    if (code < 0) return code;
    return bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

// Why: the cast from sockaddr_un to sockaddr.
static inline int rollcall_unix_connect(int fd, const char *path, size_t length) {
    struct sockaddr_un address;
    int code = rollcall_unix_address(&address, path, length);
    if (code < 0) return code;
    return connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

// Why: the option's level and name import as different types on different platforms.
static inline int rollcall_set_flag(int fd, int level, int name, int value) {
    return setsockopt(fd, level, name, &value, sizeof value) < 0 ? -errno : 0;
}
static inline int rollcall_set_reuse_address(int fd) {
    return rollcall_set_flag(fd, SOL_SOCKET, SO_REUSEADDR, 1);
}
// Why: see above; uv_tcp_nodelay takes no bare descriptor.
static inline int rollcall_set_no_delay(int fd) {
    return rollcall_set_flag(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}
// Why: see above. Off, so that [::] also takes IPv4, on every platform alike.
static inline int rollcall_set_dual_stack(int fd) {
    return rollcall_set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
}
// Why: see above. How many unsent bytes the kernel may hold before it says that the socket is full.
static inline int rollcall_set_unsent_low_water(int fd, int bytes) {
    return rollcall_set_flag(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, bytes);
}

// Why: Swift classes with a method named read cannot reach the function of that name, and errno. 0 is the end.
static inline long rollcall_read(int fd, void *space, size_t size) {
    ssize_t count;
    do count = read(fd, space, size); while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : (long)count;
}

// Why: libuv has no flags for a write, and its way to the kernel is longer, which counts for a small write to each of
// many: one piece is sent as such on Linux. As uv_try_write of three pieces, each of which may be empty, for a stream
// without a write in flight. With `apart` what is written next is kept apart from it: Linux looks at the bound above only
// where it begins a new piece of memory, and would add small writes to one of 32 KiB or more.
static inline int rollcall_try_write(
    uv_stream_t *stream, const void *first, size_t first_size, const void *second, size_t second_size,
    const void *third, size_t third_size, bool apart
) {
#ifdef __linux__
    uv_os_fd_t fd;
    int code = uv_fileno((const uv_handle_t *)stream, &fd);
    if (code < 0) return code;
    int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (apart ? MSG_EOR : 0);
    struct iovec pieces[] = {{(void *)first, first_size}, {(void *)second, second_size}, {(void *)third, third_size}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 3};
    ssize_t taken;
    do {
        // Nearly every write is of one piece, for which the system has less to do.
        if (first_size + third_size == 0) taken = send(fd, second, second_size, flags);
        else if (second_size + third_size == 0) taken = send(fd, first, first_size, flags);
        else taken = sendmsg(fd, &message, flags);
    } while (taken < 0 && errno == EINTR);
    if (taken >= 0) return (int)taken;
    return errno == ENOBUFS ? UV_EAGAIN : -errno;
#else
    (void)apart;
    uv_buf_t pieces[3];
    unsigned count = 0;
    if (first_size > 0) pieces[count++] = uv_buf_init((char *)first, (unsigned)first_size);
    if (second_size > 0) pieces[count++] = uv_buf_init((char *)second, (unsigned)second_size);
    if (third_size > 0) pieces[count++] = uv_buf_init((char *)third, (unsigned)third_size);
    return uv_try_write(stream, pieces, count);
#endif
}

// Why: the system's C library knows only the first fields of this structure. How fast a TCP peer has taken bytes lately,
// in bytes a second, and the shortest round trip to it, in us; -ENOTSUP where the system does not tell.
static inline int rollcall_tcp_pace(int fd, uint64_t *rate, uint32_t *round_trip) {
#ifdef __linux__
    struct {
        char before[148];
        uint32_t min_rtt;
        char between[8];
        uint64_t delivery_rate;
    } info;
    _Static_assert(offsetof(__typeof__(info), delivery_rate) == 160, "as linux/tcp.h has it");
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0) return -errno;
    // An older system tells less.
    if (size < sizeof info) return -ENOTSUP;
    *rate = info.delivery_rate;
    *round_trip = info.min_rtt;
    return 0;
#else
    (void)fd, (void)rate, (void)round_trip;
    return -ENOTSUP;
#endif
}

// Why: ioctl is variadic. Bytes that the kernel has taken and the peer has not; for a UNIX socket on Linux this counts
// the kernel's buffers with their overhead, so it shows progress, not an exact number.
static inline int rollcall_kernel_unsent(int fd) {
    int bytes = 0;
#ifdef __linux__
    return ioctl(fd, SIOCOUTQ, &bytes) < 0 ? -errno : bytes;
#else
    socklen_t size = sizeof bytes;
    return getsockopt(fd, SOL_SOCKET, SO_NWRITE, &bytes, &size) < 0 ? -errno : bytes;
#endif
}

// Who is at the other end of a UNIX socket; pid is -1 where the platform does not tell.
typedef struct {
    uint32_t uid;
    uint32_t gid;
    int32_t pid;
} rollcall_credentials;

// Why: two different interfaces, one of them behind a feature macro.
static inline int rollcall_peer_credentials(int fd, rollcall_credentials *out) {
#ifdef __linux__
    struct { int32_t pid; uint32_t uid; uint32_t gid; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
    out->uid = peer.uid;
    out->gid = peer.gid;
    out->pid = peer.pid;
#else
    uid_t uid;
    gid_t gid;
    if (getpeereid(fd, &uid, &gid) < 0) return -errno;
    out->uid = uid;
    out->gid = gid;
    out->pid = -1;
    socklen_t size = sizeof out->pid;
    if (getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, &out->pid, &size) < 0) out->pid = -1;
#endif
    return 0;
}

// Why: SIG_IGN is a cast macro. A write to a closed socket shall be an error, not the end of the process, and so shall one
// to a file that may be no longer.
static inline void rollcall_ignore_write_signals(void) {
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

// Why: signal sets are macros on some systems. A program started by a thread that blocks signals, as worker threads of
// many runtimes do, inherits that and could not be stopped by them.
static inline void rollcall_unblock_signal(int number) {
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

// Why: the set of cores is a struct with macros, and declared for GNU sources only. The cores that this process may run
// on where the system tells, else those that it has.
static inline long rollcall_core_count(void) {
#ifdef __linux__
    // As the kernel writes them: a bit for each core, as many bytes as it needs.
    unsigned long cores[128];
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof cores, cores);
    if (bytes > 0) {
        long count = 0;
        for (long index = 0; index < bytes / (long)sizeof *cores; index++) count += __builtin_popcountl(cores[index]);
        if (count > 0) return count;
    }
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

// Why: the resource constants import as different types. Raises the soft limit of open descriptors as far as allowed
// (the hard limit too, for who may) and returns what is in force now; never lowers it.
static inline uint64_t rollcall_raise_descriptor_limit(uint64_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 0;
    if (limit.rlim_cur != RLIM_INFINITY && (uint64_t)limit.rlim_cur < wanted) {
        struct rlimit raised = limit;
        raised.rlim_cur = (rlim_t)wanted;
        if (limit.rlim_max != RLIM_INFINITY && (uint64_t)limit.rlim_max < wanted) raised.rlim_max = (rlim_t)wanted;
        if (setrlimit(RLIMIT_NOFILE, &raised) < 0) {
            raised.rlim_max = limit.rlim_max;
            raised.rlim_cur = limit.rlim_max;
#ifdef OPEN_MAX
            if (raised.rlim_cur > OPEN_MAX) raised.rlim_cur = OPEN_MAX;
#endif
            if (raised.rlim_cur > limit.rlim_cur) (void)setrlimit(RLIMIT_NOFILE, &raised);
        }
        if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 0;
    }
    return (uint64_t)limit.rlim_cur;
}

#endif
