/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes wrong with the simulated disk: which call is struck, and what a crash leaves.
 *
 * At a crash each log goes through its unsynced appends in order: the first ones are kept, by the
 * seed; the one after them is dropped or torn; and as the contract of logs wants, nothing later is
 * there. A torn append is a prefix of any length, or whole with some of its 512-byte sectors zero.
 * With sim_disk_set_holes every append meets its own fate, as on file systems that write pages in
 * any order, and what is missing before a kept one reads as zeros. With
 * sim_disk_set_ahead some logs end in zeros that nobody appended. */
#include "volume/sim_int.h"

#include <string.h>

#define SIM_SECTOR    512u
#define SIM_AHEAD_MAX 3000u /* bytes */

enum sim_fate { SIM_KEPT, SIM_DROPPED, SIM_TORN, SIM_FATE_MAX };

uint64_t sim_disk_calls(const struct sim_disk *d)
{
    return d->calls;
}

void sim_disk_fail_nth(struct sim_disk *d, uint64_t n, enum sim_fault fault, bool sticky)
{
    d->fail_left = fault == SIM_FAULT_NONE ? 0 : n;
    d->fail = fault;
    d->fail_sticky = sticky;
    d->fail_hit = false;
}

bool sim_disk_fail_hit(const struct sim_disk *d)
{
    return d->fail_hit;
}

void sim_disk_fail_writes_only(struct sim_disk *d, bool on)
{
    d->writes_only = on;
}

void sim_disk_set_holes(struct sim_disk *d, bool on)
{
    d->holes = on;
}

void sim_disk_set_ahead(struct sim_disk *d, bool on)
{
    d->ahead = on;
}

enum sim_fault sim_disk_strike(struct sim_disk *d, bool write)
{
    if (d->writes_only && !write)
        return SIM_FAULT_NONE;
    d->calls++;
    if (d->fail_left == 0)
        return SIM_FAULT_NONE;
    d->fail_left--;
    if (d->fail_left > 0)
        return SIM_FAULT_NONE;
    d->fail_hit = true;
    if (d->fail_sticky)
        d->fail_left = 1;
    if (d->fail == SIM_FAULT_NOSPC && !write)
        return SIM_FAULT_NONE; /* a full disk can be read */
    return d->fail;
}

/* -- the lock ---------------------------------------------------------------------- */

void sim_disk_drop_lock(struct sim_disk *d)
{
    if (!d->volume)
        return;
    sim_volume_of(d->volume)->fenced = true;
    d->clock_ns += (int64_t)sched_now_ns(d->volume->sched);
    d->scratch_bytes = 0;
    d->volume = NULL;
}

int sim_volume_fenced(struct sim_volume *sv, struct dn_err *err)
{
    return DN_FAIL(err,
                   DN_E_FENCED,
                   "%s: its lock was removed; another process may be writing",
                   sv->description);
}

/* -- crash ------------------------------------------------------------------------- */

/* Tears data[start, end). Returns the new end. */
static size_t sim_tear(struct sim_disk *d, struct sim_file *file, size_t start, size_t end)
{
    bool zeroed = false;

    if (sim_disk_coin(d, 2))
        return start + (size_t)(sim_disk_random(d) % (end - start));
    while (!zeroed) {
        size_t at = start;
        while (at < end) {
            size_t next = (at / SIM_SECTOR + 1) * SIM_SECTOR;
            if (next > end)
                next = end;
            if (sim_disk_coin(d, 2)) {
                memset(file->data.data + at, 0, next - at);
                zeroed = true;
            }
            at = next;
        }
    }
    return end;
}

static void sim_crash_log(struct sim_disk *d, struct sim_file *file)
{
    size_t count = file->pieces.len / 8;
    size_t end = file->synced; /* of what stays */

    for (size_t i = 0; i < count; i++) {
        size_t start = (size_t)le_get64(file->pieces.data + i * 8);
        size_t piece_end =
            i + 1 < count ? (size_t)le_get64(file->pieces.data + (i + 1) * 8) : file->data.len;
        enum sim_fate fate = (enum sim_fate)(sim_disk_random(d) % SIM_FATE_MAX);

        if (start == piece_end)
            continue;
        if (fate == SIM_KEPT)
            end = piece_end;
        else if (fate == SIM_TORN)
            end = sim_tear(d, file, start, piece_end);
        if (fate == SIM_KEPT)
            continue;
        if (!d->holes)
            break;
        /* What is not there reads as zeros if something behind it is. */
        if (fate == SIM_DROPPED)
            memset(file->data.data + start, 0, piece_end - start);
        else if (end < piece_end)
            memset(file->data.data + end, 0, piece_end - end);
    }
    file->data.len = end;
    if (d->ahead && sim_disk_coin(d, 2)) {
        size_t ahead = (size_t)(sim_disk_random(d) % SIM_AHEAD_MAX);
        uint8_t *to = buf_extend(&file->data, ahead);

        if (to)
            memset(to, 0, ahead);
        file->data.failed = false; /* out of memory: none are there */
    }
    sim_file_settle(file);
    file->broken = false;
    file->busy = false;
}

void sim_disk_crash(struct sim_disk *d)
{
    size_t i = 0;

    while (i < d->files_count) {
        struct sim_file *file = d->files[i];
        if (file->ghost && sim_disk_coin(d, 2)) {
            sim_disk_remove(d, file);
            continue;
        }
        file->ghost = false;
        if (file->kind == 'l')
            sim_crash_log(d, file);
        i++;
    }
    if (d->volume) {
        d->clock_ns += (int64_t)sched_now_ns(d->volume->sched);
        d->volume = NULL;
    }
    d->scratch_bytes = 0;
    d->session++;
    d->crashed = true;
}

bool sim_disk_crashed(const struct sim_disk *d)
{
    return d->crashed;
}
