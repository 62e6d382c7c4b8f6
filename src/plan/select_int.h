/* SPDX-License-Identifier: Apache-2.0
 *
 * select_int.h: what select.c, order.c and preds.c share while a SELECT is planned. One thread at a
 * time. */
#pragma once

#include "plan/bind.h"

/* A query as one table's SELECT: all that refuse.c lets through. */
struct select_stmt {
    bool distinct;
    const struct select_item *items;
    uint32_t items_count;
    bool has_from;
    struct qual_name from;
    const char *from_alias; /* NULL = none */
    const struct expr *where;
    const struct group_item *group_by; /* GROUP_EXPR all */
    uint32_t group_by_count;
    const struct expr *having;
    const struct order_item *order_by;
    uint32_t order_by_count;
    const struct expr *limit;
    const struct expr *offset;
};

struct sel_out {
    struct bexpr *e;
    const char *name;
    const char *alias; /* NULL = none given */
    bool plain;        /* a bare column */
};

struct sel {
    struct binder b;
    const struct select_stmt *sel;
    struct sel_out *outs; /* the select list with * written out, then hidden sort columns */
    uint32_t outs_count;
    uint32_t outs_cap;
    uint32_t shown_count; /* without the hidden ones */
    struct bexpr *where;  /* NULL = none */
    struct bexpr **keys;  /* GROUP BY */
    uint32_t keys_count;
    struct bexpr *having;
    struct plan_sort_key *order; /* columns of outs */
    uint32_t order_count;
    struct bexpr *limit;
    struct bexpr *offset;
};

/* Finds the table of s->sel, if it has one. */
int plan_from(struct sel *s, struct plan *p, struct dn_err *err) DN_MUST_CHECK;
/* The nodes of a SELECT whose parts are bound (stack.c). */
int plan_stack(struct sel *s, struct plan *p, struct dn_err *err) DN_MUST_CHECK;
/* Does the scan deliver the rows in the order asked for already? */
bool plan_order_given(const struct sel *s, bool grouped);
/* A warning for EXPLAIN when neither partition key nor time is constrained. */
void plan_note_full_scan(const struct plan_node *scan, char *to, size_t to_len);
