/* SPDX-License-Identifier: Apache-2.0
 *
 * The door in front of all volumes: names and sizes are checked here, once, so that every volume
 * refuses the same calls with the same words; then the volume's own operation runs. Reads that go
 * on in the background are tasks of the volume's scheduler. */
#include "volume/volume_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VOLUME_NAMES_FIRST 16u

static bool volume_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '/' ||
           c == '-';
}

/* Length of the legal characters; VOLUME_NAME_MAX + 1 when there are more. */
static size_t volume_name_span(const char *name)
{
    size_t n = 0;

    while (n <= VOLUME_NAME_MAX && volume_name_char(name[n]))
        n++;
    return n;
}

static int volume_chars_check(const char *name, const char *what, struct dn_err *err)
{
    size_t n = volume_name_span(name);

    if (n > VOLUME_NAME_MAX)
        return DN_FAIL(err,
                       DN_E_BAD_NAME,
                       "%s '%.40s...' is longer than %d bytes",
                       what,
                       name,
                       VOLUME_NAME_MAX);
    if (name[n] != '\0')
        return DN_FAIL(err,
                       DN_E_BAD_NAME,
                       "%s '%s' has a character outside a-z 0-9 . _ / - at byte %zu",
                       what,
                       name,
                       n + 1);
    return 0;
}

int volume_prefix_check(const char *prefix, struct dn_err *err)
{
    return volume_chars_check(prefix, "the name prefix", err);
}

int volume_name_check(const char *name, struct dn_err *err)
{
    const char *part = name;
    int rc = volume_chars_check(name, "the name", err);

    if (rc < 0)
        return rc;
    if (name[0] == '\0')
        return DN_FAIL(err, DN_E_BAD_NAME, "a name in the volume is empty");
    for (;;) {
        size_t n = strcspn(part, "/");
        if (n == 0)
            return DN_FAIL(
                err, DN_E_BAD_NAME, "the name '%s' has a leading, trailing or doubled slash", name);
        if ((n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
            return DN_FAIL(err, DN_E_BAD_NAME, "the name '%s' has a component '.' or '..'", name);
        if (part[n] == '\0')
            return 0;
        part += n + 1;
    }
}

bool volume_names_add(struct volume_names *names, const char *name)
{
    if (names->count == names->cap) {
        size_t cap = names->cap ? names->cap * 2 : VOLUME_NAMES_FIRST;
        size_t bytes;
        void *grown;

        if (__builtin_mul_overflow(cap, sizeof *names->names, &bytes))
            return false;
        grown = mem_realloc(NULL, names->names, bytes);
        if (!grown)
            return false;
        names->names = grown;
        names->cap = cap;
    }
    memset(names->names[names->count], 0, sizeof names->names[0]);
    memcpy(names->names[names->count], name, strnlen(name, VOLUME_NAME_MAX));
    names->count++;
    return true;
}

static int volume_name_order(const void *a, const void *b)
{
    return strcmp(a, b);
}

void volume_names_sort(struct volume_names *names)
{
    if (names->count > 1)
        qsort(names->names, names->count, sizeof names->names[0], volume_name_order);
}

void volume_names_done(struct volume_names *names)
{
    mem_free(names->names);
    memset(names, 0, sizeof *names);
}

void volume_close(struct volume *v)
{
    if (v)
        v->ops->close(v);
}

const char *volume_describe(struct volume *v)
{
    return v->ops->describe(v);
}

/* -- objects ----------------------------------------------------------------------- */

static int volume_len_check(const char *kind, const char *name, size_t n, struct dn_err *err)
{
    if (n > VOLUME_OBJECT_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_LONG,
                       "%s '%s': %zu bytes, the limit is %u",
                       kind,
                       name,
                       n,
                       VOLUME_OBJECT_MAX);
    return 0;
}

int volume_put(struct volume *v, const char *name, const void *p, size_t n, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    if (rc == 0)
        rc = volume_len_check("object", name, n, err);
    return rc < 0 ? rc : v->ops->put(v, name, p, n, err);
}

int volume_size(struct volume *v, const char *name, uint64_t *ret_size, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->size(v, name, ret_size, err);
}

int volume_read(struct volume *v,
                const char *name,
                struct volume_range *ranges,
                size_t count,
                struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->read(v, name, ranges, count, err);
}

/* A read under way: one task. */
struct volume_read_job {
    struct volume *volume;    /* borrowed */
    struct volume_read *read; /* borrowed until wait returns */
    struct sched_task *task;  /* owned until joined */
    int rc;                   /* of the read */
    struct dn_err err;        /* of the read */
};

static void volume_read_run(void *arg)
{
    struct volume_read_job *job = arg;
    struct volume_read *r = job->read;

    job->rc = job->volume->ops->read(job->volume, r->name, r->ranges, r->ranges_count, &job->err);
}

int volume_read_submit(struct volume *v, struct volume_read *r, struct dn_err *err)
{
    struct volume_read_job *job;
    int rc = volume_name_check(r->name, err);

    r->impl = NULL;
    r->rc = rc;
    if (rc < 0)
        return rc;
    job = mem_calloc(NULL, 1, sizeof *job);
    if (!job)
        return r->rc = DN_FAIL_NOMEM(err);
    job->volume = v;
    job->read = r;
    rc = sched_spawn(v->sched, "volume read", volume_read_run, job, &job->task, err);
    if (rc < 0) {
        mem_free(job);
        return r->rc = rc;
    }
    r->impl = job;
    return 0;
}

int volume_read_wait(struct volume *v, struct volume_read *r, struct dn_err *err)
{
    struct volume_read_job *job = r->impl;

    (void)v;
    DN_ASSERT(job); /* submitted, and not yet waited for */
    sched_join(job->task);
    r->impl = NULL;
    r->rc = job->rc;
    if (job->rc < 0 && err)
        *err = job->err;
    mem_free(job);
    return r->rc;
}

int volume_delete(struct volume *v, const char *name, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->remove(v, name, err);
}

typedef int (*volume_list_fn)(struct volume *v,
                              const char *prefix,
                              struct volume_names *names,
                              struct dn_err *err);

static int volume_list_with(struct volume *v,
                            const char *prefix,
                            volume_list_fn list,
                            struct volume_names *ret_names,
                            struct dn_err *err)
{
    struct volume_names names = {NULL, 0, 0};
    int rc = volume_prefix_check(prefix, err);

    if (rc == 0)
        rc = list(v, prefix, &names, err);
    if (rc < 0) {
        volume_names_done(&names);
        return rc;
    }
    volume_names_sort(&names);
    *ret_names = names;
    return 0;
}

int volume_list(struct volume *v,
                const char *prefix,
                struct volume_names *ret_names,
                struct dn_err *err)
{
    return volume_list_with(v, prefix, v->ops->list, ret_names, err);
}

int volume_scan(
    struct volume *v, const char *name, volume_scan_fn fn, void *arg, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->scan(v, name, fn, arg, err);
}

/* -- logs -------------------------------------------------------------------------- */

int volume_log_create(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->log_create(v, name, epoch, err);
}

static int volume_log_append_with(struct volume *v,
                                  const char *name,
                                  uint64_t epoch,
                                  const void *p,
                                  size_t n,
                                  bool sync,
                                  struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    if (rc == 0)
        rc = volume_len_check("append to log", name, n, err);
    return rc < 0 ? rc : v->ops->log_append(v, name, epoch, p, n, sync, err);
}

int volume_log_append(
    struct volume *v, const char *name, uint64_t epoch, const void *p, size_t n, struct dn_err *err)
{
    return volume_log_append_with(v, name, epoch, p, n, true, err);
}

int volume_log_append_nosync(
    struct volume *v, const char *name, uint64_t epoch, const void *p, size_t n, struct dn_err *err)
{
    return volume_log_append_with(v, name, epoch, p, n, false, err);
}

int volume_log_sync(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->log_sync(v, name, epoch, err);
}

int volume_log_fence(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->log_fence(v, name, epoch, err);
}

int volume_log_read(
    struct volume *v, const char *name, uint64_t offset, struct buf *ret, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->log_read(v, name, offset, ret, err);
}

int volume_log_delete(struct volume *v, const char *name, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->log_remove(v, name, err);
}

int volume_log_list(struct volume *v,
                    const char *prefix,
                    struct volume_names *ret_names,
                    struct dn_err *err)
{
    return volume_list_with(v, prefix, v->ops->log_list, ret_names, err);
}

/* -- documents --------------------------------------------------------------------- */

int volume_doc_read(struct volume *v,
                    const char *name,
                    struct buf *ret,
                    uint64_t *ret_generation,
                    struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    if (rc < 0)
        return rc;
    rc = v->ops->doc_read(v, name, ret, ret_generation, err);
    if (rc == DN_NOT_FOUND)
        *ret_generation = 0;
    return rc;
}

int volume_doc_replace(struct volume *v,
                       const char *name,
                       const void *p,
                       size_t n,
                       uint64_t generation,
                       uint64_t *ret_generation,
                       struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    if (rc == 0)
        rc = volume_len_check("document", name, n, err);
    return rc < 0 ? rc : v->ops->doc_replace(v, name, p, n, generation, ret_generation, err);
}

/* -- leases, notices, clock, scratch ----------------------------------------------- */

int volume_lease_acquire(struct volume *v,
                         const char *name,
                         const char *holder,
                         uint64_t duration_ns,
                         struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 ? rc : v->ops->lease_acquire(v, name, holder, duration_ns, err);
}

void volume_lease_release(struct volume *v, const char *name, const char *holder)
{
    v->ops->lease_release(v, name, holder);
}

void volume_watch(struct volume *v, volume_notice_fn fn, void *arg)
{
    v->ops->watch(v, fn, arg);
}

void volume_notify(struct volume *v, const char *name)
{
    v->ops->notify(v, name);
}

void volume_announce(struct volume *v, const char *address)
{
    if (v->ops->announce)
        v->ops->announce(v, address);
}

int volume_other_open(struct volume *v,
                      const char *path,
                      const struct volume_other_options *options,
                      struct volume **ret,
                      struct dn_err *err)
{
    size_t len = strlen(path);
    int rc;

    if (len == 0 || len > VOLUME_OTHER_PATH_MAX)
        return DN_FAIL(err, DN_E_INVALID_PARAM, "a path has 1 to %u bytes", VOLUME_OTHER_PATH_MAX);
    rc = v->ops->other(v, path, options, ret, err);
    if (rc == 0)
        (*ret)->clock_set_ns = v->clock_set_ns;
    return rc;
}

int volume_erase(struct volume *v, struct dn_err *err)
{
    return v->ops->erase(v, err);
}

int volume_hold(struct volume *v, enum volume_kind kind, const char *name, struct dn_err *err)
{
    int rc = volume_name_check(name, err);

    return rc < 0 || !v->ops->hold ? rc : v->ops->hold(v, kind, name, err);
}

void volume_let_go(struct volume *v)
{
    if (v->ops->let_go)
        v->ops->let_go(v);
}

int64_t volume_clock_ns(struct volume *v)
{
    int64_t set = atomic_load(&v->clock_set_ns);

    return set ? set : v->ops->clock_ns(v);
}

void volume_clock_set(struct volume *v, int64_t to_ns)
{
    atomic_store(&v->clock_set_ns, to_ns);
}

uint64_t volume_random(struct volume *v)
{
    return v->ops->random(v);
}

uint64_t volume_free_bytes(struct volume *v)
{
    return v->ops->free_bytes(v);
}

int volume_scratch_open(struct volume *v, struct volume_scratch **ret, struct dn_err *err)
{
    return v->ops->scratch_open(v, ret, err);
}

int volume_scratch_append(
    struct volume_scratch *s, const void *p, size_t n, uint64_t *ret_offset, struct dn_err *err)
{
    return s->volume->ops->scratch_append(s, p, n, ret_offset, err);
}

int volume_scratch_read(
    struct volume_scratch *s, uint64_t offset, void *to, size_t n, struct dn_err *err)
{
    return s->volume->ops->scratch_read(s, offset, to, n, err);
}

void volume_scratch_close(struct volume_scratch *s)
{
    if (s)
        s->volume->ops->scratch_close(s);
}
