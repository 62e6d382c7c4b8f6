/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_where.h: random conditions over the columns of a table of the model: as SQL text, and as a
 * tree that is evaluated row by row in three values. One thread at a time. */
#pragma once

#include "sql_model.h"

#define Q_NODES_MAX 24u

enum q_kind {
    Q_TRUE,
    Q_CMP,
    Q_CMP_COL,
    Q_ARITH,
    Q_BETWEEN,
    Q_IN,
    Q_NULL,
    Q_AND,
    Q_OR,
    Q_NOT,
    Q_KIND_MAX
};
enum q_op { Q_EQ, Q_NE, Q_LT, Q_LE, Q_GT, Q_GE, Q_OP_MAX };
struct q_node {
    enum q_kind kind;
    enum q_op op;
    bool negated;
    uint32_t col;
    uint32_t col2;
    int64_t add;
    struct sql_value lit[4];
    uint32_t lits;
    const struct q_node *a;
    const struct q_node *b;
};

struct q_where {
    const struct sqlm_table *t; /* borrowed */
    struct q_node nodes[Q_NODES_MAX];
    uint32_t nodes_count;
    const struct q_node *root; /* NULL: no condition */
};

void q_where_random(struct q_where *w, const struct sqlm_table *t, struct rng *r);
void q_where_print(const struct q_where *w, struct rng *r, struct buf *b);
/* Neither false nor unknown. */
bool q_where_true(const struct q_where *w, const struct sql_value *row);
void q_where_done(struct q_where *w);
