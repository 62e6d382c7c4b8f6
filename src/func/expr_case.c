/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_case.c: CASE and COALESCE. Each row gets its value from one operand, and an operand is
 * evaluated only for the rows that take theirs from it (or have to find out whether they do): so
 * CASE WHEN x <> 0 THEN 1 / x END does not divide by zero. Values are scattered into one flat
 * vector; if the first operand that is used serves all rows, its vector is the result as it is.
 * Where all results of a CASE are texts of the query, the vector is a DICT of these. Where they are
 * constants and the conditions plain comparisons, all conditions are evaluated for all rows, and
 * results are chosen without branches. */
#include "func/expr_int.h"

#include <string.h>

#define CASE_ARGS_MAX 255u /* of a CASE whose result is a DICT */

struct expr_pick {
    struct eval *ev;
    enum type_id type;
    uint32_t count;  /* rows of the batch */
    void *data;      /* NULL: nothing scattered yet */
    uint64_t *nulls; /* NULL until the first NULL */
};

static int expr_pick_null(struct expr_pick *p, const uint16_t *rows, uint32_t n, struct dn_err *err)
{
    if (!p->nulls && n)
        p->nulls = expr_bitmap(p->ev->arena, p->count);
    if (!p->nulls && n)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++)
        vec_bit_set(p->nulls, rows ? rows[i] : i);
    return 0;
}

static int expr_pick_open(struct expr_pick *p, struct dn_err *err)
{
    struct vstr *strings;

    if (p->data)
        return 0;
    /* Rows nobody writes are NULL or not selected, but may be read. */
    p->data = strings = arena_calloc(p->ev->arena, p->count, phys_size(type_phys(p->type)));
    if (!p->data)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; type_is_string(p->type) && i < p->count; i++)
        strings[i].ptr = "";
    return 0;
}

#define EXPR_SCATTER(T)                                             \
    for (uint32_t i = 0; i < n; i++) {                              \
        uint32_t row = rows ? rows[i] : i;                          \
        ((T *)p->data)[row] = ((const T *)v->data)[vec_at(v, row)]; \
    }

/* The values of those rows of v (all when rows is NULL), to the same rows of the result. */
static int expr_pick_scatter(
    struct expr_pick *p, const struct vec *v, const uint16_t *rows, uint32_t n, struct dn_err *err)
{
    int rc = expr_pick_open(p, err);

    if (rc < 0)
        return rc;
    switch (phys_size(type_phys(p->type))) {
    case 1:
        EXPR_SCATTER(uint8_t)
        break;
    case 2:
        EXPR_SCATTER(uint16_t)
        break;
    case 4:
        EXPR_SCATTER(uint32_t)
        break;
    case 8:
        EXPR_SCATTER(uint64_t)
        break;
    case 24:
        EXPR_SCATTER(struct vnumeric)
        break;
    default: /* struct vstr, struct vinterval */
        EXPR_SCATTER(struct vstr)
        break;
    }
    for (uint32_t i = 0; v->nulls && i < n; i++) {
        uint16_t row = rows ? rows[i] : (uint16_t)i;

        if (vec_is_null(v, row)) {
            rc = expr_pick_null(p, &row, 1, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}
#undef EXPR_SCATTER

static int expr_pick_done(struct expr_pick *p, struct vec *ret, struct dn_err *err)
{
    int rc = expr_pick_open(p, err);

    *ret = (struct vec){
        .type = p->type, .form = VEC_FLAT, .count = p->count, .data = p->data, .nulls = p->nulls};
    return rc;
}

/* The batch with those rows selected; all of them is no selection, which is faster. */
static struct batch expr_part(const struct batch *in, const uint16_t *rows, uint32_t n)
{
    struct batch part = *in;

    part.sel = n == in->count ? NULL : rows;
    part.sel_count = n;
    return part;
}

/* Rows of `part` that are not in hits; both ascend. */
static uint32_t
expr_rest(const struct batch *part, const uint16_t *hits, uint32_t hits_count, uint16_t *to)
{
    uint32_t n = 0;
    uint32_t h = 0;

    for (uint32_t i = 0; i < part->sel_count; i++) {
        uint16_t row = part->sel ? part->sel[i] : (uint16_t)i;
        bool hit = h < hits_count && hits[h] == row;

        to[n] = row;
        n += !hit;
        h += hit;
    }
    return n;
}

/* Is every result a text that the query gives? Then rows have codes of these. */
static bool expr_case_words(const struct bexpr *e)
{
    if (!type_is_string(e->type) || type_is_array(e->type) || e->args_count > CASE_ARGS_MAX)
        return false;
    for (uint32_t a = 1; a < e->args_count; a += 2)
        if (e->args[a]->kind != BEXPR_CONST)
            return false;
    return e->args[e->args_count - 1]->kind == BEXPR_CONST;
}

/* The result for the texts of expr_case_words: a DICT with one entry each. */
static int expr_case_codes(const struct bexpr *e,
                           struct eval *ev,
                           const struct batch *in,
                           uint16_t *open,
                           uint16_t *hits,
                           struct vec *ret,
                           struct dn_err *err)
{
    uint32_t entries = e->args_count / 2 + 1;
    struct expr_pick p = {.ev = ev, .type = e->type, .count = in->count};
    uint16_t *codes = arena_calloc(ev->arena, in->count, sizeof *codes);
    struct vstr *words = arena_alloc_array(ev->arena, entries, sizeof *words);
    struct batch part = *in;
    int rc = 0;

    if (!codes || !words)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < entries; k++) {
        const struct datum *d = &e->args[k + 1 < entries ? 2 * k + 1 : 2 * k]->value;

        words[k] = d->null ? (struct vstr){.ptr = ""} : d->str;
    }
    for (uint32_t k = 0; k < entries && part.sel_count; k++) {
        bool last = k + 1 == entries;
        const struct datum *d = &e->args[last ? 2 * k : 2 * k + 1]->value;
        struct batch hit = part;

        if (!last) {
            rc = expr_select(e->args[2 * k], ev, &part, hits, &hit.sel_count, err);
            hit.sel = hits;
        }
        if (rc == 0 && d->null)
            rc = expr_pick_null(&p, hit.sel, hit.sel_count, err);
        if (rc < 0)
            return rc;
        for (uint32_t i = 0; i < hit.sel_count; i++)
            codes[hit.sel ? hit.sel[i] : i] = (uint16_t)k;
        part = expr_part(in, open, last ? 0 : expr_rest(&part, hits, hit.sel_count, open));
    }
    *ret = (struct vec){.type = e->type,
                        .form = VEC_DICT,
                        .count = in->count,
                        .dict_count = entries,
                        .data = words,
                        .codes = codes,
                        .nulls = p.nulls};
    return 0;
}

/* May every condition be evaluated for every row, and is every result a constant of a few bytes? */
static bool expr_case_is_plain(const struct bexpr *e, const struct eval *ev, const struct batch *in)
{
    bool words = expr_case_words(e);

    if (ev->every_row || in->sel_count < in->count / 2 || e->args_count > CASE_ARGS_MAX ||
        (!words && (!type_is_fixed(e->type) || type_is_wide(e->type))))
        return false;
    for (uint32_t a = 0; a + 1 < e->args_count; a += 2)
        if (!expr_is_plain(e->args[a]) || e->args[a + 1]->kind != BEXPR_CONST)
            return false;
    return e->args[e->args_count - 1]->kind == BEXPR_CONST;
}

#define CASE_CHOOSE(T)                              \
    {                                               \
        T *restrict to = data;                      \
        T x;                                        \
        memcpy(&x, value, sizeof x);                \
        for (uint32_t i = 0; i < count; i++)        \
            to[i] = !found || found[i] ? x : to[i]; \
    }

/* data[i] = *value where found[i], everywhere if found is NULL. */
static void expr_case_choose(
    const int8_t *restrict found, uint32_t count, const void *value, size_t size, void *data)
{
    switch (size) {
    case 1:
        CASE_CHOOSE(uint8_t)
        break;
    case 2:
        CASE_CHOOSE(uint16_t)
        break;
    case 4:
        CASE_CHOOSE(uint32_t)
        break;
    default:
        CASE_CHOOSE(uint64_t)
        break;
    }
}
#undef CASE_CHOOSE

/* From the last branch to the first, so that the first that is true stays. Of texts the codes are
 * chosen. */
static int expr_case_plain(const struct bexpr *e,
                           struct eval *ev,
                           const struct batch *in,
                           struct vec *ret,
                           struct dn_err *err)
{
    bool words = type_is_string(e->type);
    size_t size = words ? sizeof(uint16_t) : phys_size(type_phys(e->type));
    uint32_t entries = e->args_count / 2 + 1;
    void *data = arena_alloc_array(ev->arena, in->count, size);
    int8_t *found = arena_alloc(ev->arena, in->count);
    int8_t *null = arena_calloc(ev->arena, in->count, 1);
    struct vstr *texts = arena_alloc_array(ev->arena, entries, sizeof *texts);
    uint64_t *bits;
    bool nulls = false;

    if (!data || !found || !null || !texts)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = entries; k-- > 0;) {
        bool last = k + 1 == entries;
        const struct datum *d = &e->args[last ? 2 * k : 2 * k + 1]->value;
        uint16_t code = (uint16_t)k;
        int8_t is_null = d->null;
        uint64_t value = 0;
        struct vec v;

        texts[k] = words && !d->null ? d->str : (struct vstr){.ptr = ""};
        if (!words && !d->null)
            datum_store(d, &value, 0);
        if (!last) {
            int rc = expr_eval(e->args[2 * k], ev, in, &v, err);

            if (rc < 0)
                return rc;
            memset(found, 0, in->count);
            expr_or_into(&v, in->count, found);
        }
        expr_case_choose(
            last ? NULL : found, in->count, words ? (void *)&code : (void *)&value, size, data);
        nulls = nulls || d->null;
        if (nulls)
            expr_case_choose(last ? NULL : found, in->count, &is_null, 1, null);
    }
    *ret = (struct vec){.type = e->type, .form = VEC_FLAT, .count = in->count, .data = data};
    if (words) {
        ret->form = VEC_DICT;
        ret->data = texts;
        ret->codes = data;
        ret->dict_count = entries;
    }
    if (!nulls)
        return 0;
    bits = expr_bitmap(ev->arena, in->count);
    if (!bits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < in->count; i++)
        bits[i / 64] |= (uint64_t)(null[i] & 1) << (i % 64);
    ret->nulls = bits;
    return 0;
}

int expr_case(const struct bexpr *e,
              struct eval *ev,
              const struct batch *in,
              struct vec *ret,
              struct dn_err *err)
{
    struct expr_pick p = {.ev = ev, .type = e->type, .count = in->count};
    uint16_t *open = arena_alloc_array(ev->arena, (size_t)in->sel_count + 1, sizeof *open);
    uint16_t *hits = arena_alloc_array(ev->arena, (size_t)in->sel_count + 1, sizeof *hits);
    struct batch part = *in;
    int rc;

    DN_ASSERT(e->args_count % 2 == 1);
    if (expr_case_is_plain(e, ev, in))
        return expr_case_plain(e, ev, in, ret, err);
    if (!open || !hits)
        return DN_FAIL_NOMEM(err);
    if (expr_case_words(e))
        return expr_case_codes(e, ev, in, open, hits, ret, err);
    for (uint32_t a = 0; a < e->args_count && part.sel_count; a += 2) {
        bool last = a + 1 == e->args_count;
        struct batch hit = part;
        struct vec v;

        if (!last) {
            uint32_t n;

            rc = expr_select(e->args[a], ev, &part, hits, &n, err);
            if (rc < 0)
                return rc;
            if (n == 0)
                continue;
            hit = expr_part(in, hits, n);
        }
        rc = expr_eval(e->args[last ? a : a + 1], ev, &hit, &v, err);
        if (rc < 0)
            return rc;
        if (!p.data && hit.sel_count == in->sel_count) {
            *ret = v;
            return 0;
        }
        rc = expr_pick_scatter(&p, &v, hit.sel, hit.sel_count, err);
        if (rc < 0)
            return rc;
        part = expr_part(in, open, last ? 0 : expr_rest(&part, hits, hit.sel_count, open));
    }
    return expr_pick_done(&p, ret, err);
}

int expr_coalesce(const struct bexpr *e,
                  struct eval *ev,
                  const struct batch *in,
                  struct vec *ret,
                  struct dn_err *err)
{
    struct expr_pick p = {.ev = ev, .type = e->type, .count = in->count};
    uint16_t *open = arena_alloc_array(ev->arena, (size_t)in->sel_count + 1, sizeof *open);
    uint16_t *hits = arena_alloc_array(ev->arena, (size_t)in->sel_count + 1, sizeof *hits);
    struct batch part = *in;
    int rc;

    if (!open || !hits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t a = 0; a < e->args_count && part.sel_count; a++) {
        uint32_t left = 0;
        uint32_t n = 0;
        struct vec v;

        rc = expr_eval(e->args[a], ev, &part, &v, err);
        if (rc < 0)
            return rc;
        for (uint32_t i = 0; v.nulls && i < part.sel_count; i++) {
            uint16_t row = part.sel ? part.sel[i] : (uint16_t)i;

            if (vec_is_null(&v, row))
                open[left++] = row;
            else
                hits[n++] = row;
        }
        if (left == 0 && !p.data && a == 0) {
            *ret = v;
            return 0;
        }
        if (left == 0)
            rc = expr_pick_scatter(&p, &v, part.sel, part.sel_count, err);
        else if (n > 0)
            rc = expr_pick_scatter(&p, &v, hits, n, err);
        if (rc < 0)
            return rc;
        part = expr_part(in, open, left);
    }
    rc = expr_pick_null(&p, part.sel, part.sel_count, err);
    return rc < 0 ? rc : expr_pick_done(&p, ret, err);
}
