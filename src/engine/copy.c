/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.c: COPY. FROM takes effect as a whole. CSV as it usually is goes through load.h, which
 * parses in several threads; text, binary and the rarer options of CSV through copy_in.c. TO is
 * copy_out.c. STDIN and STDOUT are what the program gave the session (dendro_set_copy). */
#include "engine/engine_int.h"

#include "engine/copy.h"
#include "engine/generated.h"
#include "engine/names.h"
#include "engine/stmt_ops.h"
#include "plan/stored.h"
#include "volume/hostfile.h"

#include <inttypes.h>
#include <stdio.h>

#define COPY_ROWS  "COPY ()" /* how the rows of a change are called */
#define COPY_SPARE 4u        /* bytes: more than what is held back while it may be the end mark */

/* ---- compile ---- */

/* The WITH of the statement that COPY takes its rows from, and that statement as the last of it. */
static int
copy_with(struct dendro_stmt *stmt, struct stmt *change, struct query *q, struct dn_err *err)
{
    struct with_clause **own =
        change->kind == STMT_INSERT ? &change->insert->with : &change->change->with;
    uint32_t before = *own ? (*own)->ctes_count : 0;
    struct cte *ctes = arena_calloc(&stmt->arena, (size_t)before + 1, sizeof(*ctes));
    struct with_clause *with = arena_calloc(&stmt->arena, 1, sizeof(*with));

    if (!ctes || !with)
        return DN_FAIL_NOMEM(err);
    if (*own)
        *with = **own;
    if (before)
        memcpy(ctes, (*own)->ctes, before * sizeof(*ctes));
    ctes[before] = (struct cte){.name = {.s = COPY_ROWS, .pos = change->start}, .change = change};
    with->ctes = ctes;
    with->ctes_count = before + 1;
    *own = NULL;
    q->with = with;
    return 0;
}

int copy_from_change(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct stmt *change = stmt->ast->kind == STMT_COPY ? stmt->ast->explained : NULL;
    struct arena *a = &stmt->arena;
    struct stmt *s;
    struct query *q;
    struct select_core *core;
    struct from_item *from;
    struct expr *star;
    int rc;

    if (!change || change->kind == STMT_SELECT)
        return 0;
    if (change->kind == STMT_INSERT ? !change->insert->returning : !change->change->returning) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "COPY query must have a RETURNING clause");
        dn_err_at(err, change->start);
        return rc;
    }
    s = arena_dup(a, change, sizeof(*s));
    q = arena_calloc(a, 1, sizeof(*q));
    core = arena_calloc(a, 1, sizeof(*core));
    from = arena_calloc(a, 1, sizeof(*from));
    star = arena_calloc(a, 1, sizeof(*star));
    if (!s || !q || !core || !from || !star)
        return DN_FAIL_NOMEM(err);
    core->items = arena_calloc(a, 1, sizeof(*core->items));
    core->from = arena_dup(a, &from, sizeof(struct from_item *));
    if (!core->items || !core->from)
        return DN_FAIL_NOMEM(err);
    from->table.name = COPY_ROWS;
    *star = (struct expr){.kind = EXPR_STAR, .plain = true};
    core->items[0].expr = star;
    core->items_count = core->from_count = 1;
    *q = (struct query){.kind = QUERY_SELECT, .core = core};
    s->kind = STMT_SELECT;
    s->insert = NULL;
    s->change = NULL;
    s->query = q;
    stmt->ast->explained = s;
    return copy_with(stmt, change, q, err);
}

/* COPY … TO: generated columns have no place in it. */
static int copy_check_columns(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct catalog_relation r = {.table = NULL};
    struct dn_err ignored;

    if (!ast->columns || session_relation(stmt->conn, stmt->catalog, &ast->table, &r, &ignored) < 0)
        return 0; /* the query says what is wrong */
    for (uint32_t i = 0; r.table && i < ast->columns_count; i++) {
        int col = table_column_find(r.table, ast->columns[i].s, strlen(ast->columns[i].s));

        if (col >= 0 && r.table->columns[col].source == COLUMN_STORED)
            return intake_fail_generated(r.table, (uint16_t)col, ast->columns[i].pos, err);
    }
    return 0;
}

static int copy_bind_where(struct dendro_stmt *stmt, const struct plan_env *env, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    const struct table *t = stmt->insert.table;
    int rc;

    if (!ast->where)
        return 0;
    if (stmt->copy.kind == COPY_PARQUET) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "COPY … WHERE is not for Parquet");
        dn_err_at(err, ast->where->pos);
        dn_err_hint(err, "INSERT INTO … SELECT … FROM 'file.parquet' WHERE … takes some rows.");
        return rc;
    }
    if (stmt->copy.header == LOAD_HEADER_AUTO) {
        rc =
            DN_FAIL(err, DN_E_UNSUPPORTED, "COPY … WHERE does not guess whether there is a header");
        dn_err_at(err, ast->where->pos);
        dn_err_hint(err, "Say WITH (FORMAT csv, HEADER true), or false.");
        return rc;
    }
    stmt->copy.match = stmt->copy.match || stmt->copy.by_names; /* it goes by the columns' order */
    stmt->copy.used = arena_calloc(&stmt->compiled, t->columns_count, sizeof(*stmt->copy.used));
    if (!stmt->copy.used)
        return DN_FAIL_NOMEM(err);
    rc = plan_row_expr(
        env, t, ast->where, "COPY FROM WHERE", stmt->copy.used, &stmt->copy.where, err);
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++) {
        if (!stmt->copy.used[i] || t->columns[i].source != COLUMN_STORED)
            continue;
        rc = DN_FAIL(err,
                     DN_E_INVALID_COLUMN,
                     "generated columns are not supported in COPY FROM WHERE conditions");
        dn_err_at(err, ast->where->pos);
        dn_err_hint(err, "Column \"%s\" is a generated column.", t->columns[i].name);
    }
    if (rc == 0 && stmt->copy.where->type != TYPE_BOOLEAN && stmt->copy.where->type != TYPE_NONE) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "argument of COPY FROM WHERE must be type boolean, not type %s",
                     type_word(stmt->copy.where->type));
        dn_err_at(err, ast->where->pos);
    }
    return rc;
}

static int stmt_compile_copy(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    const struct table *t;
    bool named;
    int rc = copy_take_options(ast, &stmt->compiled, &stmt->copy, err);

    if (rc < 0 || !ast->from)
        return rc < 0 ? rc : copy_check_columns(stmt, err);
    t = session_target(stmt->conn, stmt->catalog, &ast->table, &named, err);
    if (!t)
        return err->code;
    rc = intake_target_columns(
        &stmt->insert, t, ast->columns, ast->columns_count, &stmt->compiled, err);
    if (rc == 0)
        rc = intake_target_plain(&stmt->insert, ast->columns != NULL, err);
    if (rc == 0)
        rc = intake_target_bind(&stmt->insert, &env, err);
    if (rc < 0)
        return rc;
    stmt->insert.named = named;
    if (stmt->copy.kind != COPY_PARQUET) /* else the file says which columns there are */
        rc = intake_target_unlisted(&stmt->insert, err);
    if (rc < 0 && ast->columns)
        dn_err_at(err, ast->columns[0].pos);
    return rc < 0 ? rc : copy_bind_where(stmt, &env, err);
}

void dendro_stmt_copy(const dendro_stmt *stmt, struct dendro_copy_info *ret)
{
    const struct copy_stmt *ast = stmt && stmt->ast->kind == STMT_COPY ? stmt->ast->copy : NULL;

    *ret = (struct dendro_copy_info){.direction = DENDRO_COPY_NONE};
    if (!ast || ast->place != COPY_STDIO)
        return;
    ret->direction = ast->from ? DENDRO_COPY_IN : DENDRO_COPY_OUT;
    ret->binary = stmt->copy.kind == COPY_BINARY || stmt->copy.kind == COPY_PARQUET;
    ret->columns_count = (int)(ast->from    ? stmt->insert.cols_count
                               : stmt->plan ? stmt->plan->cols_count
                                            : 0);
}

void dendro_set_copy(dendro_conn *conn, const struct dendro_copy *copy)
{
    if (!conn)
        return;
    conn->copy = copy ? *copy : (struct dendro_copy){.read = NULL};
    conn->copy_style = TEXT_COPY;
}

void engine_set_copy(dendro_conn *conn, const struct dendro_copy *copy)
{
    dendro_set_copy(conn, copy);
    conn->copy_style = TEXT_WIRE;
}

/* ---- where the bytes come from ---- */

struct copy_from {
    struct dendro_stmt *stmt;
    struct hostfile *file; /* NULL: STDIN */
    /* STDIN as CSV: a line of \. is the end, as load.h does not know */
    bool mark;
    bool ended;
    bool inside;  /* of a line */
    char held[4]; /* bytes of a line that may be the mark */
    size_t held_len;
};

static int
copy_read_stdin(struct copy_from *in, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    const struct dendro_copy *from = &in->stmt->conn->copy;

    *ret_len = 0;
    if (from->read(from->read_arg, to, len, ret_len) != 0)
        return DN_FAIL(err, DN_E_CANCELED, "COPY from stdin failed");
    return 0;
}

/* One byte on its way; returns how many came out. */
static size_t copy_mark_byte(struct copy_from *in, char c, char *to)
{
    static const char mark[] = "\\.\r\n";
    size_t n = in->held_len;

    if (!in->inside && ((n < 3 && c == mark[n]) || (n >= 2 && c == '\n'))) {
        in->held[in->held_len++] = c;
        in->ended = c == '\n';
        return 0;
    }
    memcpy(to, in->held, n);
    in->held_len = 0;
    in->inside = c != '\n';
    to[n] = c;
    return n + 1;
}

static int
copy_read_mark(struct copy_from *in, char *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    char *bytes = to + COPY_SPARE;
    size_t out = 0;
    size_t n = 0;
    int rc = 0;

    while (rc == 0 && out == 0 && !in->ended) {
        rc = copy_read_stdin(in, bytes, len - COPY_SPARE, &n, err);
        for (size_t i = 0; rc == 0 && i < n && !in->ended; i++)
            out += copy_mark_byte(in, bytes[i], to + out);
        if (rc == 0 && n == 0) { /* the end */
            if (in->held_len == 1) {
                to[out++] = in->held[0];
                in->held_len = 0;
            }
            break;
        }
    }
    for (char rest[512]; rc == 0 && in->ended && n > 0;) /* what follows is nobody's */
        rc = copy_read_stdin(in, rest, sizeof rest, &n, err);
    *ret_len = out;
    return rc;
}

static int copy_read(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    struct copy_from *in = arg;

    if (in->file)
        return hostfile_read(in->file, to, len, ret_len, err);
    if (in->mark && len > COPY_SPARE)
        return copy_read_mark(in, to, len, ret_len, err);
    return copy_read_stdin(in, to, len, ret_len, err);
}

static int copy_progress(void *arg, const struct load_result *so_far)
{
    const struct copy_from *in = arg;
    uint64_t size = in->file ? hostfile_size(in->file) : 0;
    struct dendro_progress p = {.rows = so_far->parsed, .percent = -1};

    if (size > 0 && so_far->bytes > 0 && so_far->bytes <= size) {
        p.percent = 100.0 * (double)so_far->bytes / (double)size;
        p.rows_expected = (uint64_t)((double)so_far->parsed / p.percent * 100);
    }
    return stmt_tell(in->stmt, &p, NULL);
}

/* ---- FROM ---- */

/* The names of the target's columns: a header is passed over, it does not say which is which. */
static int copy_by_position(struct dendro_stmt *stmt, struct load_spec *spec, struct dn_err *err)
{
    const struct intake_target *to = &stmt->insert;
    struct spec_name *names = arena_calloc(&stmt->run, to->cols_count + 1, sizeof(*names));

    if (!names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < to->cols_count; i++)
        names[i].s = to->table->columns[to->cols[i]].name;
    spec->columns = names;
    spec->columns_count = to->cols_count;
    return 0;
}

static int copy_load(struct dendro_stmt *stmt, struct copy_from *in, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct load_spec spec = {.table = stmt->insert.table,
                             .named = stmt->insert.named,
                             .format = stmt->copy.format,
                             .header = stmt->copy.header,
                             .columns = ast->columns,
                             .columns_count = ast->columns_count,
                             .read = copy_read,
                             .read_arg = in,
                             .whole = true};
    struct load_result result;
    int rc = 0;

    if (!stmt->copy.by_names)
        rc = copy_by_position(stmt, &spec, err);
    in->mark = !in->file;
    if (stmt_progress(stmt)) {
        spec.progress = copy_progress;
        spec.progress_arg = in;
    }
    if (rc == 0)
        rc = load_run(stmt->conn, &spec, &result, err);
    if (rc == 0)
        stmt->rows_count = result.rows;
    return rc;
}

/* Is it CSV as load.h knows it? */
static bool copy_is_plain(const struct stmt_copy *c, const struct intake_target *to)
{
    return c->kind == COPY_CSV && to->cols_count > 0 && !c->where && c->escape == c->format.quote &&
           !c->match && !c->not_null.given && !c->null.given;
}

static int copy_run_from(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct copy_from in = {.stmt = stmt};
    struct copy_reader from = {.read = copy_read, .arg = &in};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    if (ast->place == COPY_STDIO && !stmt->conn->copy.read) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "there is no STDIN here to COPY from");
        dn_err_hint(err, "Give the session a reader (dendro_set_copy), or name a file.");
    } else if (ast->place != COPY_STDIO && stmt->copy.kind != COPY_PARQUET) {
        rc = hostfile_open(ast->file, &stmt->conn->cancel, &in.file, err);
    }
    if (rc < 0) {
        dn_err_at(err, ast->file_pos);
        return rc;
    }
    if (stmt->copy.kind == COPY_PARQUET)
        rc = copy_parquet_in(stmt, &from, err);
    else
        rc = copy_is_plain(&stmt->copy, &stmt->insert)
                 ? copy_load(stmt, &in, err)
                 : copy_run_in(stmt, &from, &stmt->rows_count, err);
    DN_IGNORE(hostfile_close(in.file, NULL)); /* it was only read */
    if (rc < 0 && rc != DN_E_NOMEM && rc != DN_E_CANCELED && in.file)
        dn_err_prefix(err, "%s", ast->file);
    return rc;
}

static int stmt_run_copy(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt->ast->copy->from ? copy_run_from(stmt, err) : copy_run_out(stmt, err);
}

/* ---- the row of COPY ---- */

static int
copy_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    const struct copy_stmt *c = ast->copy;
    uint32_t files = c->from ? ACCESS_READ_FILES : ACCESS_WRITE_FILES;
    int rc;

    if (c->place != COPY_STDIO &&
        !access_inherits(stmt->catalog->access, stmt->conn->role, files)) {
        rc = DN_FAIL(err,
                     DN_E_DENIED,
                     "must be superuser or have privileges of the pg_%s_server_files role to COPY "
                     "%s a file",
                     c->from ? "read" : "write",
                     c->from ? "from" : "to");
        dn_err_hint(err,
                    "Anyone can COPY to stdout or from stdin. psql's \\copy command also works "
                    "for anyone.");
        return rc;
    }
    return c->from ? privilege_columns(stmt,
                                       &c->table,
                                       c->columns,
                                       c->columns_count,
                                       PRIVILEGE_BIT(PRIVILEGE_INSERT),
                                       err)
                   : 0;
}

static const char *copy_name(const struct stmt *ast)
{
    return ast->copy->from ? "COPY FROM" : "COPY";
}

static void copy_tag(const struct dendro_stmt *stmt, char *to, size_t size)
{
    snprintf(to, size, "COPY %" PRIu64, stmt->rows_count);
}

static enum engine_class copy_class(const struct stmt *ast)
{
    return ast->copy->from ? ENGINE_MOD : stmt_ops_of(ast->explained)->class(ast->explained);
}

static enum tx_use copy_use(const struct stmt *ast)
{
    return ast->copy->from ? TX_WRITES : stmt_ops_of(ast->explained)->use(ast->explained);
}

static int copy_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_compile_copy(stmt, err);

    if (rc == 0 && stmt->ast->explained)
        rc = stmt_compile_select(stmt, stmt->ast->explained, err);
    stmt->cols_count = 0; /* the rows go to the file */
    return rc < 0 ? rc : copy_find_columns(stmt, err);
}

STMT_OPS(
    copy, copy_name, copy_tag, copy_class, copy_use, copy_privilege, copy_compile, stmt_run_copy);
