/* SPDX-License-Identifier: Apache-2.0
 *
 * bound.c: see bound.h. */
#include "exec/bound.h"

#include "exec/exec_int.h"
#include "exec/source.h"

/* ---- finding the scan ---- */

struct exec_source *exec_bound_find(const struct op *input, const struct plan_node *sort)
{
    const struct plan_sort_key *key = &sort->keys[0];
    uint32_t col = key->col;
    struct exec_source *source;
    const struct table *t;
    uint16_t table_col;

    while (input->ops == &op_project_ops || input->ops == &op_filter_ops) {
        if (input->ops == &op_project_ops) {
            const struct bexpr *e = input->node->exprs[col];

            if (e->kind != BEXPR_COLUMN)
                return NULL;
            col = e->col;
        }
        input = input->input;
    }
    source = exec_source_of(input);
    if (!source)
        return NULL;
    source->bound = (struct exec_bound){.wanted = true,
                                        .col = col,
                                        .desc = key->desc,
                                        .nulls_first = key->nulls_first,
                                        .strict = sort->keys_count == 1,
                                        .phys = type_phys(source->node->cols[col].type)};
    buf_init(&source->bound.text, source->owner);
    t = source->node->table;
    table_col = source->node->scan_cols[col];
    if (t->rest_count > 0 && t->rest[0].col == table_col && t->rest[0].desc != key->desc)
        scan_reverse(source->scan);
    return source;
}

int exec_bound_tighten(struct exec_bound *b, const struct datum *key, struct dn_err *err)
{
    if (key->null)
        return 0;
    b->value = *key;
    if (b->phys == PHYS_STR) {
        buf_reset(&b->text);
        buf_append(&b->text, key->str.ptr, key->str.len);
        if (b->text.failed)
            return DN_FAIL_NOMEM(err);
        b->value.str.ptr = (const char *)b->text.data;
    }
    b->set = true;
    return 0;
}

void exec_bound_done(struct exec_bound *b)
{
    buf_done(&b->text);
    *b = (struct exec_bound){.wanted = false};
}

/* ---- testing ---- */

/* Does the value, not NULL, come too late? */
static bool bound_late(const struct exec_bound *b, const struct datum *d)
{
    int c = datum_cmp(d, &b->value);

    c = b->desc ? -c : c;
    return c > 0 || (c == 0 && b->strict);
}

bool exec_bound_excludes(const struct exec_bound *b, const struct zone *z)
{
    if (z->nulls && b->nulls_first)
        return false; /* the bound is no NULL, so they come before it */
    if (z->nulls == z->rows)
        return true;
    return z->has_range && bound_late(b, b->desc ? &z->max : &z->min);
}

#define BOUND_LOOP(T)                                             \
    do {                                                          \
        const T *data = v->data;                                  \
        for (uint32_t i = 0; i < in->sel_count; i++) {            \
            uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;    \
            T x = data[row];                                      \
            sel[n] = row;                                         \
            n += b->desc     ? b->strict ? x > bound : x >= bound \
                 : b->strict ? x < bound                          \
                             : x <= bound;                        \
        }                                                         \
    } while (0)

uint32_t exec_bound_select(const struct exec_bound *b, const struct batch *in, uint16_t *sel)
{
    const struct vec *v = &in->cols[b->col];
    uint32_t n = 0;

    if (v->form == VEC_FLAT && !v->nulls && b->phys == PHYS_I64) {
        int64_t bound = b->value.v.i64;

        BOUND_LOOP(int64_t);
        return n;
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;
        struct datum d = vec_datum(v, row);

        sel[n] = row;
        n += d.null ? b->nulls_first : !bound_late(b, &d);
    }
    return n;
}
