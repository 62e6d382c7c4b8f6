/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: see the header. sure_base_ns is the anchor minus the time that had elapsed then, 0
 * without an anchor, so that one number is all of it; sure_step_ns is how far ahead of the anchor
 * the wall clock is believed. */
#include "volume/clock.h"

#include "volume/volume_int.h"

/* The anchor, as far as it has run by now; false: there is none. */
static bool volume_anchor_ns(struct volume *v, int64_t *ret_base, int64_t *ret_anchor)
{
    *ret_base = atomic_load(&v->sure_base_ns);
    if (*ret_base == 0 || atomic_load(&v->clock_set_ns))
        return false;
    *ret_anchor = *ret_base + v->ops->elapsed_ns(v);
    return true;
}

int64_t volume_sure_ns(struct volume *v)
{
    int64_t wall = volume_clock_ns(v);
    int64_t anchor;
    int64_t base;

    if (!volume_anchor_ns(v, &base, &anchor) || wall <= anchor)
        return wall;
    if (wall - anchor > atomic_load(&v->sure_step_ns))
        return anchor;
    /* Another thread may have moved it, or anchored it anew: then that one counts. */
    if (atomic_compare_exchange_strong(&v->sure_base_ns, &base, base + (wall - anchor)) &&
        atomic_load(&v->sure_step_ns) > VOLUME_CLOCK_SLACK_NS)
        atomic_store(&v->sure_step_ns, VOLUME_CLOCK_SLACK_NS);
    return wall;
}

int64_t volume_latest_ns(struct volume *v)
{
    int64_t wall = volume_clock_ns(v);
    int64_t anchor;
    int64_t base;

    return volume_anchor_ns(v, &base, &anchor) && anchor > wall ? anchor : wall;
}

void volume_clock_anchor(struct volume *v, int64_t at_ns, int64_t step_ns)
{
    int64_t base = at_ns - v->ops->elapsed_ns(v);

    DN_ASSERT(step_ns >= 0);
    atomic_store(&v->sure_step_ns, step_ns);
    atomic_store(&v->sure_base_ns, base ? base : 1);
}
