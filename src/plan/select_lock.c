/* SPDX-License-Identifier: Apache-2.0
 *
 * select_lock.c: SELECT … FOR UPDATE and its like. No row is locked: the keys of the rows that the
 * query returns come out of the plan beside its columns (plan.locks), and in a transaction block
 * they are checked at COMMIT as those of rows that were changed. That is so for the tables of the
 * statement's own FROM; in a subquery the clause is checked and says nothing more. */
#include "catalog/access_check.h"
#include "plan/query_set.h"
#include "plan/select_int.h"

static const char *lock_word(enum lock_mode mode)
{
    static const char *const words[] = {[LOCK_NONE] = "",
                                        [LOCK_UPDATE] = "FOR UPDATE",
                                        [LOCK_NO_KEY_UPDATE] = "FOR NO KEY UPDATE",
                                        [LOCK_SHARE] = "FOR SHARE",
                                        [LOCK_KEY_SHARE] = "FOR KEY SHARE"};

    return words[mode];
}

static int lock_not_with(const struct lock_clause *k, const char *what, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_UNSUPPORTED, "%s is not allowed with %s", lock_word(k->mode), what);

    dn_err_at(err, k->pos);
    return rc;
}

int query_lock_refuse(const struct query *ast, struct dn_err *err)
{
    int rc;

    if (ast->locks_count == 0 || ast->kind == QUERY_SELECT)
        return 0;
    if (ast->kind == QUERY_SET)
        return lock_not_with(&ast->locks[0], "UNION/INTERSECT/EXCEPT", err);
    rc = DN_FAIL(
        err, DN_E_UNSUPPORTED, "%s cannot be applied to VALUES", lock_word(ast->locks[0].mode));
    dn_err_at(err, ast->locks[0].pos);
    return rc;
}

/* A column of the table that the scan has beside those the query names. */
static uint32_t lock_var(struct sel *s, struct lrel *rel, uint32_t col)
{
    struct planner *q = s->b.q;
    uint32_t *var = &rel->scan->col_vars[col];

    if (col < rel->table->columns_count)
        return scope_var(q, &s->scope, rel, col);
    if (!*var)
        *var = logic_var(q, "row id", store_col_type(rel->table, col));
    return *var;
}

/* What tells the rows of a table apart goes out with the result. */
static int lock_keys(struct sel *s, struct lrel *rel, struct dn_err *err)
{
    struct planner *q = s->b.q;
    const struct table *t = rel->table;
    struct plan_lock *lock = &q->plan->locks[q->plan->locks_count];
    uint32_t count = store_cols_count(t);

    *lock = (struct plan_lock){.table = t, .at = q->lock_vars.n};
    lock->cols = arena_alloc_array(q->env->arena, (size_t)count + 1, sizeof(*lock->cols));
    if (!lock->cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        bool key = i < t->columns_count
                       ? t->columns[i].key_pos > 0 || t->time_col == (int)i
                       : t->form == KEY_NONE && i == t->columns_count + (uint32_t)HIDDEN_ROWID;
        uint32_t var = key ? lock_var(s, rel, i) : 0;

        if (!key)
            continue;
        if (!var || !lvars_add(q->env->arena, &q->lock_vars, var))
            return DN_FAIL_NOMEM(err);
        lock->cols[lock->cols_count++] = (uint16_t)i;
    }
    q->plan->locks_count++;
    return 0;
}

/* Is it the statement's own FROM? */
static bool lock_is_own(const struct sel *s)
{
    const struct stmt *stmt = s->b.q->stmt;

    return stmt->kind == STMT_SELECT && stmt->query && stmt->query->core == s->core;
}

static int
lock_rel(struct sel *s, const struct lock_clause *k, struct lrel *rel, struct dn_err *err)
{
    const struct plan_env *env = s->b.env;
    struct catalog_relation r = {.table = rel->table, .view = rel->view};
    uint32_t on_some; /* any column will do */
    int rc = 0;

    if (rel->nullable) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "%s cannot be applied to the nullable side of an outer join",
                     lock_word(k->mode));
        dn_err_at(err, k->pos);
        return rc;
    }
    if (rel->table || rel->view)
        rc = catalog_may_columns(
            env->catalog, env->role, &r, PRIVILEGE_BIT(PRIVILEGE_UPDATE), &on_some, err);
    if (rc < 0) {
        dn_err_at(err, rel->pos);
        return rc;
    }
    if (!lock_is_own(s) || !rel->table || !rel->scan)
        return 0;
    for (uint32_t i = 0; i < s->b.q->plan->locks_count; i++)
        if (s->b.q->locked[i] == rel)
            return 0; /* by another clause already */
    s->b.q->locked[s->b.q->plan->locks_count] = rel;
    return lock_keys(s, rel, err);
}

static int lock_named(struct sel *s,
                      const struct lock_clause *k,
                      const struct qual_name *name,
                      struct dn_err *err)
{
    struct lrel *rel = NULL;
    int rc;

    if (name->schema) {
        rc = DN_FAIL(
            err, DN_E_SYNTAX, "%s must specify unqualified relation names", lock_word(k->mode));
        dn_err_at(err, name->pos);
        return rc;
    }
    rel = scope_rel(&s->scope, NULL, name->name);
    if (!rel) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_TABLE,
                     "relation \"%s\" in %s clause not found in FROM clause",
                     name->name,
                     lock_word(k->mode));
        dn_err_at(err, name->pos);
        return rc;
    }
    return lock_rel(s, k, rel, err);
}

static int lock_room(struct sel *s, struct dn_err *err)
{
    struct planner *q = s->b.q;
    size_t room = (size_t)s->scope.rels_count + 1;

    if (q->plan->locks)
        return 0;
    q->plan->locks = arena_calloc(q->env->arena, room, sizeof(*q->plan->locks));
    q->locked = arena_calloc(q->env->arena, room, sizeof(struct lrel *));
    return q->plan->locks && q->locked ? 0 : DN_FAIL_NOMEM(err);
}

/* A cursor over rows of one table: which they are, for WHERE CURRENT OF. */
static int lock_unasked(struct sel *s, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct lrel *rel = s->scope.rels_count == 1 ? s->scope.rels[0] : NULL;
    int rc;

    if (!q->env->keys || !rel || !rel->table || !rel->scan || rel->table->timepart ||
        !lock_is_own(s) || s->core->distinct || s->core->group_by_count > 0 || s->core->having ||
        s->aggs_count > 0 || s->windows_count > 0 || s->rowfuncs_count > 0)
        return 0;
    rc = lock_room(s, err);
    if (rc == 0)
        rc = lock_keys(s, rel, err);
    if (rc == 0)
        q->plan->locks[0].unasked = true;
    return rc;
}

int select_locks(struct sel *s, const struct query *ast, struct dn_err *err)
{
    const struct lock_clause *k = ast->locks;
    int rc = 0;

    if (ast->locks_count == 0)
        return lock_unasked(s, err);
    if (s->core->distinct)
        return lock_not_with(k, "DISTINCT clause", err);
    if (s->core->group_by_count > 0)
        return lock_not_with(k, "GROUP BY clause", err);
    if (s->core->having)
        return lock_not_with(k, "HAVING clause", err);
    if (s->aggs_count > 0)
        return lock_not_with(k, "aggregate functions", err);
    if (s->windows_count > 0)
        return lock_not_with(k, "window functions", err);
    if (s->rowfuncs_count > 0)
        return lock_not_with(k, "set-returning functions in the target list", err);
    rc = lock_room(s, err);
    for (; rc == 0 && k < ast->locks + ast->locks_count; k++) {
        for (uint32_t i = 0; rc == 0 && i < k->of_count; i++)
            rc = lock_named(s, k, &k->of[i], err);
        for (uint32_t i = 0; rc == 0 && k->of_count == 0 && i < s->scope.rels_count; i++)
            rc = lock_rel(s, k, s->scope.rels[i], err);
    }
    return rc;
}
