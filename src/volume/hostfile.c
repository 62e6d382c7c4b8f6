/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strerrordesc_np */
#include "volume/hostfile.h"

#include "base/cancel.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTFILE_WAIT_MS 50 /* between two looks at the flag of cancel */

struct hostfile {
    int fd;
    bool plain;
    uint64_t size;             /* when it was opened; 0 = not a plain file */
    char *path;                /* owned, for messages */
    const atomic_bool *cancel; /* borrowed */
};

static int hostfile_fail(const char *what, const char *path, struct dn_err *err)
{
    int code = errno;

    return DN_FAIL(err,
                   code == ENOENT                     ? DN_E_NO_OBJECT
                   : code == ENOSPC || code == EDQUOT ? DN_E_NOSPC
                                                      : DN_E_IO,
                   "cannot %s file \"%s\": %s",
                   what,
                   path,
                   strerrordesc_np(code));
}

/* Until the file can be read or written (or nobody is at its other side any more). */
static int hostfile_wait(const struct hostfile *f, short events, struct dn_err *err)
{
    struct pollfd p = {.fd = f->fd, .events = events};
    int ready = f->plain;

    while (ready == 0) {
        int rc = dn_cancel_check(f->cancel, err);

        if (rc < 0)
            return rc;
        ready = poll(&p, 1, HOSTFILE_WAIT_MS);
        if (ready < 0 && errno == EINTR)
            ready = 0;
    }
    return ready < 0 ? hostfile_fail("wait for", f->path, err) : 0;
}

/* Without waiting in the kernel for the other side of a pipe: its writer comes later, its reader is
 * waited for here. */
static int hostfile_try(struct hostfile *f, int flags, const char *what, struct dn_err *err)
{
    for (;;) {
        int rc = dn_cancel_check(f->cancel, err);

        if (rc < 0)
            return rc;
        f->fd = open(f->path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
        if (f->fd >= 0)
            return 0;
        if (errno == ENXIO && flags & O_WRONLY)
            (void)poll(NULL, 0, HOSTFILE_WAIT_MS);
        else if (errno != EINTR)
            return hostfile_fail(what, f->path, err);
    }
}

static int hostfile_new(const char *path,
                        const atomic_bool *cancel,
                        int flags,
                        const char *what,
                        struct hostfile **ret,
                        struct dn_err *err)
{
    struct hostfile *f = mem_calloc(NULL, 1, sizeof *f);
    struct stat st;
    int rc;

    if (!f)
        return DN_FAIL_NOMEM(err);
    f->fd = -1;
    f->cancel = cancel;
    f->path = mem_strdup(NULL, path);
    if (!f->path) {
        rc = DN_FAIL_NOMEM(err);
        goto fail;
    }
    rc = hostfile_try(f, flags, what, err);
    if (rc < 0)
        goto fail;
    if (fstat(f->fd, &st) != 0) {
        rc = hostfile_fail(what, path, err);
        goto fail;
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        rc = hostfile_fail(what, path, err);
        goto fail;
    }
    f->plain = S_ISREG(st.st_mode);
    f->size = f->plain ? (uint64_t)st.st_size : 0;
    *ret = f;
    return DN_OK;

fail:
    DN_IGNORE(hostfile_close(f, NULL)); /* nothing was written */
    return rc;
}

int hostfile_open(const char *path,
                  const atomic_bool *cancel,
                  struct hostfile **ret,
                  struct dn_err *err)
{
    return hostfile_new(path, cancel, O_RDONLY, "open", ret, err);
}

int hostfile_create(const char *path,
                    const atomic_bool *cancel,
                    struct hostfile **ret,
                    struct dn_err *err)
{
    return hostfile_new(path, cancel, O_WRONLY | O_CREAT | O_TRUNC, "create", ret, err);
}

uint64_t hostfile_size(const struct hostfile *f)
{
    return f->size;
}

int hostfile_read(struct hostfile *f, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    ssize_t n;

    do {
        int rc = hostfile_wait(f, POLLIN, err);

        if (rc < 0)
            return rc;
        n = read(f->fd, to, len);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n < 0)
        return hostfile_fail("read", f->path, err);
    *ret_len = (size_t)n;
    return DN_OK;
}

int hostfile_read_at(struct hostfile *f, uint64_t at, void *to, size_t len, struct dn_err *err)
{
    char *p = to;

    while (len > 0) {
        ssize_t n = pread(f->fd, p, len, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return hostfile_fail("read", f->path, err);
        if (n == 0)
            return DN_FAIL(err, DN_E_IO, "file \"%s\" became shorter while it was read", f->path);
        p += n;
        len -= (size_t)n;
        at += (uint64_t)n;
    }
    return DN_OK;
}

int hostfile_write(struct hostfile *f, const void *from, size_t len, struct dn_err *err)
{
    const char *p = from;

    while (len > 0) {
        int rc = hostfile_wait(f, POLLOUT, err);
        ssize_t n;

        if (rc < 0)
            return rc;
        n = write(f->fd, p, len);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return hostfile_fail("write", f->path, err);
        p += n;
        len -= (size_t)n;
    }
    return DN_OK;
}

int hostfile_close(struct hostfile *f, struct dn_err *err)
{
    int rc = DN_OK;

    if (!f)
        return DN_OK;
    if (f->fd >= 0 && close(f->fd) != 0 && errno != EINTR)
        rc = hostfile_fail("write", f->path, err);
    mem_free(f->path);
    mem_free(f);
    return rc;
}
