/* SPDX-License-Identifier: Apache-2.0
 *
 * edit_lock.h: the lock of catalog edits. One edit may take minutes (ALTER TABLE that rewrites its
 * rows), so those who wait for it look now and then whether their statement was canceled. Any
 * thread; it is given back by the thread that took it. */
#pragma once

#include "base/err.h"
#include "base/sched.h"

#include <stdatomic.h>

struct edit_lock {
    struct sched_mutex *lock; /* owned; guards held */
    struct sched_cond *given; /* owned */
    bool held;
};

bool edit_lock_init(struct edit_lock *l, struct sched *sched) DN_MUST_CHECK; /* false: no memory */
void edit_lock_done(struct edit_lock *l);                                    /* zeroed is fine */
/* DN_E_CANCELED: it was held by another, and cancel is set (NULL = never). */
int edit_take(struct edit_lock *l, const atomic_bool *cancel, struct dn_err *err) DN_MUST_CHECK;
/* However long it takes. */
void edit_take_surely(struct edit_lock *l);
void edit_give(struct edit_lock *l);
