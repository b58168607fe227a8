#ifndef ROLLCALL_CSQLITE_SHIM_H
#define ROLLCALL_CSQLITE_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

_Static_assert(SQLITE_VERSION_NUMBER >= 3037000, "Rollcall's tables are STRICT, which SQLite knows since 3.37");

// Why: SQLITE_TRANSIENT is a cast macro. SQLite takes a copy of the bytes; no bytes are an empty value, not NULL.
static inline int rollcall_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    return sqlite3_bind_blob64(statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT);
}
static inline int rollcall_bind_text(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
    return sqlite3_bind_text64(
        statement, index, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Why: sqlite3_db_config is variadic. A switch of one connection, on or off.
static inline int rollcall_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)NULL);
}

// Why: the argument of this file control is an int behind an untyped pointer. Whether the name that was opened leads to
// another file now; false where the file system can't tell.
static inline int rollcall_has_moved(sqlite3 *database) {
    int moved = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return code == SQLITE_OK && moved != 0;
}

// Why: the file is reached by an untyped pointer, and its functions by a table. The size of the log of changes that a
// connection has open, whatever its name is by now.
static inline int rollcall_log_size(sqlite3 *database, int64_t *size) {
    sqlite3_file *log = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK) return code;
    if (log == NULL || log->pMethods == NULL) return SQLITE_CANTOPEN;
    sqlite3_int64 bytes = 0;
    code = log->pMethods->xFileSize(log, &bytes);
    *size = bytes;
    return code;
}

// Why: see above. Reads so many bytes of it, which must be there, from a place on.
static inline int rollcall_log_read(sqlite3 *database, void *out, int count, int64_t place) {
    sqlite3_file *log = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK) return code;
    if (log == NULL || log->pMethods == NULL) return SQLITE_CANTOPEN;
    return log->pMethods->xRead(log, out, count, place);
}

// The functions on files return a negative errno on failure. What differs between platforms stays in this header, so
// that the Swift files carry no conditions.

// Why: the names of the fields and the test macros differ or do not import.
typedef struct {
    uint64_t size;
    uint64_t names;  // hard links
    uint64_t device; // with the number of the file: what it is, by whatever name
    uint64_t inode;
    char kind;       // 'd' directory, 'f' regular file, 'l' symbolic link, '?' anything else
} rollcall_store_file;

static inline int rollcall_store_look(const char *path, int follow, rollcall_store_file *out) {
    struct stat status;
    if ((follow ? stat(path, &status) : lstat(path, &status)) < 0) return -errno;
    out->size = (uint64_t)status.st_size;
    out->names = (uint64_t)status.st_nlink;
    out->device = (uint64_t)status.st_dev;
    out->inode = (uint64_t)status.st_ino;
    out->kind = S_ISDIR(status.st_mode) ? 'd' : S_ISREG(status.st_mode) ? 'f' : S_ISLNK(status.st_mode) ? 'l' : '?';
    return 0;
}

// Why: open is variadic. Reads so many bytes from the start of a file; how many there were.
static inline int rollcall_store_read_head(const char *path, void *out, size_t count) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    ssize_t got = pread(fd, out, count, 0);
    int code = got < 0 ? -errno : (int)got;
    close(fd);
    return code;
}

// Why: open is variadic. Syncs the directory, so that names in it are kept.
static inline int rollcall_store_sync_directory(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    int code = fsync(fd) < 0 ? -errno : 0;
    close(fd);
    return code;
}

// Why: open is variadic. A new file with these bytes, on the disk, that only its owner may read: it holds who met whom.
// An old one of that name is the rest of an earlier attempt and is replaced.
static inline int rollcall_store_write_new(const char *path, const void *bytes, size_t count) {
    if (unlink(path) < 0 && errno != ENOENT) return -errno;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return -errno;
    int code = 0;
    for (size_t done = 0; done < count;) {
        ssize_t written = write(fd, (const char *)bytes + done, count - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            code = -errno;
            break;
        }
        done += (size_t)written;
    }
    if (code == 0 && fsync(fd) < 0) code = -errno;
    close(fd);
    if (code < 0) (void)unlink(path);
    return code;
}

// Removes a file that may not be there.
static inline void rollcall_store_remove(const char *path) {
    (void)unlink(path);
}

// Gives a new file its name.
static inline int rollcall_store_place(const char *from, const char *to) {
    return rename(from, to) < 0 ? -errno : 0;
}

// Why: open is variadic, and flock imports as a struct. Locks a file by its lock file, which is made when it is not
// there and stays, for as long as the descriptor is open; -EWOULDBLOCK when another has it. Leaves the own number in the
// file, for the message that another one gets.
static inline int rollcall_store_lock(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        int code = -errno;
        close(fd);
        return code;
    }
    char text[24];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) < 0) {
        // Only the message of who is refused needs it.
    }
    return fd;
}

// Why: see above. As a reader, of a lock file that is there: -ENOENT when there is none, -EWOULDBLOCK when it is locked.
static inline int rollcall_store_share_lock(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return -errno;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) return fd;
    int code = -errno;
    close(fd);
    return code;
}

// Why: the names of the fields differ. Whether the name still leads to the file that is open; also true when that can't be
// told.
static inline int rollcall_store_is_named(int fd, const char *path) {
    struct stat open, named;
    if (fstat(fd, &open) < 0) return 1;
    if (lstat(path, &named) < 0) return errno != ENOENT;
    return open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// Why: Swift classes with a method named close cannot reach the function of that name.
static inline void rollcall_store_unlock(int fd) {
    (void)close(fd);
}

// Why: PATH_MAX and the result's ownership. The path without symbolic links, in a buffer of PATH_MAX bytes.
static inline int rollcall_store_real_path(const char *path, char *out) {
    return realpath(path, out) == NULL ? -errno : 0;
}
static inline size_t rollcall_store_path_limit(void) {
    return PATH_MAX;
}

// Why: open is variadic. Whether the file may be written by this process; not to be asked while a database is open on it,
// whose locks would go with the descriptor.
static inline int rollcall_store_check_writable(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -errno;
    close(fd);
    return 0;
}

#endif
