/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_fix.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

void plan_fix_open(struct plan_fix *f)
{
    struct dn_err err;

    memset(f, 0, sizeof(*f));
    f->disk = sim_disk_new(1);
    assert_non_null(f->disk);
    assert_int_equal(sim_volume_open(f->disk, 1, &f->volume, &err), 0);
    assert_int_equal(catalog_load(f->volume, &f->catalog, &err), 0);
    settings_defaults(&f->settings);
    arena_init(&f->arena, NULL);
}

void plan_fix_close(struct plan_fix *f)
{
    catalog_unref(f->catalog);
    volume_close(f->volume);
    sim_disk_free(f->disk);
    arena_done(&f->arena);
}

struct stmt *plan_fix_parse(struct plan_fix *f, const char *sql)
{
    struct sql_text text;
    struct stmt *stmt = NULL;
    struct dn_err err;

    sql_text_init(&text, sql, strlen(sql));
    if (sql_parse(&text, &f->arena, &stmt, &err) != 0)
        fail_msg("%s\n%s at %u", sql, err.text, err.position);
    return stmt;
}

/* As releases before docs/adr/0021 laid a table out. */
static void plan_fix_by_token(struct table *t)
{
    t->by_value = false;
    t->series_count = t->partition_count;
    t->rest_count = (uint16_t)(t->local_count - t->partition_count);
    memmove(t->rest, t->local + t->partition_count, t->rest_count * sizeof(*t->rest));
}

void plan_fix_create(struct plan_fix *f, const char *sql)
{
    struct stmt *stmt = plan_fix_parse(f, sql);
    struct catalog *next = NULL;
    struct table *t = NULL;
    struct dn_err err;

    assert_int_equal(stmt->kind, STMT_CREATE_TABLE);
    stmt->create->schema.s = CATALOG_SCHEMA_DEFAULT;
    if (table_build(stmt->create, &t, &err) < 0)
        fail_msg("%s\n%s", sql, err.text);
    if (t->by_value && strncmp(t->name, "val", 3) != 0)
        plan_fix_by_token(t);
    if (catalog_with_table(f->catalog, t, &next, &err) < 0)
        fail_msg("%s\n%s", sql, err.text);
    table_unref(t);
    catalog_unref(f->catalog);
    f->catalog = next;
}

const struct table *plan_fix_table(struct plan_fix *f, const char *name)
{
    return catalog_table(f->catalog, CATALOG_SCHEMA_DEFAULT, name, NULL);
}

struct plan_env plan_fix_env(struct plan_fix *f)
{
    return (struct plan_env){.catalog = f->catalog,
                             .schema = CATALOG_SCHEMA_DEFAULT,
                             .settings = &f->settings,
                             .arena = &f->arena,
                             .now_ns = INT64_C(1600000000000000000)};
}

int plan_fix_select(struct plan_fix *f, const char *sql, struct plan **ret, struct dn_err *err)
{
    struct plan_env env = plan_fix_env(f);

    dn_err_clear(err);
    return plan_select(&env, plan_fix_parse(f, sql), ret, err);
}

/* ---- printing ---- */

static void
fix_print_exprs(struct bexpr *const *v, uint32_t n, const char *const *names, struct buf *b)
{
    for (uint32_t i = 0; i < n; i++) {
        buf_puts(b, i ? ", " : "");
        expr_print(v[i], names, b);
    }
}

static void fix_print_aggregate(const struct plan_node *n, const char *const *names, struct buf *b)
{
    buf_puts(b, "aggregate(");
    fix_print_exprs(n->exprs, n->exprs_count, names, b);
    for (uint32_t i = 0; i < n->aggs_count; i++) {
        buf_printf(b,
                   "%s%s(%s",
                   i ? ", " : "; ",
                   n->aggs[i].agg->name,
                   n->aggs[i].distinct ? "distinct " : "");
        if (n->aggs[i].arg)
            expr_print(n->aggs[i].arg, names, b);
        buf_puts(b, n->aggs[i].arg ? ")" : "*)");
    }
    buf_puts(b, ")");
}

static void fix_print_limit(const struct plan_node *n, const char *const *names, struct buf *b)
{
    buf_puts(b, "limit(");
    if (n->limit)
        expr_print(n->limit, names, b);
    if (n->offset) {
        buf_puts(b, " offset ");
        expr_print(n->offset, names, b);
    }
    buf_puts(b, ")");
}

static void fix_print_node(struct plan_fix *f, const struct plan_node *n, struct buf *b)
{
    const char **names =
        arena_calloc(&f->arena, n->input ? n->input->cols_count + 1 : 1, sizeof(*names));

    assert_non_null(names);
    if (n->input) {
        fix_print_node(f, n->input, b);
        buf_puts(b, " ");
        for (uint32_t i = 0; i < n->input->cols_count; i++)
            names[i] = n->input->cols[i].name;
    }
    switch (n->kind) {
    case PLAN_SINGLE:
        buf_puts(b, "single");
        break;
    case PLAN_SCAN:
        buf_printf(b, "scan(%s:", n->table->name);
        for (uint32_t i = 0; i < n->cols_count; i++)
            buf_printf(b, "%s%s", i ? ", " : " ", n->cols[i].name);
        buf_puts(b, n->backward ? " backward)" : ")");
        break;
    case PLAN_FILTER:
        buf_puts(b, "filter(");
        expr_print(n->filter, names, b);
        buf_puts(b, ")");
        break;
    case PLAN_PROJECT:
        buf_puts(b, "project(");
        for (uint32_t i = 0; i < n->cols_count; i++) {
            buf_puts(b, i ? ", " : "");
            expr_print(n->exprs[i], names, b);
            buf_printf(b, " AS %s", n->cols[i].name);
        }
        buf_puts(b, ")");
        break;
    case PLAN_AGGREGATE:
        fix_print_aggregate(n, names, b);
        break;
    case PLAN_SORT:
        buf_puts(b, n->loose ? "loosely " : "");
        buf_puts(b, n->tokens ? "tokens " : "");
        buf_puts(b, "sort(");
        for (uint32_t i = 0; i < n->keys_count; i++)
            buf_printf(b,
                       "%s%u%s%s",
                       i ? ", " : "",
                       n->keys[i].col,
                       n->keys[i].desc ? " desc" : "",
                       n->keys[i].nulls_first ? " nulls first" : "");
        buf_puts(b, n->limit ? " top)" : ")");
        break;
    case PLAN_LIMIT:
        fix_print_limit(n, names, b);
        break;
    case PLAN_JOIN:
    case PLAN_APPLY:
    case PLAN_SETOP:
    case PLAN_VALUES:
    case PLAN_CTE:
    case PLAN_RECURSIVE:
    case PLAN_WORK:
    case PLAN_UNIQUE:
    case PLAN_FUNCTION:
    case PLAN_SYSTEM:
    case PLAN_FILE:
    case PLAN_WINDOW: /* no test prints these yet */
    case PLAN_KIND_MAX:
        fail();
    }
}

const char *plan_fix_print(struct plan_fix *f, const struct plan *p)
{
    const char *text;
    struct buf b;

    buf_init(&b, NULL);
    fix_print_node(f, p->root, &b);
    if (p->hidden_cols)
        buf_printf(&b, " hidden(%u)", p->hidden_cols);
    assert_false(b.failed);
    text = arena_strndup(&f->arena, (const char *)b.data, b.len);
    buf_done(&b);
    return text;
}
