/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_query.c: INSERT … SELECT. The query reads a snapshot from before the statement, so that it
 * ends also when it reads the table it writes. Its rows go through the same checks as those of
 * VALUES and are one commit: through the log, or, when they are many, straight into segments that
 * become visible together (store/shard_load.h). Errors name the row of the query (the first is 1)
 * and the column. */
#include "engine/engine_int.h"

#include "engine/intake_bulk.h"
#include "engine/ttl.h"

#include <inttypes.h>

#define INSQ_RETURN_MAX (32u * 1024 * 1024) /* rows */

/* ---- compile ---- */

/* A quoted literal or a parameter in the select list stands for what the column needs. */
static bool insq_untyped(const struct query *q, uint32_t i)
{
    const struct expr *e;

    if (q->kind != QUERY_SELECT || i >= q->core->items_count || q->core->distinct)
        return false;
    for (uint32_t k = 0; k <= i; k++)
        if (q->core->items[k].expr->kind == EXPR_STAR)
            return false;
    e = q->core->items[i].expr;
    return e->kind == EXPR_PARAM || (e->kind == EXPR_LITERAL && e->value.type == TYPE_VARCHAR);
}

static int
insq_mismatch(const struct dendro_stmt *stmt, const struct query *q, uint32_t i, struct dn_err *err)
{
    const struct column *c = &stmt->insert.table->columns[stmt->insert.cols[i]];
    int rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "column \"%s\" is %s, and column %u of the query is %s",
                     c->name,
                     type_word(c->type),
                     i + 1,
                     type_word(stmt->plan->cols[i].type));

    dn_err_hint(err, "CAST(… AS %s) says how it is meant.", type_name(c->type));
    dn_err_at(err, q->pos);
    return rc;
}

int stmt_compile_insert_query(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    struct intake_target *to = &stmt->insert;
    const struct query *q = ast->insert->query;
    uint32_t n;
    int rc = plan_query(&env, ast, ast->insert->with, q, &stmt->plan, err);

    if (rc < 0)
        return rc;
    stmt->reads = q;
    n = stmt->plan->cols_count;
    if (!ast->insert->columns && n > 0)
        intake_target_first(to, n);
    if (n != to->cols_count) {
        rc = DN_FAIL(err,
                     DN_E_ENTRY_COUNT,
                     "the query has too %s columns: %u for %u of the table",
                     n > to->cols_count ? "many" : "few",
                     n,
                     to->cols_count);
        dn_err_at(err, q->pos);
        return rc;
    }
    for (uint32_t i = 0; i < n; i++) {
        enum type_id from = stmt->plan->cols[i].type;

        if (from != TYPE_NONE && !insq_untyped(q, i) &&
            !plan_assignable(to->table->columns[to->cols[i]].type, from))
            return insq_mismatch(stmt, q, i, err);
    }
    return 0;
}

/* ---- run ---- */

struct insq {
    struct dendro_stmt *stmt;
    struct intake_bulk bulk;
    struct arena scratch; /* of one batch */
    bool *plain;          /* by value: the vector is taken as it is */
    bool *untyped;        /* by value */
    const struct plan_col *cols;
    bool user; /* OVERRIDING USER VALUE */
};

/* Which values need no look at each of them. */
static int insq_kinds(struct insq *r, const struct plan *plan, struct dn_err *err)
{
    const struct intake_target *to = &r->stmt->insert;
    struct arena *arena = &r->stmt->run;

    r->plain = arena_calloc(arena, to->cols_count + 1, sizeof(*r->plain));
    r->untyped = arena_calloc(arena, to->cols_count + 1, sizeof(*r->untyped));
    r->cols = plan->cols;
    if (!r->plain || !r->untyped)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < to->cols_count; i++) {
        const struct column *c = &to->table->columns[to->cols[i]];

        r->untyped[i] = insq_untyped(r->stmt->reads, i) && plan->cols[i].type == TYPE_VARCHAR;
        r->plain[i] = !r->untyped[i] && !column_is_identity(c) && plan->cols[i].type == c->type &&
                      !c->not_null && c->key_pos == 0 && to->table->time_col != (int)to->cols[i] &&
                      !type_is_float(c->type) && c->type != TYPE_BPCHAR &&
                      c->type != type_array_of(TYPE_BPCHAR) && c->mods.count == 0;
    }
    return 0;
}

static int
insq_value(struct insq *r, const struct vec *v, uint32_t row, uint32_t i, struct dn_err *err)
{
    const struct intake_target *to = &r->stmt->insert;
    struct intake_value value = {
        .d = vec_datum(v, row), .untyped = r->untyped[i], .digits = r->cols[i].digits};
    struct datum d;
    bool given = !r->user || !column_is_identity(&to->table->columns[to->cols[i]]);
    int rc = given
                 ? intake_assign(to->table, to->cols[i], &value, to->session, &r->scratch, &d, err)
                 : intake_default(to, to->cols[i], &r->bulk.rows->run, &r->scratch, &d, err);

    if (rc == 0)
        rc = intake_put(r->bulk.rows, to->cols[i], &d, err);
    if (rc < 0 && rc != DN_E_NOMEM)
        dn_err_prefix(err,
                      "row %" PRIu64 " of the query, column \"%s\"",
                      r->bulk.count + 1,
                      to->table->columns[to->cols[i]].name);
    if (rc < 0) {
        dn_err_at(err, r->stmt->reads->pos);
        return rc;
    }
    r->bulk.bytes +=
        type_is_string(d.type) ? sizeof(d.str) + d.str.len : phys_size(type_phys(d.type));
    return 0;
}

static int insq_plain(struct insq *r, const struct batch *b, uint32_t i, struct dn_err *err)
{
    const struct intake_target *to = &r->stmt->insert;
    enum type_id type = to->table->columns[to->cols[i]].type;
    const struct vec *v = &b->cols[i];

    if (!colbuf_append_vec(&r->bulk.rows->bufs[to->cols[i]], v, b->sel, b->sel_count))
        return DN_FAIL_NOMEM(err);
    r->bulk.bytes += (size_t)b->sel_count * phys_size(type_phys(type));
    for (uint32_t k = 0; type_is_string(type) && k < b->sel_count; k++) {
        struct datum d = vec_datum(v, b->sel ? b->sel[k] : k);

        r->bulk.bytes += d.null ? 0 : d.str.len;
    }
    return 0;
}

static int insq_batch(struct insq *r, const struct batch *b, struct dn_err *err)
{
    uint32_t cols = r->stmt->insert.cols_count;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < cols; i++)
        if (r->plain[i])
            rc = insq_plain(r, b, i, err);
    for (uint32_t k = 0; rc == 0 && k < b->sel_count; k++) {
        intake_begin_row(r->bulk.rows);
        for (uint32_t i = 0; rc == 0 && i < cols; i++)
            if (!r->plain[i])
                rc = insq_value(r, &b->cols[i], b->sel ? b->sel[k] : k, i, err);
        intake_end_row(r->bulk.rows);
        r->bulk.count++;
    }
    arena_reset(&r->scratch);
    if (rc == 0 && !r->stmt->returning && !r->stmt->conflict)
        rc = intake_bulk_settle(&r->bulk, err);
    if (rc == 0 && r->bulk.rows->rows > INSQ_RETURN_MAX)
        rc = DN_FAIL(err,
                     DN_E_TOO_COMPLEX,
                     "RETURNING and ON CONFLICT are for %u rows of a query at most",
                     INSQ_RETURN_MAX);
    return rc;
}

static int insq_end(struct insq *r, struct dn_err *err)
{
    uint64_t before = r->bulk.count - r->bulk.rows->rows; /* handed in already */
    int rc;

    if (r->bulk.load)
        return intake_bulk_end(&r->bulk, err);
    before -= r->stmt->conn->late - r->bulk.late; /* … but for those that came too late */
    rc = stmt_write_intake(r->stmt, r->bulk.rows, &r->bulk.count, err);
    r->bulk.count += before;
    return rc;
}

int stmt_run_insert_query(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct insq r = {.stmt = stmt,
                     .bulk = {.conn = stmt->conn, .to = &stmt->insert, .owner = &stmt->owner}};
    const struct insert_stmt *insert;
    const struct plan *plan;
    struct batch b;
    int rc = stmt_begin(stmt, stmt_inner(stmt), err);

    if (rc < 0)
        return rc;
    plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    insert = stmt_inner(stmt)->insert; /* NULL: it is a CREATE TABLE AS */
    r.user = insert && insert->overriding == OVERRIDING_USER;
    arena_init(&r.scratch, &stmt->owner);
    rc = stmt_expiry(stmt, stmt->insert.table, insert ? insert->ttl : NULL, &r.bulk.expiry_ns, err);
    if (rc == 0)
        rc = intake_bulk_begin(&r.bulk, err);
    if (rc == 0)
        rc = insq_kinds(&r, plan, err);
    if (rc == 0)
        rc = exec_open(plan, &stmt->ctx, &stmt->root, err);
    while (rc == 0 && (rc = exec_next(stmt->root, &b, err)) == 0)
        rc = insq_batch(&r, &b, err);
    exec_close(stmt->root);
    stmt->root = NULL;
    if (rc == DN_EOF)
        rc = insq_end(&r, err);
    stmt->rows_count = rc == 0 && !stmt_returns(stmt) ? r.bulk.count : 0;
    intake_bulk_done(&r.bulk);
    arena_done(&r.scratch);
    return rc;
}
