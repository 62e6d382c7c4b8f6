/* SPDX-License-Identifier: Apache-2.0
 *
 * slabs_other.h: a detached partition: a database of its own at a path (docs/adr/0008), and the
 * document in it that says what it is (docs/format/detached.md):
 *
 *     incomplete   it is being made: its rows are where they were, and it may be deleted
 *     complete     it has all rows, which have left, or are about to
 *
 * As a statement: one thread at a time. */
#pragma once

#include "engine/slabs.h"
#include "volume/other.h"

enum detached_state {
    DETACHED_EMPTY,    /* nothing is in the volume */
    DETACHED_PART,     /* incomplete */
    DETACHED_WHOLE,    /* complete */
    DETACHED_DATABASE, /* any other database */
};
int detached_state(struct volume *v, enum detached_state *ret, struct dn_err *err) DN_MUST_CHECK;
/* Its document: incomplete before anything else is written, complete when everything is durable. */
int detached_mark(struct volume *v, bool complete, struct dn_err *err) DN_MUST_CHECK;

/* ---- slabs_detach.c, slabs_attach.c ---- */
int slabs_detach(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
int slabs_attach(struct dendro_stmt *stmt, const struct table *t, struct dn_err *err) DN_MUST_CHECK;
