/* SPDX-License-Identifier: Apache-2.0
 *
 * table_key.c: every key syntax to the one normal form.
 *
 * Steps, in this order: count the PRIMARY KEYs; resolve the names and check what holds for a list
 * on its own (key_read_*); tell the form (key_form); check what holds for the form (key_check_*);
 * fill the definition (key_fill); apply CLUSTERING ORDER BY.
 *
 * Which form? Without inner parentheses the type of the first column decides: a time stamp makes
 * a range table, anything else is hashed as in CQL. With inner parentheses, P inside and L after:
 *
 *     L begins with all of P in order                 Riak
 *     L repeats a column of P other than the quantum  Riak too, but broken: rule 5 says how
 *     otherwise                                       CQL; the quantum column may stand in L, and
 *                                                     follows the series in the local key if not
 *
 * The rule numbers are those of docs/keys.md. */
#include "base/text.h"
#include "catalog/duration.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A key as it was read, before it is a definition. */
struct key {
    struct table_builder *b;
    uint16_t part[TABLE_COLUMNS_MAX]; /* columns of the partition list, the quantum's too */
    size_t part_count;
    const struct key_elem_spec *quantum; /* NULL = none; always the last of part */
    uint16_t local[TABLE_COLUMNS_MAX];   /* columns of the list after it */
    size_t local_count;
    const struct key_elem_spec *elems; /* what local was read from; NULL for an inline key */
};

static const char *key_name(const struct key *k, uint16_t col)
{
    return k->b->t->columns[col].name;
}

static enum type_id key_type(const struct key *k, uint16_t col)
{
    return k->b->t->columns[col].type;
}

static uint16_t key_quantum_col(const struct key *k)
{
    return k->part[k->part_count - 1];
}

static bool key_has(const uint16_t *cols, size_t count, uint16_t col)
{
    for (size_t i = 0; i < count; i++)
        if (cols[i] == col)
            return true;
    return false;
}

static const char *key_list_word(const struct key *k)
{
    return k->b->spec->has_inner ? "local key" : "primary key";
}

/* ---- names ---- */

/* A column the user may have meant; else the table's only time stamp, if one was asked for. */
static void key_hint_column(const struct key *k, const char *name, bool wants_time)
{
    struct text_near near = text_near_make(name);
    struct table_names all = {0};
    const char *stamp = NULL;
    size_t stamps = 0;

    for (size_t i = 0; i < k->b->t->columns_count; i++) {
        const struct column *c = &k->b->t->columns[i];

        text_near_try(&near, c->name);
        table_names_add(&all, c->name);
        if (type_is_timestamp(c->type)) {
            stamp = c->name;
            stamps++;
        }
    }
    if (near.best)
        dn_err_hint(k->b->err, "Perhaps you meant \"%s\".", near.best);
    else if (wants_time && stamps == 1)
        dn_err_hint(
            k->b->err, "Perhaps you meant \"%s\". It is the only time stamp of the table.", stamp);
    else if (k->b->t->columns_count > 0)
        dn_err_hint(k->b->err, "the columns are %.240s", all.text);
}

static bool key_sounds_like_time(const char *name)
{
    static const char *const words[] = {
        "time", "timestamp", "ts", "date", "datetime", "at", "when"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++)
        if (text_same_fold(name, strlen(name), words[i], strlen(words[i])))
            return true;
    return false;
}

/* Rule 6: key columns exist. */
static int
key_resolve(const struct key *k, const struct spec_name *name, const char *where, uint16_t *ret_col)
{
    int col = table_column_find(k->b->t, name->s, strlen(name->s));
    bool wants_time = strcmp(where, "QUANTUM") == 0 || key_sounds_like_time(name->s);
    int rc;

    if (col >= 0) {
        *ret_col = (uint16_t)col;
        return 0;
    }
    if (col == -2)
        return table_at(DN_FAIL(k->b->err,
                                DN_E_AMBIGUOUS,
                                "\"%.255s\" in %s fits more than one column",
                                name->s,
                                where),
                        k->b->err,
                        name->pos);
    rc = DN_FAIL(k->b->err,
                 DN_E_UNDEFINED_COLUMN,
                 "column \"%.255s\" in %s is not declared",
                 name->s,
                 where);
    key_hint_column(k, name->s, wants_time);
    return table_at(rc, k->b->err, name->pos);
}

/* Rule 3: no column twice in a list; all of them are named. */
static int key_check_repeats(const struct key *k,
                             const uint16_t *cols,
                             const struct key_elem_spec *elems,
                             size_t count,
                             const char *list)
{
    struct table_names twice = {0};
    uint16_t named[TABLE_COLUMNS_MAX];
    uint32_t pos = 0;
    int rc;

    for (size_t i = 1; i < count; i++)
        if (key_has(cols, i, cols[i]) && !key_has(named, twice.count, cols[i])) {
            pos = twice.count ? pos : elems[i].pos;
            named[twice.count] = cols[i];
            table_names_add(&twice, key_name(k, cols[i]));
        }
    if (twice.count == 0)
        return 0;
    rc = DN_FAIL(k->b->err,
                 DN_E_DUPLICATE_COLUMN,
                 twice.count == 1 ? "column %s stands twice in the %s"
                                  : "columns %s stand twice in the %s",
                 twice.text,
                 list);
    /* ((a, b, a, b)): the inner parenthesis was closed too late. */
    if (cols == k->part && k->b->spec->local_count == 0 && twice.count > 1)
        dn_err_hint(k->b->err,
                    "close the inner parenthesis after the partition key: "
                    "PRIMARY KEY ((a, b), a, b)");
    return table_at(rc, k->b->err, pos);
}

/* ---- the lists ---- */

/* Rules 9 and 11: at most one QUANTUM, and that one last. */
static int key_check_quantum_place(struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    struct table_names names = {0};
    const struct key_elem_spec *first = NULL;
    uint32_t pos = 0;

    for (size_t i = 0; i < spec->partition_count; i++) {
        const struct key_elem_spec *e = &spec->partition[i];

        if (!e->is_quantum)
            continue;
        pos = names.count == 1 ? e->pos : pos;
        first = first ? first : e;
        table_names_add(&names, e->name.s);
    }
    if (names.count > 1)
        return table_at(DN_FAIL(k->b->err,
                                DN_E_KEY_RULE,
                                "the partition key has %u QUANTUMs (on %s), the most is one",
                                names.count,
                                names.text),
                        k->b->err,
                        pos);
    if (first && first != &spec->partition[spec->partition_count - 1])
        return table_at(DN_FAIL(k->b->err,
                                DN_E_KEY_RULE,
                                "QUANTUM must be the last element of the partition key, but "
                                "\"%s\" follows it",
                                first[1].name.s),
                        k->b->err,
                        first->pos);
    k->quantum = first;
    return 0;
}

static int key_too_many(const struct key *k, size_t count)
{
    return table_at(DN_FAIL(k->b->err,
                            DN_E_TOO_MANY_COLUMNS,
                            "the primary key lists %zu columns, a table has at most %u",
                            count,
                            TABLE_COLUMNS_MAX),
                    k->b->err,
                    k->b->spec->key_pos);
}

static int key_read_partition(struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    int rc;

    if (spec->partition_count == 0) /* rule 4 */
        return table_at(DN_FAIL(k->b->err, DN_E_KEY_RULE, "the partition key names no column"),
                        k->b->err,
                        spec->key_pos);
    if (spec->partition_count > TABLE_COLUMNS_MAX)
        return key_too_many(k, spec->partition_count);
    rc = key_check_quantum_place(k);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < spec->partition_count; i++) {
        const struct key_elem_spec *e = &spec->partition[i];

        rc = key_resolve(k, &e->name, e->is_quantum ? "QUANTUM" : "PRIMARY KEY", &k->part[i]);
        if (rc < 0)
            return rc;
        if (!e->order_given)
            continue;
        /* rule 8 */
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "%s may not stand in the partition key (column \"%s\")",
                     e->desc ? "DESC" : "ASC",
                     key_name(k, k->part[i]));
        dn_err_hint(k->b->err, "put the order after the inner parentheses, in the local key");
        return table_at(rc, k->b->err, e->order_pos ? e->order_pos : e->pos);
    }
    k->part_count = spec->partition_count;
    return key_check_repeats(k, k->part, spec->partition, k->part_count, "partition key");
}

static int key_read_local(struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    int rc;

    if (spec->local_count > TABLE_COLUMNS_MAX)
        return key_too_many(k, spec->local_count);
    for (size_t i = 0; i < spec->local_count; i++) {
        const struct key_elem_spec *e = &spec->local[i];

        if (e->is_quantum) {
            rc = DN_FAIL(k->b->err,
                         DN_E_KEY_RULE,
                         "QUANTUM on \"%.255s\" stands outside the partition key",
                         e->name.s);
            dn_err_hint(k->b->err,
                        "put the partition key into inner parentheses, the QUANTUM last: "
                        "PRIMARY KEY ((…, QUANTUM(%s, …)), …)",
                        e->name.s);
            return table_at(rc, k->b->err, e->pos);
        }
        rc = key_resolve(k, &e->name, "PRIMARY KEY", &k->local[i]);
        if (rc < 0)
            return rc;
    }
    k->elems = spec->local;
    k->local_count = spec->local_count;
    return key_check_repeats(k, k->local, spec->local, k->local_count, key_list_word(k));
}

/* Which PRIMARY KEY is it? 0: read; DN_NOT_FOUND: the table has none. */
static int key_read(struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    size_t count = spec->has_key ? (spec->keys_count > 1 ? spec->keys_count : 1) : 0;
    uint32_t pos = spec->key_pos;
    int rc;

    for (size_t i = 0; i < spec->columns_count; i++)
        if (spec->columns[i].primary_key) {
            k->local[0] = (uint16_t)i;
            k->local_count = 1;
            pos = spec->has_key ? pos : spec->columns[i].pk_pos;
            count++;
        }
    if (count > 1) {
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "multiple primary keys for table \"%s\" are not allowed",
                     k->b->spec->name.s);
        dn_err_hint(k->b->err, "one PRIMARY KEY may name several columns: PRIMARY KEY (a, b)");
        return table_at(rc, k->b->err, pos);
    }
    if (count == 0)
        return DN_NOT_FOUND;
    if (!spec->has_key)
        return 0;
    if (!spec->has_inner && spec->local_count == 0) /* rule 4 */
        return table_at(DN_FAIL(k->b->err, DN_E_KEY_RULE, "the primary key names no column"),
                        k->b->err,
                        spec->key_pos);
    if (spec->has_inner) {
        rc = key_read_partition(k);
        if (rc < 0)
            return rc;
    }
    return key_read_local(k);
}

/* ---- the form ---- */

static bool key_repeats_partition(const struct key *k)
{
    return k->local_count >= k->part_count &&
           memcmp(k->local, k->part, k->part_count * sizeof k->part[0]) == 0;
}

static enum key_form key_form(const struct key *k)
{
    size_t series_count = k->part_count - (k->quantum ? 1 : 0);

    if (!k->b->spec->has_inner)
        return type_is_timestamp(key_type(k, k->local[0])) ? KEY_RANGE : KEY_CQL;
    if (key_repeats_partition(k))
        return KEY_RIAK;
    for (size_t i = 0; i < series_count; i++)
        if (key_has(k->local, k->local_count, k->part[i]))
            return KEY_RIAK;
    return KEY_CQL;
}

/* Rule 5: the local key begins with the partition key. */
static int key_check_prefix(const struct key *k)
{
    struct table_names want = {0};
    struct table_names found = {0};
    struct table_names right = {.bare = true};
    size_t at = 0;
    int rc;

    if (key_repeats_partition(k))
        return 0;
    for (size_t i = 0; i < k->part_count; i++) {
        table_names_add(&want, key_name(k, k->part[i]));
        table_names_add(&right, key_name(k, k->part[i]));
    }
    for (size_t i = 0; i < k->local_count; i++) {
        table_names_add(&found, key_name(k, k->local[i]));
        if (!key_has(k->part, k->part_count, k->local[i]))
            table_names_add(&right, key_name(k, k->local[i]));
    }
    while (at + 1 < k->local_count && at < k->part_count && k->local[at] == k->part[at])
        at++;
    rc = DN_FAIL(k->b->err,
                 DN_E_KEY_RULE,
                 "the local key must begin with the partition key columns %.240s in this order, "
                 "but it is %.240s",
                 want.text,
                 found.text);
    dn_err_hint(k->b->err,
                "write PRIMARY KEY ((…), %.160s), or repeat none of the partition columns",
                right.text);
    return table_at(rc, k->b->err, k->elems[at].pos);
}

/* Rule 10: QUANTUM(time stamp, count, unit). */
static int key_check_quantum(const struct key *k)
{
    const struct key_elem_spec *q = k->quantum;
    struct table *t = k->b->t;
    uint16_t col = key_quantum_col(k);
    int64_t unit = q->unit && strlen(q->unit) == 1 ? duration_unit(q->unit[0]) : 0;
    int64_t width;
    int rc;

    if (!type_is_timestamp(key_type(k, col)))
        return table_at(DN_FAIL(k->b->err,
                                DN_E_DATATYPE_MISMATCH,
                                "QUANTUM needs a TIMESTAMP column, but \"%s\" is %s",
                                key_name(k, col),
                                type_name(key_type(k, col))),
                        k->b->err,
                        q->name.pos);
    if (q->count < 1)
        return table_at(DN_FAIL(k->b->err,
                                DN_E_KEY_RULE,
                                "the count of QUANTUM must be 1 or more, not %" PRId64,
                                q->count),
                        k->b->err,
                        q->count_pos);
    if (unit == 0) {
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "QUANTUM does not know the unit '%.40s'",
                     q->unit ? q->unit : "");
        dn_err_hint(k->b->err, "the units are 'd', 'h', 'm' and 's'");
        return table_at(rc, k->b->err, q->unit_pos);
    }
    if (!table_width(q->count, unit, key_type(k, col), &width)) {
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "a QUANTUM of %" PRId64 "%s is wider than a %s can count",
                     q->count,
                     q->unit,
                     type_name(key_type(k, col)));
        dn_err_hint(k->b->err,
                    "the widest here is %" PRId64 "%s",
                    INT64_MAX / type_ts_per_second(key_type(k, col)) / unit,
                    q->unit);
        return table_at(rc, k->b->err, q->count_pos);
    }
    t->quantum_pos = (int)k->part_count - 1;
    t->quantum_count = q->count;
    t->quantum_unit = (char)(q->unit[0] | 0x20);
    t->time_col = col;
    return 0;
}

/* Rule 7: in the Riak form key columns are declared NOT NULL. */
static int key_check_declared_not_null(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    struct table_names names = {0};
    uint32_t pos = 0;
    int rc;

    for (size_t i = 0; i < k->local_count; i++) {
        const struct column_spec *c = &spec->columns[k->local[i]];

        if (c->not_null)
            continue;
        pos = names.count ? pos : c->name.pos;
        table_names_add(&names, c->name.s);
    }
    if (names.count == 0)
        return 0;
    rc = DN_FAIL(k->b->err,
                 DN_E_KEY_RULE,
                 names.count == 1 ? "key column %s must be declared NOT NULL"
                                  : "key columns %s must be declared NOT NULL",
                 names.text);
    dn_err_hint(k->b->err, "a local key that repeats the partition key asks for it");
    return table_at(rc, k->b->err, pos);
}

/* Rule 12: in the Riak form DESC goes with integers, time stamps and strings only. */
static int key_check_desc_types(const struct key *k)
{
    int rc;

    for (size_t i = 0; i < k->local_count; i++) {
        enum type_id type = key_type(k, k->local[i]);

        if (!k->elems[i].desc || type_is_int(type) || type_is_timestamp(type) ||
            type_is_string(type))
            continue;
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "DESC does not go with key column \"%s\" of type %s",
                     key_name(k, k->local[i]),
                     type_name(type));
        dn_err_hint(k->b->err, "DESC goes with integers, TIMESTAMP, VARCHAR and BLOB");
        return table_at(
            rc, k->b->err, k->elems[i].order_pos ? k->elems[i].order_pos : k->elems[i].pos);
    }
    return 0;
}

/* In PRIMARY KEY (a, b) of the CQL form, a is the partition key: rule 8 again. */
static int key_check_hashed_order(const struct key *k)
{
    const struct key_elem_spec *e = k->elems;
    int rc;

    if (k->b->spec->has_inner || !e || !e->order_given)
        return 0;
    rc = DN_FAIL(k->b->err,
                 DN_E_KEY_RULE,
                 "%s may not stand in the partition key (column \"%s\")",
                 e->desc ? "DESC" : "ASC",
                 key_name(k, k->local[0]));
    dn_err_hint(k->b->err,
                "the first column of the key is hashed; only those after it have an order");
    return table_at(rc, k->b->err, e->order_pos ? e->order_pos : e->pos);
}

static int key_check_form(const struct key *k, enum key_form form)
{
    int rc;

    switch (form) {
    case KEY_RIAK:
        rc = key_check_prefix(k);
        if (rc < 0)
            return rc;
        rc = key_check_declared_not_null(k);
        if (rc < 0)
            return rc;
        return key_check_desc_types(k);
    case KEY_CQL:
        return key_check_hashed_order(k);
    case KEY_NONE:
    case KEY_RANGE:
    case KEY_FORM_MAX:
        break;
    }
    return 0;
}

/* ---- the definition ---- */

/* Key columns are NOT NULL in every form; an explicit NULL contradicts that. */
static int key_imply_not_null(const struct key *k)
{
    struct table *t = k->b->t;

    for (size_t i = 0; i < t->local_count; i++) {
        const struct column_spec *c = &k->b->spec->columns[t->local[i].col];

        if (c->null_given)
            return table_at(DN_FAIL(k->b->err,
                                    DN_E_KEY_RULE,
                                    "key column \"%s\" may not be declared NULL",
                                    c->name.s),
                            k->b->err,
                            c->name.pos);
        t->columns[t->local[i].col].not_null = true;
    }
    return 0;
}

static void key_add(struct table *t, uint16_t col, bool desc)
{
    t->local[t->local_count++] = (struct key_part){.col = col, .desc = desc};
}

static int key_fill(const struct key *k, enum key_form form)
{
    struct table *t = k->b->t;
    size_t skip = 0; /* elements of the list that are series, not clustering columns */

    t->form = form;
    t->partition = mem_calloc(NULL, k->part_count + 1, sizeof *t->partition);
    t->local = mem_calloc(NULL, k->part_count + k->local_count, sizeof *t->local);
    if (!t->partition || !t->local)
        return DN_FAIL_NOMEM(k->b->err);
    for (size_t i = 0; i < k->part_count - (k->quantum ? 1 : 0); i++)
        t->partition[t->partition_count++] = k->part[i];
    if (form == KEY_CQL) {
        if (!k->b->spec->has_inner) {
            t->partition[t->partition_count++] = k->local[0];
            skip = 1;
        }
        for (size_t i = 0; i < t->partition_count; i++)
            key_add(t, t->partition[i], false);
        if (k->quantum && !key_has(k->local, k->local_count, key_quantum_col(k)))
            key_add(t, key_quantum_col(k), false);
    }
    for (size_t i = skip; i < k->local_count; i++)
        key_add(t, k->local[i], k->elems && k->elems[i].desc);
    if (form == KEY_RANGE)
        t->time_col = k->local[0];
    return key_imply_not_null(k);
}

static int key_none(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;

    if (spec->partition_key)
        return table_at(DN_FAIL(k->b->err, DN_E_KEY_RULE, "PARTITION KEY without a PRIMARY KEY"),
                        k->b->err,
                        spec->partition_key_pos);
    if (spec->clustering_count)
        return table_at(
            DN_FAIL(k->b->err, DN_E_KEY_RULE, "CLUSTERING ORDER BY without a PRIMARY KEY"),
            k->b->err,
            spec->clustering_pos);
    return 0;
}

/* ---- clauses beside the PRIMARY KEY: PARTITION KEY (a), CLUSTERING ORDER BY (…) ---- */

/* PARTITION KEY (a) restates that the table is range partitioned by its first column. */
static int key_check_partition_clause(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    uint16_t col = 0;
    int rc;

    if (!spec->partition_key)
        return 0;
    if (spec->has_inner)
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "PARTITION KEY does not go with inner parentheses in the PRIMARY KEY, which "
                     "are the partition key already");
    else if (spec->partition_key_count != 1)
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "PARTITION KEY must name exactly one column, not %zu",
                     spec->partition_key_count);
    else {
        rc = key_resolve(k, &spec->partition_key[0], "PARTITION KEY", &col);
        if (rc < 0)
            return rc;
        if (col != k->local[0])
            rc = DN_FAIL(k->b->err,
                         DN_E_KEY_RULE,
                         "PARTITION KEY names \"%s\", but the primary key begins with \"%s\"",
                         key_name(k, col),
                         key_name(k, k->local[0]));
        else if (!type_is_timestamp(key_type(k, col))) {
            rc = DN_FAIL(k->b->err,
                         DN_E_DATATYPE_MISMATCH,
                         "PARTITION KEY needs a TIMESTAMP column, but \"%s\" is %s",
                         key_name(k, col),
                         type_name(key_type(k, col)));
            dn_err_hint(k->b->err,
                        "without PARTITION KEY the first column of the primary key is hashed");
        }
        dn_err_at(k->b->err, rc < 0 ? spec->partition_key[0].pos : 0);
    }
    return rc < 0 ? table_at(rc, k->b->err, spec->partition_key_pos) : 0;
}

/* ---- CLUSTERING ORDER BY ---- */

static int key_check_clustering(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    struct dn_err *err = k->b->err;
    int rc;

    if (k->b->t->form == KEY_RIAK) {
        rc = DN_FAIL(err,
                     DN_E_KEY_RULE,
                     "CLUSTERING ORDER BY does not go with a local key that repeats the "
                     "partition key");
        dn_err_hint(err, "write ASC or DESC after the columns of the local key");
        return table_at(rc, err, spec->clustering_pos);
    }
    for (size_t i = 0; i < k->local_count; i++)
        if (k->elems && k->elems[i].order_given)
            return table_at(DN_FAIL(err,
                                    DN_E_KEY_RULE,
                                    "the order is given twice: by %s after \"%s\" in the primary "
                                    "key, and by CLUSTERING ORDER BY",
                                    k->elems[i].desc ? "DESC" : "ASC",
                                    key_name(k, k->local[i])),
                            err,
                            spec->clustering_pos);
    return 0;
}

static int key_wrong_clustering(const struct key *k, size_t at, uint16_t col, size_t first)
{
    const struct key_elem_spec *e = &k->b->spec->clustering[at];
    const uint16_t *cols = k->local + first;
    size_t count = k->local_count - first;
    struct table_names names = {0};
    int rc;

    for (size_t i = 0; i < count; i++)
        table_names_add(&names, key_name(k, cols[i]));
    if (!key_has(cols, count, col)) {
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "CLUSTERING ORDER BY names \"%s\", which is no clustering column",
                     key_name(k, col));
        if (count)
            dn_err_hint(k->b->err, "the clustering columns are %.240s", names.text);
        else
            dn_err_hint(k->b->err, "the key has no clustering columns");
        return table_at(rc, k->b->err, e->pos);
    }
    if (key_has(cols, at, col))
        return table_at(DN_FAIL(k->b->err,
                                DN_E_DUPLICATE_COLUMN,
                                "CLUSTERING ORDER BY names \"%s\" twice",
                                key_name(k, col)),
                        k->b->err,
                        e->pos);
    rc = DN_FAIL(k->b->err,
                 DN_E_KEY_RULE,
                 "CLUSTERING ORDER BY must follow the key: \"%s\" stands where \"%s\" belongs",
                 key_name(k, col),
                 key_name(k, cols[at]));
    dn_err_hint(k->b->err, "the clustering columns are %.240s, in this order", names.text);
    return table_at(rc, k->b->err, e->pos);
}

/* The clause names the clustering columns from the first on; those it leaves out are ascending.
 * In a range table it may begin with the time column or, as CQL sees the key, after it. */
static int key_apply_clustering(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    struct table *t = k->b->t;
    size_t first = spec->has_inner ? 0 : 1;
    size_t shift;
    uint16_t col = 0;
    int rc;

    if (spec->clustering_count == 0)
        return 0;
    rc = key_check_clustering(k);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < spec->clustering_count; i++) {
        const struct key_elem_spec *e = &spec->clustering[i];

        rc = key_resolve(k, &e->name, "CLUSTERING ORDER BY", &col);
        if (rc < 0)
            return rc;
        if (i == 0 && t->form == KEY_RANGE && col == k->local[0])
            first = 0;
        if (first + i >= k->local_count || k->local[first + i] != col)
            return key_wrong_clustering(k, i, col, first);
        /* The written list is the tail of the local key. */
        shift = t->local_count - k->local_count;
        t->local[shift + first + i].desc = e->desc;
    }
    t->clustering_clause = true;
    return 0;
}

/* Arrays are no keys: no range tombstone has their bytes, and they may be long. */
static int key_check_types(const struct key *k)
{
    int rc;

    for (size_t i = 0; i < k->local_count; i++) {
        enum type_id type = key_type(k, k->local[i]);

        if (!type_is_array(type))
            continue;
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "key column \"%s\" cannot be of type %s",
                     key_name(k, k->local[i]),
                     type_name(type));
        dn_err_hint(k->b->err,
                    "Keys are numbers, dates and times, intervals, texts, bytes and UUIDs.");
        return table_at(rc, k->b->err, k->elems ? k->elems[i].pos : 0);
    }
    return 0;
}

/* ---- all steps ---- */

int table_build_key(struct table_builder *b)
{
    struct key k = {.b = b};
    enum key_form form;
    int rc;

    rc = key_read(&k);
    if (rc == DN_NOT_FOUND)
        return key_none(&k);
    if (rc < 0)
        return rc;
    rc = key_check_partition_clause(&k);
    if (rc < 0)
        return rc;
    if (k.quantum) {
        rc = key_check_quantum(&k);
        if (rc < 0)
            return rc;
    }
    form = key_form(&k);
    rc = key_check_types(&k);
    if (rc < 0)
        return rc;
    rc = key_check_form(&k, form);
    if (rc < 0)
        return rc;
    rc = key_fill(&k, form);
    if (rc < 0)
        return rc;
    return key_apply_clustering(&k);
}
