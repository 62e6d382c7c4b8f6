/* SPDX-License-Identifier: Apache-2.0
 *
 * slabs.h: statements about a table's slabs, which SQL calls its partitions: ALTER TABLE … DROP,
 * DETACH, ATTACH PARTITION. As a statement: one thread at a time. */
#pragma once

#include "engine/engine_int.h"
#include "store/shard_slabs.h"

/* ---- partitions_slabs.c: SHOW PARTITIONS FROM ---- */
int stmt_compile_slabs(struct dendro_stmt *stmt,
                       struct describe *ret,
                       struct dn_err *err) DN_MUST_CHECK;
int stmt_show_slabs(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* The slabs of a table as they are now, without the rows of a transaction. */
int session_slabs(struct dendro_conn *conn,
                  const struct table *t,
                  struct mem_owner *owner,
                  struct shard_slabs *ret,
                  struct dn_err *err) DN_MUST_CHECK;

/* ---- slabs_pick.c: which slabs a statement means ---- */

struct slab_pick {
    const struct table *t;
    struct interval *times; /* WHERE: what it asks for, ascending and disjoint; else none */
    uint32_t times_count;
    struct shard_slab_range *ranges; /* the slabs that it covers whole: ascending, disjoint */
    uint32_t ranges_count;
    /* what the snapshot has there */
    uint64_t slabs;
    uint64_t rows;
    uint64_t half;      /* slabs that the condition covers in part */
    int64_t half_first; /* the start of the first of them */
};

/* The table, if it is one with slabs; DN_NOT_FOUND: it is not there, and IF EXISTS says that this
 * is fine. */
int slabs_table(struct dendro_stmt *stmt,
                const struct table **ret,
                struct dn_err *err) DN_MUST_CHECK;
/* What WHERE or the list says, and what there is, as of the statement's snapshot (after
 * stmt_begin). In its arena. */
int slabs_pick(struct dendro_stmt *stmt,
               const struct table *t,
               struct slab_pick *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* A time of the table as a text; empty: out of memory. */
#define SLABS_TEXT_MAX 64u
void slabs_text(const struct dendro_stmt *stmt,
                const struct table *t,
                int64_t time,
                char ret[SLABS_TEXT_MAX]);
/* What a NOTICE says after the work: "3 partitions with 120 rows were dropped", and what stays. */
void slabs_tell(struct dendro_stmt *stmt, const struct slab_pick *p, const char *done);
