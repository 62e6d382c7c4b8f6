/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs of the simulated volume: appended bytes wait as unsynced pieces (sim_int.h) for their sync.
 * A synced append lets other fibers run between its write and its sync; until then the log is busy,
 * and whoever comes to it waits, so that a fence never overtakes an append that will be
 * acknowledged. */
#include "volume/sim_int.h"

#include <string.h>

#define SIM_LOG_SPARE 64u /* bytes */

int sim_log_create(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    struct sim_bytes bytes = {"", 0};

    return sim_volume_create(sim_volume_of(v), 'l', name, &bytes, epoch, err);
}

/* Enters a call on a log; waits while an append is under way there. *ret_log NULL: no such log. */
static int sim_log_enter(struct sim_volume *sv,
                         const char *name,
                         bool write,
                         enum sim_fault *ret_fault,
                         struct sim_file **ret_log,
                         struct dn_err *err)
{
    struct sim_file *log;
    int rc = sim_volume_enter(sv, write, ret_fault, err);

    if (rc < 0)
        return rc;
    for (log = sim_volume_find(sv, 'l', name); log && log->busy;
         log = sim_volume_find(sv, 'l', name)) {
        sched_pass(sv->base.sched);
        if (!sim_volume_alive(sv))
            return sim_volume_dead(sv, err);
    }
    if (log && log->session != sv->session) {
        /* The first use after an open: what is there is made durable before anybody sees it. */
        log->session = sv->session;
        log->broken = false;
        sim_file_settle(log);
    }
    *ret_log = log;
    return 0;
}

static int
sim_log_check(const struct sim_file *log, const char *name, uint64_t epoch, struct dn_err *err)
{
    if (!log)
        return VOLUME_FAIL_MISSING(err, "log", name);
    if (epoch < log->epoch)
        return VOLUME_FAIL_FENCED(err, name, epoch, log->epoch);
    return 0;
}

/* Adds an unsynced piece. False: out of memory, nothing added. There is room to spare then: as in a
 * directory, a small append behind another one needs no memory. */
static bool sim_log_write(struct sim_file *log, const void *p, size_t n)
{
    size_t spare = n > SIM_LOG_SPARE ? SIM_LOG_SPARE : 0;

    if (!buf_reserve(&log->data, n + spare) || !buf_reserve(&log->pieces, spare ? 16 : 8)) {
        log->data.failed = false;
        log->pieces.failed = false;
        return false;
    }
    buf_u64(&log->pieces, log->data.len);
    buf_append(&log->data, p, n);
    return true;
}

/* An append that fails: a part of it may be there, and the log takes no more. */
static void sim_log_break(
    struct sim_volume *sv, struct sim_file *log, enum sim_fault fault, const void *p, size_t n)
{
    size_t part =
        sim_volume_happened(sv, fault) ? n : (size_t)(sim_disk_random(sv->disk) % (n + 1));

    log->broken = true;
    if (sim_disk_fits(sv->disk, 'l', part))
        DN_IGNORE(sim_log_write(log, p, part)); /* out of memory: no part of it is there */
}

/* The second half of a synced append: others run, then the bytes are durable. */
static int sim_log_append_sync(struct sim_volume *sv,
                               const char *name,
                               struct sim_file *log,
                               struct dn_err *err)
{
    uint64_t id = log->id;

    log->busy = true;
    sched_pass(sv->base.sched);
    if (!sim_volume_alive(sv))
        return sim_volume_dead(sv, err);
    log = sim_volume_find(sv, 'l', name);
    if (!log || log->id != id)
        return VOLUME_FAIL_MISSING(err, "log", name);
    log->busy = false;
    sim_file_settle(log);
    return sim_volume_leave(sv, 0, err);
}

int sim_log_append(struct volume *v,
                   const char *name,
                   uint64_t epoch,
                   const void *p,
                   size_t n,
                   bool sync,
                   struct dn_err *err)
{
    struct sim_volume *sv = sim_volume_of(v);
    enum sim_fault fault;
    struct sim_file *log;
    int rc = sim_log_enter(sv, name, true, &fault, &log, err);

    if (rc < 0)
        return rc;
    rc = sim_log_check(log, name, epoch, NULL);
    if (fault != SIM_FAULT_NONE) {
        if (rc == 0 && !log->broken)
            sim_log_break(sv, log, fault, p, n);
        return sim_volume_struck(sv, fault, 'l', name, err);
    }
    if (rc < 0)
        return sim_log_check(log, name, epoch, err);
    if (log->broken)
        return VOLUME_FAIL_BROKEN(err, name);
    if (!sim_disk_fits(sv->disk, 'l', n)) {
        sim_log_break(sv, log, SIM_FAULT_NOSPC, p, n);
        return sim_volume_full('l', name, n, err);
    }
    if (!sim_log_write(log, p, n))
        return DN_FAIL_NOMEM(err);
    if (sync)
        return sim_log_append_sync(sv, name, log, err);
    log->visible = log->data.len;
    return sim_volume_leave(sv, 0, err);
}

int sim_log_sync(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    struct sim_volume *sv = sim_volume_of(v);
    enum sim_fault fault;
    struct sim_file *log;
    int rc = sim_log_enter(sv, name, true, &fault, &log, err);

    if (rc < 0)
        return rc;
    rc = sim_log_check(log, name, epoch, NULL);
    if (fault != SIM_FAULT_NONE) {
        if (rc == 0)
            log->broken = true; /* what was not synced stays so */
        return sim_volume_struck(sv, fault, 'l', name, err);
    }
    if (rc < 0)
        return sim_log_check(log, name, epoch, err);
    if (log->broken)
        return VOLUME_FAIL_BROKEN(err, name);
    sim_file_settle(log);
    return sim_volume_leave(sv, 0, err);
}

int sim_log_fence(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err)
{
    struct sim_volume *sv = sim_volume_of(v);
    enum sim_fault fault;
    struct sim_file *log;
    int rc = sim_log_enter(sv, name, true, &fault, &log, err);

    if (rc < 0)
        return rc;
    rc = sim_log_check(log, name, epoch, NULL);
    if (fault == SIM_FAULT_NOSPC)
        fault = SIM_FAULT_NONE; /* the epoch has its place already */
    if (rc == 0 && (fault == SIM_FAULT_NONE || sim_volume_happened(sv, fault)))
        log->epoch = epoch;
    if (fault != SIM_FAULT_NONE)
        return sim_volume_struck(sv, fault, 'l', name, err);
    if (rc < 0)
        return sim_log_check(log, name, epoch, err);
    return sim_volume_leave(sv, 0, err);
}

int sim_log_read(
    struct volume *v, const char *name, uint64_t offset, struct buf *ret, struct dn_err *err)
{
    struct sim_volume *sv = sim_volume_of(v);
    enum sim_fault fault;
    struct sim_file *log;
    int rc = sim_log_enter(sv, name, false, &fault, &log, err);

    if (rc < 0)
        return rc;
    if (fault != SIM_FAULT_NONE)
        return sim_volume_struck(sv, fault, 'l', name, err);
    if (!log)
        return DN_NOT_FOUND;
    if (offset >= log->visible)
        return 0;
    if (!buf_reserve(ret, log->visible - (size_t)offset))
        return DN_FAIL_NOMEM(err);
    buf_append(ret, log->data.data + offset, log->visible - (size_t)offset);
    return 0;
}

int sim_log_remove(struct volume *v, const char *name, struct dn_err *err)
{
    return sim_volume_delete(sim_volume_of(v), 'l', name, err);
}

int sim_log_list(struct volume *v,
                 const char *prefix,
                 struct volume_names *names,
                 struct dn_err *err)
{
    return sim_volume_list(sim_volume_of(v), 'l', prefix, names, err);
}
