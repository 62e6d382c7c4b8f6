/* SPDX-License-Identifier: Apache-2.0
 *
 * tie.c: comparing rows in some columns. */
#include "exec/tie.h"

#include "exec/value.h"

int exec_tie_init(struct exec_tie *t, uint32_t count, struct mem_owner *owner, struct dn_err *err)
{
    *t = (struct exec_tie){.count = count};
    arena_init(&t->arena, owner);
    t->cols = mem_calloc(owner, count, sizeof *t->cols);
    return t->cols ? 0 : DN_FAIL_NOMEM(err);
}

void exec_tie_done(struct exec_tie *t)
{
    arena_done(&t->arena);
    mem_free(t->cols);
    t->cols = NULL;
}

int exec_tie_keep(struct exec_tie *t, const struct batch *in, uint32_t row, struct dn_err *err)
{
    t->kept = NULL;
    arena_reset(&t->arena);
    t->kept = arena_alloc_array(&t->arena, t->count, sizeof *t->kept);
    if (!t->kept)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < t->count; i++) {
        struct datum d = vec_datum(&in->cols[t->cols[i]], row);

        if (!datum_copy(&t->arena, &d, &t->kept[i]))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

bool exec_tie_same(const struct exec_tie *t, const struct batch *in, uint32_t row)
{
    for (uint32_t i = 0; i < t->count && t->kept; i++) {
        struct datum d = vec_datum(&in->cols[t->cols[i]], row);

        if (d.null != t->kept[i].null || (!d.null && datum_cmp(&d, &t->kept[i]) != 0))
            return false;
    }
    return t->kept != NULL;
}

bool exec_tie_rows(const struct exec_tie *t, const struct batch *in, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct vec *v = &in->cols[t->cols[i]];
        uint32_t at_a = vec_at(v, a);
        uint32_t at_b = vec_at(v, b);
        bool null = vec_is_null(v, a);

        if (null != vec_is_null(v, b))
            return false;
        if (!null && at_a != at_b && !exec_value_same(v->type, v->data, at_a, v->data, at_b))
            return false;
    }
    return true;
}
