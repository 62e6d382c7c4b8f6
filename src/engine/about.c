/* SPDX-License-Identifier: Apache-2.0
 *
 * about.c: what a statement is about, in the words of a log: its kind, its object, whether it
 * changes what there is or rows, and whether its text has a secret. */
#include "engine/about.h"

#include "engine/stmt_ops.h"

#include <stdio.h>

/* ---- names ---- */

static void about_add(struct engine_about *a, const char *schema, const char *name)
{
    size_t len = strlen(a->object);

    if (name)
        snprintf(a->object + len,
                 sizeof(a->object) - len,
                 "%s%s%s%s",
                 len ? ", " : "",
                 schema ? schema : "",
                 schema ? "." : "",
                 name);
}

static void about_list(struct engine_about *a, const struct spec_name *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        about_add(a, NULL, names[i].s);
}

static void about_quals(struct engine_about *a, const struct qual_name *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        about_add(a, names[i].schema, names[i].name);
}

static void about_object(const struct stmt *ast, struct engine_about *a)
{
    if (ast->kind == STMT_ROLE && ast->role->action != ROLE_ACTION_OWNER) {
        about_add(a, NULL, ast->role->name.s);
        about_list(a, ast->role->names, ast->role->names_count);
    } else if (ast->kind == STMT_GRANT) {
        if (ast->grant->roles)
            about_list(a, ast->grant->privileges, ast->grant->privileges_count);
        about_quals(a, ast->grant->objects, ast->grant->objects_count);
    } else if (ast->kind == STMT_CREATE_TABLE && ast->create) {
        about_add(a, ast->create->schema.s, ast->create->name.s);
    } else if (ast->names_count > 0) {
        about_quals(a, ast->names, ast->names_count);
    } else {
        about_add(a, ast->name.schema, ast->name.name);
    }
}

/* A password may stand in it, also behind a word that was misspelt, and in a statement inside
 * another one: EXPLAIN ALTER ROLE …. */
static bool about_secret(const struct stmt *ast)
{
    for (const struct stmt *s = ast; s; s = s->explained)
        if (s->kind == STMT_ROLE && s->role->words_count > 0)
            return true;
    return false;
}

void stmt_about(struct dendro_stmt *stmt, struct engine_about *ret)
{
    const struct stmt *ast = stmt->ast;

    *ret = (struct engine_about){.class = ENGINE_OTHER};
    if (!ast)
        return;
    snprintf(ret->kind, sizeof(ret->kind), "%s", stmt_ops_of(ast)->name(ast));
    ret->class = stmt_ops_of(ast)->class(ast);
    ret->secret = about_secret(ast);
    about_object(ast, ret);
}

void engine_about(dendro_stmt *stmt, struct engine_about *ret)
{
    stmt_about(stmt, ret);
}

void engine_about_masked(const struct engine_about *a, char *to, size_t size)
{
    snprintf(to, size, "%s %s ********", a->kind, a->object);
}

void engine_about_failed(dendro_conn *conn, struct engine_about *ret)
{
    *ret = conn->failed;
}

void engine_log_settings(const dendro_conn *conn, struct engine_log *ret)
{
    *ret = (struct engine_log){.statement = (int)conn->settings.log_statement,
                               .min_ms = conn->settings.log_min_duration_statement};
}

void engine_idle_settings(const dendro_conn *conn, struct engine_idle *ret)
{
    *ret = (struct engine_idle){.session_ms = (uint64_t)conn->settings.idle_session_timeout,
                                .transaction_ms =
                                    (uint64_t)conn->settings.idle_in_transaction_session_timeout};
}
