/* SPDX-License-Identifier: Apache-2.0
 *
 * conflict.c: ON CONFLICT: rows of an INSERT whose key is there already are left out, or change the
 * row that is there. Which keys are there is asked of the statement's snapshot, by a plan that
 * joins the rows with the table; the commit is refused if one of them has a newer version by then,
 * and the statement runs again (stmt_retry). A key that the statement has twice counts once: DO
 * NOTHING takes the first row, DO UPDATE is an error. */
#include "engine/commit.h"
#include "engine/engine_int.h"
#include "engine/generated.h"
#include "engine/key_set.h"

#include "exec/rows.h"

#include <stdio.h>

/* ---- compile ---- */

static int conf_no_key(const struct conflict_clause *c, const struct table *t, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_UNCOVERED_KEY,
                     "there is no unique or exclusion constraint matching the ON CONFLICT "
                     "specification");

    if (t->form != KEY_NONE)
        dn_err_hint(err, "Only the whole primary key is unique.");
    dn_err_at(err, c->pos);
    return rc;
}

/* Are the columns named those of the key? */
static int conf_target(const struct conflict_clause *c, const struct table *t, struct dn_err *err)
{
    char name[2 * TABLE_NAME_MAX];
    bool *named;
    struct arena arena;
    int rc = 0;

    if (c->constraint.s) {
        snprintf(name, sizeof(name), "%s_pkey", t->name);
        if (t->form != KEY_NONE && strcmp(name, c->constraint.s) == 0)
            return 0;
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_OBJECT,
                     "constraint \"%s\" for table \"%s\" does not exist",
                     c->constraint.s,
                     t->name);
        dn_err_at(err, c->constraint.pos);
        return rc;
    }
    if (!c->target)
        return 0;
    arena_init(&arena, NULL);
    named = arena_calloc(&arena, t->columns_count, sizeof(*named));
    if (!named)
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < c->target_count; i++) {
        struct spec_name s = {.s = c->target[i].expr->name, .pos = c->target[i].expr->pos};
        uint16_t col;

        rc = intake_find_column(t, &s, &col, err);
        if (rc == 0)
            named[col] = true;
    }
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++)
        if (named[i] != (t->columns[i].key_pos > 0) || t->form == KEY_NONE)
            rc = conf_no_key(c, t, err);
    arena_done(&arena);
    return rc;
}

static int conf_sets(const struct conflict_clause *c, const struct table *t, struct dn_err *err)
{
    for (uint32_t i = 0; i < c->set_count; i++) {
        uint16_t col, other;
        int rc = intake_find_column(t, &c->set[i].column, &col, err);

        for (uint32_t k = 0; rc == 0 && k < i; k++) {
            rc = intake_find_column(t, &c->set[k].column, &other, err);
            if (rc == 0 && other == col)
                rc = DN_FAIL(
                    err, DN_E_DUPLICATE_COLUMN, "column \"%s\" is set twice", c->set[i].column.s);
        }
        if (rc == 0 && (t->columns[col].key_pos > 0 || t->time_col == (int)col))
            rc = DN_FAIL(err,
                         DN_E_UNSUPPORTED,
                         "ON CONFLICT DO UPDATE cannot move a row: \"%s\" says where it lies",
                         t->columns[col].name);
        if (rc < 0) {
            dn_err_at(err, c->set[i].column.pos);
            return rc;
        }
    }
    return 0;
}

static bool conf_untyped(const struct expr *e)
{
    return e &&
           (e->kind == EXPR_PARAM || (e->kind == EXPR_LITERAL && e->value.type == TYPE_VARCHAR));
}

static int conf_types(const struct plan *p,
                      const struct conflict_clause *c,
                      const struct table *t,
                      struct dn_err *err)
{
    uint32_t at = t->columns_count;
    int rc;

    for (uint32_t i = 0; i < c->set_count; i++, at++) {
        enum type_id from = p->cols[at].type;
        uint16_t col;

        rc = intake_find_column(t, &c->set[i].column, &col, err);
        if (rc < 0)
            return rc;
        if (!c->set[i].expr || from == TYPE_NONE || conf_untyped(c->set[i].expr) ||
            plan_assignable(t->columns[col].type, from))
            continue;
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "column \"%s\" is %s, and this is %s",
                     t->columns[col].name,
                     type_word(t->columns[col].type),
                     type_word(from));
        dn_err_at(err, c->set[i].expr->pos);
        return rc;
    }
    if (c->where && p->cols[at].type != TYPE_BOOLEAN && p->cols[at].type != TYPE_NONE) {
        rc = DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "argument of WHERE must be type boolean");
        dn_err_at(err, c->where->pos);
        return rc;
    }
    return 0;
}

int stmt_compile_conflict(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    const struct conflict_clause *c = &ast->insert->conflict;
    const struct table *t = stmt->insert.table;
    int rc;

    if (c->action == CONFLICT_NONE)
        return 0;
    if (c->action == CONFLICT_UPDATE && !c->target && !c->constraint.s) {
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "ON CONFLICT DO UPDATE requires inference specification or constraint name");
        dn_err_hint(err, "For example, ON CONFLICT (column_name).");
        dn_err_at(err, c->pos);
        return rc;
    }
    rc = conf_target(c, t, err);
    if (rc == 0)
        rc = conf_sets(c, t, err);
    if (rc < 0 || t->form == KEY_NONE) /* without a key nothing is in the way of a row */
        return rc;
    rc = plan_conflict(&env, ast, t, &stmt->conflict, err);
    return rc < 0 ? rc : conf_types(stmt->conflict, c, t, err);
}

/* ---- run ---- */

struct conf {
    struct dendro_stmt *stmt;
    const struct conflict_clause *ast;
    const struct table *table;
    const struct plan *plan; /* that looks which keys are there */
    struct intake *in;
    struct shard_batch given; /* all rows of the statement */
    struct key_set keys;
    struct arena strings;
    struct arena scratch;
    uint32_t *ids;       /* in strings, by row: number of its key */
    uint32_t *updates;   /* in strings, by key: which of upds changes it, or CONF_… */
    uint64_t *there;     /* in strings, by key: it is in the table */
    struct colbuf *news; /* owned, by column: rows to be inserted */
    struct colbuf *upds; /* owned, by column: rows as they are to be */
    struct colbuf *outs; /* owned, by column: for RETURNING */
    uint32_t news_count;
    uint32_t upds_count;
    uint32_t outs_count;
};
#define CONF_NONE UINT32_MAX

static struct colbuf *conf_bufs(struct conf *r)
{
    struct colbuf *bufs = mem_calloc(&r->stmt->owner, r->table->columns_count, sizeof(*bufs));

    for (uint16_t i = 0; bufs && i < r->table->columns_count; i++)
        colbuf_init(&bufs[i], r->table->columns[i].type, &r->stmt->owner, &r->strings);
    return bufs;
}

static void conf_bufs_done(struct conf *r, struct colbuf *bufs)
{
    for (uint16_t i = 0; bufs && i < r->table->columns_count; i++)
        colbuf_done(&bufs[i]);
    mem_free(bufs);
}

static int conf_twice(struct dn_err *err, const struct conflict_clause *c)
{
    int rc = DN_FAIL(
        err, DN_E_CARDINALITY, "ON CONFLICT DO UPDATE command cannot affect row a second time");

    dn_err_hint(err,
                "Ensure that no rows proposed for insertion within the same command have "
                "duplicate constrained values.");
    dn_err_at(err, c->pos);
    return rc;
}

#define CONF_LOOK_ROWS 4096u

/* For loops over all rows: now and then, is the statement to end? */
static int conf_check_cancel(const struct conf *r, uint32_t row, struct dn_err *err)
{
    return row % CONF_LOOK_ROWS ? 0 : session_check_cancel(r->stmt->conn, err);
}

static int conf_init(struct conf *r, struct dn_err *err)
{
    uint32_t rows;
    int rc = intake_batch(r->in, &r->given, err);

    if (rc < 0)
        return rc;
    rows = r->given.rows;
    r->ids = arena_alloc_array(&r->strings, (size_t)rows + 1, sizeof(*r->ids));
    r->updates = arena_alloc_array(&r->strings, (size_t)rows + 1, sizeof(*r->updates));
    r->there = arena_calloc(&r->strings, VEC_BITMAP_WORDS(rows) + 1, sizeof(*r->there));
    r->news = conf_bufs(r);
    r->upds = conf_bufs(r);
    r->outs = conf_bufs(r);
    if (!r->ids || !r->updates || !r->there || !r->news || !r->upds || !r->outs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < rows; row++) {
        r->updates[row] = CONF_NONE;
        rc = conf_check_cancel(r, row, err);
        if (rc == 0)
            rc = key_set_add(&r->keys, r->given.cols, row, &r->ids[row], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The row that is there with new values. */
static int conf_update(struct conf *r, const struct batch *b, uint32_t row, struct dn_err *err)
{
    const struct table *t = r->table;
    uint32_t sets = t->columns_count;

    for (uint16_t col = 0; col < t->columns_count; col++) {
        struct datum d = vec_datum(&b->cols[col], row);
        int rc = 0;

        for (uint32_t i = 0; rc == 0 && i < r->ast->set_count; i++) {
            const struct expr *e = r->ast->set[i].expr;
            struct intake_value v;
            uint16_t to;

            rc = intake_find_column(t, &r->ast->set[i].column, &to, err);
            if (rc < 0 || to != col)
                continue;
            if (t->columns[col].source == COLUMN_STORED)
                continue; /* DEFAULT: it is computed anyway */
            if (e || t->columns[col].def_sql) {
                v = (struct intake_value){.d = vec_datum(&b->cols[sets + i], row)};
                v.untyped = conf_untyped(e) && b->cols[sets + i].type == TYPE_VARCHAR;
                v.digits = e ? r->plan->cols[sets + i].digits : (struct plan_digits){.clock = true};
                rc = intake_assign(t, col, &v, &r->stmt->conn->functions, &r->scratch, &d, err);
            } else {
                rc = intake_default(&r->stmt->insert, col, &r->in->run, &r->scratch, &d, err);
            }
            if (rc < 0 && rc != DN_E_NOMEM)
                dn_err_prefix(err, "column \"%s\"", t->columns[col].name);
            if (rc < 0)
                dn_err_at(err, e ? e->pos : r->ast->set[i].column.pos);
        }
        if (rc == 0 && !colbuf_append(&r->upds[col], &d))
            rc = DN_FAIL_NOMEM(err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int conf_found(struct conf *r, const struct batch *b, struct dn_err *err)
{
    uint32_t cond = r->table->columns_count + r->ast->set_count;
    int rc = 0;

    for (uint32_t k = 0; rc == 0 && k < b->sel_count; k++) {
        uint32_t row = b->sel ? b->sel[k] : k;
        uint32_t id;

        rc = key_set_find(&r->keys, b->cols, row, &id, err);
        if (rc < 0)
            return rc;
        if (id == KEY_SET_NONE)
            return DN_FAIL(err, DN_E_INTERNAL, "ON CONFLICT found a row that nobody asked for");
        vec_bit_set(r->there, id);
        if (r->ast->action == CONFLICT_NOTHING)
            continue;
        if (r->ast->where) {
            struct datum d = vec_datum(&b->cols[cond], row);

            if (d.null || !d.v.i64)
                continue;
        }
        if (r->updates[id] != CONF_NONE)
            return conf_twice(err, r->ast);
        r->updates[id] = r->upds_count++;
        rc = conf_update(r, b, row, err);
    }
    arena_reset(&r->scratch);
    return rc;
}

/* Which keys are there, and what becomes of them. */
static int conf_look(struct conf *r, struct dn_err *err)
{
    struct dendro_stmt *stmt = r->stmt;
    struct plan_env env = stmt_plan_env(stmt, &stmt->run);
    struct exec_ctx ctx = stmt->ctx;
    struct exec_rows given = {.count = 0};
    struct op *root = NULL;
    struct batch b;
    int rc = 0;

    if (stmt_inner(stmt)->params_count > 0) {
        rc = stmt_literals(stmt, stmt_inner(stmt), &env, err);
        if (rc == 0)
            rc = plan_conflict(&env, stmt_inner(stmt), r->table, &stmt->run_conflict, err);
        if (rc == 0)
            rc = conf_types(stmt->run_conflict, r->ast, r->table, err);
    }
    if (rc == 0)
        rc = stmt_given_rows(stmt, r->table, r->given.cols, r->given.rows, &given, err);
    r->plan = stmt->run_conflict ? stmt->run_conflict : stmt->conflict;
    ctx.params = NULL;
    ctx.params_count = 0;
    ctx.run = NULL;
    ctx.progress = NULL;
    ctx.analysis = NULL;
    ctx.given = &given;
    if (rc == 0)
        rc = exec_open(r->plan, &ctx, &root, err);
    while (rc == 0 && (rc = exec_next(root, &b, err)) == 0)
        rc = conf_found(r, &b, err);
    exec_close(root);
    exec_rows_done(&given);
    return rc == DN_EOF ? 0 : rc;
}

/* One row of the statement into the list. */
static int conf_put(struct conf *r, struct colbuf *to, uint32_t row, struct dn_err *err)
{
    for (uint16_t i = 0; i < r->table->columns_count; i++) {
        const struct vec *v = &r->given.cols[i];
        struct datum d = vec_datum(v, row);

        if (v->absent ? !colbuf_append_absent(&to[i]) : !colbuf_append(&to[i], &d))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int conf_sort_out(struct conf *r, struct dn_err *err)
{
    uint64_t *taken =
        arena_calloc(&r->strings, VEC_BITMAP_WORDS(r->given.rows) + 1, sizeof(*taken));
    int rc = taken ? 0 : DN_FAIL_NOMEM(err);

    for (uint32_t row = 0; rc == 0 && row < r->given.rows; row++) {
        uint32_t id = r->ids[row];
        bool there = vec_bit(r->there, id);

        rc = conf_check_cancel(r, row, err);
        if (rc < 0)
            return rc;
        if (!there && vec_bit(taken, id) && r->ast->action == CONFLICT_UPDATE)
            return conf_twice(err, r->ast);
        if (vec_bit(taken, id) || (there && r->updates[id] == CONF_NONE))
            continue;
        vec_bit_set(taken, id);
        if (!there) {
            rc = conf_put(r, r->news, row, err);
            r->news_count++;
        }
        for (uint16_t i = 0; rc == 0 && r->stmt->returning && i < r->table->columns_count; i++) {
            struct datum d = there ? colbuf_datum(&r->upds[i], r->updates[id])
                                   : vec_datum(&r->given.cols[i], row);

            if (!colbuf_append(&r->outs[i], &d))
                rc = DN_FAIL_NOMEM(err);
        }
        r->outs_count++;
    }
    return rc;
}

static int conf_vectors(
    struct conf *r, struct colbuf *from, uint32_t rows, struct vec **ret, struct dn_err *err)
{
    struct vec *cols = arena_calloc(&r->strings, r->table->columns_count, sizeof(*cols));

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < r->table->columns_count; i++)
        cols[i] = colbuf_vec(&from[i], 0, rows);
    *ret = cols;
    return 0;
}

/* What says where a row lies stays as it was. */
static int conf_check_place(const struct conf *r,
                            uint16_t col,
                            const struct vec *was,
                            const struct vec *now,
                            struct dn_err *err)
{
    const struct column *c = &r->table->columns[col];

    if (c->key_pos == 0 && r->table->time_col != (int)col)
        return 0;
    for (uint32_t row = 0; row < r->upds_count; row++) {
        struct datum a = vec_datum(was, row);
        struct datum b = vec_datum(now, row);
        int rc = conf_check_cancel(r, row, err);

        if (rc < 0)
            return rc;
        if (datum_cmp(&a, &b) != 0)
            return DN_FAIL(err,
                           DN_E_UNSUPPORTED,
                           "ON CONFLICT DO UPDATE cannot move a row: \"%s\" says where it lies",
                           c->name);
    }
    return 0;
}

/* Generated columns of the rows that are to be changed. */
static int conf_generate(struct conf *r, struct dn_err *err)
{
    const struct intake_target *to = r->in->to;
    struct vec *cols = NULL;
    struct vec *was = NULL;
    int rc = 0;

    if (!to->stored || r->upds_count == 0)
        return 0;
    rc = conf_vectors(r, r->upds, r->upds_count, &cols, err);
    if (rc == 0)
        rc = conf_vectors(r, r->upds, r->upds_count, &was, err);
    if (rc == 0)
        rc = intake_generate(to, &r->in->run, cols, r->upds_count, &r->strings, err);
    for (uint16_t i = 0; rc == 0 && i < r->table->columns_count; i++) {
        if (!to->stored[i])
            continue;
        rc = conf_check_place(r, i, &was[i], &cols[i], err);
        if (rc == 0)
            colbuf_reset(&r->upds[i]);
        for (uint32_t row = 0; rc == 0 && row < r->upds_count; row++) {
            struct datum d = vec_datum(&cols[i], row);

            rc = conf_check_cancel(r, row, err);
            if (rc == 0 && !colbuf_append(&r->upds[i], &d))
                rc = DN_FAIL_NOMEM(err);
        }
    }
    return rc;
}

static int conf_write(struct conf *r, struct dn_err *err)
{
    struct shard_batch batches[2];
    struct vec *cols = NULL;
    uint32_t bad;
    size_t n = 0;
    int rc = 0;

    if (r->stmt->returning)
        rc = conf_vectors(r, r->outs, r->outs_count, &cols, err);
    if (rc == 0 && r->stmt->returning)
        rc = stmt_return_rows(r->stmt, r->table, cols, r->outs_count, err);
    if (rc == 0 && r->news_count > 0) {
        rc = conf_vectors(r, r->news, r->news_count, &cols, err);
        batches[n] = r->given;
        batches[n].cols = cols;
        batches[n].rows = r->news_count;
        batches[n++].check_seq = snapshot_seq(r->stmt->snap);
    }
    if (rc == 0 && r->upds_count > 0) {
        rc = conf_vectors(r, r->upds, r->upds_count, &cols, err);
        if (rc == 0)
            rc = intake_checks_run(&r->in->to->checks, cols, r->upds_count, &r->in->run, &bad, err);
        batches[n++] = (struct shard_batch){.table = r->table,
                                            .cols = cols,
                                            .rows = r->upds_count,
                                            .op = ROW_PUT,
                                            .expiry_ns = r->in->expiry_ns,
                                            .check_seq = snapshot_seq(r->stmt->snap)};
    }
    if (rc < 0 || n == 0)
        return rc;
    rc = session_commit(r->stmt->conn, batches, n, err);
    return rc;
}

static int conf_run(struct conf *r, struct dn_err *err)
{
    int rc;

    arena_init(&r->strings, &r->stmt->owner);
    arena_init(&r->scratch, &r->stmt->owner);
    key_set_init(&r->keys, r->table, &r->stmt->owner);
    rc = conf_init(r, err);
    if (rc == 0)
        rc = conf_look(r, err);
    if (rc == 0)
        rc = conf_generate(r, err);
    if (rc == 0)
        rc = conf_sort_out(r, err);
    if (rc == 0)
        rc = conf_write(r, err);
    key_set_done(&r->keys);
    conf_bufs_done(r, r->news);
    conf_bufs_done(r, r->upds);
    conf_bufs_done(r, r->outs);
    arena_done(&r->scratch);
    arena_done(&r->strings);
    return rc;
}

int stmt_write_intake(struct dendro_stmt *stmt,
                      struct intake *in,
                      uint64_t *ret_rows,
                      struct dn_err *err)
{
    struct conf r = {.stmt = stmt, .in = in, .table = in->to->table};
    uint64_t late = stmt->conn->late;
    int rc;

    *ret_rows = 0;
    if (stmt->conflict) {
        r.ast = &stmt_inner(stmt)->insert->conflict;
        rc = in->rows > 0 ? conf_run(&r, err) : 0;
        *ret_rows = rc == 0 ? r.outs_count : 0;
        stmt->conn->late = rc == 0 ? stmt->conn->late : late; /* it may run again */
        return rc;
    }
    rc = stmt_return_intake(stmt, in, err);
    if (rc == 0 && in->rows > 0)
        rc = intake_commit(in, stmt->conn, err);
    *ret_rows = rc == 0 ? in->rows - (stmt->conn->late - late) : 0;
    return rc;
}
