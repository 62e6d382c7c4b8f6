/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/intake.h"

#include "engine/commit.h"
#include "engine/engine_int.h"
#include "engine/generated.h"
#include "engine/intake_late.h"

#include "base/text.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>

/* ---- which columns ---- */

int intake_find_column(const struct table *t,
                       const struct spec_name *name,
                       uint16_t *ret,
                       struct dn_err *err)
{
    int col = table_column_find(t, name->s, strlen(name->s));
    struct text_near near;
    int rc;

    if (col >= 0) {
        *ret = (uint16_t)col;
        return 0;
    }
    if (col == -2) {
        rc = DN_FAIL(err,
                     DN_E_AMBIGUOUS,
                     "column name \"%s\" is ambiguous in table \"%s\"",
                     name->s,
                     t->name);
        dn_err_hint(err, "Write the name exactly as it was declared, in double quotes.");
    } else {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_COLUMN,
                     "column \"%s\" of relation \"%s\" does not exist",
                     name->s,
                     t->name);
        near = text_near_make(name->s);
        for (uint16_t i = 0; i < t->columns_count; i++)
            text_near_try(&near, t->columns[i].name);
        if (near.best)
            dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    }
    dn_err_at(err, name->pos);
    return rc;
}

int intake_target_columns(struct intake_target *to,
                          const struct table *t,
                          const struct spec_name *names,
                          uint32_t count,
                          struct arena *arena,
                          struct dn_err *err)
{
    int rc;

    *to = (struct intake_target){.table = t, .cols_count = names ? count : t->columns_count};
    to->cols = arena_calloc(arena, to->cols_count + 1, sizeof(*to->cols));
    to->listed = arena_calloc(arena, t->columns_count, sizeof(*to->listed));
    if (!to->cols || !to->listed)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < to->cols_count; i++) {
        to->cols[i] = (uint16_t)i;
        if (names) {
            rc = intake_find_column(t, &names[i], &to->cols[i], err);
            if (rc < 0)
                return rc;
        }
        if (to->listed[to->cols[i]]) {
            rc = DN_FAIL(err,
                         DN_E_DUPLICATE_COLUMN,
                         "column \"%s\" specified more than once",
                         t->columns[to->cols[i]].name);
            dn_err_at(err, names[i].pos);
            return rc;
        }
        to->listed[to->cols[i]] = true;
    }
    return 0;
}

void intake_target_first(struct intake_target *to, uint32_t count)
{
    while (to->cols_count > count)
        to->listed[to->cols[--to->cols_count]] = false;
}

int intake_fail_generated(const struct table *t, uint16_t col, uint32_t pos, struct dn_err *err)
{
    int rc = DN_FAIL(
        err, DN_E_INVALID_COLUMN, "column \"%s\" is a generated column", t->columns[col].name);

    dn_err_hint(err, "Generated columns cannot be used in COPY: their values are computed.");
    if (pos)
        dn_err_at(err, pos);
    return rc;
}

int intake_target_plain(struct intake_target *to, bool given, struct dn_err *err)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < to->cols_count; i++) {
        const struct column *c = &to->table->columns[to->cols[i]];

        if (c->source != COLUMN_STORED) {
            to->cols[kept++] = to->cols[i];
            continue;
        }
        if (given)
            return intake_fail_generated(to->table, to->cols[i], 0, err);
        to->listed[to->cols[i]] = false;
    }
    to->cols_count = kept;
    return 0;
}

int intake_target_unlisted(struct intake_target *to, struct dn_err *err)
{
    const struct table *t = to->table;

    for (uint16_t i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];
        int rc = 0;

        if (to->listed[i])
            continue;
        to->partial = t->upsert == UPSERT_FIELD;
        to->evaluates = to->evaluates || c->def_sql;
        if (c->def_sql)
            continue;
        if (c->has_default && c->key_pos > 0 && type_is_string(c->type))
            to->key_bytes += c->def.str.len;
        if (c->has_default)
            rc = intake_check(t, i, &c->def, err);
        else if (c->not_null)
            rc = DN_FAIL(err,
                         DN_E_NOT_NULL,
                         "column \"%s\" must not be NULL, is not listed and has no default",
                         c->name);
        if (rc < 0)
            return rc;
    }
    return intake_checks_patch(to, err);
}

/* ---- values ---- */

int intake_check(const struct table *t, uint16_t col, const struct datum *d, struct dn_err *err)
{
    if (d->null)
        return t->columns[col].not_null
                   ? DN_FAIL(err,
                             DN_E_NOT_NULL,
                             "null value in column \"%s\" of relation \"%s\" violates not-null "
                             "constraint",
                             t->columns[col].name,
                             t->name)
                   : 0;
    if (t->time_col != (int)col || t->quantum_count == 0)
        return 0;
    if (d->v.i64 == 0)
        return DN_FAIL(
            err, DN_E_DATETIME_RANGE, "0 is no time stamp: the column decides the quantum");
    if (d->v.i64 == INT64_MAX || d->v.i64 == INT64_MIN)
        return DN_FAIL(err,
                       DN_E_DATETIME_RANGE,
                       "an infinite time is in no quantum, and the column decides it");
    return 0;
}

int intake_assign(const struct table *t,
                  uint16_t col,
                  const struct intake_value *v,
                  const struct func_session *session,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err)
{
    const struct column *c = &t->columns[col];
    struct plan_target to = {.type = c->type,
                             .mods = c->mods,
                             .exact =
                                 c->key_pos > 0 && !plan_digits_round(v->digits, c->type, &c->mods),
                             .key = c->key_pos > 0,
                             .session = session};
    struct datum d = v->d;
    int rc;

    if (v->digits.decimal && d.type == TYPE_DOUBLE && !d.null && type_is_int(c->type))
        d.v.f64 = round(d.v.f64); /* halves away from zero, as NUMERIC has it */
    rc = plan_assign(&to, &d, v->untyped, arena, ret, err);

    return rc < 0 ? rc : intake_check(t, col, ret, err);
}

/* ---- the batch ---- */

int intake_init(struct intake *in,
                const struct intake_target *to,
                struct mem_owner *owner,
                struct dn_err *err)
{
    const struct table *t = to->table;

    *in = (struct intake){.to = to, .owner = owner, .run = {.first = 1}};
    arena_init(&in->strings, owner);
    in->bufs = mem_calloc(owner, t->columns_count, sizeof(*in->bufs));
    if (!in->bufs)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->columns_count; i++)
        colbuf_init(&in->bufs[i], t->columns[i].type, owner, &in->strings);
    return 0;
}

void intake_done(struct intake *in)
{
    for (uint16_t i = 0; in->bufs && i < in->to->table->columns_count; i++)
        colbuf_done(&in->bufs[i]);
    mem_free(in->bufs);
    arena_done(&in->strings);
    *in = (struct intake){.to = NULL};
}

void intake_reset(struct intake *in)
{
    for (uint16_t i = 0; i < in->to->table->columns_count; i++)
        colbuf_reset(&in->bufs[i]);
    arena_reset(&in->strings);
    in->run.first += in->rows;
    in->rows = 0;
    in->made = NULL;
    in->checked = 0;
    in->late_known = 0;
}

bool intake_reserve(struct intake *in, uint32_t rows)
{
    for (uint32_t i = 0; i < in->to->cols_count; i++)
        if (!colbuf_reserve(&in->bufs[in->to->cols[i]], rows))
            return false;
    return true;
}

void intake_begin_row(struct intake *in)
{
    in->key_bytes = in->to->key_bytes;
}

int intake_put(struct intake *in, uint16_t col, const struct datum *d, struct dn_err *err)
{
    const struct column *c = &in->to->table->columns[col];

    if (c->key_pos > 0 && type_is_string(c->type)) {
        in->key_bytes += d->str.len;
        if (in->key_bytes > INTAKE_KEY_BYTES_MAX)
            return DN_FAIL(
                err, DN_E_TOO_LONG, "the key's text is longer than %u bytes", INTAKE_KEY_BYTES_MAX);
    }
    return colbuf_append(&in->bufs[col], d) ? 0 : DN_FAIL_NOMEM(err);
}

void intake_end_row(struct intake *in)
{
    in->rows++;
}

void intake_undo_row(struct intake *in)
{
    for (uint32_t i = 0; i < in->to->cols_count; i++)
        if (in->bufs[in->to->cols[i]].count > in->rows)
            in->bufs[in->to->cols[i]].count = in->rows;
}

/* ---- the commit ---- */

static bool intake_unlisted(const struct intake_target *to,
                            uint16_t col,
                            uint32_t rows,
                            struct arena *arena,
                            struct vec *ret)
{
    static const uint64_t absent = 1;
    const struct column *c = &to->table->columns[col];
    bool unsaid = to->partial && c->key_pos == 0;
    struct datum d = {.type = c->type, .null = true};

    if (c->has_default && !unsaid)
        d = c->def;
    if (!vec_make_const(arena, &d, rows, ret))
        return false;
    if (unsaid)
        ret->absent = &absent;
    return true;
}

int intake_complete(const struct intake_target *to,
                    struct vec *cols,
                    uint32_t rows,
                    const struct intake_run *run,
                    struct arena *arena,
                    struct shard_batch *ret,
                    struct dn_err *err)
{
    int rc;

    for (uint16_t i = 0; i < to->table->columns_count; i++)
        if (!to->listed[i] && !to->table->columns[i].def_sql &&
            !intake_unlisted(to, i, rows, arena, &cols[i]))
            return DN_FAIL_NOMEM(err);
    *ret = (struct shard_batch){.table = to->table,
                                .cols = cols,
                                .rows = rows,
                                .op = to->partial ? ROW_PATCH : ROW_PUT,
                                .inserts = true,
                                .named = to->named};
    rc = intake_generate(to, run, cols, rows, arena, err);
    return rc == 0 && to->evaluates ? intake_check_keys(to, cols, rows, err) : rc;
}

/* What nobody listed and is to be evaluated: once, however often the rows are asked for. */
static int intake_make(struct intake *in, struct dn_err *err)
{
    uint16_t n = in->to->table->columns_count;
    int rc = 0;

    if (!in->to->evaluates || (in->made && in->made_rows == in->rows))
        return 0;
    in->made = arena_calloc(&in->strings, n, sizeof(*in->made));
    if (!in->made)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; rc == 0 && i < n; i++)
        if (!in->to->listed[i] && in->to->defaults[i])
            rc = intake_default_vec(in->to, i, &in->run, in->rows, &in->strings, &in->made[i], err);
    in->made_rows = in->rows;
    if (rc < 0)
        in->made = NULL;
    return rc;
}

static int intake_checked(struct intake *in, const struct vec *cols, struct dn_err *err)
{
    uint32_t bad;
    int rc = 0;

    if (in->checked != in->rows)
        rc = intake_checks_run(&in->to->checks, cols, in->rows, &in->run, &bad, err);
    if (rc == DN_E_CHECK_VIOLATION)
        dn_err_prefix(err, "row %" PRIu64, in->run.first + bad);
    in->checked = rc == 0 ? in->rows : 0;
    return rc;
}

int intake_batch(struct intake *in, struct shard_batch *ret, struct dn_err *err)
{
    uint16_t n = in->to->table->columns_count;
    struct vec *cols = arena_calloc(&in->strings, n, sizeof(*cols));
    int rc = cols ? intake_make(in, err) : DN_FAIL_NOMEM(err);

    if (rc < 0)
        return rc;
    for (uint16_t i = 0; i < n; i++) {
        if (in->to->listed[i])
            cols[i] = colbuf_vec(&in->bufs[i], 0, in->rows);
        else if (in->to->defaults[i])
            cols[i] = in->made[i];
    }
    rc = intake_complete(in->to, cols, in->rows, &in->run, &in->strings, ret, err);
    ret->expiry_ns = in->expiry_ns;
    if (rc == 0)
        rc = intake_checked(in, cols, err);
    if (rc == 0)
        rc = intake_late(&in->run, true, &in->strings, ret, err);
    if (rc == 0 && in->late_known != in->rows) { /* however often the batch is asked for */
        in->late_known = in->rows;
        if (in->run.late)
            *in->run.late += in->rows - ret->rows;
    }
    return rc;
}

int intake_commit(struct intake *in, struct dendro_conn *conn, struct dn_err *err)
{
    struct shard_batch batch;
    int rc = intake_batch(in, &batch, err);

    if (rc == 0 && batch.rows > 0)
        rc = session_commit(conn, &batch, 1, err);
    return rc;
}
