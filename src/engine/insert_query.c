/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_query.c: INSERT … SELECT. The query reads a snapshot from before the statement, so that it
 * ends also when it reads the table it writes. Its rows go through the same checks as those of
 * VALUES and are one commit: through the log, or, when they are many, straight into segments that
 * become visible together (store/shard_load.h). Errors name the row of the query (the first is 1)
 * and the column. */
#include "engine/engine_int.h"

#include "store/shard_load.h"

#include <inttypes.h>

#define INSQ_DIRECT_BYTES (64u * 1024 * 1024) /* more goes past the log */
#define INSQ_RETURN_MAX   (32u * 1024 * 1024) /* rows */
#define INSQ_SHARE        8u                  /* … or more than that part of the memory */

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
                     type_name(c->type),
                     i + 1,
                     type_name(stmt->plan->cols[i].type));

    dn_err_hint(err, "CAST(… AS %s) says how it is meant.", type_name(c->type));
    dn_err_at(err, q->pos);
    return rc;
}

int stmt_compile_insert_query(struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    struct plan_env env = session_plan_env(stmt->conn, stmt->catalog, &stmt->compiled);
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
    struct intake *rows;     /* owned; those not handed over yet */
    struct shard_load *load; /* NULL: not that many */
    struct arena scratch;    /* of one batch */
    size_t bytes;            /* about what rows holds */
    uint64_t count;          /* rows of the query so far */
    bool *plain;             /* by value: the vector is taken as it is */
    bool *untyped;           /* by value */
};

static void insq_release(void *arg)
{
    struct intake *rows = arg;

    intake_done(rows);
    mem_free(rows);
}

static int insq_begin(struct insq *r, struct dn_err *err)
{
    int rc;

    r->rows = mem_calloc(&r->stmt->owner, 1, sizeof(*r->rows));
    r->bytes = 0;
    if (!r->rows)
        return DN_FAIL_NOMEM(err);
    rc = intake_init(r->rows, &r->stmt->insert, &r->stmt->owner, err);
    session_intake_run(r->stmt->conn, &r->rows->run);
    r->rows->run.first = r->count + 1;
    return rc;
}

static size_t insq_limit(const struct insq *r)
{
    size_t limit = r->stmt->conn->db->owner.limit;

    return limit > 0 && limit / INSQ_SHARE < INSQ_DIRECT_BYTES ? limit / INSQ_SHARE
                                                               : INSQ_DIRECT_BYTES;
}

/* What has come so far goes to the volume; nobody sees it before the end. */
static int insq_hand_over(struct insq *r, struct dn_err *err)
{
    struct dendro_db *db = r->stmt->conn->db;
    struct shard_load_options options = {
        .batch_bytes = insq_limit(r), .whole = true, .cancel = &r->stmt->conn->cancel};
    struct shard_load_part part = {.bytes = r->bytes, .release = insq_release};
    struct shard_batch batch;
    int rc = r->load ? 0 : engine_write_ready(db, r->stmt->insert.table, err);

    if (rc == 0 && !r->load)
        rc = shard_load_begin(db->shard, r->stmt->insert.table, &options, &r->load, err);
    if (rc == 0)
        rc = intake_batch(r->rows, &batch, err);
    if (rc < 0)
        return rc;
    part.cols = batch.cols;
    part.rows = batch.rows;
    part.op = batch.op;
    part.arg = r->rows;
    r->rows = NULL;
    rc = shard_load_add(r->load, &part, err);
    return rc < 0 ? rc : insq_begin(r, err);
}

/* In a transaction block it goes with the block's other rows. */
static int insq_hand_in(struct insq *r, struct dn_err *err)
{
    int rc = intake_commit(r->rows, r->stmt->conn, err);

    intake_reset(r->rows);
    r->bytes = 0;
    return rc;
}

/* Which values need no look at each of them. */
static int insq_kinds(struct insq *r, const struct plan *plan, struct dn_err *err)
{
    const struct intake_target *to = &r->stmt->insert;
    struct arena *arena = &r->stmt->run;

    r->plain = arena_calloc(arena, to->cols_count + 1, sizeof(*r->plain));
    r->untyped = arena_calloc(arena, to->cols_count + 1, sizeof(*r->untyped));
    if (!r->plain || !r->untyped)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < to->cols_count; i++) {
        const struct column *c = &to->table->columns[to->cols[i]];

        r->untyped[i] = insq_untyped(r->stmt->reads, i) && plan->cols[i].type == TYPE_VARCHAR;
        r->plain[i] = !r->untyped[i] && plan->cols[i].type == c->type && !c->not_null &&
                      c->key_pos == 0 && to->table->time_col != (int)to->cols[i] &&
                      !type_is_float(c->type);
    }
    return 0;
}

static int
insq_value(struct insq *r, const struct vec *v, uint32_t row, uint32_t i, struct dn_err *err)
{
    const struct intake_target *to = &r->stmt->insert;
    struct intake_value value = {.d = vec_datum(v, row), .untyped = r->untyped[i]};
    struct datum d;
    int rc = intake_assign(to->table, to->cols[i], &value, &r->scratch, &d, err);

    if (rc == 0)
        rc = intake_put(r->rows, to->cols[i], &d, err);
    if (rc < 0 && rc != DN_E_NOMEM)
        dn_err_prefix(err,
                      "row %" PRIu64 " of the query, column \"%s\"",
                      r->count + 1,
                      to->table->columns[to->cols[i]].name);
    if (rc < 0)
        dn_err_at(err, r->stmt->reads->pos);
    r->bytes += type_is_string(d.type) ? sizeof(d.str) + d.str.len : phys_size(type_phys(d.type));
    return rc;
}

static int insq_plain(struct insq *r, const struct batch *b, uint32_t i, struct dn_err *err)
{
    const struct intake_target *to = &r->stmt->insert;
    enum type_id type = to->table->columns[to->cols[i]].type;
    const struct vec *v = &b->cols[i];

    if (!colbuf_append_vec(&r->rows->bufs[to->cols[i]], v, b->sel, b->sel_count))
        return DN_FAIL_NOMEM(err);
    r->bytes += (size_t)b->sel_count * phys_size(type_phys(type));
    for (uint32_t k = 0; type_is_string(type) && k < b->sel_count; k++) {
        struct datum d = vec_datum(v, b->sel ? b->sel[k] : k);

        r->bytes += d.null ? 0 : d.str.len;
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
        intake_begin_row(r->rows);
        for (uint32_t i = 0; rc == 0 && i < cols; i++)
            if (!r->plain[i])
                rc = insq_value(r, &b->cols[i], b->sel ? b->sel[k] : k, i, err);
        intake_end_row(r->rows);
        r->count++;
    }
    arena_reset(&r->scratch);
    if (rc == 0 && !r->stmt->returning && !r->stmt->conflict && r->bytes > insq_limit(r))
        rc = tx_in_block(r->stmt->conn) ? insq_hand_in(r, err) : insq_hand_over(r, err);
    if (rc == 0 && r->rows->rows > INSQ_RETURN_MAX)
        rc = DN_FAIL(err,
                     DN_E_TOO_COMPLEX,
                     "RETURNING and ON CONFLICT are for %u rows of a query at most",
                     INSQ_RETURN_MAX);
    return rc;
}

static int insq_end(struct insq *r, struct dn_err *err)
{
    int rc = 0;

    if (!r->load) {
        uint64_t before = r->count - r->rows->rows; /* handed in already */

        rc = stmt_write_intake(r->stmt, r->rows, &r->count, err);
        r->count += before;
        return rc;
    }
    if (r->rows->rows > 0)
        rc = insq_hand_over(r, err);
    return rc < 0 ? rc : shard_load_end(r->load, err);
}

int stmt_run_insert_query(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct insq r = {.stmt = stmt};
    const struct plan *plan;
    struct batch b;
    int rc = stmt_begin(stmt, stmt_inner(stmt), err);

    if (rc < 0)
        return rc;
    plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    arena_init(&r.scratch, &stmt->owner);
    rc = insq_begin(&r, err);
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
    stmt->rows_count = rc == 0 && !stmt_returns(stmt) ? r.count : 0;
    shard_load_free(r.load);
    if (r.rows)
        insq_release(r.rows);
    arena_done(&r.scratch);
    return rc;
}
