/* SPDX-License-Identifier: Apache-2.0
 *
 * edit_lock.c: see edit_lock.h. */
#include "engine/edit_lock.h"

#define EDIT_LOOK_NS 10000000u /* between looks at cancel */

bool edit_lock_init(struct edit_lock *l, struct sched *sched)
{
    l->held = false;
    l->lock = sched_mutex_new(sched, "catalog edit");
    l->given = sched_cond_new(sched, "catalog edit");
    return l->lock && l->given;
}

void edit_lock_done(struct edit_lock *l)
{
    if (l->given)
        sched_cond_free(l->given);
    if (l->lock)
        sched_mutex_free(l->lock);
}

int edit_take(struct edit_lock *l, const atomic_bool *cancel, struct dn_err *err)
{
    int rc = 0;

    sched_lock(l->lock);
    while (l->held && (!cancel || !atomic_load(cancel)))
        sched_wait_ns(l->given, l->lock, EDIT_LOOK_NS);
    if (l->held)
        rc = DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
    else
        l->held = true;
    sched_unlock(l->lock);
    return rc;
}

void edit_take_surely(struct edit_lock *l)
{
    sched_lock(l->lock);
    while (l->held)
        sched_wait(l->given, l->lock);
    l->held = true;
    sched_unlock(l->lock);
}

void edit_give(struct edit_lock *l)
{
    sched_lock(l->lock);
    DN_ASSERT(l->held);
    l->held = false;
    sched_broadcast(l->given);
    sched_unlock(l->lock);
}
