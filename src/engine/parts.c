/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.c: see parts.h. */
#include "engine/parts.h"

#include "engine/engine_int.h"
#include "engine/merge.h"
#include "engine/names.h"
#include "engine/stmt_ops.h"

/* ---- compile ---- */

static struct with_clause *part_with(const struct stmt *ast)
{
    return ast->query    ? ast->query->with
           : ast->insert ? ast->insert->with
           : ast->change ? ast->change->with
                         : NULL;
}

static uint32_t part_count(const struct with_clause *with)
{
    uint32_t n = 0;

    for (uint32_t i = 0; with && i < with->ctes_count; i++)
        n += with->ctes[i].change != NULL;
    return n;
}

/* Whose WITH it is. */
static const struct stmt *parts_ast(const struct dendro_stmt *stmt)
{
    const struct stmt *ast = stmt_inner(stmt);

    if (ast->kind == STMT_PREPARE && ast->explained->kind != STMT_MERGE)
        return ast->explained; /* EXECUTE makes the parts of a MERGE */
    return ast->kind == STMT_COPY && ast->explained ? ast->explained : ast;
}

bool stmt_has_parts(const struct stmt *ast)
{
    return ast->kind == STMT_MERGE || part_count(part_with(ast)) > 0;
}

void stmt_parts_free(struct stmt_parts *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->v && p->v[i]) {
            stmt_stop(p->v[i]);
            p->v[i]->params = NULL; /* the statement's */
            stmt_free(p->v[i]);
        }
        if (p->rows)
            exec_rows_done(&p->rows[i]);
    }
    stmt_parts_changed_free(p);
    mem_free(p->v);
    mem_free(p->seen);
    mem_free(p->rows);
    mem_free(p);
}

/* The part sees the queries of WITH that stand before it, or all of them, and its own. */
static int part_sight(struct dendro_stmt *part,
                      const struct with_clause *with,
                      uint32_t before,
                      struct dn_err *err)
{
    struct stmt *ast = part->ast;
    const struct with_clause *own = part_with(ast);
    uint32_t own_count = own ? own->ctes_count : 0;
    struct with_clause *all = arena_dup(&part->arena, with, sizeof(*all));

    if (!all)
        return DN_FAIL_NOMEM(err);
    all->ctes = arena_calloc(&part->arena, (size_t)before + own_count + 1, sizeof(*all->ctes));
    if (!all->ctes)
        return DN_FAIL_NOMEM(err);
    if (before)
        memcpy(all->ctes, with->ctes, before * sizeof(*all->ctes));
    if (own_count)
        memcpy(all->ctes + before, own->ctes, own_count * sizeof(*all->ctes));
    all->ctes_count = before + own_count;
    all->recursive = with->recursive || (own && own->recursive);
    if (ast->insert) {
        ast->insert = arena_dup(&part->arena, ast->insert, sizeof(*ast->insert));
        if (!ast->insert)
            return DN_FAIL_NOMEM(err);
        ast->insert->with = all;
    } else {
        ast->change = arena_dup(&part->arena, ast->change, sizeof(*ast->change));
        if (!ast->change)
            return DN_FAIL_NOMEM(err);
        ast->change->with = all;
    }
    return 0;
}

/* Where a part stands. */
struct part_place {
    const struct with_clause
        *with; /* it sees the first `before` of it; NULL: it has all it needs */
    uint32_t before;
    uint32_t shard; /* of a time partition */
    uint32_t into;  /* whose rows are those that it returns */
};

static int part_compile(struct dendro_stmt *stmt,
                        const struct stmt *ast,
                        const struct part_place *at,
                        struct dn_err *err)
{
    struct stmt_parts *p = stmt->parts;
    struct dendro_stmt *part = stmt_new_unlisted(stmt->conn);
    struct plan_part *seen = &p->seen[p->seen_count];
    int rc = 0;

    if (!part)
        return DN_FAIL_NOMEM(err);
    p->v[p->seen_count] = part;
    part->ast = arena_dup(&part->arena, ast, sizeof(*part->ast));
    if (!part->ast)
        return DN_FAIL_NOMEM(err);
    part->ast->params_count = parts_ast(stmt)->params_count;
    part->ast->text = NULL;
    part->params = stmt->params;
    part->keep = &p->rows[at->into];
    part->shard = at->shard;
    if (at->with)
        rc = part_sight(part, at->with, at->before, err);
    if (rc == 0)
        rc = stmt_compile_part(part, stmt->catalog, p, err);
    if (rc < 0)
        return rc;
    *seen = (struct plan_part){.change = at->shard ? part->ast : ast};
    if (part->returning) {
        seen->cols = part->returning->cols;
        seen->cols_count = part->returning->cols_count;
    }
    p->seen_count++;
    return 0;
}

/* UPDATE and DELETE of a time partition: how many shards are there beside the newest? */
static uint32_t part_shards(const struct dendro_stmt *stmt, const struct stmt *ast)
{
    struct catalog_relation r = {.table = NULL};
    struct dn_err ignored;
    uint32_t n = 1;

    dn_err_clear(&ignored);
    if ((ast->kind != STMT_UPDATE && ast->kind != STMT_DELETE) ||
        session_relation(stmt->conn, stmt->catalog, &ast->change->table, &r, &ignored) < 0 ||
        !r.table || !r.table->timepart)
        return 0;
    while (timepart_nth(stmt->catalog, r.table, n))
        n++;
    return n - 1;
}

/* The part, and itself in older shards: what it returns there are its rows, too. */
static int part_compile_all(struct dendro_stmt *stmt,
                            const struct stmt *ast,
                            const struct with_clause *with,
                            uint32_t before,
                            struct dn_err *err)
{
    uint32_t shards = part_shards(stmt, ast);
    struct part_place at = {.with = with, .before = before, .into = stmt->parts->seen_count};
    int rc = 0;

    for (; rc == 0 && at.shard <= shards; at.shard++)
        rc = part_compile(stmt, ast, &at, err);
    return rc;
}

static void part_drop(struct stmt_parts *p)
{
    struct dendro_stmt *part = p->v[p->seen_count];

    p->v[p->seen_count] = NULL;
    if (!part)
        return;
    part->params = NULL; /* the statement's */
    stmt_free(part);
}

/* The parts of a WITH, each after those that it reads. */
static int
part_compile_with(struct dendro_stmt *stmt, const struct with_clause *with, struct dn_err *err)
{
    struct stmt_parts *p = stmt->parts;
    bool *done = arena_calloc(&stmt->compiled, (size_t)with->ctes_count + 1, sizeof(*done));
    uint32_t left = part_count(with);
    int rc = 0;

    if (!done)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; left > 0 && i < with->ctes_count; i++) {
        const struct stmt *ast = with->ctes[i].change;
        bool waits = false;
        const struct plan_later later = {.with = with, .self = ast, .waits = &waits};

        if (!ast || done[i])
            continue;
        p->later = with->recursive ? &later : NULL;
        rc = part_compile_all(stmt, ast, with, with->recursive ? with->ctes_count : i, err);
        p->later = NULL;
        if (rc < 0 && !waits)
            return rc;
        if (rc < 0) {
            part_drop(p);
            continue; /* another one goes first; the last that waits says why none can */
        }
        done[i] = true;
        left--;
        i = UINT32_MAX; /* those before it may have waited for it */
    }
    return left > 0 ? rc : 0;
}

static uint32_t part_total(const struct dendro_stmt *stmt, const struct with_clause *with)
{
    uint32_t n = 0;

    for (uint32_t i = 0; with && i < with->ctes_count; i++)
        if (with->ctes[i].change)
            n += 1 + part_shards(stmt, with->ctes[i].change);
    return n;
}

int stmt_parts_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct stmt *ast = parts_ast(stmt);
    const struct with_clause *with = part_with(ast);
    struct stmt **merge = NULL;
    uint32_t merges = 0; /* what a MERGE is made of; its WITH is theirs */
    uint32_t shards = part_shards(stmt, ast);
    uint32_t n = part_total(stmt, with) + shards;
    struct stmt_parts *p;
    int rc = 0;

    if (ast->kind == STMT_MERGE)
        rc = stmt_merge_parts(stmt, &merge, &merges, err);
    for (uint32_t i = 0; rc == 0 && i < merges; i++)
        n += 1 + part_shards(stmt, merge[i]);
    if (rc < 0 || n == 0 ||
        (ast->kind != STMT_SELECT && ast->kind != STMT_INSERT && ast->kind != STMT_UPDATE &&
         ast->kind != STMT_DELETE && ast->kind != STMT_MERGE))
        return rc;
    p = stmt->parts = stmt->among = mem_calloc(&stmt->owner, 1, sizeof(*p));
    if (!p)
        return DN_FAIL_NOMEM(err);
    p->count = n;
    p->whole = stmt;
    p->v = mem_calloc(&stmt->owner, n, sizeof(struct dendro_stmt *));
    p->seen = mem_calloc(&stmt->owner, n, sizeof(*p->seen));
    p->rows = mem_calloc(&stmt->owner, n, sizeof(*p->rows));
    if (!p->v || !p->seen || !p->rows)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < merges; i++)
        rc = part_compile_all(stmt, merge[i], NULL, 0, err);
    if (rc == 0 && with)
        rc = part_compile_with(stmt, with, err);
    p->shards = shards;
    for (uint32_t i = 1; rc == 0 && i <= shards; i++)
        rc = part_compile(stmt, ast, &(struct part_place){.shard = i, .into = p->seen_count}, err);
    return rc;
}

/* ---- run ---- */

static int part_run(struct dendro_stmt *stmt, uint32_t i, struct dn_err *err)
{
    struct stmt_parts *p = stmt->parts;
    struct dendro_stmt *part = p->v[i];
    enum type_id *types = arena_alloc_array(&part->run, p->seen[i].cols_count + 1, sizeof(*types));
    int rc;

    if (!types)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < p->seen[i].cols_count; c++) {
        types[c] = p->seen[i].cols[c].type;
        if (types[c] == TYPE_NONE)
            types[c] = TYPE_VARCHAR;
    }
    part->params = stmt->params;
    rc = exec_rows_init(&p->rows[i], types, p->seen[i].cols_count, false, &stmt->owner, err);
    if (rc == 0)
        rc = stmt_ops_of(part->ast)->run(part, err);
    stmt_stop(part);
    p->done = i + 1;
    return rc;
}

/* All rows of a SELECT: what it says may still fail, and then nothing was written. */
static int part_gather(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct describe *to = &stmt->rows;
    uint32_t cols = stmt->cols_count;
    size_t room = 0;
    struct batch b;
    int rc = 0;

    *to = (struct describe){.cols_count = cols};
    while (rc == 0 && (rc = stmt_pull(stmt, &b, err)) == 0) {
        if (to->rows_count + b.sel_count > room) {
            size_t more = 2 * room + b.sel_count;
            struct datum *cells = arena_calloc(&stmt->run, more * cols + 1, sizeof(*cells));

            if (!cells)
                return DN_FAIL_NOMEM(err);
            if (to->rows_count)
                memcpy(cells, to->cells, to->rows_count * cols * sizeof(*cells));
            to->cells = cells;
            room = more;
        }
        for (uint32_t k = 0; rc == 0 && k < b.sel_count; k++, to->rows_count++)
            for (uint32_t i = 0; rc == 0 && i < cols; i++) {
                struct datum d = vec_datum(&b.cols[i], b.sel ? b.sel[k] : k);

                if (!datum_copy(&stmt->run, &d, &to->cells[to->rows_count * cols + i]))
                    rc = DN_FAIL_NOMEM(err);
            }
    }
    exec_close(stmt->root);
    stmt->root = NULL;
    return rc == DN_EOF ? 0 : rc;
}

/* What the statement did in other shards is of its result. */
static int part_add_shards(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct stmt_parts *p = stmt->parts;
    struct describe *to = &stmt->rows;
    uint32_t cols = stmt->returning ? stmt->returning->cols_count : 0;
    size_t rows = to->rows_count;
    struct datum *cells;

    for (uint32_t i = p->count - p->shards; i < p->count; i++) {
        stmt->rows_count += p->v[i]->rows_count;
        rows += p->rows[i].count;
    }
    if (!stmt->returning)
        return 0;
    cells = arena_calloc(&stmt->run, rows * cols + 1, sizeof(*cells));
    if (!cells)
        return DN_FAIL_NOMEM(err);
    if (to->rows_count)
        memcpy(cells, to->cells, to->rows_count * cols * sizeof(*cells));
    to->cells = cells;
    to->cols_count = cols;
    for (uint32_t i = p->count - p->shards; i < p->count; i++)
        for (uint32_t row = 0; row < p->rows[i].count; row++, to->rows_count++)
            for (uint32_t c = 0; c < cols; c++) {
                struct datum d = exec_rows_datum(&p->rows[i], c, row);

                if (!datum_copy(&stmt->run, &d, &cells[to->rows_count * cols + c]))
                    return DN_FAIL_NOMEM(err);
            }
    return 0;
}

static int parts_once(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct stmt_parts *p = stmt->parts;
    struct dendro_conn *conn = stmt->conn;
    int rc = 0;

    p->done = 0;
    tx_one_snapshot(conn, true);
    for (uint32_t i = 0; rc == 0 && i < p->count; i++)
        rc = part_run(stmt, i, err);
    if (rc == 0)
        rc = stmt_ops_of(stmt->ast)->run(stmt, err);
    if (rc == 0 && stmt->root)
        rc = part_gather(stmt, err);
    if (rc == 0 && p->shards > 0)
        rc = part_add_shards(stmt, err);
    tx_one_snapshot(conn, false);
    for (uint32_t i = 0; i < p->count; i++)
        exec_rows_done(&p->rows[i]);
    stmt_parts_changed_free(p);
    p->done = 0;
    return rc;
}

int stmt_parts_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    int rc;

    if (stmt->ast->kind == STMT_PREPARE ||
        (stmt->ast->kind == STMT_EXPLAIN && !stmt->ast->explain.analyze))
        return stmt_ops_of(stmt->ast)->run(stmt, err);
    if (tx_in_block(conn))
        return parts_once(stmt, err);
    for (;;) {
        stmt_unwind(stmt);
        rc = tx_begin_one(conn, err);
        if (rc == 0 && !stmt_compiled(stmt))
            rc = stmt_compile_again(stmt, err);
        if (rc == 0)
            rc = parts_once(stmt, err);
        rc = tx_end_one(conn, rc, err);
        if (rc != DN_E_CONFLICT || stmt->ast->kind == STMT_COPY) /* rows are on their way already */
            break;
        rc = retry_again(&stmt->retry, conn, rc, err);
        if (rc < 0)
            break;
    }
    return rc;
}
