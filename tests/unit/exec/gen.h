/* SPDX-License-Identifier: Apache-2.0
 *
 * gen.h: tables of random rows in batches of all forms, and results as sorted lines, to compare
 * operators with something naive. Memory of the arena given to gen_init. One thread at a time. */
#pragma once

#include "fake_scan.h"

void gen_init(struct arena *arena, uint64_t seed);
uint64_t gen_random(uint64_t below); /* 0..below-1 */
void gen_many(uint64_t ints);        /* tables from now on have so many different integers */

struct gen_table {
    const enum type_id *types;
    uint32_t cols_count;
    uint32_t rows_count;
    struct datum *data; /* rows_count * cols_count */
    struct plan_node *scan;
};

/* Values are few, so that many are equal; one in eight is NULL (none if nulls is false). */
struct gen_table *
gen_table(const enum type_id *types, uint32_t cols_count, uint32_t rows_count, bool nulls);

/* Rows as text: "1,a;". */
struct gen_lines {
    char **lines;
    uint32_t count;
    uint32_t cap;
};

/* Adds the line of values that lie one after the other in lists. */
void gen_line(struct gen_lines *l,
              const struct datum *a,
              uint32_t a_count,
              const struct datum *b,
              uint32_t b_count);
/* Runs the plan; as fake_run_plan. */
int gen_run(const struct plan *plan,
            struct exec_ctx *ctx,
            struct gen_lines *ret,
            struct dn_err *err);
/* The same lines in any order? Fails the test, naming `what`, the seed and the first difference. */
void gen_check(struct gen_lines *have, struct gen_lines *want, const char *what);
