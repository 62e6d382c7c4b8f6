/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: running a portal: rows out by batches, errors, tags. */
#include "engine/prepared.h"
#include "func/text_column.h"
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/server.h"

#include <strings.h>

#define ROWS_COLUMNS_KEPT 32u /* more columns: their memory goes with the result */

char pgw_status(const struct pgw *p)
{
    switch (dendro_transaction_status(p->session)) {
    case DENDRO_TX_BLOCK:
        return 'T';
    case DENDRO_TX_FAILED:
        return 'E';
    case DENDRO_TX_IDLE:
        break;
    }
    return 'I';
}

void pgw_fail(struct pgw *p, const struct dendro_error *e)
{
    if (e->code == DN_E_TERMINATED) { /* the session is over, not only its statement */
        pgw_fatal(p, e->sqlstate, "%s", e->message);
        return;
    }
    pgw_error(&p->c->out, e);
    p->skip = true;
}

void pgw_failf(struct pgw *p, const char *sqlstate, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    pgw_errorf(&p->c->out, "ERROR", sqlstate, fmt, args);
    va_end(args);
    p->skip = true;
}

void pgw_row_description(struct pgw *p, dendro_stmt *stmt, const int16_t *formats)
{
    struct buf *b = &p->c->out;
    int count = dendro_column_count(stmt);
    size_t at = pgw_begin(b, 'T');

    pgw_i16(b, (int16_t)count);
    for (int i = 0; i < count; i++) {
        enum type_id type = engine_column_type(stmt, i);
        const char *name = dendro_column_name(stmt, i);
        struct engine_origin of;

        engine_column_origin(stmt, i, &of);
        pgw_text(b, name ? name : "");
        pgw_i32(b, (int32_t)of.relation);
        pgw_i16(b, (int16_t)of.column);
        pgw_i32(b, (int32_t)(of.type ? of.type : pgw_type_oid(type)));
        pgw_i16(b, pgw_type_len(type));
        pgw_i32(b, of.mod);
        pgw_i16(b, formats ? formats[i] : 0);
    }
    pgw_end(b, at);
}

void pgw_portal_reset(struct pgw_portal *portal)
{
    dendro_reset(portal->stmt);
    if (portal->of && portal->of->user == portal)
        portal->of->user = NULL;
    portal->batch = (struct engine_rows){.count = 0};
    portal->batch_row = 0;
}

/* Cells that func/text_column.h leaves to us. */
static void rows_text_cell(void *arg, const struct datum *d, struct buf *b)
{
    struct pgw *p = arg;

    pgw_put_value(b, d, PGW_FORMAT_TEXT, engine_session(p->session), &p->scratch);
}

static void rows_binary_cell(void *arg, const struct datum *d, struct buf *b)
{
    struct pgw *p = arg;

    pgw_put_value(b, d, PGW_FORMAT_BINARY, engine_session(p->session), &p->scratch);
}

void pgw_columns_free(struct pgw *p)
{
    for (uint32_t i = 0; i < p->columns_count; i++)
        text_column_done(&p->columns[i]);
    mem_free(p->columns);
    p->columns = NULL;
    p->columns_count = 0;
}

/* The columns of the batch, to be printed as the portal has them. False: no memory. */
static bool rows_columns(struct pgw *p, const struct pgw_portal *portal)
{
    const struct engine_rows *rows = &portal->batch;

    if (rows->cols_count > p->columns_count) {
        struct text_column *more = mem_realloc(
            server_owner(p->c->srv), p->columns, rows->cols_count * sizeof(*p->columns));

        if (!more)
            return false;
        memset(more + p->columns_count,
               0,
               (rows->cols_count - p->columns_count) * sizeof(*p->columns));
        p->columns = more;
        p->columns_count = rows->cols_count;
    }
    for (uint32_t i = 0; i < rows->cols_count; i++) {
        bool binary = portal->formats && portal->formats[i] == PGW_FORMAT_BINARY;

        text_column_begin(&p->columns[i],
                          &(struct text_column_how){
                              .session = engine_session(p->session),
                              .style = TEXT_WIRE,
                              .binary = binary,
                              .bytes = true,
                              .frame = TEXT_FRAME_LENGTH,
                              .cell = binary ? rows_binary_cell : rows_text_cell,
                              .arg = p,
                              .owner = server_owner(p->c->srv),
                          });
        text_column_set(&p->columns[i], &rows->cols[i], rows->count - portal->batch_row);
    }
    return true;
}

/* Rows of the batch, as many as fit and were asked for. */
static void rows_send(struct pgw *p, struct pgw_portal *portal)
{
    const struct engine_rows *rows = &portal->batch;
    struct buf *b = &p->c->out;

    if (!rows_columns(p, portal)) {
        b->failed = true;
        return;
    }
    while (portal->batch_row < rows->count && conn_out_left(p->c) < CONN_OUT_FULL) {
        uint32_t row = engine_row(rows, portal->batch_row);
        size_t at = pgw_begin(b, 'D');

        pgw_i16(b, (int16_t)rows->cols_count);
        for (uint32_t i = 0; i < rows->cols_count; i++)
            text_column_put(&p->columns[i], row, b);
        pgw_end(b, at);
        portal->batch_row++;
        portal->rows++;
        if (portal->rows_left && --portal->rows_left == 0) {
            portal->enough = true;
            break;
        }
    }
    arena_reset(&p->scratch);
    if (p->columns_count > ROWS_COLUMNS_KEPT)
        pgw_columns_free(p);
}

/* ---- the log ---- */

struct audit_who pgw_who(const struct pgw *p)
{
    return (struct audit_who){.user = p->user, .peer = p->c->peer, .protocol = p->c->ops->name};
}

void pgw_audit(struct pgw *p, const struct pgw_portal *portal, const struct dendro_error *err)
{
    struct audit_who who = pgw_who(p);
    struct audit_stmt what = {
        .session = p->session, .stmt = portal->stmt, .since_ns = portal->since_ns, .err = err};

    if (portal->simple && p->text_from) {
        what.text = p->text_from;
        what.text_len = (size_t)(p->text_at - p->text_from);
    } else if (portal->of) {
        what.text = portal->of->sql;
        what.text_len = strlen(portal->of->sql);
    }
    audit_statement(p->c->srv, &who, &what);
}

/* ---- running ---- */

static void rows_fail(struct pgw *p, struct pgw_portal *portal, const struct dendro_error *err)
{
    pgw_audit(p, portal, err);
    pgw_portal_reset(portal);
    portal->done = true;
    p->running = NULL;
    pgw_fail(p, err);
}

static void rows_end(struct pgw *p, struct pgw_portal *portal)
{
    const char *tag = dendro_command_tag(portal->stmt);
    struct dendro_error err;

    if (portal->simple && pgw_query_last(p) && engine_group_end(p->session, true, &err) < 0) {
        rows_fail(p, portal, &err);
        return;
    }
    pgw_complete(&p->c->out, tag ? tag : "");
    pgw_audit(p, portal, NULL);
    portal->done = true;
    pgw_portal_reset(portal);
    p->running = NULL;
}

static void rows_copy(struct pgw *p, struct pgw_portal *portal, const struct dendro_copy_info *info)
{
    struct dendro_error err;
    int rc = pgw_copy_run(p, portal, info, &err);

    if (rc == DENDRO_DONE)
        rows_end(p, portal);
    else
        rows_fail(p, portal, &err);
}

/* The next rows of the engine, or its end: DENDRO_ROW only in the first case. */
static int rows_next(struct pgw *p, struct pgw_portal *portal)
{
    struct dendro_error err;
    int rc = engine_step_rows(portal->stmt, &portal->batch, &err);

    portal->batch_row = 0;
    if (portal->simple && !portal->described && rc >= 0 && engine_gives_rows(portal->stmt)) {
        pgw_row_description(p, portal->stmt, NULL);
        portal->described = true;
    }
    if (rc == DENDRO_DONE)
        rows_end(p, portal);
    else if (rc < 0)
        rows_fail(p, portal, &err);
    return rc;
}

/* DEALLOCATE: to clients statements of the protocol and of PREPARE are one kind. True: it is done.
 */
static bool rows_forget(struct pgw *p, struct pgw_portal *portal, const char *name)
{
    bool self =
        portal->of && portal->of->name[0] && (!name || strcasecmp(portal->of->name, name) == 0);

    if (self) { /* it cannot go while it runs */
        rows_fail(p,
                  portal,
                  &(struct dendro_error){.code = DENDRO_E_MISUSE,
                                         .sqlstate = "55006",
                                         .message = "a statement cannot DEALLOCATE itself"});
        return true;
    }
    if (!pgw_forget(p, name) || !name)
        return false;
    pgw_complete(&p->c->out, "DEALLOCATE");
    pgw_portal_reset(portal);
    portal->done = true;
    p->running = NULL;
    return true;
}

void pgw_run_portal(struct pgw *p)
{
    struct pgw_portal *portal = p->running;
    struct dendro_copy_info copy;
    const char *name;

    if (!portal->started) {
        portal->started = true;
        portal->since_ns = server_now_ns(p->c->srv);
        atomic_store(&p->canceled, false);
        if (engine_deallocates(portal->stmt, &name) && rows_forget(p, portal, name))
            return;
        if (pgw_copy_is(portal, &copy)) {
            rows_copy(p, portal, &copy);
            return;
        }
    }
    do {
        if (portal->batch_row == portal->batch.count) {
            if (rows_next(p, portal) != DENDRO_ROW)
                return;
            continue;
        }
        rows_send(p, portal);
        if (portal->enough) {
            struct dendro_error err;

            /* It stays, with what its rows are made of. */
            if (!portal->simple && engine_keep_stmt(portal->stmt, pgw_alone(portal), &err) < 0) {
                rows_fail(p, portal, &err);
                return;
            }
            pgw_empty(&p->c->out, 's');
            p->running = NULL;
            return;
        }
    } while (conn_out_left(p->c) < CONN_OUT_FULL);
}
