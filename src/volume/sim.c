/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated volume: the operations of struct volume_ops on a struct sim_disk. Each goes through
 * sim_volume_enter, which lets other fibers run, counts the call and says which fault strikes it;
 * after the disk has changed, sim_volume_leave lets others run again, so that a crash may also come
 * between a change and its acknowledgement. File pointers do not live across these two. */
#include "base/hash.h"
#include "volume/sim_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sim_scratch {
    struct volume_scratch base;
    struct buf data; /* owned */
};

static const char *sim_kind_name(char kind)
{
    return kind == 'o' ? "object" : kind == 'l' ? "log" : "document";
}

/* -- entering and leaving a call --------------------------------------------------- */

bool sim_volume_alive(const struct sim_volume *sv)
{
    return sv->fenced || sv->session == sv->disk->session;
}

int sim_volume_dead(struct sim_volume *sv, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_IO, "%s: the machine has crashed", sv->description);
}

int sim_volume_enter(struct sim_volume *sv,
                     bool write,
                     enum sim_fault *ret_fault,
                     struct dn_err *err)
{
    *ret_fault = SIM_FAULT_NONE;
    sched_pass(sv->base.sched);
    if (!sim_volume_alive(sv))
        return sim_volume_dead(sv, err);
    if (write && sv->fenced)
        return sim_volume_fenced(sv, err);
    *ret_fault = sim_disk_strike(sv->disk, write);
    if (*ret_fault == SIM_FAULT_LOCK) {
        sim_disk_drop_lock(sv->disk);
        *ret_fault = SIM_FAULT_NONE;
    }
    return 0;
}

int sim_volume_leave(struct sim_volume *sv, int rc, struct dn_err *err)
{
    sched_pass(sv->base.sched);
    if (rc >= 0 && !sim_volume_alive(sv))
        return sim_volume_dead(sv, err);
    if (rc >= 0 && sv->fenced)
        return DN_FAIL(err,
                       DN_E_OUTCOME_UNKNOWN,
                       "%s: its lock was removed during a write, which may be there or not",
                       sv->description);
    return rc;
}

int sim_volume_struck(
    struct sim_volume *sv, enum sim_fault fault, char kind, const char *name, struct dn_err *err)
{
    switch (fault) {
    case SIM_FAULT_CRASH:
        sim_disk_crash(sv->disk);
        return sim_volume_dead(sv, err);
    case SIM_FAULT_NOSPC:
        return DN_FAIL(
            err, DN_E_NOSPC, "%s '%s': no space left (simulated)", sim_kind_name(kind), name);
    case SIM_FAULT_IO:
    case SIM_FAULT_LOCK: /* sim_volume_enter lets the call happen */
    case SIM_FAULT_NONE:
    case SIM_FAULT_MAX:
        break;
    }
    return DN_FAIL(
        err, DN_E_IO, "%s '%s': input/output error (simulated)", sim_kind_name(kind), name);
}

int sim_volume_full(char kind, const char *name, size_t n, struct dn_err *err)
{
    return DN_FAIL(
        err, DN_E_NOSPC, "%s '%s': no space left for %zu bytes", sim_kind_name(kind), name, n);
}

struct sim_file *sim_volume_find(struct sim_volume *sv, char kind, const char *name)
{
    struct sim_name place;
    struct sim_file *file = sim_disk_find(sv->disk, kind, sim_volume_name(sv, name, &place));

    return file && !file->ghost ? file : NULL;
}

bool sim_volume_happened(struct sim_volume *sv, enum sim_fault fault)
{
    return fault != SIM_FAULT_NOSPC && sim_disk_coin(sv->disk, 2);
}

/* Makes an object or log that is not there; a ghost gives way. NULL: out of memory. */
static struct sim_file *
sim_make(struct sim_volume *sv, char kind, const char *name, const void *p, size_t n)
{
    struct sim_name place;
    struct sim_file *ghost;

    name = sim_volume_name(sv, name, &place);
    ghost = sim_disk_find(sv->disk, kind, name);
    DN_ASSERT(!ghost || ghost->ghost);
    if (!ghost)
        return sim_disk_add(sv->disk, kind, name, p, n);
    if (!sim_file_assign(ghost, p, n))
        return NULL;
    ghost->ghost = false;
    ghost->broken = false;
    ghost->id = sv->disk->next_id++;
    return ghost;
}

int sim_volume_create(struct sim_volume *sv,
                      char kind,
                      const char *name,
                      const struct sim_bytes *bytes,
                      uint64_t epoch,
                      struct dn_err *err)
{
    enum sim_fault fault;
    struct sim_file *file;
    bool exists;
    int rc = sim_volume_enter(sv, true, &fault, err);

    if (rc < 0)
        return rc;
    exists = sim_volume_find(sv, kind, name) != NULL;
    if (fault != SIM_FAULT_NONE && (exists || !sim_volume_happened(sv, fault)))
        return sim_volume_struck(sv, fault, kind, name, err);
    if (exists)
        return VOLUME_FAIL_EXISTS(err, sim_kind_name(kind), name);
    if (!sim_disk_fits(sv->disk, kind, bytes->n))
        return sim_volume_full(kind, name, bytes->n, err);
    file = sim_make(sv, kind, name, bytes->p, bytes->n);
    if (!file)
        return DN_FAIL_NOMEM(err);
    file->epoch = epoch;
    file->session = sv->session;
    if (fault != SIM_FAULT_NONE) {
        file->ghost = true; /* a crash decides */
        return sim_volume_struck(sv, fault, kind, name, err);
    }
    return sim_volume_leave(sv, 0, err);
}

int sim_volume_delete(struct sim_volume *sv, char kind, const char *name, struct dn_err *err)
{
    enum sim_fault fault;
    struct sim_file *file;
    int rc = sim_volume_enter(sv, true, &fault, err);

    if (rc < 0)
        return rc;
    file = sim_volume_find(sv, kind, name);
    if (fault == SIM_FAULT_NOSPC)
        fault = SIM_FAULT_NONE; /* deleting needs no space */
    if (file && (fault == SIM_FAULT_NONE || sim_volume_happened(sv, fault)))
        sim_disk_remove(sv->disk, file);
    if (fault != SIM_FAULT_NONE)
        return sim_volume_struck(sv, fault, kind, name, err);
    return sim_volume_leave(sv, file ? 0 : DN_NOT_FOUND, err);
}

int sim_volume_list(struct sim_volume *sv,
                    char kind,
                    const char *prefix,
                    struct volume_names *names,
                    struct dn_err *err)
{
    struct sim_disk *d = sv->disk;
    size_t prefix_len = strlen(prefix);
    enum sim_fault fault;
    int rc = sim_volume_enter(sv, false, &fault, err);

    if (rc < 0)
        return rc;
    if (fault != SIM_FAULT_NONE)
        return sim_volume_struck(sv, fault, kind, prefix, err);
    for (size_t i = 0; i < d->files_count; i++) {
        const struct sim_file *file = d->files[i];
        const char *name = sim_volume_own(sv, file);
        if (!name || file->kind != kind || file->ghost || strncmp(name, prefix, prefix_len) != 0)
            continue;
        if (!volume_names_add(names, name))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* -- objects ----------------------------------------------------------------------- */

static int sim_put(struct volume *v, const char *name, const void *p, size_t n, struct dn_err *err)
{
    struct sim_bytes bytes = {p, n};

    return sim_volume_create(sim_volume_of(v), 'o', name, &bytes, 0, err);
}

static int sim_remove(struct volume *v, const char *name, struct dn_err *err)
{
    return sim_volume_delete(sim_volume_of(v), 'o', name, err);
}

static int
sim_list(struct volume *v, const char *prefix, struct volume_names *names, struct dn_err *err)
{
    return sim_volume_list(sim_volume_of(v), 'o', prefix, names, err);
}

/* The object for one reading call. */
static int sim_open_object(struct sim_volume *sv,
                           const char *name,
                           struct sim_file **ret_file,
                           struct dn_err *err)
{
    enum sim_fault fault;
    int rc = sim_volume_enter(sv, false, &fault, err);

    if (rc < 0)
        return rc;
    if (fault != SIM_FAULT_NONE)
        return sim_volume_struck(sv, fault, 'o', name, err);
    *ret_file = sim_volume_find(sv, 'o', name);
    if (!*ret_file)
        return VOLUME_FAIL_MISSING(err, "object", name);
    return 0;
}

static int sim_size(struct volume *v, const char *name, uint64_t *ret_size, struct dn_err *err)
{
    struct sim_file *file;
    int rc = sim_open_object(sim_volume_of(v), name, &file, err);

    if (rc == 0)
        *ret_size = file->data.len;
    return rc;
}

static int sim_read(struct volume *v,
                    const char *name,
                    struct volume_range *ranges,
                    size_t count,
                    struct dn_err *err)
{
    struct sim_file *file;
    int rc = sim_open_object(sim_volume_of(v), name, &file, err);

    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct volume_range *range = &ranges[i];
        if (range->offset > file->data.len || range->len > file->data.len - range->offset)
            rc = VOLUME_FAIL_RANGE(err, name, range, file->data.len);
        else if (range->len > 0)
            memcpy(range->to, file->data.data + range->offset, range->len);
    }
    return rc;
}

static int
sim_scan(struct volume *v, const char *name, volume_scan_fn fn, void *arg, struct dn_err *err)
{
    return fn(v, name, arg, err);
}

/* -- documents --------------------------------------------------------------------- */

static int sim_doc_check(const struct sim_file *doc, struct dn_err *err)
{
    DN_CHECK_DISK(dn_checksum64(doc->data.data, doc->data.len) == doc->checksum,
                  err,
                  "document '%s': the checksum does not fit",
                  doc->name);
    return 0;
}

static int sim_doc_read(struct volume *v,
                        const char *name,
                        struct buf *ret,
                        uint64_t *ret_generation,
                        struct dn_err *err)
{
    struct sim_volume *sv = sim_volume_of(v);
    enum sim_fault fault;
    struct sim_file *doc;
    int rc = sim_volume_enter(sv, false, &fault, err);

    if (rc < 0)
        return rc;
    if (fault != SIM_FAULT_NONE)
        return sim_volume_struck(sv, fault, 'd', name, err);
    doc = sim_volume_find(sv, 'd', name);
    if (!doc)
        return DN_NOT_FOUND;
    rc = sim_doc_check(doc, err);
    if (rc < 0)
        return rc;
    if (!buf_reserve(ret, doc->data.len))
        return DN_FAIL_NOMEM(err);
    buf_append(ret, doc->data.data, doc->data.len);
    *ret_generation = doc->generation;
    return 0;
}

/* The new document in place of the old one, NULL = there is none. */
static int sim_doc_store(struct sim_volume *sv,
                         const char *name,
                         const struct sim_bytes *bytes,
                         struct sim_file *doc,
                         struct dn_err *err)
{
    if (!sim_disk_fits(sv->disk, 'd', bytes->n))
        return sim_volume_full('d', name, bytes->n, err);
    if (!doc) {
        struct sim_name place;
        doc = sim_disk_add(sv->disk, 'd', sim_volume_name(sv, name, &place), bytes->p, bytes->n);
        if (!doc)
            return DN_FAIL_NOMEM(err);
    } else if (!sim_file_assign(doc, bytes->p, bytes->n)) {
        return DN_FAIL_NOMEM(err);
    }
    doc->generation++;
    return 0;
}

static int sim_doc_replace(struct volume *v,
                           const char *name,
                           const void *p,
                           size_t n,
                           uint64_t generation,
                           uint64_t *ret_generation,
                           struct dn_err *err)
{
    struct sim_volume *sv = sim_volume_of(v);
    struct sim_bytes bytes = {p, n};
    enum sim_fault fault;
    struct sim_file *doc;
    uint64_t have;
    int rc = sim_volume_enter(sv, true, &fault, err);

    if (rc < 0)
        return rc;
    doc = sim_volume_find(sv, 'd', name);
    have = doc ? doc->generation : 0;
    if (fault != SIM_FAULT_NONE) {
        if (have == generation && sim_volume_happened(sv, fault))
            DN_IGNORE(sim_doc_store(sv, name, &bytes, doc, NULL)); /* it failed in any case */
        return sim_volume_struck(sv, fault, 'd', name, err);
    }
    if (doc)
        rc = sim_doc_check(doc, err);
    if (rc < 0)
        return rc;
    if (have != generation)
        return VOLUME_FAIL_CONFLICT(err, name, generation, have);
    rc = sim_volume_leave(sv, sim_doc_store(sv, name, &bytes, doc, err), err);
    if (rc == 0)
        *ret_generation = generation + 1;
    return rc;
}

/* -- leases, notices, clock
 * ------------------------------------------------------------------------ */

static int sim_lease_acquire(struct volume *v,
                             const char *name,
                             const char *holder,
                             uint64_t duration_ns,
                             struct dn_err *err)
{
    struct sim_volume *sv = sim_volume_of(v);

    sched_pass(v->sched);
    if (!sim_volume_alive(sv))
        return sim_volume_dead(sv, err);
    return volume_local_acquire(&sv->local, name, holder, duration_ns, err);
}

static void sim_lease_release(struct volume *v, const char *name, const char *holder)
{
    volume_local_release(&sim_volume_of(v)->local, name, holder);
}

static void sim_watch(struct volume *v, volume_notice_fn fn, void *arg)
{
    volume_local_watch(&sim_volume_of(v)->local, fn, arg);
}

static void sim_notify(struct volume *v, const char *name)
{
    volume_local_notify(&sim_volume_of(v)->local, name);
}

static int64_t sim_elapsed_ns(struct volume *v)
{
    struct sim_volume *sv = sim_volume_of(v);

    return sv->session == sv->disk->session ? (int64_t)sched_now_ns(v->sched) : 0;
}

static int64_t sim_clock_ns(struct volume *v)
{
    return sim_volume_of(v)->disk->clock_ns + sim_elapsed_ns(v);
}

static uint64_t sim_random(struct volume *v)
{
    return sched_random(v->sched);
}

static uint64_t sim_free_bytes(struct volume *v)
{
    const struct sim_disk *d = sim_volume_of(v)->disk;
    uint64_t used = sim_disk_used(d);

    if (d->capacity == 0)
        return UINT64_MAX;
    return used < d->capacity ? d->capacity - used : 0;
}

static const char *sim_describe(struct volume *v)
{
    return sim_volume_of(v)->description;
}

/* -- scratch files
 * --------------------------------------------------------------------------------- */

static int sim_scratch_enter(struct sim_volume *sv, bool write, struct dn_err *err)
{
    enum sim_fault fault;
    int rc = sim_volume_enter(sv, write, &fault, err);

    if (rc == 0 && fault != SIM_FAULT_NONE)
        rc = sim_volume_struck(sv, fault, 'o', "scratch", err);
    return rc;
}

static int sim_scratch_open(struct volume *v, struct volume_scratch **ret, struct dn_err *err)
{
    struct sim_scratch *s;
    int rc = sim_scratch_enter(sim_volume_of(v), true, err);

    if (rc < 0)
        return rc;
    s = mem_calloc(NULL, 1, sizeof *s);
    if (!s)
        return DN_FAIL_NOMEM(err);
    s->base.volume = v;
    buf_init(&s->data, NULL);
    *ret = &s->base;
    return 0;
}

static int sim_scratch_append(
    struct volume_scratch *base, const void *p, size_t n, uint64_t *ret_offset, struct dn_err *err)
{
    struct sim_scratch *s = (struct sim_scratch *)base;
    struct sim_volume *sv = sim_volume_of(base->volume);
    uint64_t offset;
    int rc = sim_scratch_enter(sv, true, err);

    if (rc < 0)
        return rc;
    offset = s->data.len;
    if (!sim_disk_fits(sv->disk, 's', n))
        return DN_FAIL(err, DN_E_NOSPC, "scratch file: no space left for %zu bytes", n);
    if (!buf_reserve(&s->data, n)) {
        s->data.failed = false;
        return DN_FAIL_NOMEM(err);
    }
    buf_append(&s->data, p, n);
    sv->disk->scratch_bytes += n;
    *ret_offset = offset;
    return 0;
}

static int sim_scratch_read(
    struct volume_scratch *base, uint64_t offset, void *to, size_t n, struct dn_err *err)
{
    struct sim_scratch *s = (struct sim_scratch *)base;
    int rc = sim_scratch_enter(sim_volume_of(base->volume), false, err);

    if (rc < 0)
        return rc;
    if (offset > s->data.len || n > s->data.len - offset)
        return DN_FAIL(err,
                       DN_E_CORRUPT,
                       "scratch file: %zu bytes at offset %" PRIu64 " reach over its end",
                       n,
                       offset);
    if (n > 0)
        memcpy(to, s->data.data + offset, n);
    return 0;
}

static void sim_scratch_close(struct volume_scratch *base)
{
    struct sim_scratch *s = (struct sim_scratch *)base;
    struct sim_volume *sv = sim_volume_of(base->volume);

    if (sim_volume_alive(sv) && !sv->fenced)
        sv->disk->scratch_bytes -= s->data.len;
    buf_done(&s->data);
    mem_free(s);
}

/* -- open and close
 * -------------------------------------------------------------------------------- */

/* Half-built is fine. */
static void sim_close(struct volume *v)
{
    struct sim_volume *sv = sim_volume_of(v);
    struct sim_disk *d = sv->disk;

    if (d->volume == v) {
        d->clock_ns += (int64_t)sched_now_ns(v->sched);
        d->volume = NULL;
        d->session++;
        d->scratch_bytes = 0;
    }
    volume_local_done(&sv->local);
    if (!sv->place[0])
        sched_free(v->sched); /* else it is the disk's volume's */
    mem_free(sv);
}

static const struct volume_ops sim_ops = {
    .close = sim_close,
    .describe = sim_describe,
    .put = sim_put,
    .size = sim_size,
    .read = sim_read,
    .remove = sim_remove,
    .list = sim_list,
    .log_create = sim_log_create,
    .log_append = sim_log_append,
    .log_sync = sim_log_sync,
    .log_fence = sim_log_fence,
    .log_read = sim_log_read,
    .log_remove = sim_log_remove,
    .log_list = sim_log_list,
    .doc_read = sim_doc_read,
    .doc_replace = sim_doc_replace,
    .lease_acquire = sim_lease_acquire,
    .lease_release = sim_lease_release,
    .watch = sim_watch,
    .notify = sim_notify,
    .scan = sim_scan,
    .other = sim_other,
    .erase = sim_erase,
    .clock_ns = sim_clock_ns,
    .elapsed_ns = sim_elapsed_ns,
    .random = sim_random,
    .free_bytes = sim_free_bytes,
    .scratch_open = sim_scratch_open,
    .scratch_append = sim_scratch_append,
    .scratch_read = sim_scratch_read,
    .scratch_close = sim_scratch_close,
};

int sim_volume_open(struct sim_disk *d,
                    uint64_t seed,
                    struct volume **ret_volume,
                    struct dn_err *err)
{
    struct sim_volume *sv;
    int rc;

    if (d->volume)
        return DN_FAIL(err,
                       DN_E_BUSY,
                       "the simulated disk is in use by volume '%s'",
                       volume_describe(d->volume));
    sv = mem_calloc(NULL, 1, sizeof *sv);
    if (!sv)
        return DN_FAIL_NOMEM(err);
    sv->base.ops = &sim_ops;
    sv->disk = d;
    (void)snprintf(sv->description, sizeof sv->description, "sim:%" PRIu64, seed);
    sv->base.sched = sched_sim_new(seed, err);
    rc = sv->base.sched ? volume_local_init(&sv->local, sv->base.sched, err) : DN_E_NOMEM;
    if (rc < 0) {
        sim_close(&sv->base);
        return rc;
    }
    d->session++;
    d->crashed = false;
    d->volume = &sv->base;
    sv->session = d->session;
    *ret_volume = &sv->base;
    return 0;
}
