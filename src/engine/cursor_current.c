/* SPDX-License-Identifier: Apache-2.0
 *
 * cursor_current.c: UPDATE and DELETE … WHERE CURRENT OF: the row that a cursor is on, by what
 * tells the rows of its table apart, which the cursor keeps beside its columns. */
#include "engine/cursor.h"

#include "engine/cursor_int.h"
#include "engine/engine_int.h"
#include "engine/names.h"

#include <string.h>

static int
current_bad(const struct spec_name *name, const char *what, const char *table, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_CURSOR_STATE, "cursor \"%.255s\" %s%.255s", name->s, what, table);

    dn_err_at(err, name->pos);
    return rc;
}

/* Which of the query's tables it is: the number of cursor_key.lock. */
static int current_lock(const struct session_cursor *c,
                        const struct spec_name *name,
                        const struct table *t,
                        uint32_t *ret,
                        struct dn_err *err)
{
    *ret = 0;
    for (uint32_t i = 0; i < c->cols_count; i++) {
        const struct cursor_key *k = &c->keys[i];

        if (k->lock == 0 || k->table != t->id)
            continue;
        if (*ret != 0 && *ret != k->lock)
            return current_bad(
                name, "has multiple FOR UPDATE/SHARE references to table ", t->name, err);
        *ret = k->lock;
    }
    if (*ret == 0)
        return current_bad(name, "is not a simply updatable scan of table ", t->name, err);
    return 0;
}

/* The store column of a key; UINT16_MAX: the table has it no more. */
static uint16_t current_column(const struct cursor_key *k, const struct table *t)
{
    if (k->column == 0)
        return t->form == KEY_NONE ? (uint16_t)(t->columns_count + HIDDEN_ROWID) : UINT16_MAX;
    for (uint16_t i = 0; i < t->columns_count; i++)
        if (t->columns[i].id == k->column)
            return i;
    return UINT16_MAX;
}

static int current_values(struct session_cursor *c,
                          const struct spec_name *name,
                          const struct table *t,
                          struct arena *arena,
                          struct plan_row *row,
                          struct dn_err *err)
{
    uint16_t *cols = arena_calloc(arena, (size_t)c->cols_count + 1, sizeof(*cols));
    struct datum *values = arena_calloc(arena, (size_t)c->cols_count + 1, sizeof(*values));
    struct batch page;
    uint32_t lock, at;
    int rc = current_lock(c, name, t, &lock, err);

    if (rc == 0 && (!cols || !values))
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = cursor_page(c, c->at - 1, &page, &at, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < c->cols_count; i++) {
        struct datum d;

        if (c->keys[i].lock != lock)
            continue;
        cols[row->count] = current_column(&c->keys[i], t);
        d = vec_datum(&page.cols[i], at);
        if (cols[row->count] == UINT16_MAX || store_col_type(t, cols[row->count]) != d.type)
            return current_bad(name, "was declared before an ALTER of table ", t->name, err);
        if (!datum_copy(arena, &d, &values[row->count++]))
            return DN_FAIL_NOMEM(err);
    }
    row->table = t->id;
    row->cols = cols;
    row->values = values;
    return 0;
}

int cursor_current(struct dendro_stmt *stmt,
                   const struct change_stmt *change,
                   const struct plan_row **ret,
                   struct dn_err *err)
{
    const struct spec_name *name = &change->current_of;
    struct catalog_relation r = {.table = NULL};
    struct plan_row *row = arena_calloc(&stmt->compiled, 1, sizeof(*row));
    struct session_cursor *c;
    int rc = session_relation(stmt->conn, stmt->catalog, &change->table, &r, err);

    if (rc < 0)
        return rc;
    if (!row)
        return DN_FAIL_NOMEM(err);
    *ret = row;
    if (!r.table) /* the planner says what it is */
        return 0;
    if (r.table->timepart || stmt->keep) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "WHERE CURRENT OF is not supported %s",
                     stmt->keep ? "in WITH" : "for time partitions");
        dn_err_at(err, name->pos);
        return rc;
    }
    rc = cursor_need(stmt->conn, name, &c, err);
    if (rc < 0)
        return rc;
    if (c->hold && !c->in_block)
        return current_bad(name, "is held from a previous transaction", "", err);
    if (c->at == 0 || c->at > cursor_known(c) || (!c->keeps && c->at <= c->base))
        return current_bad(name, "is not positioned on a row", "", err);
    return current_values(c, name, r.table, &stmt->compiled, row, err);
}
