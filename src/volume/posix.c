/* SPDX-License-Identifier: Apache-2.0
 *
 * The posix volume's table of operations, with those that fit in a few lines: objects, scratch
 * files, clock. Logs are in posix_log.c, documents in posix_doc.c, opening in posix_open.c. */
#define _GNU_SOURCE
#include "volume/posix_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define POSIX_NS_PER_S 1000000000

struct posix_scratch {
    struct volume_scratch base;
    int fd;               /* owned, already unlinked */
    _Atomic uint64_t len; /* bytes appended */
};

static struct posix_file pvol_object(struct posix_volume *pv, const char *name)
{
    struct posix_file file = {.dir_fd = pv->object_fd, .kind = "object", .name = name};

    return file;
}

static const char *pvol_describe(struct volume *v)
{
    return volume_posix_of(v)->description;
}

/* -- objects ----------------------------------------------------------------------- */

static int pvol_put(struct volume *v, const char *name, const void *p, size_t n, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_file file = pvol_object(pv, name);
    struct posix_bytes parts[2] = {{p, n}, {"", 0}};
    int rc = volume_posix_writable(pv, err);

    return rc < 0 ? rc : volume_posix_publish(pv, &file, parts, false, NULL, err);
}

/* A writer beside us has no use for it any more. */
static int pvol_fail_gone(const char *name, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_SNAPSHOT_GONE,
                     "object '%s' is gone: it was replaced by newer ones after the database was "
                     "opened read-only",
                     name);

    dn_err_hint(err, "open the database again: the rows are in the newer ones");
    return rc;
}

static int pvol_open_object(
    struct posix_volume *pv, const char *name, int *ret_fd, uint64_t *ret_size, struct dn_err *err)
{
    char file[VOLUME_NAME_MAX + 1];
    int held = volume_posix_held_object(pv, name);
    struct stat st;
    int number;
    int fd = -1;

    volume_posix_file_name(name, file);
    if (held >= 0) {
        fd = fcntl(held, F_DUPFD_CLOEXEC, 0);
        number = fd < 0 ? errno : 0;
    } else {
        number = volume_posix_openat(pv, pv->object_fd, file, O_RDONLY | O_NOFOLLOW, &fd);
    }
    if (number == ENOENT && pv->read_only && !pv->still)
        return pvol_fail_gone(name, err);
    if (number == ENOENT)
        return VOLUME_FAIL_MISSING(err, "object", name);
    if (number == 0 && fstat(fd, &st) != 0)
        number = errno;
    if (number) {
        volume_posix_close_fd(&fd);
        return VOLUME_POSIX_FAIL(err, number, "object '%s': cannot open", name);
    }
    *ret_fd = fd;
    *ret_size = (uint64_t)st.st_size;
    return 0;
}

static int pvol_size(struct volume *v, const char *name, uint64_t *ret_size, struct dn_err *err)
{
    int fd = -1;
    int rc = pvol_open_object(volume_posix_of(v), name, &fd, ret_size, err);

    volume_posix_close_fd(&fd);
    return rc;
}

static int pvol_read(struct volume *v,
                     const char *name,
                     struct volume_range *ranges,
                     size_t count,
                     struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    uint64_t size = 0;
    int fd = -1;
    int rc = pvol_open_object(pv, name, &fd, &size, err);

    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct volume_range *range = &ranges[i];
        size_t n = 0;
        int number;

        if (range->offset > size || range->len > size - range->offset) {
            rc = VOLUME_FAIL_RANGE(err, name, range, size);
            break;
        }
        number = volume_posix_read_at(pv, fd, range->to, range->len, range->offset, &n);
        if (number)
            rc = VOLUME_POSIX_FAIL(err,
                                   number,
                                   "object '%s': cannot read %" PRIu32 " bytes at offset %" PRIu64,
                                   name,
                                   range->len,
                                   range->offset);
        else if (n < range->len)
            rc = VOLUME_FAIL_RANGE(err, name, range, range->offset + n); /* cut off meanwhile */
    }
    volume_posix_close_fd(&fd);
    return rc;
}

static int pvol_remove(struct volume *v, const char *name, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_file file = pvol_object(pv, name);
    int rc = volume_posix_writable(pv, err);

    return rc < 0 ? rc : volume_posix_remove(pv, &file, err);
}

static int
pvol_list(struct volume *v, const char *prefix, struct volume_names *names, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_file file = pvol_object(pv, "");

    return volume_posix_list(pv, &file, prefix, names, err);
}

static int
pvol_scan(struct volume *v, const char *name, volume_scan_fn fn, void *arg, struct dn_err *err)
{
    return fn(v, name, arg, err);
}

/* -- leases and notices
 * ---------------------------------------------------------------------------- */

static int pvol_lease_acquire(struct volume *v,
                              const char *name,
                              const char *holder,
                              uint64_t duration_ns,
                              struct dn_err *err)
{
    return volume_local_acquire(&volume_posix_of(v)->local, name, holder, duration_ns, err);
}

static void pvol_lease_release(struct volume *v, const char *name, const char *holder)
{
    volume_local_release(&volume_posix_of(v)->local, name, holder);
}

static void pvol_watch(struct volume *v, volume_notice_fn fn, void *arg)
{
    volume_local_watch(&volume_posix_of(v)->local, fn, arg);
}

static void pvol_notify(struct volume *v, const char *name)
{
    volume_local_notify(&volume_posix_of(v)->local, name);
}

/* -- clock, randomness, space
 * ----------------------------------------------------------------------- */

static int64_t pvol_clock_ns(struct volume *v)
{
    struct timespec now;

    (void)v;
    DN_ASSERT(clock_gettime(CLOCK_REALTIME, &now) == 0);
    return (int64_t)now.tv_sec * POSIX_NS_PER_S + now.tv_nsec;
}

static int64_t pvol_elapsed_ns(struct volume *v)
{
    struct timespec now;

    (void)v;
    DN_ASSERT(clock_gettime(CLOCK_BOOTTIME, &now) == 0); /* a machine asleep grows older, too */
    return (int64_t)now.tv_sec * POSIX_NS_PER_S + now.tv_nsec;
}

static uint64_t pvol_random(struct volume *v)
{
    return sched_random(v->sched);
}

static uint64_t pvol_free_bytes(struct volume *v)
{
    struct statvfs st;

    if (fstatvfs(volume_posix_of(v)->dir_fd, &st) != 0)
        return UINT64_MAX;
    return (uint64_t)st.f_bavail * (uint64_t)st.f_frsize;
}

/* -- scratch files
 * ----------------------------------------------------------------------------------- */

/* A file without a name; file systems that have no such thing get one that is unlinked at once. */
static int pvol_open_nameless(struct posix_volume *pv, int dir_fd, const char *dir, int *ret_fd)
{
    char temp[32];
    int number = volume_posix_openat(pv, dir_fd, dir, O_TMPFILE | O_RDWR, ret_fd);

    if (number != EOPNOTSUPP && number != EISDIR && number != EINVAL)
        return number;
    if (strcmp(dir, ".") != 0)
        return number;
    (void)snprintf(temp,
                   sizeof temp,
                   VOLUME_POSIX_TEMP_PREFIX "%" PRIu64,
                   atomic_fetch_add(&pv->temp_next, 1));
    number = volume_posix_openat(pv, dir_fd, temp, O_CREAT | O_EXCL | O_RDWR, ret_fd);
    if (number == 0 && unlinkat(dir_fd, temp, 0) != 0) {
        number = errno;
        volume_posix_close_fd(ret_fd);
    }
    return number;
}

static int pvol_scratch_open(struct volume *v, struct volume_scratch **ret, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_scratch *s = mem_calloc(NULL, 1, sizeof *s);
    int number;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->base.volume = v;
    s->fd = -1;
    number = pvol_open_nameless(pv, pv->scratch_fd, ".", &s->fd);
    if (number && pv->read_only) /* the directory may not be ours to write; a reader sorts too */
        number = pvol_open_nameless(pv, AT_FDCWD, "/tmp", &s->fd);
    if (number) {
        mem_free(s);
        return VOLUME_POSIX_FAIL(err, number, "volume '%s': cannot make a scratch file", pv->dir);
    }
    *ret = &s->base;
    return 0;
}

static int pvol_scratch_append(
    struct volume_scratch *base, const void *p, size_t n, uint64_t *ret_offset, struct dn_err *err)
{
    struct posix_scratch *s = (struct posix_scratch *)base;
    uint64_t offset = atomic_fetch_add(&s->len, n);
    int number = volume_posix_write_at(volume_posix_of(base->volume), s->fd, p, n, offset);

    if (number)
        return VOLUME_POSIX_FAIL(
            err, number, "scratch file: cannot write %zu bytes at offset %" PRIu64, n, offset);
    *ret_offset = offset;
    return 0;
}

static int pvol_scratch_read(
    struct volume_scratch *base, uint64_t offset, void *to, size_t n, struct dn_err *err)
{
    struct posix_scratch *s = (struct posix_scratch *)base;
    size_t have = 0;
    int number = volume_posix_read_at(volume_posix_of(base->volume), s->fd, to, n, offset, &have);

    if (number)
        return VOLUME_POSIX_FAIL(
            err, number, "scratch file: cannot read %zu bytes at offset %" PRIu64, n, offset);
    if (have < n)
        return DN_FAIL(err,
                       DN_E_CORRUPT,
                       "scratch file: %zu bytes at offset %" PRIu64 " reach over its end",
                       n,
                       offset);
    return 0;
}

static void pvol_scratch_close(struct volume_scratch *base)
{
    struct posix_scratch *s = (struct posix_scratch *)base;

    volume_posix_close_fd(&s->fd);
    mem_free(s);
}

const struct volume_ops volume_posix_ops = {
    .close = volume_posix_close,
    .describe = pvol_describe,
    .put = pvol_put,
    .size = pvol_size,
    .read = pvol_read,
    .remove = pvol_remove,
    .list = pvol_list,
    .log_create = volume_posix_log_create,
    .log_append = volume_posix_log_append,
    .log_sync = volume_posix_log_sync,
    .log_fence = volume_posix_log_fence,
    .log_read = volume_posix_log_read,
    .log_remove = volume_posix_log_remove,
    .log_list = volume_posix_log_list,
    .doc_read = volume_posix_doc_read,
    .doc_replace = volume_posix_doc_replace,
    .lease_acquire = pvol_lease_acquire,
    .lease_release = pvol_lease_release,
    .watch = pvol_watch,
    .notify = pvol_notify,
    .scan = pvol_scan,
    .announce = volume_posix_announce,
    .hold = volume_posix_hold,
    .let_go = volume_posix_let_go,
    .other = volume_posix_other,
    .erase = volume_posix_erase,
    .clock_ns = pvol_clock_ns,
    .elapsed_ns = pvol_elapsed_ns,
    .random = pvol_random,
    .free_bytes = pvol_free_bytes,
    .scratch_open = pvol_scratch_open,
    .scratch_append = pvol_scratch_append,
    .scratch_read = pvol_scratch_read,
    .scratch_close = pvol_scratch_close,
};
