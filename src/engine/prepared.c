/* SPDX-License-Identifier: Apache-2.0
 *
 * prepared.c: PREPARE, EXECUTE and DEALLOCATE: statements under a name, per session. What is kept
 * is the text; EXECUTE prepares it again, which finds the plan in the session's cache
 * (stmt_cache.c), and becomes that statement with its parameters bound. So its rows, columns and
 * tag are those of the statement itself, and a plan that no longer fits is made anew. */
#include "engine/prepared.h"

#include "engine/engine_int.h"
#include "engine/stmt_ops.h"
#include "system/system.h"

#include <stdio.h>
#include <strings.h>

struct session_prepared {
    struct session_prepared *next;
    struct arena arena; /* of the rest */
    const char *name;
    const char *text; /* the statement */
    size_t len;
    uint32_t params_count;
    size_t kept;      /* bytes that count: keep.h */
    const char *said; /* the whole PREPARE */
    int64_t made_us;
    int64_t *types; /* numbers of the parameters' types */
};

/* Clients know these errors by states of their own. */
static void prep_state(struct dn_err *err, const char *sqlstate)
{
    snprintf(err->sqlstate, sizeof(err->sqlstate), "%s", sqlstate);
}

static struct session_prepared **
prep_find(struct dendro_conn *conn, const struct spec_name *name, struct dn_err *err)
{
    struct session_prepared **p = &conn->prepared;

    while (*p && strcasecmp((*p)->name, name->s) != 0)
        p = &(*p)->next;
    if (!*p && err) {
        DN_IGNORE(DN_FAIL(err, /* the list's end says it */
                          DN_E_UNDEFINED_OBJECT,
                          "prepared statement \"%.255s\" does not exist",
                          name->s));
        prep_state(err, "26000");
        dn_err_at(err, name->pos);
    }
    return p;
}

static void prep_free(struct dendro_conn *conn, struct session_prepared *p)
{
    struct arena arena = p->arena;

    keep_release(conn, p->kept, false);
    arena_done(&arena);
}

void session_free_prepared(struct dendro_conn *conn)
{
    while (conn->prepared) {
        struct session_prepared *p = conn->prepared;

        conn->prepared = p->next;
        prep_free(conn, p);
    }
}

/* ---- PREPARE, DEALLOCATE ---- */

/* $1 as CAST($1 AS type) where PREPARE gives the types: so the statement's own text has them. */
static void prep_declare(const struct misc_stmt *m, const struct buf *text, struct buf *to)
{
    char quote = 0;

    for (size_t i = 0; !text->failed && i < text->len; i++) {
        char c = (char)text->data[i];
        struct type_name type;
        uint32_t n = 0;
        size_t k = i + 1;

        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        while (!quote && c == '$' && k < text->len && text->data[k] >= '0' && text->data[k] <= '9')
            n = n * 10 + (uint32_t)(text->data[k++] - '0');
        if (n == 0 || n > m->types_count) {
            buf_u8(to, (uint8_t)c);
            continue;
        }
        buf_printf(to, "CAST($%u AS ", n);
        type = m->types[n - 1];
        if (!type_is_timestamp(type.type))
            type.mods_count = 0; /* lengths of parameters do not count */
        else if (type.type == TYPE_TIMESTAMP_US && type.mods_count)
            type.mods[0] = TYPE_FRACTION_MAX; /* but which unit it is */
        sql_print_type(&type, to);
        buf_puts(to, ")");
        i = k - 1;
    }
}

static struct session_prepared *prep_new(struct dendro_conn *conn, const struct stmt *ast)
{
    struct session_prepared *p;
    struct arena arena;
    struct buf plain, text;

    arena_init(&arena, &conn->db->owner);
    buf_init(&plain, NULL);
    buf_init(&text, NULL);
    sql_print_stmt(ast->explained, &plain);
    prep_declare(ast->misc, &plain, &text);
    p = arena_calloc(&arena, 1, sizeof(*p));
    if (p && !plain.failed && !text.failed) {
        p->len = text.len;
        p->text = arena_strndup(&arena, (const char *)text.data, text.len);
        p->params_count = ast->explained->params_count;
        p->name = arena_strdup(&arena, ast->misc->name.s);
    }
    buf_done(&plain);
    buf_done(&text);
    if (!p || !p->text || !p->name) {
        arena_done(&arena);
        return NULL;
    }
    p->arena = arena;
    return p;
}

static enum type_id prep_type(const struct type_name *t)
{
    return t->dims > 0 ? type_array_of(t->type) : t->type;
}

/* What pg_prepared_statements tells of it. */
static bool prep_say(struct session_prepared *p, const struct dendro_stmt *stmt)
{
    const struct misc_stmt *m = stmt->ast->misc;
    const struct stmt *ast = stmt->ast;

    p->made_us = stmt->conn->functions.statement_ns / 1000;
    p->said =
        arena_strndup(&p->arena, ast->text + ast->start_byte, ast->end_byte - ast->start_byte);
    p->types = arena_calloc(&p->arena, (size_t)p->params_count + 1, sizeof(*p->types));
    for (uint32_t i = 0; p->types && i < p->params_count; i++) {
        enum type_id type = i < m->types_count ? prep_type(&m->types[i])
                            : stmt->plan && i < stmt->plan->params_count
                                ? stmt->plan->param_types[i]
                                : TYPE_VARCHAR;

        p->types[i] = sys_type_oid(type == TYPE_NONE ? TYPE_VARCHAR : type, NULL);
    }
    return p->said && p->types;
}

void session_list_prepared(const struct dendro_conn *conn, func_kept_fn fn, void *fn_arg)
{
    for (const struct session_prepared *p = conn->prepared; p; p = p->next)
        fn(fn_arg,
           &(struct func_kept){.name = p->name,
                               .text = p->said,
                               .made_us = p->made_us,
                               .types = p->types,
                               .types_count = p->params_count});
}

static int session_prepare(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    const struct spec_name *name = &stmt->ast->misc->name;
    struct session_prepared *p;
    size_t kept;
    int rc;

    if (*prep_find(conn, name, NULL)) {
        rc = DN_FAIL(
            err, DN_E_DUPLICATE_PREPARED, "prepared statement \"%.255s\" already exists", name->s);
        dn_err_at(err, name->pos);
        return rc;
    }
    p = prep_new(conn, stmt->ast);
    if (!p || !prep_say(p, stmt)) {
        if (p)
            prep_free(conn, p);
        return DN_FAIL_NOMEM(err);
    }
    kept = sizeof(*p) + p->len + strlen(p->said) + strlen(p->name) +
           p->params_count * sizeof(*p->types);
    rc = keep_charge(conn, kept, false, err);
    if (rc < 0) {
        prep_free(conn, p);
        return rc;
    }
    p->kept = kept;
    p->next = conn->prepared;
    conn->prepared = p;
    return 0;
}

bool engine_deallocates(const dendro_stmt *stmt, const char **ret_name)
{
    if (!stmt || stmt->ast->kind != STMT_DEALLOCATE)
        return false;
    *ret_name = stmt->ast->misc->name.s;
    return true;
}

static int session_deallocate(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    struct session_prepared **at;
    struct session_prepared *p;

    if (!stmt->ast->misc->name.s) {
        session_free_prepared(conn);
        return 0;
    }
    at = prep_find(conn, &stmt->ast->misc->name, err);
    p = *at;
    if (!p)
        return DN_E_UNDEFINED_OBJECT;
    *at = p->next;
    prep_free(conn, p);
    return 0;
}

/* ---- EXECUTE ---- */

/* One argument's value. */
static int prep_arg(struct dendro_stmt *from,
                    const struct expr *arg,
                    struct stmt_param *ret,
                    struct dn_err *err)
{
    struct plan_env env = session_plan_env(from->conn, NULL, &from->run);
    struct eval ev = plan_eval(&env, &from->run, NULL, 0);
    struct bexpr *b;
    int rc = plan_value_expr(&env, arg, "EXECUTE", &b, err);

    if (rc < 0)
        return rc;
    *ret = (struct stmt_param){.bound = true, .untyped = b->type == TYPE_NONE, .value = b->value};
    return b->kind == BEXPR_CONST ? 0 : expr_eval_datum(b, &ev, &ret->value, err);
}

static int prep_args(struct dendro_stmt *from,
                     const struct misc_stmt *m,
                     const struct session_prepared *p,
                     struct dendro_stmt *to,
                     struct dn_err *err)
{
    int rc = 0;

    if (m->args_count != p->params_count) {
        rc = DN_FAIL(
            err, DN_E_SYNTAX, "wrong number of parameters for prepared statement \"%s\"", p->name);
        dn_err_hint(err, "Expected %u parameters but got %u.", p->params_count, m->args_count);
        dn_err_at(err, m->name.pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && i < m->args_count; i++) {
        struct stmt_param *param = &to->params[i];

        rc = prep_arg(from, m->args[i], param, err);
        if (rc == 0 && !param->value.null && type_is_string(param->value.type)) {
            param->bytes = mem_dup(&to->owner, param->value.str.ptr, param->value.str.len);
            if (!param->bytes)
                rc = DN_FAIL_NOMEM(err);
            param->value.str.ptr = param->bytes;
        }
        if (rc < 0)
            *param = (struct stmt_param){.bound = false};
    }
    return rc;
}

/* The EXECUTE of a statement, its own or that of what it explains or makes a table of. */
static const struct misc_stmt *prep_execute(const struct stmt *ast)
{
    const struct stmt *s = ast->kind == STMT_EXPLAIN ? ast->explained : ast;

    return s->kind == STMT_EXECUTE ? s->misc : s->table_def ? s->table_def->execute : NULL;
}

bool session_executes(const struct stmt *ast)
{
    return prep_execute(ast) != NULL;
}

/* CREATE TABLE … AS EXECUTE: with the query itself. */
static int prep_table(struct dendro_stmt *from,
                      const struct session_prepared *p,
                      struct buf *b,
                      struct dn_err *err)
{
    const struct stmt *ast = from->ast;
    bool explain = ast->kind == STMT_EXPLAIN;
    struct stmt create = explain ? *ast->explained : *ast, around = *ast;
    struct table_def def = *create.table_def;
    struct sql_text text;
    struct stmt *query;
    int rc;

    sql_text_init(&text, p->text, p->len);
    rc = sql_parse(&text, &from->arena, &query, err);
    if (rc < 0)
        return rc;
    if (query->kind != STMT_SELECT) {
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "prepared statement is not a SELECT");
        dn_err_at(err, def.execute->name.pos);
        return rc;
    }
    def.execute = NULL;
    def.as = query->query;
    create.table_def = &def;
    around.explained = &create;
    sql_print_stmt(explain ? &around : &create, b);
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}

/* What is to be executed; "EXPLAIN (…) " stands before it if it is to be explained. */
static int prep_text(struct dendro_stmt *from,
                     const struct session_prepared *p,
                     struct buf *b,
                     struct dn_err *err)
{
    const struct stmt *ast = from->ast;
    struct stmt nothing = {.kind = STMT_EMPTY};
    struct stmt explain = *ast;

    if ((ast->kind == STMT_EXPLAIN ? ast->explained : ast)->table_def)
        return prep_table(from, p, b, err);

    explain.explained = &nothing;
    if (ast->kind == STMT_EXPLAIN)
        sql_print_stmt(&explain, b);
    buf_append(b, p->text, p->len);
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}

int session_execute(struct dendro_stmt *from, struct dendro_stmt **ret, struct dn_err *err)
{
    const struct misc_stmt *m = prep_execute(from->ast);
    const struct session_prepared *p = *prep_find(from->conn, &m->name, err);
    struct dendro_stmt *to = NULL;
    struct sql_text text;
    struct buf b;
    int rc;

    if (!p)
        return DN_E_UNDEFINED_OBJECT;
    buf_init(&b, NULL);
    rc = prep_text(from, p, &b, err);
    if (rc == 0) {
        sql_text_init(&text, (const char *)b.data, b.len);
        rc = stmt_prepare(from->conn, &text, NULL, &to, err);
        if (rc < 0 && err)
            err->position = 0; /* it would be one of another text */
    }
    buf_done(&b);
    if (rc == 0)
        rc = prep_args(from, m, p, to, err);
    if (rc < 0) {
        dendro_finalize(to);
        return rc;
    }
    to->params_given = true;
    *ret = to;
    return 0;
}

/* ---- the rows of PREPARE, EXECUTE and DEALLOCATE ---- */

/* Errors come now; EXECUTE, which makes a plan of its own, asks for the privileges again. */
static int prepare_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_compile_explain(stmt, err);

    stmt->cols_count = 0;
    return rc;
}

/* EXECUTE becomes the statement that it names before anything is asked of its row. */
static int execute_never(struct dendro_stmt *stmt, struct dn_err *err)
{
    (void)stmt;
    return DN_FAIL(err, DN_E_INTERNAL, "EXECUTE was not replaced by its statement");
}

static const char *deallocate_name(const struct stmt *ast)
{
    return ast->misc->name.s ? "DEALLOCATE" : "DEALLOCATE ALL";
}

STMT_NAME(prepare, "PREPARE")
STMT_OPS(prepare,
         stmt_name_prepare,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_by_planner,
         prepare_compile,
         session_prepare);

STMT_NAME(execute, "EXECUTE")
STMT_OPS(execute,
         stmt_name_execute,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_by_planner,
         execute_never,
         execute_never);

STMT_OPS(deallocate,
         deallocate_name,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_everybody,
         stmt_compile_nothing,
         session_deallocate);
