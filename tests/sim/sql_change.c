/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_change.h"

#include "sql_where.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CHANGE_KEYS_ROWS 600u /* beyond, keys stay as they are: the model is quadratic */

/* ---- UPDATE and DELETE ---- */

enum set_kind { SET_LITERAL, SET_DEFAULT, SET_COPY, SET_ADD };

struct set_one {
    uint32_t col;
    enum set_kind kind;
    struct sql_value lit; /* owned */
    uint32_t from;        /* COPY, ADD: column */
    int64_t add;
};

/* A column of the same type, itself if there is no other. */
static uint32_t change_like(const struct sqlm_table *t, struct rng *r, uint32_t col)
{
    for (int i = 0; i < 8; i++) {
        uint32_t k = rng_below(r, t->cols_count);
        if (t->cols[k].type == t->cols[col].type && (!t->cols[k].wide || t->cols[col].wide))
            return k;
    }
    return col;
}

static void change_set_random(struct set_one *s, const struct sqlm_table *t, struct rng *r)
{
    const struct sqlm_col *c = &t->cols[s->col];

    switch (rng_below(r, 6)) {
    case 0:
        s->kind = SET_DEFAULT;
        break;
    case 1:
        s->kind = SET_COPY;
        s->from = change_like(t, r, s->col);
        break;
    case 2:
        s->from = change_like(t, r, s->col);
        s->kind = sql_type_is_int(c->type) && !t->cols[s->from].wide ? SET_ADD : SET_COPY;
        s->add = (int64_t)rng_below(r, 9) - 4;
        break;
    default:
        s->kind = SET_LITERAL;
        s->lit = sqlm_value_random(r, c, !c->not_null || rng_one_in(r, 10));
        break;
    }
}

static void
change_set_print(const struct set_one *s, const struct sqlm_table *t, struct rng *r, struct buf *b)
{
    buf_printf(b, "%s = ", t->cols[s->col].name);
    switch (s->kind) {
    case SET_LITERAL:
        sqlm_literal(r, &s->lit, b);
        break;
    case SET_DEFAULT:
        buf_puts(b, "DEFAULT");
        break;
    case SET_COPY:
        buf_puts(b, t->cols[s->from].name);
        break;
    case SET_ADD:
        buf_printf(b, "%s + (%" PRId64 ")", t->cols[s->from].name, s->add);
        break;
    }
}

static struct sql_value
change_set_value(const struct set_one *s, const struct sqlm_table *t, const struct sql_value *row)
{
    struct sql_value v = {.null = true};

    switch (s->kind) {
    case SET_LITERAL:
        v = sql_value_copy(&s->lit);
        break;
    case SET_DEFAULT:
        if (t->cols[s->col].has_default)
            v = sql_value_copy(&t->cols[s->col].def);
        break;
    case SET_COPY:
        v = sql_value_copy(&row[s->from]);
        break;
    case SET_ADD:
        v = row[s->from];
        v.i64 += v.null ? 0 : s->add;
        break;
    }
    v.type = t->cols[s->col].type;
    if (t->cols[s->col].key && v.type == DENDRO_TYPE_NUMERIC && !v.null)
        v.strange = sql_num_trimmed(v.i64);
    return v;
}

static bool
change_same_key(const struct sqlm_table *t, const struct sql_value *a, const struct sql_value *b)
{
    for (uint32_t k = 0; k < t->key_count; k++)
        if (sql_value_cmp(&a[t->key[k]], &b[t->key[k]]) != 0)
            return false;
    return true;
}

static void change_row_copy(const struct sql_rows *from, size_t i, struct sql_rows *to)
{
    struct sql_value *row = sql_rows_add(to);

    for (uint32_t c = 0; c < from->cols; c++)
        row[c] = sql_value_copy(&sql_row(from, i)[c]);
}

/* Rows of the statement with their new values, at the end of `to`. */
static void change_update_rows(struct sqlm_change *c,
                               const struct sqlm_table *t,
                               const struct q_where *w,
                               const struct set_one *sets,
                               uint32_t count,
                               struct sql_rows *to)
{
    for (size_t i = 0; i < t->rows.count; i++) {
        const struct sql_value *old = sql_row(&t->rows, i);
        struct sql_value *row;
        if (!q_where_true(w, old))
            continue;
        change_row_copy(&t->rows, i, to);
        row = sql_row(to, to->count - 1);
        for (uint32_t k = 0; k < count; k++) {
            const struct sqlm_col *col = &t->cols[sets[k].col];
            sql_value_done(&row[sets[k].col]);
            row[sets[k].col] = change_set_value(&sets[k], t, old);
            if (row[sets[k].col].null && col->not_null)
                c->bad = "NULL in a NOT NULL column";
            if (!row[sets[k].col].null && col->quantum && row[sets[k].col].i64 == 0)
                c->bad = "0 as time";
        }
    }
}

/* New rows among each other, and over those that the statement leaves alone. */
static void change_update_apply(struct sqlm_change *c,
                                const struct sqlm_table *t,
                                const struct q_where *w,
                                const struct sql_rows *fresh,
                                bool moves)
{
    for (size_t i = 0; moves && i < fresh->count; i++)
        for (size_t k = 0; k < i && !c->bad; k++)
            if (change_same_key(t, sql_row(fresh, i), sql_row(fresh, k)))
                c->bad = "two rows with the same key";
    for (size_t i = 0; i < t->rows.count; i++) {
        bool gone = q_where_true(w, sql_row(&t->rows, i));
        for (size_t k = 0; moves && !gone && k < fresh->count; k++)
            gone = change_same_key(t, sql_row(&t->rows, i), sql_row(fresh, k));
        if (!gone)
            change_row_copy(&t->rows, i, &c->after);
    }
    for (size_t i = 0; i < fresh->count; i++)
        change_row_copy(fresh, i, &c->after);
}

static void change_update(struct sqlm_change *c,
                          const struct sqlm_table *t,
                          const struct q_where *w,
                          struct rng *r)
{
    struct set_one sets[3] = {{.col = 0}};
    struct sql_rows fresh = {.cols = t->cols_count};
    uint32_t want = 1 + rng_below(r, 3);
    uint32_t count = 0;
    bool moves = false;

    for (uint32_t i = 0; i < want; i++) {
        uint32_t col = rng_below(r, t->cols_count);
        bool taken = t->cols[col].key && t->rows.count > CHANGE_KEYS_ROWS;
        for (uint32_t k = 0; k < count; k++)
            taken = taken || sets[k].col == col;
        if (taken)
            continue;
        sets[count].col = col;
        change_set_random(&sets[count], t, r);
        buf_puts(&c->sql, count ? ", " : " SET ");
        change_set_print(&sets[count], t, r, &c->sql);
        moves = moves || t->cols[col].key;
        count++;
    }
    if (count == 0) {
        sets[0].col = t->cols_count - 1;
        sets[0].kind = SET_COPY;
        sets[0].from = sets[0].col;
        buf_puts(&c->sql, " SET ");
        change_set_print(&sets[0], t, r, &c->sql);
        moves = t->cols[sets[0].col].key;
        count = 1;
    }
    change_update_rows(c, t, w, sets, count, &fresh);
    change_update_apply(c, t, w, &fresh, moves);
    for (uint32_t i = 0; i < count; i++)
        sql_value_done(&sets[i].lit);
    sql_rows_done(&fresh);
}

void sqlm_change_random(struct sqlm_change *c, const struct sqlm_table *t, struct rng *r)
{
    bool update = rng_below(r, 3) > 0;
    struct q_where *w = mem_calloc(NULL, 1, sizeof *w);

    DN_ASSERT(w);
    memset(c, 0, sizeof *c);
    c->after.cols = t->cols_count;
    buf_init(&c->sql, NULL);
    w->t = t;
    if (!rng_one_in(r, 8))
        q_where_random(w, t, r);
    buf_printf(&c->sql, "%s%s", update ? "UPDATE " : "DELETE FROM ", t->name);
    if (update)
        change_update(c, t, w, r);
    for (size_t i = 0; i < t->rows.count; i++) {
        bool match = q_where_true(w, sql_row(&t->rows, i));
        c->matched += match;
        if (!update && !match)
            change_row_copy(&t->rows, i, &c->after);
    }
    if (w->root) {
        buf_puts(&c->sql, " WHERE ");
        q_where_print(w, r, &c->sql);
    }
    buf_u8(&c->sql, 0);
    DN_ASSERT(!c->sql.failed);
    q_where_done(w);
    mem_free(w);
}

void sqlm_change_done(struct sqlm_change *c)
{
    buf_done(&c->sql);
    sql_rows_done(&c->after);
    memset(c, 0, sizeof *c);
}

/* ---- ALTER TABLE ---- */

static const char *const alter_names[] = {"n1", "N2", "\"n 3\"", "n4", "\"table\""};

static void alter_copy(const struct sqlm_table *from, struct sqlm_table *to)
{
    *to = *from;
    for (uint32_t i = 0; i < from->cols_count; i++)
        to->cols[i].def = sql_value_copy(&from->cols[i].def);
    buf_init(&to->create, NULL);
    buf_append(&to->create, from->create.data, from->create.len);
    sql_rows_copy(&from->rows, &to->rows);
    to->rows.cols = from->cols_count;
}

/* A name that no column has; NULL: all are taken. */
static const char *alter_name(const struct sqlm_table *t, struct rng *r)
{
    for (int i = 0; i < 12; i++) {
        const char *name = alter_names[rng_below(r, DN_ARRAY_SIZE(alter_names))];
        bool taken = false;
        for (uint32_t c = 0; c < t->cols_count; c++)
            taken = taken || strcmp(t->cols[c].name, name) == 0;
        if (!taken)
            return name;
    }
    return NULL;
}

static bool alter_add(struct sqlm_alter *a, struct rng *r)
{
    struct sqlm_table *t = &a->after;
    const char *name = alter_name(t, r);
    struct sqlm_col *c = &t->cols[t->cols_count];
    struct sql_rows rows = {.cols = t->cols_count + 1};

    if (!name || t->cols_count == SQLM_COLS_MAX)
        return false;
    memset(c, 0, sizeof *c);
    c->name = name;
    c->type = sqlm_type_random(r);
    c->has_default = rng_one_in(r, 2);
    if (c->has_default)
        c->def = sqlm_value_random(r, c, false);
    c->not_null = c->has_default && rng_one_in(r, 2);
    buf_printf(&a->sql, "ADD %s %s", name, sqlm_type_word(r, c->type));
    buf_puts(&a->sql, c->not_null ? " NOT NULL" : "");
    if (c->has_default) {
        buf_puts(&a->sql, " DEFAULT ");
        sqlm_literal(r, &c->def, &a->sql);
    }
    for (size_t i = 0; i < t->rows.count; i++) {
        struct sql_value *row = sql_rows_add(&rows);
        for (uint32_t k = 0; k < t->cols_count; k++)
            row[k] = sql_value_copy(&sql_row(&t->rows, i)[k]);
        if (c->has_default)
            row[t->cols_count] = sql_value_copy(&c->def);
        row[t->cols_count].type = c->type;
    }
    sql_rows_done(&t->rows);
    t->rows = rows;
    t->cols_count++;
    (void)snprintf(a->probe, sizeof a->probe, "SELECT count(%s) FROM %s", name, t->name);
    a->probe_ok = true;
    return true;
}

static bool alter_drop(struct sqlm_alter *a, struct rng *r)
{
    struct sqlm_table *t = &a->after;
    uint32_t col = rng_below(r, t->cols_count);
    struct sql_rows rows = {.cols = t->cols_count - 1};

    if (t->cols[col].key || t->cols_count < 2)
        return false;
    buf_printf(&a->sql, "DROP COLUMN %s", t->cols[col].name);
    (void)snprintf(
        a->probe, sizeof a->probe, "SELECT count(%s) FROM %s", t->cols[col].name, t->name);
    for (size_t i = 0; i < t->rows.count; i++) {
        struct sql_value *row = sql_rows_add(&rows);
        for (uint32_t k = 0; k < t->cols_count; k++)
            if (k != col)
                row[k - (k > col)] = sql_value_copy(&sql_row(&t->rows, i)[k]);
    }
    sql_rows_done(&t->rows);
    t->rows = rows;
    sql_value_done(&t->cols[col].def);
    t->cols_count--;
    memmove(&t->cols[col], &t->cols[col + 1], (t->cols_count - col) * sizeof t->cols[0]);
    memset(&t->cols[t->cols_count], 0, sizeof t->cols[0]);
    for (uint32_t k = 0; k < t->key_count; k++)
        t->key[k] -= t->key[k] > col;
    return true;
}

static bool alter_rename(struct sqlm_alter *a, struct rng *r, uint32_t n)
{
    struct sqlm_table *t = &a->after;
    const char *name = alter_name(t, r);
    uint32_t col = rng_below(r, t->cols_count);

    a->probe_ok = true;
    if (rng_one_in(r, 3)) {
        (void)snprintf(t->name, sizeof t->name, "renamed%u", n);
        buf_printf(&a->sql, "RENAME TO %s", t->name);
        (void)snprintf(a->probe, sizeof a->probe, "SELECT count(*) FROM %s", t->name);
        return true;
    }
    if (!name)
        return false;
    buf_printf(&a->sql, "RENAME COLUMN %s TO %s", t->cols[col].name, name);
    t->cols[col].name = name;
    (void)snprintf(a->probe, sizeof a->probe, "SELECT count(%s) FROM %s", name, t->name);
    return true;
}

static bool alter_set(struct sqlm_alter *a, struct rng *r)
{
    static const char *const widths[] = {"quantum = '1h', slab = '6h'",
                                         "quantum = '90m', slab = '18h'",
                                         "quantum = '1d', slab = '5d'",
                                         "quantum = '100000s', slab = '200000s'"};
    struct sqlm_table *t = &a->after;
    bool timed = t->form == SQLM_RIAK || t->form == SQLM_CQL_QUANTUM || t->form == SQLM_RANGE;

    if (timed && rng_below(r, 3)) {
        buf_printf(&a->sql, "SET (%s)", widths[rng_below(r, DN_ARRAY_SIZE(widths))]);
        return true;
    }
    for (uint32_t i = 0; i < t->cols_count; i++)
        if (t->cols[i].not_null && !t->cols[i].key && !t->cols[i].has_default)
            return false;
    if (t->form == SQLM_NONE)
        return false;
    t->field = !t->field;
    a->silent = true;
    buf_printf(&a->sql, "SET (upsert = '%s')", t->field ? "field" : "row");
    return true;
}

/* Integers that are doubles, too, with room for sums. */
static bool alter_exact(const struct sql_value *v)
{
    return v->null || (v->i64 >= -((int64_t)1 << 40) && v->i64 <= (int64_t)1 << 40);
}

/* A column of numbers gets a wider type: what is stored is read so. */
static bool alter_widen(struct sqlm_alter *a, struct rng *r)
{
    struct sqlm_table *t = &a->after;
    uint32_t col = rng_below(r, t->cols_count);
    struct sqlm_col *c = &t->cols[col];
    bool whole = sql_type_is_int(c->type);
    enum dendro_type to = DENDRO_TYPE_DOUBLE;
    bool exact = alter_exact(&c->def);

    if (c->key || (!whole && c->type != DENDRO_TYPE_REAL))
        return false;
    if (whole && c->type != DENDRO_TYPE_BIGINT && rng_one_in(r, 2))
        to = DENDRO_TYPE_BIGINT;
    for (size_t i = 0; exact && i < t->rows.count; i++)
        exact = alter_exact(&sql_row(&t->rows, i)[col]);
    if (whole && to == DENDRO_TYPE_DOUBLE && !exact)
        return false;
    for (size_t i = 0; i <= t->rows.count; i++) {
        struct sql_value *v = i == t->rows.count ? &c->def : &sql_row(&t->rows, i)[col];

        if (whole && to == DENDRO_TYPE_DOUBLE)
            v->f64 = (double)v->i64;
        v->type = to;
    }
    c->type = to;
    buf_printf(&a->sql, "ALTER %s TYPE %s", c->name, sqlm_type_word(r, to));
    if (whole && to == DENDRO_TYPE_DOUBLE)
        (void)snprintf(a->probe, sizeof a->probe, "SELECT max(%s & 1) FROM %s", c->name, t->name);
    a->silent = a->probe[0] == '\0';
    return true;
}

bool sqlm_alter_random(struct sqlm_alter *a, const struct sqlm_table *t, struct rng *r, uint32_t n)
{
    uint32_t what = rng_below(r, 12);
    bool some;

    memset(a, 0, sizeof *a);
    buf_init(&a->sql, NULL);
    alter_copy(t, &a->after);
    if (what == 0) {
        buf_printf(&a->sql, "TRUNCATE %s", t->name);
        sql_rows_done(&a->after.rows);
        a->after.rows = (struct sql_rows){.cols = t->cols_count};
        some = true;
    } else {
        buf_printf(&a->sql, "ALTER TABLE %s ", t->name);
        some = what < 4    ? alter_add(a, r)
               : what < 6  ? alter_drop(a, r)
               : what < 8  ? alter_rename(a, r, n)
               : what < 10 ? alter_set(a, r)
                           : alter_widen(a, r);
    }
    buf_u8(&a->sql, 0);
    DN_ASSERT(!a->sql.failed);
    if (!some)
        sqlm_alter_done(a);
    return some;
}

void sqlm_alter_done(struct sqlm_alter *a)
{
    buf_done(&a->sql);
    sqlm_table_done(&a->after);
    memset(a, 0, sizeof *a);
}
