/* SPDX-License-Identifier: Apache-2.0
 *
 * What a reader holds while another process writes: open files. The system keeps the bytes of a
 * file that was unlinked as long as somebody has it open. */
#define _GNU_SOURCE
#include "volume/posix_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define POSIX_HELD_SPARE 200u /* files that are left to everybody else in the process */

struct posix_held {
    int fd;                /* of an object; -1 = it is a log */
    struct posix_log *log; /* owned; NULL = it is an object */
    char name[VOLUME_NAME_MAX + 1];
};

/* Where the name is in the list, or belongs. Objects stand before logs. */
static size_t held_place(const struct posix_volume *pv, bool log, const char *name, bool *ret_found)
{
    size_t lo = 0;
    size_t hi = pv->held_count;

    *ret_found = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct posix_held *h = pv->held[mid];
        int cmp = (int)log - (int)(h->log != NULL);
        if (cmp == 0)
            cmp = strcmp(name, h->name);
        if (cmp == 0) {
            *ret_found = true;
            return mid;
        }
        if (cmp < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

int volume_posix_held_object(const struct posix_volume *pv, const char *name)
{
    bool found;
    size_t at = held_place(pv, false, name, &found);

    return found ? pv->held[at]->fd : -1;
}

struct posix_log *volume_posix_held_log(const struct posix_volume *pv, const char *name)
{
    bool found;
    size_t at = held_place(pv, true, name, &found);

    return found ? pv->held[at]->log : NULL;
}

static bool held_full(const struct posix_volume *pv)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    return pv->held_count + POSIX_HELD_SPARE > limit.rlim_cur;
}

static bool held_grow(struct posix_volume *pv)
{
    size_t cap = pv->held_cap ? pv->held_cap * 2 : 64;
    struct posix_held **grown;

    if (pv->held_count < pv->held_cap)
        return true;
    grown = mem_realloc(NULL, pv->held, cap * sizeof(*grown));
    if (!grown)
        return false;
    pv->held = grown;
    pv->held_cap = cap;
    return true;
}

static void held_free(struct posix_held *h)
{
    volume_posix_close_fd(&h->fd);
    volume_posix_log_free(h->log);
    mem_free(h);
}

/* Opens what it is about. */
static int held_open(struct posix_volume *pv, bool log, struct posix_held *h, struct dn_err *err)
{
    char file[VOLUME_NAME_MAX + 1];
    int number;

    if (log)
        return volume_posix_log_open(pv, h->name, &h->log, err);
    volume_posix_file_name(h->name, file);
    number = volume_posix_openat(pv, pv->object_fd, file, O_RDONLY | O_NOFOLLOW, &h->fd);
    if (number == ENOENT)
        return DN_NOT_FOUND;
    if (number == EMFILE || number == ENFILE)
        return VOLUME_NOT_HELD;
    return number ? VOLUME_POSIX_FAIL(err, number, "object '%s': cannot open", h->name) : 0;
}

int volume_posix_hold(struct volume *v, enum volume_kind kind, const char *name, struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    bool log = kind == VOLUME_LOG;
    struct posix_held *h;
    bool found;
    size_t at;
    int rc;

    if (!pv->read_only || pv->still)
        return 0;
    at = held_place(pv, log, name, &found);
    if (found)
        return 0;
    if (!log && held_full(pv))
        return VOLUME_NOT_HELD;
    h = mem_calloc(NULL, 1, sizeof *h);
    if (!h || !held_grow(pv)) {
        mem_free(h);
        return DN_FAIL_NOMEM(err);
    }
    h->fd = -1;
    (void)snprintf(h->name, sizeof h->name, "%s", name);
    rc = held_open(pv, log, h, err);
    if (rc != 0) {
        held_free(h);
        return rc;
    }
    memmove(pv->held + at + 1, pv->held + at, (pv->held_count - at) * sizeof(*pv->held));
    pv->held[at] = h;
    pv->held_count++;
    return 0;
}

void volume_posix_let_go(struct volume *v)
{
    struct posix_volume *pv = volume_posix_of(v);

    for (size_t i = 0; i < pv->held_count; i++)
        held_free(pv->held[i]);
    mem_free(pv->held);
    pv->held = NULL;
    pv->held_count = 0;
    pv->held_cap = 0;
}
