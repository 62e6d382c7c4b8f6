/* SPDX-License-Identifier: Apache-2.0
 *
 * cursor.c: see the header. FETCH is an operator of its own on top of the rows (cursor_int.h), so
 * that they go the way of all others. */
#include "engine/cursor.h"

#include "engine/cursor_int.h"
#include "engine/engine_int.h"
#include "engine/stmt_ops.h"

#include <stdio.h>
#include <string.h>

static struct session_cursor *cursor_find(struct dendro_conn *conn, const char *name)
{
    for (struct session_cursor *c = conn->cursors; c; c = c->next)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

int cursor_need(struct dendro_conn *conn,
                const struct spec_name *name,
                struct session_cursor **ret,
                struct dn_err *err)
{
    int rc;

    *ret = cursor_find(conn, name->s);
    if (*ret)
        return 0;
    rc = DN_FAIL(err, DN_E_NO_CURSOR, "cursor \"%s\" does not exist", name->s);
    dn_err_at(err, name->pos);
    return rc;
}

static void cursor_free(struct session_cursor *c)
{
    struct dendro_stmt *query = c->query;

    if (c->kept > 0)
        keep_release(query->conn, c->kept, false);
    exec_spill_reader_close(&c->reader);
    exec_spill_close(&c->spill);
    exec_rows_done(&c->mem);
    arena_done(&c->arena);
    mem_free(c->types);
    mem_free(c->keys);
    mem_free(c->name);
    mem_free(c->text);
    mem_free(c);
    dendro_finalize(query);
}

static bool fetch_is_of(const struct dendro_stmt *s, const struct session_cursor *c);

static void cursor_drop(struct dendro_conn *conn, struct session_cursor *c)
{
    struct session_cursor **link = &conn->cursors;

    for (struct dendro_stmt *s = conn->stmts; s; s = s->next)
        if (fetch_is_of(s, c)) {
            stmt_stop(s);
            s->lost = true;
        }

    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    cursor_free(c);
}

void cursor_close_all(struct dendro_conn *conn)
{
    while (conn->cursors)
        cursor_drop(conn, conn->cursors);
}

/* ---- DECLARE ---- */

/* The query as a statement of its own. */
static int cursor_prepare(struct dendro_stmt *stmt, struct session_cursor *c, struct dn_err *err)
{
    struct sql_text text;
    struct buf b;
    int rc;

    buf_init(&b, &stmt->owner);
    sql_print_stmt(stmt->ast->explained, &b);
    if (b.failed) {
        buf_done(&b);
        return DN_FAIL_NOMEM(err);
    }
    sql_text_init(&text, (const char *)b.data, b.len);
    rc = stmt_prepare(stmt->conn, &text, &(struct stmt_how){.of_cursor = true}, &c->query, err);
    buf_done(&b);
    if (rc != 0)
        return rc < 0 ? rc : DN_FAIL(err, DN_E_INTERNAL, "the query of a cursor is empty");
    for (uint32_t i = 0; i < c->query->ast->params_count && i < stmt->ast->params_count; i++) {
        struct stmt_param *to = &c->query->params[i];

        *to = stmt->params[i];
        if (!to->bytes)
            continue;
        to->bytes = mem_dup(&c->query->owner, to->value.str.ptr, to->value.str.len);
        to->value.str.ptr = to->bytes;
        if (!to->bytes) {
            to->bound = false;
            return DN_FAIL_NOMEM(err);
        }
    }
    return stmt_open(c->query, err);
}

/* What is kept of each row: what is fetched, and behind it what tells rows apart. */
static int cursor_columns(struct session_cursor *c, struct dn_err *err)
{
    const struct plan *plan = c->query->run_plan ? c->query->run_plan : c->query->plan;
    uint32_t shown = c->query->cols_count;

    c->cols_count = shown;
    for (uint32_t i = 0; plan && i < plan->locks_count; i++)
        c->cols_count += plan->locks[i].cols_count;
    c->types = mem_calloc(&c->owner, c->cols_count + 1, sizeof(*c->types));
    c->keys = mem_calloc(&c->owner, c->cols_count + 1, sizeof(*c->keys));
    if (!c->types || !c->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < shown; i++)
        c->types[i] = c->query->cols[i].type;
    for (uint32_t i = 0; plan && i < plan->locks_count; i++) {
        const struct plan_lock *lock = &plan->locks[i];

        for (uint32_t k = 0; k < lock->cols_count; k++) {
            uint32_t at = shown + lock->at + k;
            uint16_t col = lock->cols[k];
            bool hidden = col >= lock->table->columns_count;

            c->types[at] = store_col_type(lock->table, col);
            c->keys[at] = (struct cursor_key){.lock = i + 1,
                                              .table = lock->table->id,
                                              .column = hidden ? 0 : lock->table->columns[col].id};
        }
    }
    return 0;
}

static int cursor_begin(struct dendro_stmt *stmt, struct session_cursor *c, struct dn_err *err)
{
    const struct cursor *how = &stmt->ast->misc->cursor;
    const struct spec_name *name = &stmt->ast->misc->name;
    uint32_t len = stmt->ast->end_byte - stmt->ast->start_byte;
    int rc;

    c->page_first = UINT64_MAX;
    mem_owner_init(&c->owner, "cursor", keep_source(stmt->conn), 0);
    arena_init(&c->arena, &c->owner);
    c->hold = how->hold;
    c->in_block = tx_in_block(stmt->conn);
    c->scroll = how->scroll != MODE_NO;
    c->keeps = c->scroll || c->hold;
    c->serial = ++stmt->conn->cursors_made;
    c->binary = how->binary;
    c->made_us = stmt->conn->functions.statement_ns / 1000;
    c->name = mem_strdup(&c->owner, name->s);
    c->text = mem_calloc(&c->owner, (size_t)len + 1, 1);
    if (c->text)
        memcpy(c->text, stmt->ast->text + stmt->ast->start_byte, len);
    rc = c->name && c->text ? cursor_prepare(stmt, c, err) : DN_FAIL_NOMEM(err);
    if (rc < 0)
        return rc;
    rc = cursor_columns(c, err);
    return rc < 0 ? rc : exec_rows_init(&c->mem, c->types, c->cols_count, true, &c->owner, err);
}

static int cursor_run_declare(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct spec_name *name = &stmt->ast->misc->name;
    struct session_cursor *c;
    int rc;

    if (!tx_in_block(stmt->conn) && !stmt->ast->misc->cursor.hold) {
        rc = DN_FAIL(err, DN_E_NO_TX, "DECLARE CURSOR can only be used in transaction blocks");
        dn_err_hint(err, "BEGIN one, or declare the cursor WITH HOLD.");
        return rc;
    }
    if (cursor_find(stmt->conn, name->s)) {
        rc = DN_FAIL(err, DN_E_DUPLICATE_CURSOR, "cursor \"%s\" already exists", name->s);
        dn_err_at(err, name->pos);
        return rc;
    }
    c = mem_calloc(NULL, 1, sizeof(*c));
    if (!c)
        return DN_FAIL_NOMEM(err);
    rc = cursor_begin(stmt, c, err);
    if (rc == 0 && !c->in_block) /* its transaction ends with the statement */
        rc = cursor_reach_all(c, err);
    if (rc == 0)
        rc = cursor_keep(c, err);
    if (rc < 0) {
        cursor_free(c);
        return rc;
    }
    c->next = stmt->conn->cursors;
    stmt->conn->cursors = c;
    return 0;
}

static int cursor_run_close(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct spec_name *name = &stmt->ast->misc->name;
    struct session_cursor *c;
    int rc;

    for (c = stmt->conn->cursors; !name->s && c; c = c->next)
        if (c->busy)
            return DN_FAIL(err, DN_E_CURSOR_STATE, "cursor \"%s\" is in use", c->name);
    if (!name->s) {
        cursor_close_all(stmt->conn);
        return 0;
    }
    rc = cursor_need(stmt->conn, name, &c, err);
    if (rc == 0 && c->busy)
        rc = DN_FAIL(err, DN_E_CURSOR_STATE, "cursor \"%s\" is in use", c->name);
    if (rc == 0)
        cursor_drop(stmt->conn, c);
    return rc;
}

int cursor_hold_all(struct dendro_conn *conn, struct dn_err *err)
{
    int rc = 0;

    for (struct session_cursor *c = conn->cursors; rc == 0 && c; c = c->next)
        if (c->hold && c->in_block && !c->failed)
            rc = cursor_reach_all(c, err);
    return rc;
}

void cursor_end_block(struct dendro_conn *conn, bool commit)
{
    struct session_cursor *next;

    for (struct session_cursor *c = conn->cursors; c; c = next) {
        next = c->next;
        if (c->in_block && (!commit || !c->hold || c->failed))
            cursor_drop(conn, c);
        else
            c->in_block = false;
    }
}

void cursor_back_to(struct dendro_conn *conn, uint64_t serial)
{
    struct session_cursor *next;

    for (struct session_cursor *c = conn->cursors; c; c = next) {
        next = c->next;
        if (c->serial > serial)
            cursor_drop(conn, c);
    }
}

int cursor_check_unused(const struct dendro_conn *conn,
                        const struct table *t,
                        const char *what,
                        struct dn_err *err)
{
    for (const struct session_cursor *c = conn->cursors; c; c = c->next) {
        const struct plan *plan = c->query->plan;

        if (!c->in_block || c->failed || !plan)
            continue;
        for (uint32_t i = 0; i < plan->tables_count; i++)
            if (plan->tables[i]->id == t->id || plan->tables[i]->parent == t->id)
                return DN_FAIL(err,
                               DN_E_IN_USE,
                               "cannot %s \"%s\" because it is being used by active queries in "
                               "this session",
                               what,
                               t->name);
    }
    return 0;
}

/* ---- FETCH ---- */

/* Where a FETCH goes: `count` rows, one by one, from position `from` (the first is 1). */
struct fetch_plan {
    bool back;
    bool all;
    uint64_t from; /* 0: none */
    uint64_t count;
    uint64_t rest; /* the position when it ends before `count` rows, going back */
};

struct fetch_state {
    struct session_cursor *c;
    struct fetch_plan plan;
    uint16_t sel[VEC_ROWS_MAX];
};

static int fetch_no_way_back(const struct session_cursor *c, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_NOT_READY, "cursor \"%s\" can only scan forward", c->name);

    dn_err_hint(err, "Declare it with SCROLL option to enable backward scan.");
    return rc;
}

/* The next 1 to VEC_ROWS_MAX rows of a page; DN_EOF: no more. */
static int fetch_rows(struct fetch_state *f, struct batch *ret, struct dn_err *err)
{
    struct session_cursor *c = f->c;
    struct fetch_plan *p = &f->plan;
    uint32_t at;
    uint32_t n = 0;
    int rc;

    if (p->from == 0 || (p->count == 0 && !p->all))
        return DN_EOF;
    rc = cursor_reach(c, p->from - 1, err);
    if (rc != 0) {
        c->at = rc == DN_EOF ? cursor_known(c) + 1 : c->at;
        return rc;
    }
    rc = cursor_page(c, p->from - 1, ret, &at, err);
    if (rc < 0)
        return rc;
    while ((p->all || p->count > 0) && at < ret->count) {
        f->sel[n++] = (uint16_t)at;
        c->at = p->from;
        p->count -= !p->all;
        p->from = p->back ? p->from - 1 : p->from + 1;
        if (p->from == 0 || (p->back && at == 0))
            break;
        at = p->back ? at - 1 : at + 1;
    }
    if (p->from == 0 && (p->all || p->count > 0))
        c->at = 0;
    ret->sel = f->sel;
    ret->sel_count = n;
    return 0;
}

static int fetch_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    return fetch_rows(op->state, ret, err);
}

static void fetch_close(struct op *op)
{
    struct fetch_state *f = op->state;

    if (f->c)
        f->c->busy = false;
}

static const struct op_ops fetch_ops = {.name = "Fetch", .next = fetch_next, .close = fetch_close};

static bool fetch_is_of(const struct dendro_stmt *s, const struct session_cursor *c)
{
    return s->root && s->root->ops == &fetch_ops && ((struct fetch_state *)s->root->state)->c == c;
}

/* How many rows the query has: all of them are needed for that. */
static int fetch_count_rows(struct session_cursor *c, uint64_t *ret, struct dn_err *err)
{
    int rc = cursor_reach_all(c, err);

    *ret = cursor_known(c);
    return rc;
}

/* ABSOLUTE and RELATIVE: one row at a position, and the position itself. */
static int fetch_to(struct session_cursor *c, int64_t to, struct fetch_plan *p, struct dn_err *err)
{
    uint64_t rows;
    int rc = 0;

    if (to < 1) {
        *p = (struct fetch_plan){.from = 0};
        if (c->at > 0 && !c->scroll)
            return fetch_no_way_back(c, err);
        c->at = 0;
        return 0;
    }
    if ((uint64_t)to <= c->at && !c->scroll)
        return fetch_no_way_back(c, err);
    if (!c->scroll) { /* rows on the way there are given up */
        while (rc == 0 && c->at + 1 < (uint64_t)to) {
            rc = cursor_reach(c, c->at, err);
            c->at += rc == 0;
        }
        if (rc < 0)
            return rc;
    }
    rc = cursor_reach(c, (uint64_t)to - 1, err);
    if (rc == DN_EOF) {
        rows = cursor_known(c);
        c->at = rows + 1;
        *p = (struct fetch_plan){.from = 0};
        return 0;
    }
    *p = (struct fetch_plan){.from = (uint64_t)to, .count = 1};
    return rc;
}

static int
fetch_absolute(struct session_cursor *c, int64_t n, struct fetch_plan *p, struct dn_err *err)
{
    uint64_t rows;
    int rc;

    if (n >= 0)
        return fetch_to(c, n, p, err);
    if (!c->scroll)
        return fetch_no_way_back(c, err);
    rc = fetch_count_rows(c, &rows, err);
    if (rc < 0)
        return rc;
    return fetch_to(c, (uint64_t)-n > rows ? 0 : (int64_t)(rows - (uint64_t)-n) + 1, p, err);
}

/* FORWARD n, BACKWARD n, or all; n may be negative, 0 is the row once more. */
static int fetch_along(struct session_cursor *c,
                       bool back,
                       int64_t n,
                       bool all,
                       struct fetch_plan *p,
                       struct dn_err *err)
{
    if (!all && n < 0) {
        back = !back;
        n = n == INT64_MIN ? INT64_MAX : -n;
    }
    if (!all && n == 0) { /* the current row, if there is one */
        if (!c->scroll && c->at > 0)
            return fetch_no_way_back(c, err);
        *p = (struct fetch_plan){.from = c->at, .count = 1};
        return 0;
    }
    if (back && !c->scroll)
        return fetch_no_way_back(c, err);
    *p = (struct fetch_plan){.back = back, .all = all, .count = (uint64_t)n};
    p->from = back ? (c->at > 0 ? c->at - 1 : 0) : c->at + 1;
    if (back && p->from == 0)
        c->at = 0;
    if (!back && c->ended && c->at > cursor_known(c))
        p->from = 0; /* behind the last row already */
    return 0;
}

static int fetch_plan(struct session_cursor *c,
                      const struct fetch *how,
                      struct fetch_plan *ret,
                      struct dn_err *err)
{
    int64_t to;

    switch (how->direction) {
    case FETCH_FORWARD:
    case FETCH_BACKWARD:
        return fetch_along(c, how->direction == FETCH_BACKWARD, how->count, how->all, ret, err);
    case FETCH_ABSOLUTE:
        return fetch_absolute(c, how->count, ret, err);
    case FETCH_RELATIVE:
        if (how->count == 0)
            return fetch_along(c, false, 0, false, ret, err);
        if (__builtin_add_overflow((int64_t)c->at, how->count, &to))
            to = how->count > 0 ? INT64_MAX - 1 : 0;
        return fetch_to(c, to, ret, err);
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown direction of a FETCH");
}

static int cursor_compile_fetch(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct session_cursor *c;
    struct plan_col *cols;
    int rc = cursor_need(stmt->conn, &stmt->ast->misc->name, &c, err);

    if (rc < 0 || stmt->ast->misc->fetch.move)
        return rc;
    cols = arena_calloc(&stmt->compiled, c->query->cols_count + 1, sizeof(*cols));
    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->query->cols_count; i++) {
        cols[i] = c->query->cols[i];
        cols[i].name = arena_strndup(&stmt->compiled, cols[i].name, strlen(cols[i].name));
        if (!cols[i].name)
            return DN_FAIL_NOMEM(err);
    }
    stmt->cols = cols;
    stmt->cols_count = c->query->cols_count;
    stmt->cursor_serial = c->serial;
    return 0;
}

static int fetch_move(struct dendro_stmt *stmt, struct fetch_state *f, struct dn_err *err)
{
    struct batch b;
    int rc;

    while ((rc = fetch_rows(f, &b, err)) == 0) {
        stmt->rows_count += b.sel_count;
        rc = session_check_cancel(stmt->conn, err);
        if (rc < 0)
            return rc;
    }
    return rc == DN_EOF ? 0 : rc;
}

static int cursor_run_fetch(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct fetch *how = &stmt->ast->misc->fetch;
    struct session_cursor *c;
    struct fetch_state *f;
    struct op *op;
    int rc = cursor_need(stmt->conn, &stmt->ast->misc->name, &c, err);

    if (rc == 0 && c->serial != stmt->cursor_serial && !how->move) {
        rc = stmt_compile(stmt, err); /* another cursor of that name since */
        if (rc == 0)
            rc = cursor_need(stmt->conn, &stmt->ast->misc->name, &c, err);
    }
    if (rc == 0 && c->busy)
        rc = DN_FAIL(err, DN_E_CURSOR_STATE, "cursor \"%s\" is in use", c->name);
    if (rc < 0)
        return rc;
    f = mem_calloc(&stmt->owner, 1, sizeof(*f));
    op = mem_calloc(&stmt->owner, 1, sizeof(*op));
    if (!f || !op)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = fetch_plan(c, how, &f->plan, err);
    if (rc == 0 && how->move) {
        f->c = c;
        rc = fetch_move(stmt, f, err);
    }
    if (rc < 0 || how->move) {
        mem_free(f);
        mem_free(op);
        return rc;
    }
    f->c = c;
    c->busy = true;
    stmt->ctx = (struct exec_ctx){.owner = &stmt->owner, .cancel = &stmt->conn->cancel};
    op->ops = &fetch_ops;
    op->ctx = &stmt->ctx;
    op->state = f;
    mem_owner_init(&op->mem, fetch_ops.name, &stmt->owner, 0);
    stmt->root = op;
    return 0;
}

void cursor_list(const struct dendro_conn *conn, func_kept_fn fn, void *fn_arg)
{
    for (uint64_t n = 1; n <= conn->cursors_made; n++)
        for (const struct session_cursor *c = conn->cursors; c; c = c->next)
            if (c->serial == n)
                fn(fn_arg,
                   &(struct func_kept){.name = c->name,
                                       .text = c->text,
                                       .made_us = c->made_us,
                                       .hold = c->hold,
                                       .binary = c->binary,
                                       .scroll = c->scroll});
}

/* ---- the rows of DECLARE, FETCH and CLOSE ---- */

static int declare_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_compile_select(stmt, stmt->ast->explained, err);

    stmt->cols_count = 0; /* FETCH gives the rows */
    return rc;
}

static const char *fetch_name(const struct stmt *ast)
{
    return ast->misc->fetch.move ? "MOVE" : "FETCH";
}

static const char *close_name(const struct stmt *ast)
{
    return ast->misc->name.s ? "CLOSE CURSOR" : "CLOSE CURSOR ALL";
}

STMT_NAME(declare, "DECLARE CURSOR")
STMT_OPS(declare,
         stmt_name_declare,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_by_planner,
         declare_compile,
         cursor_run_declare);

STMT_OPS(fetch,
         fetch_name,
         stmt_tag_rows,
         stmt_class_other,
         stmt_use_free,
         privilege_by_planner,
         cursor_compile_fetch,
         cursor_run_fetch);

STMT_OPS(close,
         close_name,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_everybody,
         stmt_compile_nothing,
         cursor_run_close);
