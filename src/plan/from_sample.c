/* SPDX-License-Identifier: Apache-2.0
 *
 * from_sample.c: TABLESAMPLE: a condition on the rows of a table. Without REPEATABLE it is drawn
 * for each row, random() < share. With it the row itself decides, together with the seed: a hash of
 * its key, or of its number, below a share of all hashes; so the same rows come again as long as
 * they are there. SYSTEM, which in PostgreSQL takes whole pages, draws rows, too. */
#include "plan/from_int.h"

#include "store/rows.h"

#include <string.h>
#include <strings.h>

#define SAMPLE_HASHES 0x1p64

int from_sample_refuse(const struct from_item *item, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "TABLESAMPLE clause can only be applied to tables");

    dn_err_hint(err, "WHERE random() < 0.1 draws rows of anything.");
    dn_err_at(err, item->table.pos);
    return rc;
}

static int sample_bad(const struct expr *e, const char *what, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_TABLESAMPLE, "%s", what);

    dn_err_at(err, e->pos);
    return rc;
}

/* The value of an argument, which must not depend on anything. */
static int
sample_number(const struct plan_env *env, const struct expr *e, double *ret, struct dn_err *err)
{
    struct plan_target to = {.type = TYPE_DOUBLE, .session = env->session};
    struct bexpr *b;
    struct datum d;
    int rc = plan_value_expr(env, e, "TABLESAMPLE", &b, err);

    if (rc < 0)
        return rc;
    if (b->kind != BEXPR_CONST)
        return sample_bad(e, "an argument of TABLESAMPLE must be a constant", err);
    if (b->value.null)
        return sample_bad(e, "TABLESAMPLE parameter cannot be null", err);
    rc = plan_assign(&to, &b->value, b->type == TYPE_NONE, env->arena, &d, err);
    if (rc < 0)
        dn_err_at(err, e->pos);
    else
        *ret = d.v.f64;
    return rc;
}

/* What tells rows apart, as arguments of a hash; the seed is the first. */
static int sample_keys(struct from *f,
                       struct lrel *rel,
                       const struct scope *scope,
                       struct bexpr **args,
                       uint32_t *count,
                       struct dn_err *err)
{
    const struct table *t = rel->table;

    for (uint32_t i = 0; i < store_cols_count(t); i++) {
        bool number = t->form == KEY_NONE && i == t->columns_count + (uint32_t)HIDDEN_ROWID;
        bool key = i < t->columns_count && (t->columns[i].key_pos > 0 || t->time_col == (int)i);
        uint32_t var = key ? scope_var(f->q, scope, rel, i) : 0;

        if (!number && (!key || t->form == KEY_NONE))
            continue;
        if (number) {
            uint32_t *at = &rel->scan->col_vars[i];

            if (!*at)
                *at = logic_var(f->q, "row id", store_col_type(t, i));
            var = *at;
        }
        args[*count] = var ? bind_var(f->b, var, 0) : NULL;
        if (!args[(*count)++])
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* hash(seed, key) < share of all hashes. */
static int sample_again(struct from *f,
                        double seed,
                        double share,
                        struct lrel *rel,
                        const struct scope *scope,
                        struct bexpr **ret,
                        struct dn_err *err)
{
    double below = share * SAMPLE_HASHES - SAMPLE_HASHES / 2;
    struct datum first = {.type = TYPE_DOUBLE, .v = {.f64 = seed}};
    struct datum bound = {.type = TYPE_BIGINT, .v = {.i64 = (int64_t)below}};
    struct bexpr **args =
        arena_calloc(f->q->env->arena, store_cols_count(rel->table) + 1, sizeof(struct bexpr *));
    struct bexpr *sides[2];
    uint32_t count = 1;
    int rc = args ? bind_const(f->b, &first, 0, &args[0], err) : DN_FAIL_NOMEM(err);

    if (rc == 0)
        rc = sample_keys(f, rel, scope, args, &count, err);
    if (rc == 0)
        rc = bind_call(f->b, "token", 0, args, count, &sides[0], err);
    if (rc == 0)
        rc = bind_const(f->b, &bound, 0, &sides[1], err);
    return rc < 0 ? rc : bind_compare(f->b, OP_LT, 0, sides[0], sides[1], ret, err);
}

static int sample_drawn(struct from *f, double share, struct bexpr **ret, struct dn_err *err)
{
    struct datum bound = {.type = TYPE_DOUBLE, .v = {.f64 = share}};
    struct bexpr *sides[2];
    int rc = bind_call(f->b, "random", 0, NULL, 0, &sides[0], err);

    if (rc == 0)
        rc = bind_const(f->b, &bound, 0, &sides[1], err);
    return rc < 0 ? rc : bind_compare(f->b, OP_LT, 0, sides[0], sides[1], ret, err);
}

int from_sample(struct from *f,
                const struct from_sample *s,
                struct lrel *rel,
                struct from_part *part,
                struct dn_err *err)
{
    double percent = 0, seed = 0;
    struct bexpr *cond;
    int rc = 0;

    if (strcasecmp(s->method.s, "bernoulli") != 0 && strcasecmp(s->method.s, "system") != 0) {
        rc = DN_FAIL(
            err, DN_E_UNDEFINED_OBJECT, "tablesample method %s does not exist", s->method.s);
        dn_err_hint(err, "There are BERNOULLI and SYSTEM.");
        dn_err_at(err, s->method.pos);
        return rc;
    }
    if (s->args_count != 1)
        return sample_bad(s->args[1], "a method of TABLESAMPLE takes one argument", err);
    rc = sample_number(f->q->env, s->args[0], &percent, err);
    if (rc == 0 && s->seed)
        rc = sample_number(f->q->env, s->seed, &seed, err);
    if (rc < 0)
        return rc;
    if (!(percent >= 0 && percent <= 100))
        return sample_bad(s->args[0], "sample percentage must be between 0 and 100", err);
    if (percent == 100)
        return 0;
    rc = s->seed ? sample_again(f, seed, percent / 100, rel, &part->scope, &cond, err)
                 : sample_drawn(f, percent / 100, &cond, err);
    if (rc < 0)
        return rc;
    part->tree = logic_filter(f->q, part->tree, &cond, 1);
    return part->tree ? 0 : DN_FAIL_NOMEM(err);
}
