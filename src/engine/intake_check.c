/* SPDX-License-Identifier: Apache-2.0
 *
 * intake_check.c: CHECK constraints. Bound once per statement, evaluated for a vector of rows at a
 * time; NULL passes. */
#include "engine/engine_int.h"

#include "func/text.h"
#include "plan/stored.h"

#include <stdlib.h>

#define CHECK_ROW_MAX 200u /* bytes of a row in a message */

/* By name, as PostgreSQL looks at them: the same one is blamed first. */
static int check_by_name(const void *a, const void *b)
{
    const struct intake_rule *x = a;
    const struct intake_rule *y = b;

    return strcmp(x->constraint->name, y->constraint->name);
}

int intake_checks_bind(struct intake_checks *to,
                       const struct table *t,
                       const struct plan_env *env,
                       struct dn_err *err)
{
    *to = (struct intake_checks){.table = t};
    to->rules = arena_calloc(env->arena, (size_t)t->constraints_count + 1, sizeof(*to->rules));
    to->used = arena_calloc(env->arena, t->columns_count, sizeof(*to->used));
    if (!to->rules || !to->used)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->constraints_count; i++) {
        const struct table_constraint *c = &t->constraints[i];
        struct intake_rule *rule = &to->rules[to->count];
        struct expr *e;
        int rc;

        if (c->kind != TABLE_CHECK)
            continue;
        rule->constraint = c;
        rule->used = arena_calloc(env->arena, t->columns_count, sizeof(*rule->used));
        if (!rule->used)
            return DN_FAIL_NOMEM(err);
        rc = plan_stored_parse(env->types, env->arena, c->text, &e, err);
        if (rc == 0)
            rc = plan_row_expr(env, t, e, "CHECK", rule->used, &rule->e, err);
        if (rc < 0) {
            if (rc != DN_E_NOMEM)
                dn_err_prefix(err, "check constraint \"%s\"", c->name);
            return rc;
        }
        for (uint16_t k = 0; k < t->columns_count; k++)
            to->used[k] = to->used[k] || rule->used[k];
        to->count++;
    }
    qsort(to->rules, to->count, sizeof(*to->rules), check_by_name);
    return 0;
}

/* A patch that says nothing of a column keeps what the row has, which is not read: a condition over
 * it and over columns that are said cannot be checked. */
int intake_checks_patch(const struct intake_target *to, struct dn_err *err)
{
    const struct table *t = to->table;

    for (uint32_t i = 0; to->partial && i < to->checks.count; i++) {
        const struct intake_rule *rule = &to->checks.rules[i];
        const struct column *said = NULL;
        const struct column *unsaid = NULL;

        for (uint16_t c = 0; c < t->columns_count; c++) {
            if (!rule->used[c] || t->columns[c].key_pos > 0)
                continue;
            if (to->listed[c])
                said = &t->columns[c];
            else
                unsaid = &t->columns[c];
        }
        if (!said || !unsaid)
            continue;
        DN_IGNORE(
            DN_FAIL(err,
                    DN_E_UNSUPPORTED,
                    "check constraint \"%s\" is about column \"%s\" too, which is not listed: "
                    "with upsert = 'field' it keeps a value that is not read",
                    rule->constraint->name,
                    unsaid->name)); /* returned below */
        dn_err_hint(err, "List \"%s\", or UPDATE the row.", unsaid->name);
        return DN_E_UNSUPPORTED;
    }
    return 0;
}

/* "(1, x, null)" */
static void
check_print_row(const struct table *t, const struct vec *cols, uint32_t row, struct buf *b)
{
    buf_puts(b, "(");
    for (uint16_t i = 0; i < t->columns_count && b->len < CHECK_ROW_MAX; i++) {
        struct datum d = {.null = true};

        if (cols[i].data)
            d = vec_datum(&cols[i], row);
        buf_puts(b, i ? ", " : "");
        if (d.null)
            buf_puts(b, "null");
        else
            text_print(&d, b);
    }
    if (b->len >= CHECK_ROW_MAX) {
        b->len = CHECK_ROW_MAX;
        while (b->len > 0 && (b->data[b->len] & 0xc0) == 0x80)
            b->len--;
        buf_puts(b, "...");
    }
    buf_puts(b, ")");
    buf_u8(b, '\0');
}

static int check_fail(const struct intake_checks *ch,
                      const struct intake_rule *rule,
                      const struct vec *cols,
                      uint32_t row,
                      struct dn_err *err)
{
    struct buf b;

    DN_IGNORE(DN_FAIL(err,
                      DN_E_CHECK_VIOLATION,
                      "new row for relation \"%s\" violates check constraint \"%s\"",
                      ch->table->name,
                      rule->constraint->name)); /* returned below */
    buf_init(&b, NULL);
    check_print_row(ch->table, cols, row, &b);
    if (!b.failed)
        dn_err_hint(err, "Failing row contains %s.", (const char *)b.data);
    buf_done(&b);
    return DN_E_CHECK_VIOLATION;
}

/* The first row whose condition is false; rows: none. */
static uint32_t check_first_false(const struct vec *v, uint32_t rows)
{
    const int8_t *data = v->data;

    for (uint32_t i = 0; i < rows; i++)
        if (!data[vec_at(v, i)] && !vec_is_null(v, i))
            return i;
    return rows;
}

/* Up to VEC_ROWS_MAX rows. What a patch does not say is what a new row has: its constant. */
static int check_columns(const struct intake_checks *ch,
                         const struct vec *cols,
                         uint32_t first,
                         uint32_t rows,
                         struct arena *arena,
                         struct vec *to,
                         struct dn_err *err)
{
    for (uint16_t i = 0; i < ch->table->columns_count; i++) {
        const struct column *c = &ch->table->columns[i];
        struct datum none = {.type = c->type, .null = true};

        to[i] = (struct vec){.data = NULL};
        if (!ch->used[i])
            continue;
        if (cols[i].data && !cols[i].absent) {
            if (!vec_slice(arena, &cols[i], first, rows, &to[i]))
                return DN_FAIL_NOMEM(err);
        } else if (!vec_make_const(arena, c->has_default ? &c->def : &none, rows, &to[i])) {
            return DN_FAIL_NOMEM(err);
        }
    }
    return 0;
}

/* The first of n rows that breaks a constraint, and which: n if none does. */
static int check_part(const struct intake_checks *ch,
                      struct eval *ev,
                      const struct batch *in,
                      const struct intake_rule **ret_rule,
                      uint32_t *ret_row,
                      struct dn_err *err)
{
    *ret_row = in->count;
    for (uint32_t i = 0; i < ch->count; i++) {
        struct vec v;
        uint32_t bad;
        int rc = expr_eval(ch->rules[i].e, ev, in, &v, err);

        if (rc < 0)
            return rc;
        bad = check_first_false(&v, in->count);
        if (bad < *ret_row) {
            *ret_row = bad;
            *ret_rule = &ch->rules[i];
        }
    }
    return 0;
}

int intake_checks_run(const struct intake_checks *ch,
                      const struct vec *cols,
                      uint32_t rows,
                      const struct intake_run *run,
                      uint32_t *ret_row,
                      struct dn_err *err)
{
    struct arena arena;
    int rc = 0;

    *ret_row = 0;
    if (ch->count == 0 || rows == 0)
        return 0;
    arena_init(&arena, NULL);
    for (uint32_t at = 0; rc == 0 && at < rows; at += VEC_ROWS_MAX) {
        uint32_t n = rows - at < VEC_ROWS_MAX ? rows - at : VEC_ROWS_MAX;
        struct eval ev = {.arena = &arena, .now_ns = run->now_ns, .session = run->session};
        struct batch in = {.count = n, .sel_count = n, .cols_count = ch->table->columns_count};
        const struct intake_rule *rule = NULL;
        uint32_t bad = n;

        in.cols = arena_alloc_array(&arena, in.cols_count, sizeof(*in.cols));
        rc = in.cols ? check_columns(ch, cols, at, n, &arena, in.cols, err) : DN_FAIL_NOMEM(err);
        if (rc == 0)
            rc = check_part(ch, &ev, &in, &rule, &bad, err);
        if (rc == 0 && rule) {
            *ret_row = at + bad;
            rc = check_fail(ch, rule, cols, at + bad, err);
        }
        arena_reset(&arena);
    }
    arena_done(&arena);
    return rc;
}
