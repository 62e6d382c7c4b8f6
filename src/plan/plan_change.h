/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_change.h: what plans of UPDATE, DELETE and SELECT … FOR UPDATE say about rows beside their
 * results. Part of plan.h. */
#pragma once

#include "vec/type.h"

#include <stdbool.h>
#include <stdint.h>

struct datum;
struct expr;
struct table;

/* UPDATE and DELETE: for each row that matches the root returns old values, then new ones. */
/* A column of another table in the sight of RETURNING: UPDATE … FROM, DELETE … USING. */
struct plan_other {
    const char *table; /* as it is called; NULL: it has no name */
    const char *name;
    enum type_id type;
    uint32_t rel;          /* number of the table: columns of one follow on each other */
    const uint8_t *closed; /* of struct lrel: what the role may not read of the table */
    const char *closed_for;
};

struct plan_change {
    uint16_t *cols; /* store columns of the old values, in the order of the root's first columns */
    uint32_t cols_count;
    bool whole; /* they are all of the table's columns in order (then the row id) */
    bool all;   /* all of the table's columns are among them, for RETURNING */
    bool moves; /* an UPDATE sets columns that decide where a row lives */
    struct plan_set *sets;
    uint32_t sets_count;
    struct plan_other *others; /* columns of the root from others_at on */
    uint32_t others_count;
    uint32_t others_at;
};

/* SELECT … FOR UPDATE: where the key of each returned row of a table stands. */
struct plan_lock {
    const struct table *table; /* one of plan.tables */
    uint16_t *cols;            /* store columns: of the key, the time, the row's number */
    uint32_t cols_count;
    uint32_t at;  /* columns of the root from cols_count of the plan + this on */
    bool unasked; /* for WHERE CURRENT OF alone: nothing is to be checked at COMMIT */
};

/* WHERE CURRENT OF: the row of a table that is meant, by the columns of a plan_lock. */
struct plan_row {
    uint64_t table;       /* its id */
    const uint16_t *cols; /* store columns */
    const struct datum *values;
    uint32_t count;
};
