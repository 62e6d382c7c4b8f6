/* SPDX-License-Identifier: Apache-2.0
 *
 * table_print.c: a definition back to the CREATE TABLE statement that makes it again. Key columns
 * are printed NOT NULL even where the key implied it; a quantum or slab width is in the options as
 * it was given. Nothing can fail but memory, which the buffer remembers. */
#include "base/civil.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/quantum.h"
#include "catalog/table.h"
#include "catalog/table_constraint.h"

#include "vec/array.h"
#include "vec/numeric.h"
#include "vec/timetz.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

enum { RESERVED, LABEL, FREE }; /* classes of keyword_list.h */

static bool print_is_reserved(const char *name)
{
    static const struct {
        const char *word;
        int class;
    } words[] = {
#define DN_KEYWORD(token, word, class) {word, class},
#include "base/keyword_list.h"
#undef DN_KEYWORD
    };

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++)
        if (words[i].class != FREE && strcasecmp(words[i].word, name) == 0)
            return true;
    return false;
}

static bool print_is_plain(const char *name)
{
    for (const char *s = name; *s; s++) {
        bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_';
        bool digit = *s >= '0' && *s <= '9';

        if (!letter && (s == name || !digit))
            return false;
    }
    return name[0] != '\0' && !print_is_reserved(name);
}

static void print_quoted(const char *s, size_t len, char quote, struct buf *b)
{
    buf_u8(b, (uint8_t)quote);
    for (size_t i = 0; i < len; i++) {
        if (s[i] == quote)
            buf_u8(b, (uint8_t)quote);
        buf_u8(b, (uint8_t)s[i]);
    }
    buf_u8(b, (uint8_t)quote);
}

void table_print_ident(const char *name, struct buf *b)
{
    if (print_is_plain(name))
        buf_puts(b, name);
    else
        print_quoted(name, strlen(name), '"', b);
}

/* ---- literals ---- */

/* TIMESTAMP '…Z', or the plain number where the year has no four digits. */
static void print_timestamp(const struct datum *d, struct buf *b)
{
    int64_t scale = type_ts_per_second(d->type);
    int64_t day_width = 86400 * scale;
    int64_t start = quantum_start(d->v.i64, day_width);
    struct civil on = civil_from_days(start / day_width);
    int64_t rest;
    int digits = d->type == TYPE_TIMESTAMP ? 3 : d->type == TYPE_TIMESTAMP_US ? 6 : 9;

    if (start % day_width != 0 || on.year < 1 || on.year > 9999) {
        buf_printf(b, "%" PRId64, d->v.i64);
        return;
    }
    rest = d->v.i64 - start;
    buf_printf(b,
               "TIMESTAMP '%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%0*" PRId64 "Z'",
               on.year,
               on.month,
               on.day,
               (int)(rest / scale / 3600),
               (int)(rest / scale / 60 % 60),
               (int)(rest / scale % 60),
               digits,
               rest % scale);
}

/* The shortest digits that read back as the same value; with a point or exponent, so that it
 * stays no integer. */
static void print_float(const struct datum *d, struct buf *b)
{
    char text[40];
    bool real = d->type == TYPE_REAL;
    size_t whole;

    if (!isfinite(d->v.f64)) {
        buf_printf(b,
                   "CAST('%s' AS %s)",
                   isnan(d->v.f64) ? "NaN"
                   : d->v.f64 < 0  ? "-Infinity"
                                   : "Infinity",
                   type_name(d->type));
        return;
    }
    for (int digits = real ? 6 : 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, d->v.f64);
        if (real ? strtof(text, NULL) == (float)d->v.f64 : strtod(text, NULL) == d->v.f64)
            break;
    }
    /* Whatever point the program's locale has, SQL's is a point. */
    whole = strspn(text, "-0123456789");
    if (text[whole] != '\0' && text[whole] != 'e')
        text[whole] = '.';
    buf_puts(b, text);
    if (text[whole] == '\0')
        buf_puts(b, ".0");
}

/* DATE '2015-06-01', TIMESTAMPTZ '…+00', TIME '…': from microseconds. */
static void print_instant(const struct datum *d, struct buf *b)
{
    const int64_t day_us = (int64_t)86400 * 1000000;
    bool date = d->type == TYPE_DATE;
    int64_t days = date ? d->v.i64 : quantum_start(d->v.i64, day_us) / day_us;
    int64_t us = date ? 0 : d->v.i64 - days * day_us;
    struct civil on;

    buf_printf(b, "%s '", type_name(d->type));
    if (date ? d->v.i64 == INT32_MAX || d->v.i64 == INT32_MIN
             : d->v.i64 == INT64_MAX || d->v.i64 == INT64_MIN) {
        buf_printf(b, "%sinfinity'", d->v.i64 < 0 ? "-" : "");
        return;
    }
    if (d->type != TYPE_TIME) {
        on = civil_from_days(days);
        buf_printf(b, "%04" PRId64 "-%02d-%02d", on.year, on.month, on.day);
    } else {
        us = d->v.i64; /* 24:00 is of this day */
    }
    if (!date)
        buf_printf(b,
                   "%s%02d:%02d:%02d.%06d",
                   d->type == TYPE_TIME ? "" : " ",
                   (int)(us / 1000000 / 3600),
                   (int)(us / 1000000 / 60 % 60),
                   (int)(us / 1000000 % 60),
                   (int)(us % 1000000));
    buf_puts(b, d->type == TYPE_TIMESTAMPTZ ? "+00'" : "'");
}

static void print_timetz(const struct datum *d, struct buf *b)
{
    int64_t us = timetz_clock_us(d->v.i64);
    int32_t west = timetz_west(d->v.i64);
    int32_t away = west < 0 ? -west : west;

    buf_printf(b,
               "TIMETZ '%02d:%02d:%02d.%06d%c%02d:%02d:%02d'",
               (int)(us / 1000000 / 3600),
               (int)(us / 1000000 / 60 % 60),
               (int)(us / 1000000 % 60),
               (int)(us % 1000000),
               west > 0 ? '-' : '+',
               (int)(away / 3600),
               (int)(away / 60 % 60),
               (int)(away % 60));
}

static void print_uuid(struct vstr s, struct buf *b)
{
    buf_puts(b, "UUID '");
    buf_hex(b, s.ptr, s.len);
    buf_puts(b, "'");
}

static void print_array_dim(const struct varray *a, uint32_t dim, uint32_t *at, struct buf *b)
{
    buf_puts(b, dim == 0 ? "ARRAY[" : "[");
    for (int32_t i = 0; i < a->len[dim]; i++) {
        buf_puts(b, i ? ", " : "");
        if (dim + 1 < a->dims)
            print_array_dim(a, dim + 1, at, b);
        else
            table_print_literal(&a->items[(*at)++], b);
    }
    buf_puts(b, "]");
}

/* CAST(ARRAY['a', 'b'] AS VARCHAR[]) */
static void print_array(const struct datum *d, struct buf *b)
{
    static const struct type_mods none = {.count = 0};
    struct arena arena;
    struct varray a;
    uint32_t at = 0;

    arena_init(&arena, NULL);
    if (varray_read(d->str, type_element(d->type), NULL, &arena, &a) != 0) {
        b->failed = true;
    } else {
        buf_puts(b, "CAST(");
        if (a.dims == 0)
            buf_puts(b, "'{}'");
        else
            print_array_dim(&a, 0, &at, b);
        buf_puts(b, " AS ");
        type_print(d->type, &none, b);
        buf_puts(b, ")");
    }
    arena_done(&arena);
}

void table_print_literal(const struct datum *d, struct buf *b)
{
    if (d->null || d->type == TYPE_NONE) {
        buf_puts(b, "NULL");
    } else if (type_is_array(d->type)) {
        print_array(d, b);
    } else if (type_is_timestamp(d->type)) {
        print_timestamp(d, b);
    } else if (type_is_float(d->type)) {
        print_float(d, b);
    } else if (d->type == TYPE_BOOLEAN) {
        buf_puts(b, d->v.i64 ? "true" : "false");
    } else if (type_is_utf8(d->type)) {
        print_quoted(d->str.ptr, d->str.len, '\'', b);
    } else if (d->type == TYPE_BLOB) {
        buf_puts(b, "X'");
        buf_hex(b, d->str.ptr, d->str.len);
        buf_puts(b, "'");
    } else if (d->type == TYPE_UUID) {
        print_uuid(d->str, b);
    } else if (d->type == TYPE_NUMERIC) {
        buf_puts(b, d->num.special ? "CAST('" : "");
        vnumeric_print(d->num, b);
        buf_puts(b, d->num.special ? "' AS NUMERIC)" : "");
    } else if (type_is_bits(d->type)) {
        buf_printf(b, "B'%.*s'", (int)d->str.len, d->str.ptr);
    } else if (d->type == TYPE_TIMETZ) {
        print_timetz(d, b);
    } else if (d->type == TYPE_INTERVAL) {
        buf_printf(b,
                   "INTERVAL '%d months %d days %" PRId64 " microseconds'",
                   (int)d->iv.months,
                   (int)d->iv.days,
                   d->iv.us);
    } else if (d->type == TYPE_DATE || d->type == TYPE_TIME || d->type == TYPE_TIMESTAMPTZ) {
        print_instant(d, b);
    } else {
        buf_printf(b, "%" PRId64, d->v.i64);
    }
}

/* ---- the statement ---- */

void table_print_default(const struct catalog *cat, const struct column *c, struct buf *b)
{
    if (c->source == COLUMN_STORED) {
        buf_printf(b, " GENERATED ALWAYS AS (%s) STORED", c->def_sql);
        return;
    }
    if (column_is_identity(c))
        buf_printf(
            b, " GENERATED %s AS IDENTITY", c->source == COLUMN_ALWAYS ? "ALWAYS" : "BY DEFAULT");
    if (column_is_identity(c) || (!c->has_default && !c->def_sql))
        return;
    buf_puts(b, " DEFAULT ");
    if (c->def_sql)
        buf_puts(b, c->def_sql);
    else
        catalog_print_literal(cat, &c->def, b);
}

static void print_column(const struct catalog *cat,
                         const struct table *t,
                         const struct column *c,
                         struct buf *b)
{
    const struct sequence *s = NULL;
    struct buf options;

    buf_puts(b, "    ");
    table_print_ident(c->name, b);
    buf_puts(b, " ");
    if (c->source == COLUMN_SERIAL)
        buf_puts(b,
                 c->type == TYPE_SMALLINT  ? "SMALLSERIAL"
                 : c->type == TYPE_INTEGER ? "SERIAL"
                                           : "BIGSERIAL");
    else
        catalog_print_type(cat, c->type, &c->mods, b);
    if (c->not_null)
        buf_puts(b, " NOT NULL");
    if (c->source != COLUMN_SERIAL)
        table_print_default(cat, c, b);
    if (cat && column_is_identity(c))
        s = catalog_sequence_of(cat, t->id, c->id, true);
    if (!s)
        return;
    buf_init(&options, NULL);
    catalog_sequence_print_options(s, c->type, &options);
    if (options.len > 0)
        buf_printf(b, " (%.*s)", (int)options.len - 1, (const char *)options.data + 1);
    b->failed = b->failed || options.failed;
    buf_done(&options);
}

static void print_parts(const struct table *t,
                        const struct key_part *parts,
                        size_t count,
                        const char *asc,
                        struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "");
        table_print_ident(t->columns[parts[i].col].name, b);
        buf_puts(b, parts[i].desc ? " DESC" : asc);
    }
}

/* What stands after the inner parentheses: the local key in the Riak form, what
 * follows the partition key in CQL's. */
static const struct key_part *print_tail(const struct table *t, size_t *ret_count)
{
    size_t skip = t->form == KEY_RIAK || t->form == KEY_RANGE ? 0 : t->partition_count;
    const struct key_part *tail = t->local + skip;
    size_t count = t->local_count - skip;

    /* ((QUANTUM(t, …)), t) would be the Riak form; CQL's implies the t. */
    if (t->form == KEY_CQL && t->partition_count == 0 && tail[0].col == t->time_col) {
        tail++;
        count--;
    }
    *ret_count = count;
    return tail;
}

static bool print_needs_inner(const struct table *t)
{
    if (t->form == KEY_RANGE)
        return false;
    return t->form == KEY_RIAK || t->partition_count != 1 || t->quantum_pos >= 0 ||
           type_is_timestamp(t->columns[t->partition[0]].type);
}

void table_print_key(const struct table *t, struct buf *b)
{
    struct key_part plain[TABLE_COLUMNS_MAX];
    size_t tail_count;
    const struct key_part *tail = print_tail(t, &tail_count);
    bool inner = print_needs_inner(t);

    buf_puts(b, inner ? "PRIMARY KEY ((" : "PRIMARY KEY (");
    for (size_t i = 0; i < t->partition_count; i++) {
        buf_puts(b, i ? ", " : "");
        table_print_ident(t->columns[t->partition[i]].name, b);
    }
    if (t->quantum_pos >= 0) {
        buf_puts(b, t->partition_count ? ", QUANTUM(" : "QUANTUM(");
        table_print_ident(t->columns[t->time_col].name, b);
        buf_printf(b, ", %" PRId64 ", '%c')", t->quantum_count, t->quantum_unit);
    }
    if (inner)
        buf_puts(b, ")");
    if (tail_count && (inner || t->partition_count))
        buf_puts(b, ", ");
    for (size_t i = 0; i < tail_count; i++) {
        plain[i] = tail[i];
        plain[i].desc = tail[i].desc && !t->clustering_clause;
    }
    print_parts(t, plain, tail_count, "", b);
    buf_puts(b, ")");
}

static void print_option(const struct table_option *o, struct buf *b)
{
    buf_printf(b, "%s = ", o->name);
    if (o->quoted)
        print_quoted(o->value, strlen(o->value), '\'', b);
    else
        buf_puts(b, o->value);
}

static void print_with(const struct table *t, struct buf *b)
{
    size_t tail_count;
    const struct key_part *tail;

    if (t->clustering_clause) {
        tail = print_tail(t, &tail_count);
        buf_puts(b, " WITH CLUSTERING ORDER BY (");
        print_parts(t, tail, tail_count, " ASC", b);
        buf_puts(b, ")");
        for (size_t i = 0; i < t->options_count; i++) {
            buf_puts(b, " AND ");
            print_option(&t->options[i], b);
        }
        return;
    }
    for (size_t i = 0; i < t->options_count; i++) {
        buf_puts(b, i ? ", " : " WITH (");
        print_option(&t->options[i], b);
    }
    if (t->options_count)
        buf_puts(b, ")");
}

void table_print_text(const char *s, struct buf *b)
{
    buf_puts(b, "'");
    for (; *s; s++) {
        if (*s == '\'')
            buf_puts(b, "'");
        buf_u8(b, (uint8_t)*s);
    }
    buf_puts(b, "'");
}

/* A name in the table's schema. */
static void print_in(const struct table *t, const char *name, struct buf *b)
{
    if (t->temp == TABLE_PERMANENT && strcmp(t->schema, CATALOG_SCHEMA_DEFAULT) != 0) {
        table_print_ident(t->schema, b);
        buf_puts(b, ".");
    }
    table_print_ident(name, b);
}

static void print_name(const struct table *t, struct buf *b)
{
    print_in(t, t->name, b);
}

static void print_comments(const struct table *t, struct buf *b)
{
    if (t->comment) {
        buf_puts(b, "\nCOMMENT ON TABLE ");
        print_name(t, b);
        buf_puts(b, " IS ");
        table_print_text(t->comment, b);
        buf_puts(b, ";");
    }
    for (size_t i = 0; i < t->columns_count; i++) {
        if (!t->columns[i].comment)
            continue;
        buf_puts(b, "\nCOMMENT ON COLUMN ");
        print_name(t, b);
        buf_puts(b, ".");
        table_print_ident(t->columns[i].name, b);
        buf_puts(b, " IS ");
        table_print_text(t->columns[i].comment, b);
        buf_puts(b, ";");
    }
    for (size_t i = 0; i < t->constraints_count; i++) {
        const struct table_constraint *c = &t->constraints[i];

        if (!c->comment || table_is_index(c)) /* indexes are not shown, either */
            continue;
        buf_puts(b, "\nCOMMENT ON CONSTRAINT ");
        table_print_ident(c->name, b);
        buf_puts(b, " ON ");
        print_name(t, b);
        buf_puts(b, " IS ");
        table_print_text(c->comment, b);
        buf_puts(b, ";");
    }
}

void table_print_create(const struct table *t, struct buf *b)
{
    table_print_create_in(NULL, t, b);
}

void table_print_create_in(const struct catalog *c, const struct table *t, struct buf *b)
{
    bool view = t->timepart && t->timepart->style == TIMEPART_VIEW; /* over a table */
    bool items;

    buf_puts(b, t->temp == TABLE_PERMANENT ? "CREATE TABLE " : "CREATE TEMP TABLE ");
    print_in(t, view ? t->timepart->seed : t->name, b);
    buf_puts(b, " (");
    for (size_t i = 0; i < t->columns_count; i++) {
        buf_puts(b, i ? ",\n" : "\n");
        print_column(c, t, &t->columns[i], b);
    }
    items = t->columns_count > 0;
    if (t->form != KEY_NONE) {
        buf_puts(b, ",\n");
        buf_puts(b, "    ");
        table_print_key(t, b);
    }
    for (size_t i = 0; i < t->constraints_count; i++) {
        if (table_is_index(&t->constraints[i]))
            continue;
        buf_puts(b, items ? ",\n    " : "\n    ");
        table_print_constraint(t, &t->constraints[i], b);
        items = true;
    }
    buf_puts(b, items ? "\n)" : ")");
    print_with(t, b);
    if (t->temp == TABLE_TEMP_DELETE)
        buf_puts(b, " ON COMMIT DELETE ROWS");
    else if (t->temp == TABLE_TEMP_DROP)
        buf_puts(b, " ON COMMIT DROP");
    if (t->timepart && !view) {
        buf_puts(b, " PARTITIONED BY ");
        timepart_print_clause(t->timepart, b);
    }
    buf_puts(b, ";");
    if (view) {
        buf_puts(b, "\nCREATE TIME PARTITION ON ");
        print_in(t, t->timepart->seed, b);
        buf_puts(b, " AS ");
        print_name(t, b);
        timepart_print_clause(t->timepart, b);
        buf_puts(b, ";");
    }
    print_comments(t, b);
}
