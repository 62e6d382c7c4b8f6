/* SPDX-License-Identifier: Apache-2.0
 *
 * parts_first.c: rows that several parts of a statement would change: the first change counts. The
 * keys of what was changed are kept while the statement runs, for tables that more than one of its
 * parts changes. */
#include "engine/parts.h"

#include "engine/engine_int.h"
#include "engine/key_set.h"

#define PARTS_LOOK_ROWS 4096u /* between looks at the cancel flag */

struct parts_changed {
    struct parts_changed *next;
    struct key_set keys;
    uint16_t sel[VEC_ROWS_MAX]; /* of the batch that was looked at last */
};

static bool parts_changes(const struct dendro_stmt *s, const struct table *t)
{
    enum stmt_kind kind = stmt_inner(s)->kind;

    return (kind == STMT_UPDATE || kind == STMT_DELETE) && s->plan && s->plan->table &&
           s->plan->table->id == t->id;
}

bool stmt_parts_share(const struct dendro_stmt *stmt, const struct table *t)
{
    const struct stmt_parts *p = stmt->among;
    uint32_t n = 0;

    if (!p || stmt_inner(p->whole)->kind == STMT_MERGE)
        return false;
    n += parts_changes(p->whole, t);
    for (uint32_t i = 0; i < p->count && p->v[i]; i++)
        n += parts_changes(p->v[i], t);
    return n > 1;
}

static struct parts_changed *parts_find(struct stmt_parts *p, const struct table *t)
{
    struct parts_changed *c = p->changed;

    while (c && c->keys.table->id != t->id)
        c = c->next;
    return c;
}

int stmt_parts_skip(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct plan_change *plan,
                    struct batch *b,
                    struct dn_err *err)
{
    struct parts_changed *c = stmt->among ? parts_find(stmt->among, t) : NULL;
    uint32_t n = 0;
    struct vec *cols;

    if (!c)
        return 0;
    cols = arena_calloc(&stmt->run, store_cols_count(t), sizeof(*cols));
    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < plan->cols_count; i++)
        cols[plan->cols[i]] = b->cols[i];
    for (uint32_t i = 0; i < b->sel_count; i++) {
        uint16_t row = b->sel ? b->sel[i] : (uint16_t)i;
        uint32_t id;
        int rc = key_set_find(&c->keys, cols, row, &id, err);

        if (rc < 0)
            return rc;
        if (id == KEY_SET_NONE)
            c->sel[n++] = row;
    }
    b->sel = c->sel;
    b->sel_count = n;
    return 0;
}

int stmt_parts_note(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct vec *cols,
                    uint32_t rows,
                    struct dn_err *err)
{
    struct stmt_parts *p = stmt->among;
    struct parts_changed *c;
    int rc = 0;

    if (!stmt_parts_share(stmt, t))
        return 0;
    c = parts_find(p, t);
    if (!c) {
        c = mem_calloc(&p->whole->owner, 1, sizeof(*c));
        if (!c)
            return DN_FAIL_NOMEM(err);
        key_set_init(&c->keys, t, &p->whole->owner);
        c->next = p->changed;
        p->changed = c;
    }
    for (uint32_t row = 0; rc >= 0 && row < rows; row++) {
        uint32_t id;

        rc = row % PARTS_LOOK_ROWS ? 0 : session_check_cancel(stmt->conn, err);
        if (rc == 0)
            rc = key_set_add(&c->keys, cols, row, &id, err);
    }
    return rc < 0 ? rc : 0;
}

void stmt_parts_changed_free(struct stmt_parts *p)
{
    while (p->changed) {
        struct parts_changed *c = p->changed;

        p->changed = c->next;
        key_set_done(&c->keys);
        mem_free(c);
    }
}
