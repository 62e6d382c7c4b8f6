/* SPDX-License-Identifier: Apache-2.0
 *
 * explain.c: EXPLAIN: the plan as text or JSON; with ANALYZE the statement is run first, and the
 * plan says what each operator did. Rows of a query are thrown away; those that UPDATE, DELETE and
 * INSERT change are changed, and a CREATE TABLE AS makes its table. A MERGE is shown as the
 * statements that it is made of. */
#include "engine/change_range.h"
#include "engine/create_as.h"
#include "engine/parts.h"
#include "engine/stmt_ops.h"

#include "base/text.h"

#include <inttypes.h>
#include <strings.h>

#define EXPLAIN_NS_PER_MS 1e6

struct explain {
    bool analyze;
    bool json;
    uint64_t run_ns; /* ANALYZE: how long it ran */
};

/* ---- options ---- */

static int explain_bad(const struct option_spec *o, const char *wanted, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "EXPLAIN option %s wants %s, not \"%s\"",
                     o->name.s,
                     wanted,
                     o->value);

    dn_err_at(err, o->value_pos);
    return rc;
}

static int explain_bool(const struct option_spec *o, bool *ret, struct dn_err *err)
{
    static const char *const on[] = {"on", "true", "1", "yes"};
    static const char *const off[] = {"off", "false", "0", "no"};

    *ret = true;
    for (size_t i = 0; o->value && i < DN_ARRAY_SIZE(on); i++) {
        if (strcasecmp(o->value, on[i]) == 0)
            return 0;
        if (strcasecmp(o->value, off[i]) == 0) {
            *ret = false;
            return 0;
        }
    }
    return o->value ? explain_bad(o, "on or off", err) : 0;
}

static int explain_option(struct explain *x, const struct option_spec *o, struct dn_err *err)
{
    /* Of PostgreSQL, for what tools send: what they ask for is always shown, or is not there. */
    static const char *const known[] = {
        "analyze", "format", "verbose", "costs", "buffers", "timing", "summary", "settings", "wal"};
    struct text_near near = text_near_make(o->name.s);
    bool ignored;
    int rc;

    if (strcasecmp(o->name.s, "analyze") == 0)
        return explain_bool(o, &x->analyze, err);
    if (strcasecmp(o->name.s, "format") == 0) {
        x->json = o->value && strcasecmp(o->value, "json") == 0;
        if (x->json || (o->value && strcasecmp(o->value, "text") == 0))
            return 0;
        return explain_bad(
            &(struct option_spec){.name = o->name,
                                  .value = o->value ? o->value : "",
                                  .value_pos = o->value ? o->value_pos : o->name.pos},
            "text or json",
            err);
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(known); i++) {
        if (strcasecmp(o->name.s, known[i]) == 0)
            return explain_bool(o, &ignored, err);
        text_near_try(&near, known[i]);
    }
    rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "EXPLAIN has no option \"%s\"", o->name.s);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    dn_err_at(err, o->name.pos);
    return rc;
}

static int explain_options(const struct stmt *ast, struct explain *x, struct dn_err *err)
{
    int rc = 0;

    x->analyze = ast->explain.analyze;
    for (uint32_t i = 0; i < ast->explain.options_count && rc == 0; i++)
        rc = explain_option(x, &ast->explain.options[i], err);
    return rc;
}

/* ---- the plan ---- */

static const struct plan *explain_plan_of(const struct dendro_stmt *stmt)
{
    return stmt->run_plan ? stmt->run_plan : stmt->plan;
}

/* One row with all of the text. */
static int explain_whole(struct dendro_stmt *stmt, const struct buf *text, struct dn_err *err)
{
    struct datum *cell = arena_calloc(&stmt->run, 1, sizeof *cell);
    size_t len = text->len > 0 && text->data[text->len - 1] == '\n' ? text->len - 1 : text->len;
    char *copy = arena_strndup(&stmt->run, (const char *)text->data, len);

    if (!cell || !copy)
        return DN_FAIL_NOMEM(err);
    *cell = (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = copy, .len = (uint32_t)len}};
    stmt->rows = (struct describe){.cols_count = 1, .rows_count = 1, .cells = cell};
    return 0;
}

/* One row per line of text. */
static int explain_lines(struct dendro_stmt *stmt, const struct buf *text, struct dn_err *err)
{
    const char *p = (const char *)text->data;
    size_t left = text->len;
    size_t lines = 0;
    struct datum *cells;
    size_t n = 0;

    for (size_t i = 0; i < left; i++)
        lines += p[i] == '\n';
    cells = arena_calloc(&stmt->run, lines + 1, sizeof(*cells));
    if (!cells)
        return DN_FAIL_NOMEM(err);
    while (left > 0) {
        const char *end = memchr(p, '\n', left);
        size_t len = end ? (size_t)(end - p) : left;
        char *copy = arena_strndup(&stmt->run, p, len);

        if (!copy)
            return DN_FAIL_NOMEM(err);
        cells[n++] =
            (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = copy, .len = (uint32_t)len}};
        len += end != NULL;
        p += len;
        left -= len;
    }
    stmt->rows = (struct describe){.cols_count = 1, .rows_count = n, .cells = cells};
    return 0;
}

/* "Update public.t" and what more is to say of it, into *ret. */
static int explain_top_lines(struct dendro_stmt *stmt,
                             const struct stmt *inner,
                             const char **ret,
                             struct dn_err *err)
{
    static const char *const words[STMT_KIND_MAX] = {
        [STMT_INSERT] = "Insert into ", [STMT_UPDATE] = "Update ", [STMT_DELETE] = "Delete from "};
    const struct plan *plan = explain_plan_of(stmt);
    const struct table *t = inner->kind == STMT_INSERT ? stmt->insert.table : plan->table;
    struct plan_ranges ranges = {.count = 0};
    struct buf b;
    int rc = 0;

    if (inner->kind == STMT_DELETE)
        rc = stmt_delete_ranges(stmt, plan, &ranges, err);
    if (rc < 0)
        return rc;
    buf_init(&b, &stmt->owner);
    buf_puts(&b, words[inner->kind]);
    table_print_ident(t->schema, &b);
    buf_puts(&b, ".");
    table_print_ident(t->name, &b);
    if (inner->kind == STMT_INSERT && !plan)
        buf_printf(&b,
                   "\nValues: %u rows of %u columns",
                   inner->insert->query ? inner->insert->query->values.rows_count : 1,
                   stmt->insert.cols_count);
    if (ranges.count > 0)
        buf_printf(&b,
                   "\nDeleted as: %u range%s, rows are counted",
                   ranges.count,
                   ranges.count > 1 ? "s" : "");
    *ret = b.failed ? NULL : arena_strndup(&stmt->run, (const char *)b.data, b.len);
    buf_done(&b);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

static int explain_query(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct batch rows;
    int rc = exec_open(explain_plan_of(stmt), &stmt->ctx, &stmt->root, err);

    while (rc == 0)
        rc = exec_next(stmt->root, &rows, err);
    exec_close(stmt->root);
    stmt->root = NULL;
    return rc < 0 ? rc : 0;
}

/* CREATE TABLE AS; the query may be left alone: WITH NO DATA, IF NOT EXISTS. */
static int explain_create(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_run_create_as(stmt, err);

    return rc == 0 && !stmt->snap ? stmt_begin(stmt, stmt->ast->explained, err) : rc;
}

/* Brings the statement to where its plan can be shown; ANALYZE: runs it to its end. */
static int explain_run(struct dendro_stmt *stmt, struct explain *x, struct dn_err *err)
{
    const struct stmt *inner = stmt->ast->explained;
    struct sched *sched = stmt->conn->db->volume->sched;
    uint64_t start;
    int rc = 0;

    if (inner->kind == STMT_INSERT && !stmt->plan)
        stmt->ctx = (struct exec_ctx){.owner = &stmt->owner, .analysis = stmt->analysis};
    else if (inner->kind == STMT_SELECT || !x->analyze) /* a change that runs begins by itself */
        rc = stmt_begin(stmt, inner, err);
    start = sched_now_ns(sched);
    if (rc < 0 || !x->analyze)
        return rc;
    if (inner->kind == STMT_SELECT)
        rc = explain_query(stmt, err);
    else if (inner->kind == STMT_CREATE_TABLE)
        rc = explain_create(stmt, err);
    else if (inner->kind == STMT_INSERT)
        rc = stmt_run_insert(stmt, err);
    else
        rc = stmt_run_change(stmt, err);
    x->run_ns = sched_now_ns(sched) - start;
    return rc;
}

static int explain_json(struct dendro_stmt *stmt,
                        const struct explain *x,
                        const struct exec_top *top,
                        struct buf *text,
                        struct dn_err *err)
{
    struct dn_json_writer w = dn_json_writer_make(text);
    int rc;

    dn_json_begin(&w, NULL, '[');
    dn_json_begin(&w, NULL, '{');
    rc = exec_explain_json(explain_plan_of(stmt), top, &stmt->ctx, &w, err);
    dn_json_put_real(&w, "Planning Time", (double)stmt->compile_ns / EXPLAIN_NS_PER_MS);
    if (x->analyze)
        dn_json_put_real(&w, "Execution Time", (double)x->run_ns / EXPLAIN_NS_PER_MS);
    dn_json_end(&w, '}');
    dn_json_end(&w, ']');
    return rc;
}

static int explain_text(struct dendro_stmt *stmt,
                        const struct explain *x,
                        struct buf *text,
                        struct dn_err *err)
{
    const struct stmt *inner = stmt->ast->explained;
    struct exec_top top = {.rows = stmt->rows_count, .time_ns = x->run_ns};
    bool change = inner->kind != STMT_SELECT && inner->kind != STMT_CREATE_TABLE;
    const struct exec_top *above = change ? &top : NULL;
    int rc = above ? explain_top_lines(stmt, inner, &top.lines, err) : 0;

    if (rc < 0)
        return rc;
    if (x->json)
        return explain_json(stmt, x, above, text, err);
    rc = exec_explain(explain_plan_of(stmt), above, &stmt->ctx, text, err);
    if (rc == 0 && x->analyze) {
        buf_printf(text, "Planning time: %.3f ms\n", (double)stmt->compile_ns / EXPLAIN_NS_PER_MS);
        buf_printf(text, "Execution time: %.3f ms\n", (double)x->run_ns / EXPLAIN_NS_PER_MS);
    }
    return rc;
}

/* ---- MERGE ---- */

/* One of its statements. With ANALYZE it has run, and says how many rows it changed. */
static int explain_part(struct dendro_stmt *part,
                        const struct explain *x,
                        struct buf *text,
                        struct dn_json_writer *w,
                        struct dn_err *err)
{
    struct exec_top top = {.rows = 0};
    struct buf lines;
    int rc = stmt_begin(part, part->ast, err);

    buf_init(&lines, &part->owner);
    if (rc == 0)
        rc = explain_top_lines(part, part->ast, &top.lines, err);
    if (rc == 0) {
        buf_puts(&lines, top.lines);
        if (x->analyze)
            buf_printf(&lines, "\nrows: %" PRIu64, part->rows_count);
        top.lines = lines.failed ? NULL : arena_strndup(&part->run, (char *)lines.data, lines.len);
        rc = top.lines ? 0 : DN_FAIL_NOMEM(err);
    }
    buf_done(&lines);
    if (rc == 0 && x->json) {
        dn_json_begin(w, NULL, '{');
        rc = exec_explain_json(explain_plan_of(part), &top, &part->ctx, w, err);
        dn_json_end(w, '}');
    } else if (rc == 0) {
        rc = exec_explain(explain_plan_of(part), &top, &part->ctx, text, err);
    }
    stmt_stop(part);
    return rc;
}

static int explain_merge(struct dendro_stmt *stmt,
                         const struct explain *x,
                         struct buf *text,
                         struct dn_err *err)
{
    struct dn_json_writer w = dn_json_writer_make(text);
    int rc = 0;

    if (x->json)
        dn_json_begin(&w, NULL, '[');
    for (uint32_t i = 0; rc == 0 && i < stmt->parts->count; i++) {
        struct dendro_stmt *part = stmt->parts->v[i];

        if (!part->ast->change || !part->ast->change->once) /* that one changes nothing */
            rc = explain_part(part, x, text, &w, err);
    }
    if (x->json)
        dn_json_end(&w, ']');
    return rc;
}

static int stmt_run_explain(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct exec_analysis analysis = {.arena = &stmt->run};
    struct explain x = {.analyze = false};
    bool merge = stmt->ast->explained->kind == STMT_MERGE;
    struct buf text;
    int rc = explain_options(stmt->ast, &x, err);

    buf_init(&text, &stmt->owner);
    stmt->analysis = x.analyze ? &analysis : NULL;
    if (rc == 0 && merge)
        rc = explain_merge(stmt, &x, &text, err);
    if (rc == 0 && !merge)
        rc = explain_run(stmt, &x, err);
    if (rc == 0 && !merge)
        rc = explain_text(stmt, &x, &text, err);
    stmt->analysis = NULL;
    stmt->ctx.analysis = NULL;
    stmt->rows_count = 0; /* from here on those of the text */
    if (rc == 0 && text.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = x.json ? explain_whole(stmt, &text, err) : explain_lines(stmt, &text, err);
    buf_done(&text);
    return rc;
}

/* ---- the row of EXPLAIN ---- */

/* With ANALYZE the statement runs: it counts as that. */
static enum engine_class explain_class(const struct stmt *ast)
{
    return ast->explain.analyze ? stmt_ops_of(ast->explained)->class(ast->explained) : ENGINE_OTHER;
}

static enum tx_use explain_use(const struct stmt *ast)
{
    return ast->explain.analyze ? stmt_ops_of(ast->explained)->use(ast->explained) : TX_READS;
}

static int
explain_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return stmt_ops_of(ast->explained)->privilege(stmt, ast->explained, err);
}

STMT_NAME(explain, "EXPLAIN")
STMT_OPS(explain,
         stmt_name_explain,
         stmt_tag_name,
         explain_class,
         explain_use,
         explain_privilege,
         stmt_compile_explain,
         stmt_run_explain);
