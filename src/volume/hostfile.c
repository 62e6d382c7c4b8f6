/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* strerrordesc_np */
#include "volume/hostfile.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct hostfile {
    int fd;
    uint64_t size; /* when it was opened; 0 = not a plain file */
    char *path;    /* owned, for messages */
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

static int hostfile_new(
    const char *path, int flags, const char *what, struct hostfile **ret, struct dn_err *err)
{
    struct hostfile *f = mem_calloc(NULL, 1, sizeof *f);
    struct stat st;
    int rc;

    if (!f)
        return DN_FAIL_NOMEM(err);
    f->fd = -1;
    f->path = mem_strdup(NULL, path);
    if (!f->path) {
        rc = DN_FAIL_NOMEM(err);
        goto fail;
    }
    do {
        f->fd = open(path, flags | O_CLOEXEC, 0666);
    } while (f->fd < 0 && errno == EINTR);
    if (f->fd < 0 || fstat(f->fd, &st) != 0) {
        rc = hostfile_fail(what, path, err);
        goto fail;
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        rc = hostfile_fail(what, path, err);
        goto fail;
    }
    f->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    *ret = f;
    return DN_OK;

fail:
    DN_IGNORE(hostfile_close(f, NULL)); /* nothing was written */
    return rc;
}

int hostfile_open(const char *path, struct hostfile **ret, struct dn_err *err)
{
    return hostfile_new(path, O_RDONLY, "open", ret, err);
}

int hostfile_create(const char *path, struct hostfile **ret, struct dn_err *err)
{
    return hostfile_new(path, O_WRONLY | O_CREAT | O_TRUNC, "create", ret, err);
}

uint64_t hostfile_size(const struct hostfile *f)
{
    return f->size;
}

int hostfile_read(struct hostfile *f, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    ssize_t n;

    do {
        n = read(f->fd, to, len);
    } while (n < 0 && errno == EINTR);
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
        ssize_t n = write(f->fd, p, len);

        if (n < 0 && errno == EINTR)
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
