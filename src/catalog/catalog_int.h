/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_int.h: inside src/catalog only. What the edits of a catalog share: they all change a copy
 * that no other thread knows yet. One thread at a time. */
#pragma once

#include "catalog/catalog.h"

/* ---- catalog_edit.c ---- */
/* A copy with room for one more object of each kind. */
int catalog_copy(const struct catalog *c, struct catalog **ret, struct dn_err *err) DN_MUST_CHECK;
/* Fails if an object with another id has this name. */
int catalog_free_but(const struct catalog *c,
                     const char *schema,
                     const char *name,
                     uint64_t id,
                     struct dn_err *err) DN_MUST_CHECK;

/* ---- sequence.c: changes to a catalog that no other thread knows yet ---- */
/* Drops the sequences owned by columns of the table that `now` does not have any more; now NULL:
 * the table is dropped. */
void catalog_sequences_drop(struct catalog *n, uint64_t table, const struct table *now);
/* Follows a change of a table's id. */
int catalog_sequences_move(struct catalog *n, uint64_t was, uint64_t id, struct dn_err *err)
    DN_MUST_CHECK;
void catalog_sequences_without(struct catalog *n, const uint64_t *ids, size_t count);

/* ---- timepart_edit.c: likewise; follows a change of the id of a shard ---- */
int catalog_timepart_moved(struct catalog *n,
                           uint64_t parent,
                           uint64_t was,
                           uint64_t id,
                           struct dn_err *err) DN_MUST_CHECK;

/* A zeroed catalog with one reference, NULL when out of memory. */
struct catalog *catalog_new(void);
