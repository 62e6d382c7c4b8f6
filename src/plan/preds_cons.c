/* SPDX-License-Identifier: Apache-2.0
 *
 * preds_cons.c: conjunctions of column constraints: one alone, both of two, either of two. */
#include "plan/preds_cons.h"

int pred_one(
    struct arena *arena, uint32_t col, struct iset set, struct pred_cons *ret, struct dn_err *err)
{
    *ret = (struct pred_cons){.never = set.n == 0};
    if (ret->never)
        return 0;
    ret->v = arena_alloc_array(arena, 1, sizeof(*ret->v));
    if (!ret->v)
        return DN_FAIL_NOMEM(err);
    ret->v[0] = (struct pred_col){.col = col, .set = set};
    ret->n = 1;
    return 0;
}

int pred_both(struct arena *arena,
              const struct pred_cons *a,
              const struct pred_cons *b,
              struct pred_cons *ret,
              struct dn_err *err)
{
    struct pred_cons out = {.never = a->never || b->never, .exact = a->exact && b->exact};
    uint32_t i = 0, j = 0;

    *ret = out;
    if (out.never)
        return 0;
    out.v = arena_alloc_array(arena, (size_t)a->n + b->n + 1, sizeof(*out.v));
    if (!out.v)
        return DN_FAIL_NOMEM(err);
    while (i < a->n || j < b->n) {
        if (j == b->n || (i < a->n && a->v[i].col < b->v[j].col)) {
            out.v[out.n++] = a->v[i++];
        } else if (i == a->n || b->v[j].col < a->v[i].col) {
            out.v[out.n++] = b->v[j++];
        } else {
            out.v[out.n].col = a->v[i].col;
            if (!iset_intersect(arena, &a->v[i++].set, &b->v[j++].set, &out.v[out.n].set))
                return DN_FAIL_NOMEM(err);
            if (out.v[out.n].set.n == 0) {
                ret->never = true;
                return 0;
            }
            out.n++;
        }
    }
    *ret = out;
    return 0;
}

int pred_either(struct arena *arena,
                const struct pred_cons *a,
                const struct pred_cons *b,
                struct pred_cons *ret,
                struct dn_err *err)
{
    struct pred_cons out = {.never = false};

    out.exact = a->exact && b->exact && a->n == 1 && b->n == 1 && a->v[0].col == b->v[0].col &&
                a->v[0].set.n + b->v[0].set.n <= PRED_EXACT_MAX;
    if (a->never || b->never) {
        *ret = a->never ? *b : *a;
        return 0;
    }
    out.v = arena_alloc_array(arena, (size_t)a->n + 1, sizeof(*out.v));
    if (!out.v)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0, j = 0; i < a->n && j < b->n;) {
        if (a->v[i].col != b->v[j].col) {
            if (a->v[i].col < b->v[j].col)
                i++;
            else
                j++;
            continue;
        }
        out.v[out.n].col = a->v[i].col;
        if (!iset_union(arena, &a->v[i++].set, &b->v[j++].set, &out.v[out.n++].set))
            return DN_FAIL_NOMEM(err);
    }
    *ret = out;
    return 0;
}
