/* SPDX-License-Identifier: Apache-2.0
 *
 * counts.h: what became of points and imports, table by table, since the server began: rows
 * written, and how often something was refused. For /metrics. Any thread. */
#pragma once

#include "base/sched.h"
#include "server/ingest/ingest.h"

#define INGEST_COUNTS_MAX \
    1000u /* tables; what is beyond them is counted together, without a name */

struct ingest_counts;

struct ingest_counts *ingest_counts_new(struct sched *sched, struct mem_owner *owner); /* NULL: no
                                                                                          memory */
void ingest_counts_free(struct ingest_counts *c); /* NULL is fine */

/* Rows of all tables of a write that was done. */
void ingest_counts_wrote(struct ingest_counts *c, const struct ingest *in);
/* One refusal; table NULL: of none that is known, or that is none. */
void ingest_counts_refused(struct ingest_counts *c, const struct ingest_table *table);
void ingest_counts_add(struct ingest_counts *c,
                       const char *schema,
                       const char *table,
                       uint64_t rows,
                       uint64_t refused);

/* One after the other, "" and "" for those without a name. */
typedef void (*ingest_counts_fn)(
    void *arg, const char *schema, const char *table, uint64_t rows, uint64_t refused);
void ingest_counts_each(struct ingest_counts *c, ingest_counts_fn fn, void *arg);
