/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const enum dendro_type sqlm_types[] = {DENDRO_TYPE_BOOLEAN,
                                              DENDRO_TYPE_SMALLINT,
                                              DENDRO_TYPE_INTEGER,
                                              DENDRO_TYPE_BIGINT,
                                              DENDRO_TYPE_REAL,
                                              DENDRO_TYPE_DOUBLE,
                                              DENDRO_TYPE_VARCHAR,
                                              DENDRO_TYPE_BLOB,
                                              DENDRO_TYPE_TIMESTAMP,
                                              DENDRO_TYPE_TIMESTAMP_US,
                                              DENDRO_TYPE_TIMESTAMP_NS,
                                              DENDRO_TYPE_NUMERIC};

static const char *const sqlm_names[SQLM_COLS_MAX] = {
    "a", "\"two words\"", "Temp", "\"select\"", "e5", "`f``6`", "\"g\"\"7\"", "h", "\"\xc3\xa4\""};

const char *sqlm_type_word(struct rng *r, enum dendro_type t)
{
    static const char *const words[][2] = {
        [DENDRO_TYPE_BOOLEAN] = {"BOOLEAN", "BOOLEAN"},
        [DENDRO_TYPE_SMALLINT] = {"SMALLINT", "SMALLINT"},
        [DENDRO_TYPE_INTEGER] = {"INT", "INTEGER"},
        [DENDRO_TYPE_BIGINT] = {"SINT64", "BIGINT"},
        [DENDRO_TYPE_REAL] = {"REAL", "REAL"},
        [DENDRO_TYPE_DOUBLE] = {"FLOAT", "DOUBLE"},
        [DENDRO_TYPE_VARCHAR] = {"TEXT", "VARCHAR"},
        [DENDRO_TYPE_BLOB] = {"BYTEA", "BLOB"},
        [DENDRO_TYPE_TIMESTAMP] = {"TIMESTAMP(3)", "TIMESTAMP"},
        [DENDRO_TYPE_TIMESTAMP_US] = {"DATETIME", "TIMESTAMP(6)"},
        [DENDRO_TYPE_TIMESTAMP_NS] = {"TIMESTAMP(9)", "TIMESTAMP(9)"},
        [DENDRO_TYPE_NUMERIC] = {"NUMERIC", "DECIMAL"},
    };

    return words[t][rng_below(r, 2)];
}

/* ---- tables ---- */

struct sqlm_shape {
    uint32_t series; /* columns 0 … series - 1 */
    int time;        /* column, -1 = none */
    int extra;       /* one more key column, -1 = none */
    bool desc_time;
    bool desc_extra;
    bool clause; /* CLUSTERING ORDER BY rather than DESC in the key */
};

enum dendro_type sqlm_type_random(struct rng *r)
{
    return sqlm_types[rng_below(r, DN_ARRAY_SIZE(sqlm_types))];
}

void sqlm_col_name(const struct sqlm_col *c, char ret[32])
{
    char quote = c->name[0] == '"' || c->name[0] == '`' ? c->name[0] : 0;
    size_t n = 0;

    for (const char *p = c->name + (quote != 0); *p; p++) {
        if (quote && *p == quote && *++p != quote)
            break;
        ret[n++] = *p;
    }
    ret[n] = 0;
}

static uint32_t sqlm_col_add(struct sqlm_table *t, enum dendro_type type, bool key)
{
    struct sqlm_col *c = &t->cols[t->cols_count];

    c->name = sqlm_names[t->cols_count];
    c->type = type;
    c->key = key;
    c->not_null = key;
    return t->cols_count++;
}

static void sqlm_shape_random(struct sqlm_table *t, struct rng *r, struct sqlm_shape *s)
{
    static const uint32_t series_min[] = {0, 1, 1, 1, 1, 0, 1, 0};
    static const uint32_t series_max[] = {2, 2, 2, 2, 1, 0, 1, 0};
    bool time = t->form == SQLM_RIAK || t->form == SQLM_CQL_QUANTUM || t->form == SQLM_RANGE;

    memset(s, 0, sizeof *s);
    s->time = -1;
    s->extra = -1;
    s->series = series_min[t->form] + rng_below(r, series_max[t->form] - series_min[t->form] + 1);
    for (uint32_t i = 0; i < s->series; i++) {
        enum dendro_type type = sqlm_type_random(r);
        /* (a, …) with a time stamp first would be the range form. */
        while (t->form == SQLM_CQL_SHORT && sql_type_is_time(type))
            type = sqlm_type_random(r);
        (void)sqlm_col_add(t, type, true);
    }
    if (time) {
        s->time =
            (int)sqlm_col_add(t, (enum dendro_type)(DENDRO_TYPE_TIMESTAMP + rng_below(r, 3)), true);
        t->cols[s->time].quantum = true;
        if (rng_one_in(r, 3))
            t->cols[s->time].style = rng_one_in(r, 2) ? SQLM_STEP : SQLM_WALK;
        s->desc_time = rng_one_in(r, 2);
    }
    if (t->form != SQLM_INLINE && t->form != SQLM_NONE && rng_one_in(r, 2)) {
        enum dendro_type type = sqlm_type_random(r);
        bool riak = t->form == SQLM_RIAK || t->form == SQLM_RIAK_PLAIN;
        s->extra = (int)sqlm_col_add(t, type, true);
        s->desc_extra =
            rng_one_in(r, 2) && !(riak && (sql_type_is_float(type) || type == DENDRO_TYPE_BOOLEAN ||
                                           type == DENDRO_TYPE_NUMERIC));
    }
    s->clause =
        (t->form == SQLM_CQL || t->form == SQLM_CQL_SHORT) && s->extra >= 0 && rng_one_in(r, 2);
    for (uint32_t i = 0; i < s->series; i++)
        t->key[t->key_count++] = i;
    if (s->time >= 0) {
        t->desc[t->key_count] = s->desc_time;
        t->key[t->key_count++] = (uint32_t)s->time;
    }
    if (s->extra >= 0) {
        t->desc[t->key_count] = s->desc_extra;
        t->key[t->key_count++] = (uint32_t)s->extra;
    }
    t->series_count = s->series;
}

static void sqlm_values_random(struct sqlm_table *t, struct rng *r)
{
    bool turns = rng_one_in(r, 4); /* rows of several series, one after the other */

    while (t->cols_count < 3 || (t->cols_count < SQLM_COLS_MAX && rng_below(r, 4))) {
        struct sqlm_col *c = &t->cols[sqlm_col_add(t, sqlm_type_random(r), false)];
        c->wide = c->type == DENDRO_TYPE_BIGINT && rng_one_in(r, 2);
        if (rng_one_in(r, 2))
            c->style = (enum sqlm_style)rng_below(r, SQLM_STYLE_MAX);
        if (turns)
            c->style = SQLM_TURN;
        if (c->style == SQLM_NOISE)
            c->wide = true;
        c->has_default = rng_one_in(r, 4);
        if (c->has_default)
            c->def = sqlm_value_random(r, c, false);
        c->not_null = rng_one_in(r, 4) && (c->has_default || !t->field);
    }
}

static void sqlm_create_key(const struct sqlm_table *t,
                            struct rng *r,
                            const struct sqlm_shape *s,
                            struct buf *b)
{
    static const char *const widths[] = {"1, 'd'", "7, 'h'", "90, 'm'", "100000, 's'"};
    bool inner = t->form == SQLM_RIAK || t->form == SQLM_RIAK_PLAIN || t->form == SQLM_CQL ||
                 t->form == SQLM_CQL_QUANTUM;
    bool repeat = t->form == SQLM_RIAK || t->form == SQLM_RIAK_PLAIN || !inner;
    bool quantum = t->form == SQLM_RIAK || t->form == SQLM_CQL_QUANTUM;
    const char *comma = "";

    buf_puts(b, ", PRIMARY KEY (");
    if (inner) {
        buf_puts(b, "(");
        for (uint32_t i = 0; i < s->series; i++, comma = ", ")
            buf_printf(b, "%s%s", comma, t->cols[i].name);
        if (quantum)
            buf_printf(b,
                       "%sQUANTUM(%s, %s)",
                       comma,
                       t->cols[s->time].name,
                       widths[rng_below(r, DN_ARRAY_SIZE(widths))]);
        buf_puts(b, ")");
        comma = ", ";
    }
    for (uint32_t i = 0; repeat && i < s->series; i++, comma = ", ")
        buf_printf(b, "%s%s", comma, t->cols[i].name);
    if (s->time >= 0) {
        buf_printf(b, "%s%s%s", comma, t->cols[s->time].name, s->desc_time ? " DESC" : " ASC");
        comma = ", ";
    }
    if (s->extra >= 0)
        buf_printf(
            b, "%s%s%s", comma, t->cols[s->extra].name, s->desc_extra && !s->clause ? " DESC" : "");
    buf_puts(b, ")");
}

static void sqlm_create_with(const struct sqlm_table *t,
                             struct rng *r,
                             const struct sqlm_shape *s,
                             struct buf *b)
{
    /* What follows the word, which is AND or a comma in a list of its own. */
    const char *word = " WITH ";
    const char *begin = s->clause ? "" : "(";

    if (s->clause) {
        buf_printf(b,
                   "%sCLUSTERING ORDER BY (%s %s)",
                   word,
                   t->cols[s->extra].name,
                   s->desc_extra ? "DESC" : "ASC");
        word = " AND ";
    }
    if (t->field) {
        buf_printf(b, "%s%supsert = 'field'", word, begin);
        word = s->clause ? " AND " : ", ";
        begin = "";
    }
    if (!s->clause && t->form == SQLM_RANGE && rng_one_in(r, 2)) {
        buf_printf(b, "%s%squantum = '6h'%s", word, begin, t->field ? ", slab = '18h'" : "");
        word = ", ";
        begin = "";
    }
    if (rng_one_in(r, 3)) {
        buf_printf(b, "%s%scompression = 'max'", word, begin);
        begin = "";
    }
    if (!s->clause && *begin == 0)
        buf_puts(b, ")");
}

static void sqlm_create(struct sqlm_table *t, struct rng *r, const struct sqlm_shape *s)
{
    struct buf *b = &t->create;
    bool riak = t->form == SQLM_RIAK || t->form == SQLM_RIAK_PLAIN;

    buf_init(b, NULL);
    buf_printf(b, "CREATE TABLE %s (", t->name);
    for (uint32_t i = 0; i < t->cols_count; i++) {
        const struct sqlm_col *c = &t->cols[i];
        buf_printf(b, "%s%s %s", i ? ", " : "", c->name, sqlm_type_word(r, c->type));
        if (t->form == SQLM_INLINE && i == 0)
            buf_puts(b, " PRIMARY KEY");
        else if (c->not_null && (!c->key || riak))
            buf_puts(b, " NOT NULL");
        if (c->has_default) {
            buf_puts(b, " DEFAULT ");
            sqlm_literal(r, &c->def, b);
        }
    }
    if (t->form != SQLM_INLINE && t->form != SQLM_NONE)
        sqlm_create_key(t, r, s, b);
    buf_puts(b, ")");
    sqlm_create_with(t, r, s, b);
    buf_u8(b, 0);
    DN_ASSERT(!b->failed);
}

void sqlm_table_random(struct sqlm_table *t, struct rng *r, const char *name)
{
    struct sqlm_shape shape;

    memset(t, 0, sizeof *t);
    (void)snprintf(t->name, sizeof t->name, "%s", name);
    t->form = (enum sqlm_form)rng_below(r, SQLM_FORM_MAX);
    t->field = t->form != SQLM_NONE && rng_one_in(r, 3);
    sqlm_shape_random(t, r, &shape);
    sqlm_values_random(t, r);
    t->rows.cols = t->cols_count;
    sqlm_create(t, r, &shape);
}

void sqlm_table_done(struct sqlm_table *t)
{
    for (uint32_t i = 0; i < t->cols_count; i++)
        sql_value_done(&t->cols[i].def);
    sql_rows_done(&t->rows);
    buf_done(&t->create);
    memset(t, 0, sizeof *t);
}

/* ---- INSERT ---- */

/* A value the column must refuse, as text. NULL: none of the kind for this column. */
static const char *sqlm_bad_value(struct rng *r, const struct sqlm_col *c, const char **ret_why)
{
    switch (rng_below(r, 4)) {
    case 0:
        *ret_why = "NULL in a NOT NULL column";
        return c->not_null ? "NULL" : NULL;
    case 1:
        *ret_why = "a text that is no value of the type";
        return c->type == DENDRO_TYPE_VARCHAR ? NULL
               : c->type == DENDRO_TYPE_BLOB  ? "true"
                                              : "'no such value'";
    case 2:
        *ret_why = "out of range";
        if (c->type == DENDRO_TYPE_SMALLINT)
            return "40000";
        if (c->type == DENDRO_TYPE_INTEGER)
            return "3000000000";
        if (c->type == DENDRO_TYPE_BIGINT)
            return "9223372036854775808";
        if (c->type == DENDRO_TYPE_TIMESTAMP && c->key)
            return "'1999-01-01T00:00:00.0001Z'"; /* finer than the key keeps */
        return c->quantum ? "0" : NULL;
    default:
        *ret_why = "division by zero";
        return sql_type_is_int(c->type) ? "(1 / 0)" : NULL;
    }
}

static void sqlm_insert_values(struct sqlm_insert *ins,
                               const struct sqlm_table *t,
                               struct rng *r,
                               const uint32_t *order,
                               uint32_t count)
{
    uint32_t bad_row = rng_one_in(r, 9) ? rng_below(r, (uint32_t)ins->rows.cap) : UINT32_MAX;
    uint32_t rows = (uint32_t)ins->rows.cap;
    uint32_t bad_col = order[rng_below(r, count)];

    for (uint32_t i = 0; i < rows; i++) {
        struct sql_value *row = sql_rows_add(&ins->rows);
        r->tick++;
        buf_puts(&ins->sql, i ? ", (" : " VALUES (");
        for (uint32_t k = 0; k < count; k++) {
            const struct sqlm_col *c = &t->cols[order[k]];
            const char *why = NULL;
            const char *bad =
                i == bad_row && order[k] == bad_col ? sqlm_bad_value(r, c, &why) : NULL;
            buf_puts(&ins->sql, k ? ", " : "");
            if (bad) {
                ins->bad = why;
                buf_puts(&ins->sql, bad);
                row[order[k]].type = c->type;
                continue;
            }
            if (!c->key && (c->has_default || !c->not_null) && rng_one_in(r, 12)) {
                buf_puts(&ins->sql, "DEFAULT");
                if (c->has_default)
                    row[order[k]] = sql_value_copy(&c->def);
                row[order[k]].type = c->type;
                continue;
            }
            row[order[k]] = sqlm_value_random(r, c, !c->not_null);
            sqlm_literal(r, &row[order[k]], &ins->sql);
        }
        buf_puts(&ins->sql, ")");
    }
}

void sqlm_insert_random(struct sqlm_insert *ins,
                        const struct sqlm_table *t,
                        struct rng *r,
                        uint32_t rows_max)
{
    uint32_t order[SQLM_COLS_MAX];
    uint32_t count = 0;
    bool list = rng_one_in(r, 2);

    memset(ins, 0, sizeof *ins);
    buf_init(&ins->sql, NULL);
    buf_printf(&ins->sql, "INSERT INTO %s", t->name);
    for (uint32_t i = 0; i < t->cols_count; i++) {
        const struct sqlm_col *c = &t->cols[i];
        bool may_miss = !c->key && (!c->not_null || c->has_default);
        if (!list || !may_miss || rng_below(r, 3))
            order[count++] = i;
    }
    if (list) {
        for (uint32_t i = count; i > 1; i--) {
            uint32_t k = rng_below(r, i);
            uint32_t swap = order[i - 1];
            order[i - 1] = order[k];
            order[k] = swap;
        }
        if (count == 0)
            order[count++] = 0;
        buf_puts(&ins->sql, " (");
        for (uint32_t i = 0; i < count; i++)
            buf_printf(&ins->sql, "%s%s", i ? ", " : "", t->cols[order[i]].name);
        buf_puts(&ins->sql, ")");
    }
    for (uint32_t i = 0; i < count; i++)
        ins->listed[order[i]] = true;
    ins->rows.cols = t->cols_count;
    ins->rows.cap = 1 + rng_below(r, rows_max);
    ins->rows.v = mem_calloc(NULL, ins->rows.cap * (t->cols_count + 1), sizeof *ins->rows.v);
    DN_ASSERT(ins->rows.v);
    sqlm_insert_values(ins, t, r, order, count);
    buf_u8(&ins->sql, 0);
    DN_ASSERT(!ins->sql.failed);
}

void sqlm_insert_done(struct sqlm_insert *ins)
{
    buf_done(&ins->sql);
    sql_rows_done(&ins->rows);
    memset(ins, 0, sizeof *ins);
}

void sql_rows_copy(const struct sql_rows *from, struct sql_rows *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->cols = from->cols;
    for (size_t i = 0; i < from->count; i++) {
        struct sql_value *row = sql_rows_add(ret);
        for (uint32_t c = 0; c < from->cols; c++)
            row[c] = sql_value_copy(&sql_row(from, i)[c]);
    }
}

void sqlm_insert_copy(const struct sqlm_insert *from, struct sqlm_insert *ret)
{
    *ret = *from;
    buf_init(&ret->sql, NULL);
    buf_append(&ret->sql, from->sql.data, from->sql.len);
    sql_rows_copy(&from->rows, &ret->rows);
}

static struct sql_value *sqlm_find(struct sqlm_table *t, const struct sql_value *row)
{
    for (size_t i = 0; t->key_count && i < t->rows.count; i++) {
        bool same = true;
        for (uint32_t k = 0; same && k < t->key_count; k++)
            same = sql_value_cmp(&sql_row(&t->rows, i)[t->key[k]], &row[t->key[k]]) == 0;
        if (same)
            return sql_row(&t->rows, i);
    }
    return NULL;
}

void sqlm_insert_apply(const struct sqlm_insert *ins, struct sqlm_table *t)
{
    for (size_t i = 0; i < ins->rows.count; i++) {
        const struct sql_value *from = sql_row(&ins->rows, i);
        struct sql_value *to = sqlm_find(t, from);
        bool keep = to && t->field; /* columns that are not listed keep their value */

        if (!to)
            to = sql_rows_add(&t->rows);
        for (uint32_t c = 0; c < t->cols_count; c++) {
            const struct sqlm_col *col = &t->cols[c];
            if (!ins->listed[c] && keep)
                continue;
            sql_value_done(&to[c]);
            if (ins->listed[c])
                to[c] = sql_value_copy(&from[c]);
            else if (col->has_default)
                to[c] = sql_value_copy(&col->def);
            else
                to[c] = (struct sql_value){.null = true};
            to[c].type = col->type;
        }
    }
}
