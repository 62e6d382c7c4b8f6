/* SPDX-License-Identifier: Apache-2.0
 *
 * insert.c: INSERT … VALUES. Values go straight into column buffers, each checked on the way:
 * literals and parameters without an expression in between, the rest through the binder. Nothing is
 * written before the last value of the last row is good; then all rows are one commit. Errors name
 * row (the first is 1) and column and point at the value. */
#include "engine/engine_int.h"

#include "plan/plan.h"

#include "base/text.h"

#define INS_KEY_BYTES_MAX 65535u /* text and blobs of one row's key */
#define INS_CANCEL_ROWS   1024u  /* how often cancel is looked at */

/* ---- compile ---- */

static int ins_find_column(const struct table *t,
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
                     "column \"%s\" does not exist in table \"%s\"",
                     name->s,
                     t->name);
        near = text_near_make(name->s);
        for (uint16_t i = 0; i < t->columns_count; i++)
            text_near_try(&near, t->columns[i].name);
        if (near.best)
            dn_err_hint(err, "Did you mean \"%s\"?", near.best);
    }
    dn_err_at(err, name->pos);
    return rc;
}

static int ins_columns(struct stmt_insert *ins, const struct insert_stmt *ast, struct dn_err *err)
{
    const struct table *t = ins->table;
    int rc;

    for (uint32_t i = 0; i < ins->cols_count; i++) {
        if (!ast->columns) {
            ins->cols[i] = (uint16_t)i;
        } else {
            rc = ins_find_column(t, &ast->columns[i], &ins->cols[i], err);
            if (rc < 0)
                return rc;
        }
        if (ins->listed[ins->cols[i]]) {
            rc = DN_FAIL(err,
                         DN_E_DUPLICATE_COLUMN,
                         "column \"%s\" is listed twice",
                         t->columns[ins->cols[i]].name);
            dn_err_at(err, ast->columns[i].pos);
            return rc;
        }
        ins->listed[ins->cols[i]] = true;
    }
    return 0;
}

/* What the column itself refuses. */
static int ins_check(const struct table *t, uint16_t col, const struct datum *d, struct dn_err *err)
{
    if (d->null)
        return t->columns[col].not_null ? DN_FAIL(err, DN_E_NOT_NULL, "NULL is not allowed") : 0;
    if (t->time_col == (int)col && t->quantum_count > 0 && d->v.i64 == 0)
        return DN_FAIL(
            err, DN_E_DATETIME_RANGE, "0 is no time stamp: the column decides the quantum");
    return 0;
}

static int
ins_check_unlisted(struct stmt_insert *ins, const struct insert_stmt *ast, struct dn_err *err)
{
    const struct table *t = ins->table;

    for (uint16_t i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];
        int rc = 0;

        if (ins->listed[i])
            continue;
        ins->partial = t->upsert == UPSERT_FIELD;
        if (c->has_default && c->key_pos > 0 && type_is_string(c->type))
            ins->key_bytes += c->def.str.len;
        if (c->has_default)
            rc = ins_check(t, i, &c->def, err);
        else if (c->not_null)
            rc = DN_FAIL(err,
                         DN_E_NOT_NULL,
                         "column \"%s\" must not be NULL, is not listed and has no default",
                         c->name);
        if (rc == 0)
            continue;
        dn_err_at(err, ast->columns ? ast->columns[0].pos : ast->table.pos);
        return rc;
    }
    return 0;
}

static int
ins_check_counts(const struct stmt_insert *ins, const struct insert_stmt *ast, struct dn_err *err)
{
    for (uint32_t i = 0; i < ast->rows_count; i++) {
        int rc;

        if (ast->rows_len[i] == ins->cols_count)
            continue;
        rc = DN_FAIL(err,
                     DN_E_ENTRY_COUNT,
                     "row %u has %s values: %u for %u columns",
                     i + 1,
                     ast->rows_len[i] > ins->cols_count ? "too many" : "too few",
                     ast->rows_len[i],
                     ins->cols_count);
        if (!ast->columns && ast->rows_len[i] < ins->cols_count)
            dn_err_hint(err,
                        "List the columns that have values: INSERT INTO %s (…) VALUES …",
                        ins->table->name);
        dn_err_at(err, ast->rows_pos[i]);
        return rc;
    }
    return 0;
}

int stmt_compile_insert(struct dendro_stmt *stmt, const struct insert_stmt *ast, struct dn_err *err)
{
    const struct table *t = session_table(stmt->conn, stmt->catalog, &ast->table, err);
    struct stmt_insert *ins = &stmt->insert;
    int rc;

    if (!t)
        return err->code;
    *ins = (struct stmt_insert){.table = t,
                                .cols_count = ast->columns ? ast->columns_count : t->columns_count};
    ins->cols = arena_calloc(&stmt->compiled, ins->cols_count + 1, sizeof(*ins->cols));
    ins->listed = arena_calloc(&stmt->compiled, t->columns_count, sizeof(*ins->listed));
    if (!ins->cols || !ins->listed)
        return DN_FAIL_NOMEM(err);
    rc = ins_columns(ins, ast, err);
    if (rc == 0)
        rc = ins_check_counts(ins, ast, err);
    if (rc == 0)
        rc = ins_check_unlisted(ins, ast, err);
    return rc;
}

/* ---- run ---- */

struct ins_run {
    struct dendro_stmt *stmt;
    const struct insert_stmt *ast;
    const struct table *table;
    struct colbuf *bufs;  /* by table column; only the listed ones are used */
    struct arena strings; /* of the buffers */
    struct arena scratch; /* reset after each row */
    struct plan_env env;  /* of expressions */
    bool scratch_used;
};

/* A value before it is made the column's. */
struct ins_value {
    struct datum d;
    bool untyped; /* a quoted literal */
    bool loose;   /* now(): nobody wrote the digits that a coarser column drops */
};

/* A value that is neither literal nor parameter. */
static int
ins_eval(struct ins_run *r, const struct expr *e, struct ins_value *ret, struct dn_err *err)
{
    struct eval ev = {.arena = &r->scratch, .now_ns = r->env.now_ns};
    struct bexpr *b;
    int rc = plan_value_expr(&r->env, e, "VALUES", &b, err);

    r->scratch_used = true;
    if (rc < 0)
        return rc;
    ret->untyped = b->type == TYPE_NONE;
    ret->loose = b->kind == BEXPR_CALL && (b->func->flags & FUNC_STABLE);
    if (b->kind == BEXPR_CONST) {
        ret->d = b->value;
        return 0;
    }
    return expr_eval_datum(b, &ev, &ret->d, err);
}

static int
ins_value(struct ins_run *r, const struct expr *e, struct ins_value *ret, struct dn_err *err)
{
    ret->loose = false;
    if (e->kind == EXPR_LITERAL) {
        ret->d = e->value;
        ret->untyped = e->value.type == TYPE_VARCHAR;
        return 0;
    }
    if (e->kind == EXPR_PARAM) {
        ret->d = r->stmt->params[e->param - 1].value;
        ret->untyped = r->stmt->params[e->param - 1].untyped;
        return 0;
    }
    return ins_eval(r, e, ret, err);
}

static int ins_cell(
    struct ins_run *r, const struct expr *e, uint16_t col, struct datum *ret, struct dn_err *err)
{
    const struct column *c = &r->table->columns[col];
    struct plan_target to = {.type = c->type};
    struct ins_value v;
    int rc;

    if (!e) { /* DEFAULT */
        *ret = (struct datum){.type = c->type, .null = true};
        if (c->has_default)
            *ret = c->def;
        return ins_check(r->table, col, ret, err);
    }
    rc = ins_value(r, e, &v, err);
    if (rc < 0)
        return rc;
    to.exact = c->key_pos > 0 && !v.loose;
    r->scratch_used = r->scratch_used || v.untyped;
    rc = plan_assign(&to, &v.d, v.untyped, &r->scratch, ret, err);
    return rc < 0 ? rc : ins_check(r->table, col, ret, err);
}

static int ins_row(struct ins_run *r, uint32_t row, struct dn_err *err)
{
    const struct stmt_insert *ins = &r->stmt->insert;
    uint64_t key_bytes = ins->key_bytes;
    struct datum d;
    int rc;

    for (uint32_t i = 0; i < ins->cols_count; i++) {
        const struct expr *e = r->ast->rows[row][i];
        uint16_t col = ins->cols[i];
        const struct column *c = &r->table->columns[col];

        rc = ins_cell(r, e, col, &d, err);
        if (rc == 0 && c->key_pos > 0 && type_is_string(c->type)) {
            key_bytes += d.str.len;
            if (key_bytes > INS_KEY_BYTES_MAX)
                rc = DN_FAIL(err,
                             DN_E_TOO_LONG,
                             "the key's text is longer than %u bytes",
                             INS_KEY_BYTES_MAX);
        }
        if (rc == 0 && !colbuf_append(&r->bufs[col], &d))
            rc = DN_FAIL_NOMEM(err);
        if (rc < 0) {
            if (rc != DN_E_NOMEM)
                dn_err_prefix(err, "row %u, column \"%s\"", row + 1, c->name);
            dn_err_at(err, e ? e->pos : r->ast->rows_pos[row]);
            return rc;
        }
    }
    if (r->scratch_used)
        arena_reset(&r->scratch);
    r->scratch_used = false;
    return 0;
}

static int ins_rows(struct ins_run *r, struct dn_err *err)
{
    int rc;

    for (uint32_t i = 0; i < r->stmt->insert.cols_count; i++) {
        if (!colbuf_reserve(&r->bufs[r->stmt->insert.cols[i]], r->ast->rows_count))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t row = 0; row < r->ast->rows_count; row++) {
        if (row % INS_CANCEL_ROWS == 0 && atomic_load(&r->stmt->conn->cancel))
            return DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
        rc = ins_row(r, row, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* A column that is not listed: its default, NULL, or (patch) not said at all. */
static bool ins_unlisted(struct ins_run *r, uint16_t col, struct vec *ret)
{
    static const uint64_t absent = 1;
    const struct column *c = &r->table->columns[col];
    bool unsaid = r->stmt->insert.partial && c->key_pos == 0;
    struct datum d = {.type = c->type, .null = true};

    if (c->has_default && !unsaid)
        d = c->def;
    if (!vec_make_const(&r->strings, &d, r->ast->rows_count, ret))
        return false;
    if (unsaid)
        ret->absent = &absent;
    return true;
}

static int ins_write(struct ins_run *r, struct dn_err *err)
{
    const struct stmt_insert *ins = &r->stmt->insert;
    struct dendro_conn *conn = r->stmt->conn;
    uint16_t n = r->table->columns_count;
    struct vec *cols = arena_calloc(&r->strings, n, sizeof(*cols));
    struct shard_batch batch = {.table = r->table,
                                .cols = cols,
                                .rows = r->ast->rows_count,
                                .op = ins->partial ? ROW_PATCH : ROW_PUT};
    uint64_t seq;
    int rc;

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < n; i++) {
        if (ins->listed[i])
            cols[i] = colbuf_vec(&r->bufs[i], 0, r->ast->rows_count);
        else if (!ins_unlisted(r, i, &cols[i]))
            return DN_FAIL_NOMEM(err);
    }
    rc = engine_sync_shard(conn->db, err);
    if (rc == 0)
        rc = shard_write(conn->db->shard, &batch, 1, conn->settings.synchronous_commit, &seq, err);
    return rc;
}

static int ins_params(struct ins_run *r, struct dn_err *err)
{
    uint32_t n = r->stmt->ast->params_count;
    struct datum *literals = arena_alloc_array(&r->strings, n + 1, sizeof(*literals));
    bool *untyped = arena_alloc_array(&r->strings, n + 1, sizeof(*untyped));

    if (!literals || !untyped)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++) {
        literals[i] = r->stmt->params[i].value;
        untyped[i] = r->stmt->params[i].untyped;
    }
    r->env.literals = literals;
    r->env.literals_untyped = untyped;
    r->env.literals_count = n;
    return 0;
}

int stmt_run_insert(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct table *t = stmt->insert.table;
    struct ins_run r = {.stmt = stmt, .ast = stmt->ast->insert, .table = t};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    arena_init(&r.strings, &stmt->owner);
    arena_init(&r.scratch, &stmt->owner);
    r.env = session_plan_env(stmt->conn, stmt->catalog, &r.scratch);
    r.bufs = mem_calloc(&stmt->owner, t->columns_count, sizeof(*r.bufs));
    if (!r.bufs) {
        rc = DN_FAIL_NOMEM(err);
        goto out;
    }
    for (uint16_t i = 0; i < t->columns_count; i++)
        colbuf_init(&r.bufs[i], t->columns[i].type, &stmt->owner, &r.strings);
    rc = ins_params(&r, err);
    if (rc == 0)
        rc = ins_rows(&r, err);
    if (rc == 0)
        rc = ins_write(&r, err);
    if (rc == 0)
        stmt->rows_count = r.ast->rows_count;
out:
    for (uint16_t i = 0; r.bufs && i < t->columns_count; i++)
        colbuf_done(&r.bufs[i]);
    mem_free(r.bufs);
    arena_done(&r.scratch);
    arena_done(&r.strings);
    return rc;
}
