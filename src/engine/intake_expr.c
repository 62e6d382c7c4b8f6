/* SPDX-License-Identifier: Apache-2.0
 *
 * intake_expr.c: expressions that a table has for the rows on their way into it: DEFAULT. They are
 * bound once per statement and evaluated for a vector of rows at a time, volatile functions once
 * for each row. */
#include "engine/engine_int.h"
#include "engine/generated.h"

#include "base/cancel.h"
#include "plan/stored.h"

#include <inttypes.h>

int intake_target_bind(struct intake_target *to, const struct plan_env *env, struct dn_err *err)
{
    const struct table *t = to->table;
    int rc = 0;

    to->session = env->session;
    to->defaults = arena_calloc(env->arena, t->columns_count, sizeof(*to->defaults));
    if (!to->defaults)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++)
        if (t->columns[i].def_sql && t->columns[i].source != COLUMN_STORED)
            rc = plan_stored_default(env, &t->columns[i], &to->defaults[i], err);
    if (rc == 0)
        rc = intake_stored_bind(to, t, env, err);
    return rc < 0 ? rc : intake_checks_bind(&to->checks, t, env, err);
}

int intake_stored_bind(struct intake_target *to,
                       const struct table *t,
                       const struct plan_env *env,
                       struct dn_err *err)
{
    int rc = 0;

    to->table = t;
    to->session = env->session;
    to->stored = NULL;
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++) {
        struct expr *e;

        if (t->columns[i].source != COLUMN_STORED)
            continue;
        if (!to->stored)
            to->stored = arena_calloc(env->arena, t->columns_count, sizeof(*to->stored));
        if (!to->stored)
            return DN_FAIL_NOMEM(err);
        to->evaluates = true;
        rc = plan_stored_parse(env->types, env->arena, t->columns[i].def_sql, &e, err);
        if (rc == 0)
            rc = plan_row_expr(env, t, e, "GENERATED", NULL, &to->stored[i], err);
        if (rc < 0 && rc != DN_E_NOMEM)
            dn_err_prefix(err, "generated column \"%s\"", t->columns[i].name);
    }
    return rc;
}

static struct eval ixp_eval(const struct intake_run *run, struct arena *arena)
{
    return (struct eval){.arena = arena, .now_ns = run->now_ns, .session = run->session};
}

/* Nobody wrote the digits that a coarser column drops. */
static int ixp_assign(const struct intake_target *to,
                      uint16_t col,
                      const struct datum *d,
                      struct arena *arena,
                      struct datum *ret,
                      struct dn_err *err)
{
    struct intake_value v = {.d = *d, .digits = {.clock = true}};

    return intake_assign(to->table, col, &v, to->session, arena, ret, err);
}

int intake_default(const struct intake_target *to,
                   uint16_t col,
                   const struct intake_run *run,
                   struct arena *arena,
                   struct datum *ret,
                   struct dn_err *err)
{
    const struct column *c = &to->table->columns[col];
    struct eval ev = ixp_eval(run, arena);
    struct datum d;
    int rc;

    if (to->defaults[col]) {
        rc = expr_eval_datum(to->defaults[col], &ev, &d, err);
        return rc < 0 ? rc : ixp_assign(to, col, &d, arena, ret, err);
    }
    *ret = (struct datum){.type = c->type, .null = true};
    if (c->has_default)
        *ret = c->def;
    return intake_check(to->table, col, ret, err);
}

static int
ixp_blame(const struct intake_target *to, uint16_t col, uint64_t row, int rc, struct dn_err *err)
{
    if (rc != DN_E_NOMEM)
        dn_err_prefix(err, "row %" PRIu64 ", column \"%s\"", row, to->table->columns[col].name);
    return rc;
}

struct ixp_out {
    void *data;      /* arena */
    uint64_t *nulls; /* arena */
    uint32_t count;
    bool any_null;
};

/* The values of a vector, as the column stores them. */
static int ixp_store(const struct intake_target *to,
                     uint16_t col,
                     const struct vec *v,
                     uint64_t first,
                     struct arena *arena,
                     struct ixp_out *out,
                     struct dn_err *err)
{
    for (uint32_t i = 0; i < v->count; i++) {
        struct datum d = vec_datum(v, i);
        int rc = ixp_assign(to, col, &d, arena, &d, err);

        if (rc < 0)
            return ixp_blame(to, col, first + out->count, rc, err);
        datum_store(&d, out->data, out->count);
        if (d.null)
            vec_bit_set(out->nulls, out->count);
        out->any_null = out->any_null || d.null;
        out->count++;
    }
    return 0;
}

int intake_default_vec(const struct intake_target *to,
                       uint16_t col,
                       const struct intake_run *run,
                       uint32_t rows,
                       struct arena *arena,
                       struct vec *ret,
                       struct dn_err *err)
{
    enum type_id type = to->table->columns[col].type;
    struct eval ev = ixp_eval(run, arena);
    struct ixp_out out = {.count = 0};
    struct datum d;
    int rc = 0;

    if (expr_is_const(to->defaults[col], true)) { /* one value for all */
        rc = intake_default(to, col, run, arena, &d, err);
        if (rc == 0 && !vec_make_const(arena, &d, rows, ret))
            rc = DN_FAIL_NOMEM(err);
        return rc < 0 ? ixp_blame(to, col, run->first, rc, err) : 0;
    }
    out.data = arena_alloc_array(arena, (size_t)rows + 1, phys_size(type_phys(type)));
    out.nulls = arena_calloc(arena, VEC_BITMAP_WORDS(rows) + 1, sizeof(*out.nulls));
    if (!out.data || !out.nulls)
        return DN_FAIL_NOMEM(err);
    while (rc == 0 && out.count < rows) {
        uint32_t n = rows - out.count < VEC_ROWS_MAX ? rows - out.count : VEC_ROWS_MAX;
        struct batch in = {.count = n, .sel_count = n};
        struct vec v;

        rc = expr_eval(to->defaults[col], &ev, &in, &v, err);
        rc = rc < 0 ? ixp_blame(to, col, run->first + out.count, rc, err)
                    : ixp_store(to, col, &v, run->first, arena, &out, err);
    }
    *ret = (struct vec){.type = type,
                        .form = VEC_FLAT,
                        .count = rows,
                        .data = out.data,
                        .nulls = out.any_null ? out.nulls : NULL};
    return rc;
}

/* One generated column of all rows. */
static int ixp_generate(const struct intake_target *to,
                        uint16_t col,
                        const struct intake_run *run,
                        struct batch *in,
                        struct arena *arena,
                        struct ixp_out *out,
                        struct dn_err *err)
{
    struct eval ev = {.arena = arena}; /* no session, no time: always the same */
    struct vec v;
    int rc = expr_eval(to->stored[col], &ev, in, &v, err);

    return rc < 0 ? ixp_blame(to, col, run->first + out->count, rc, err)
                  : ixp_store(to, col, &v, run->first, arena, out, err);
}

/* Rows of the other columns, from number first on. */
static int ixp_slice(const struct intake_target *to,
                     const struct vec *cols,
                     uint32_t first,
                     struct batch *in,
                     struct arena *arena,
                     struct dn_err *err)
{
    in->cols = arena_calloc(arena, in->cols_count, sizeof(*in->cols));
    if (!in->cols)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < in->cols_count; i++)
        if (!to->stored[i] && !vec_slice(arena, &cols[i], first, in->count, &in->cols[i]))
            return DN_FAIL_NOMEM(err);
    return 0;
}

int intake_generate(const struct intake_target *to,
                    const struct intake_run *run,
                    struct vec *cols,
                    uint32_t rows,
                    struct arena *arena,
                    struct dn_err *err)
{
    struct intake_target utc = *to;
    uint16_t n = to->table->columns_count;
    struct ixp_out *outs;
    int rc = 0;

    utc.session = NULL; /* a time as text is one of UTC, whoever writes it */
    if (!to->stored || rows == 0)
        return 0;
    outs = arena_calloc(arena, n, sizeof(*outs));
    if (!outs)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < n; i++) {
        size_t size = phys_size(type_phys(to->table->columns[i].type));

        if (!to->stored[i])
            continue;
        outs[i].data = arena_alloc_array(arena, (size_t)rows + 1, size);
        outs[i].nulls = arena_calloc(arena, VEC_BITMAP_WORDS(rows) + 1, sizeof(uint64_t));
        if (!outs[i].data || !outs[i].nulls)
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t at = 0; rc == 0 && at < rows; at += VEC_ROWS_MAX) {
        uint32_t part = rows - at < VEC_ROWS_MAX ? rows - at : VEC_ROWS_MAX;
        struct batch in = {.count = part, .sel_count = part, .cols_count = n};

        /* The expressions have no session, and so see no cancel themselves. */
        rc = run->session ? dn_cancel_check(run->session->cancel, err) : 0;
        if (rc == 0)
            rc = ixp_slice(to, cols, at, &in, arena, err);
        for (uint16_t i = 0; rc == 0 && i < n; i++)
            if (to->stored[i])
                rc = ixp_generate(&utc, i, run, &in, arena, &outs[i], err);
    }
    for (uint16_t i = 0; rc == 0 && i < n; i++)
        if (to->stored[i])
            cols[i] = (struct vec){.type = to->table->columns[i].type,
                                   .form = VEC_FLAT,
                                   .count = rows,
                                   .data = outs[i].data,
                                   .nulls = outs[i].any_null ? outs[i].nulls : NULL};
    return rc;
}

int intake_check_keys(const struct intake_target *to,
                      const struct vec *cols,
                      uint32_t rows,
                      struct dn_err *err)
{
    const struct table *t = to->table;
    bool text = false;

    for (uint16_t i = 0; i < t->columns_count; i++)
        text = text || (!to->listed[i] && to->defaults[i] && t->columns[i].key_pos > 0 &&
                        type_is_string(t->columns[i].type));
    for (uint32_t row = 0; text && row < rows; row++) {
        uint64_t bytes = 0;

        for (uint16_t i = 0; i < t->local_count; i++)
            if (type_is_string(t->columns[t->local[i].col].type))
                bytes += vec_datum(&cols[t->local[i].col], row).str.len;
        if (bytes > INTAKE_KEY_BYTES_MAX)
            return DN_FAIL(
                err, DN_E_TOO_LONG, "the key's text is longer than %u bytes", INTAKE_KEY_BYTES_MAX);
    }
    return 0;
}
