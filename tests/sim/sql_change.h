/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_change.h: random UPDATE, DELETE and ALTER TABLE statements over a table of the model, as SQL
 * text together with what they make of it. One thread at a time. */
#pragma once

#include "sql_model.h"

/* UPDATE or DELETE. */
struct sqlm_change {
    struct buf sql;
    const char *bad;       /* why it must fail, NULL = it must not */
    size_t matched;        /* rows it is about */
    struct sql_rows after; /* the table's rows when it is done */
};

void sqlm_change_random(struct sqlm_change *c, const struct sqlm_table *t, struct rng *r);
void sqlm_change_done(struct sqlm_change *c);

/* ALTER TABLE or TRUNCATE. */
struct sqlm_alter {
    struct buf sql;
    struct sqlm_table after; /* the table when it is done; owned */
    char probe[96];          /* a query that tells whether it is done; "" = nothing does */
    bool probe_ok;           /* it succeeds when it is done, and fails before; false: the reverse */
    bool silent;             /* no query tells, but it matters: must not be left open */
};

/* n makes names that are new. False: there is nothing to do with this table. */
bool sqlm_alter_random(struct sqlm_alter *a, const struct sqlm_table *t, struct rng *r, uint32_t n);
void sqlm_alter_done(struct sqlm_alter *a);
