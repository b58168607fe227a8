#ifndef ROLLCALL_CLIBUV_PAGES_H
#define ROLLCALL_CLIBUV_PAGES_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>
#include <uv.h>

#ifdef __linux__
#include <sys/sendfile.h>
#include <sys/syscall.h>
#endif

// Memory as a file that no folder has, whose pages sockets refer to instead of copies. Results below 0 are negative
// errnos, as in shim.h.

// Why: memfd_create is declared for GNU sources only, and its flags are younger than some systems. A new file, closed on
// exec.
//
// sendfile can't be told to raise no signal, as send can, nor can a write to a file that may be no longer, as a limit says
// that may change at any time: no file where one of these would end the process.
static inline int rollcall_open_pages(void) {
#ifdef __linux__
    const int ending[] = {SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < 2; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) < 0 || action.sa_handler == SIG_DFL) return -EPERM;
    }
    const unsigned cloexec = 1, noexec = 8;
    long fd = syscall(SYS_memfd_create, "rollcall", cloexec | noexec);
    if (fd < 0 && errno == EINVAL) fd = syscall(SYS_memfd_create, "rollcall", cloexec);
    return fd < 0 ? -errno : (int)fd;
#else
    return -ENOTSUP;
#endif
}

// Why: the result code alone. Writes all of the bytes at the start of the file.
static inline int rollcall_fill_pages(int pages, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t more = pwrite(pages, (const char *)bytes + done, count - done, (off_t)done);
        if (more > 0) done += (size_t)more;
        else if (more == 0) return -EIO;
        else if (errno != EINTR) return -errno;
    }
    return 0;
}

// Why: the result code alone. The file forgets its pages; sockets that refer to them keep them as they are.
//
// All of it, since a hole at another place would be made by writing zeros where a page is only partly in it.
static inline int rollcall_forget_pages(int pages) {
    return ftruncate(pages, 0) < 0 ? -errno : 0;
}

// Why: sendfile of other systems has other parameters. As send: how many of the first `count` bytes the stream has taken.
static inline int rollcall_send_pages(uv_stream_t *stream, int pages, size_t count) {
#ifdef __linux__
    uv_os_fd_t fd;
    int code = uv_fileno((const uv_handle_t *)stream, &fd);
    if (code < 0) return code;
    ssize_t taken;
    do {
        off_t offset = 0;
        taken = sendfile(fd, pages, &offset, count);
    } while (taken < 0 && errno == EINTR);
    return taken < 0 ? -errno : (int)taken;
#else
    (void)stream, (void)pages, (void)count;
    return -ENOTSUP;
#endif
}

#endif
