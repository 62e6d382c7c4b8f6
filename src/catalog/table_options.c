/* SPDX-License-Identifier: Apache-2.0
 *
 * table_options.c: the WITH list of CREATE TABLE. First every option is known, given once and kept
 * as written (options_collect); then those of our own act, in the order time, quantum, slab,
 * retention, spread, upsert, default_time_to_live, because each looks at the ones before. */
#include "base/number.h"
#include "base/text.h"
#include "catalog/duration.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define OPTION_DAY_SECONDS 86400

enum option_kind {
    OWN_UPSERT,
    OWN_QUANTUM,
    OWN_SLAB,
    OWN_TIME,
    OWN_SPREAD,
    OWN_RETENTION,
    OWN_LATE,
    OWN_FUTURE,
    OWN_TTL,
    OWN_COMPRESSION,
    OWN_COMMENT,
    OWN_MAX, /* those above are remembered by kind */
    INFO,
    OFF,
};

static const struct {
    const char *name;
    enum option_kind kind;
} option_rows[] = {
#define DN_OPTION(name, kind, meaning) {name, kind},
#include "catalog/option_list.h"
#undef DN_OPTION
};

struct options {
    struct table_builder *b;
    const struct option_spec *own[OWN_MAX]; /* NULL = not given */
    bool given[DN_ARRAY_SIZE(option_rows)]; /* row was seen */
    int64_t quantum_seconds;                /* 0 = none */
};

static const char *options_name(enum option_kind kind)
{
    size_t i = 0;

    while (option_rows[i].kind != kind)
        i++;
    return option_rows[i].name;
}

static int options_fail_value(const struct options *o, enum option_kind kind, const char *must)
{
    const struct option_spec *from = o->own[kind];

    return table_at(DN_FAIL(o->b->err,
                            DN_E_INVALID_PARAM,
                            "table option %s must be %s, not '%.80s'",
                            options_name(kind),
                            must,
                            from->value),
                    o->b->err,
                    from->value_pos);
}

static size_t options_find(const char *name)
{
    size_t i = 0;

    while (i < DN_ARRAY_SIZE(option_rows) && strcasecmp(option_rows[i].name, name) != 0)
        i++;
    return i;
}

bool table_option_known(const char *name)
{
    return options_find(name) < DN_ARRAY_SIZE(option_rows);
}

static int options_unknown(const struct options *o, const struct option_spec *from)
{
    struct text_near near = text_near_make(from->name.s);
    int rc;

    for (size_t i = 0; i < DN_ARRAY_SIZE(option_rows); i++)
        text_near_try(&near, option_rows[i].name);
    rc = DN_FAIL(
        o->b->err, DN_E_UNDEFINED_OBJECT, "there is no table option \"%.80s\"", from->name.s);
    if (near.best)
        dn_err_hint(o->b->err, "Perhaps you meant \"%s\".", near.best);
    else
        dn_err_hint(o->b->err,
                    "the options are upsert, quantum, slab, time, retention, late_rows, "
                    "future_limit, spread, "
                    "default_time_to_live, compression and comment");
    return table_at(rc, o->b->err, from->name.pos);
}

static bool options_means_off(const char *value)
{
    return strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0 || value[0] == '\0' ||
           strcmp(value, "{}") == 0;
}

/* Known, once, and of a length and encoding that can be kept. */
static int options_check(struct options *o, const struct option_spec *from, size_t row)
{
    struct dn_err *err = o->b->err;
    int rc;

    if (row == DN_ARRAY_SIZE(option_rows))
        return options_unknown(o, from);
    if (o->given[row])
        return table_at(
            DN_FAIL(
                err, DN_E_INVALID_PARAM, "table option %s is given twice", option_rows[row].name),
            err,
            from->name.pos);
    if (strlen(from->value) > TABLE_OPTION_MAX)
        return table_at(DN_FAIL(err,
                                DN_E_TOO_LONG,
                                "table option %s has %zu bytes, the most is %u",
                                option_rows[row].name,
                                strlen(from->value),
                                TABLE_OPTION_MAX),
                        err,
                        from->value_pos);
    if (!text_utf8_valid(from->value, strlen(from->value)))
        return table_at(DN_FAIL(err,
                                DN_E_BAD_ENCODING,
                                "table option %s is not valid UTF-8",
                                option_rows[row].name),
                        err,
                        from->value_pos);
    if (option_rows[row].kind == OFF && !options_means_off(from->value)) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "table option %s = %.80s is not supported",
                     option_rows[row].name,
                     from->value);
        dn_err_hint(err, "leave it out or set it to 0 or false");
        return table_at(rc, err, from->value_pos);
    }
    o->given[row] = true;
    return 0;
}

static int options_collect(struct options *o)
{
    const struct table_spec *spec = o->b->spec;
    struct table *t = o->b->t;
    size_t cap = DN_ARRAY_SIZE(option_rows);
    int rc;

    if (spec->options_count == 0)
        return 0;
    t->options =
        mem_calloc(NULL, spec->options_count < cap ? spec->options_count : cap, sizeof *t->options);
    if (!t->options)
        return DN_FAIL_NOMEM(o->b->err);
    for (size_t i = 0; i < spec->options_count; i++) {
        const struct option_spec *from = &spec->options[i];
        size_t row = options_find(from->name.s);
        struct table_option *to;

        rc = options_check(o, from, row);
        if (rc < 0)
            return rc;
        to = &t->options[t->options_count++];
        to->name = mem_strdup(NULL, option_rows[row].name);
        to->value = mem_strdup(NULL, from->value);
        to->quoted = from->quoted;
        if (!to->name || !to->value)
            return DN_FAIL_NOMEM(o->b->err);
        if (option_rows[row].kind < OWN_MAX)
            o->own[option_rows[row].kind] = from;
    }
    return 0;
}

static bool options_in_key(const struct table *t, int col)
{
    for (size_t i = 0; i < t->local_count; i++)
        if (t->local[i].col == col)
            return true;
    return false;
}

static int options_time_unknown(const struct options *o, const struct option_spec *from)
{
    struct text_near near = text_near_make(from->value);
    int rc;

    for (size_t i = 0; i < o->b->t->columns_count; i++)
        text_near_try(&near, o->b->t->columns[i].name);
    rc = DN_FAIL(o->b->err,
                 DN_E_UNDEFINED_COLUMN,
                 "column \"%.80s\" in table option time is not declared",
                 from->value);
    if (near.best)
        dn_err_hint(o->b->err, "Perhaps you meant \"%s\".", near.best);
    return table_at(rc, o->b->err, from->value_pos);
}

/* The time column must be a function of the row's identity, or one key could live in two slabs. */
static int options_time_in_key(const struct options *o, int col)
{
    struct table *t = o->b->t;
    const struct option_spec *from = o->own[OWN_TIME];
    int rc;

    if (t->time_col >= 0 && t->time_col != col)
        return table_at(DN_FAIL(o->b->err,
                                DN_E_KEY_RULE,
                                "table option time names \"%s\", but the key has the time column "
                                "\"%s\" already",
                                t->columns[col].name,
                                t->columns[t->time_col].name),
                        o->b->err,
                        from->value_pos);
    if (t->form != KEY_NONE && !options_in_key(t, col)) {
        rc = DN_FAIL(o->b->err,
                     DN_E_KEY_RULE,
                     "table option time names \"%s\", which is not in the primary key",
                     t->columns[col].name);
        dn_err_hint(o->b->err,
                    "rows of one key would lie in several slabs; add \"%s\" to the key",
                    t->columns[col].name);
        return table_at(rc, o->b->err, from->value_pos);
    }
    if (o->b->spec->columns[col].null_given)
        return table_at(DN_FAIL(o->b->err,
                                DN_E_KEY_RULE,
                                "time column \"%s\" may not be declared NULL",
                                t->columns[col].name),
                        o->b->err,
                        from->value_pos);
    t->columns[col].not_null = true;
    t->time_col = col;
    return 0;
}

static int options_time(const struct options *o)
{
    const struct table *t = o->b->t;
    const struct option_spec *from = o->own[OWN_TIME];
    int col;

    if (!from)
        return 0;
    col = table_column_find(t, from->value, strlen(from->value));
    if (col == -2)
        return table_at(DN_FAIL(o->b->err,
                                DN_E_AMBIGUOUS,
                                "\"%.80s\" in table option time fits more than one column",
                                from->value),
                        o->b->err,
                        from->value_pos);
    if (col < 0)
        return options_time_unknown(o, from);
    if (!type_is_timestamp(t->columns[col].type))
        return table_at(DN_FAIL(o->b->err,
                                DN_E_DATATYPE_MISMATCH,
                                "table option time needs a TIMESTAMP column, but \"%s\" is %s",
                                t->columns[col].name,
                                type_name(t->columns[col].type)),
                        o->b->err,
                        from->value_pos);
    return options_time_in_key(o, col);
}

/* Needs a time column: none says what would give one. */
static int options_need_time(const struct options *o, enum option_kind kind)
{
    int rc = DN_FAIL(o->b->err,
                     DN_E_KEY_RULE,
                     "table option %s needs a time column, and the table has none",
                     options_name(kind));

    dn_err_hint(o->b->err, "name it with time = 'column', or put a QUANTUM into the key");
    return table_at(rc, o->b->err, o->own[kind]->name.pos);
}

/* A duration option in seconds. */
static int options_seconds(const struct options *o, enum option_kind kind, int64_t *ret_seconds)
{
    const struct table *t = o->b->t;
    int64_t seconds = 0;
    int64_t width;

    if (t->time_col < 0)
        return options_need_time(o, kind);
    if (!duration_parse(o->own[kind]->value, &seconds) || seconds < 1)
        return options_fail_value(o, kind, "a length of time such as '15m', '6h' or '1 day'");
    if (!table_width(seconds, 1, t->columns[t->time_col].type, &width))
        return table_at(DN_FAIL(o->b->err,
                                DN_E_INVALID_PARAM,
                                "table option %s: '%.80s' is wider than a %s can count",
                                options_name(kind),
                                o->own[kind]->value,
                                type_name(t->columns[t->time_col].type)),
                        o->b->err,
                        o->own[kind]->value_pos);
    *ret_seconds = seconds;
    return 0;
}

static int options_quantum(struct options *o)
{
    struct table *t = o->b->t;

    if (t->quantum_pos >= 0) {
        o->quantum_seconds = t->quantum_count * duration_unit(t->quantum_unit);
        if (!o->own[OWN_QUANTUM])
            return 0;
        return table_at(DN_FAIL(o->b->err,
                                DN_E_KEY_RULE,
                                "table option quantum does not go with a QUANTUM in the key"),
                        o->b->err,
                        o->own[OWN_QUANTUM]->name.pos);
    }
    if (o->own[OWN_QUANTUM]) {
        int rc = options_seconds(o, OWN_QUANTUM, &o->quantum_seconds);
        if (rc < 0)
            return rc;
    } else if (t->form == KEY_RANGE) {
        o->quantum_seconds = OPTION_DAY_SECONDS;
    } else {
        return 0;
    }
    duration_split(o->quantum_seconds, &t->quantum_count, &t->quantum_unit);
    return 0;
}

static int options_slab_uneven(const struct options *o, int64_t slab)
{
    char quantum[DURATION_TEXT_MAX];
    char low[DURATION_TEXT_MAX];
    char high[DURATION_TEXT_MAX];
    int64_t below = slab - slab % o->quantum_seconds;
    int rc;

    duration_print(o->quantum_seconds, quantum);
    duration_print(below, low);
    duration_print(below + o->quantum_seconds, high);
    rc = DN_FAIL(o->b->err,
                 DN_E_INVALID_PARAM,
                 "table option slab: '%.80s' is not a whole multiple of the quantum %s",
                 o->own[OWN_SLAB]->value,
                 quantum);
    if (below > 0)
        dn_err_hint(o->b->err, "the nearest are '%s' and '%s'", low, high);
    else
        dn_err_hint(o->b->err, "the smallest is '%s'", high);
    return table_at(rc, o->b->err, o->own[OWN_SLAB]->value_pos);
}

/* Slab width: as given, else the smallest multiple of the quantum that is a day or more. */
static int options_slab(const struct options *o)
{
    struct table *t = o->b->t;
    struct slab_rule *rule;
    int64_t slab = OPTION_DAY_SECONDS;
    int64_t quantum = o->quantum_seconds;
    int64_t scale;
    int rc;

    if (o->own[OWN_SLAB]) {
        rc = options_seconds(o, OWN_SLAB, &slab);
        if (rc < 0)
            return rc;
        if (quantum && slab % quantum != 0)
            return options_slab_uneven(o, slab);
    } else if (quantum >= slab) {
        slab = quantum;
    } else if (quantum) {
        slab = (slab + quantum - 1) / quantum * quantum;
    }
    if (t->time_col < 0)
        return 0;
    t->slabs = mem_calloc(NULL, 1, sizeof *t->slabs);
    if (!t->slabs)
        return DN_FAIL_NOMEM(o->b->err);
    scale = type_ts_per_second(t->columns[t->time_col].type);
    rule = &t->slabs[0];
    rule->from = INT64_MIN;
    rule->quantum_width = quantum * scale;
    rule->slab_width = slab * scale;
    t->slabs_count = 1;
    return 0;
}

static int options_retention(const struct options *o)
{
    struct table *t = o->b->t;

    if (o->own[OWN_RETENTION]) {
        if (t->time_col < 0)
            return options_need_time(o, OWN_RETENTION);
        if (!retention_parse(o->own[OWN_RETENTION]->value, &t->retention))
            return options_fail_value(
                o,
                OWN_RETENTION,
                "an age such as '30 days', a size such as '500 GB' or a number of slabs such as "
                "'30 partitions'");
    }
    if (!o->own[OWN_LATE])
        return 0;
    if (!retention_late(o->own[OWN_LATE]->value, &t->late))
        return options_fail_value(o, OWN_LATE, "'reject' or 'drop'");
    return 0;
}

static int options_future(const struct options *o)
{
    struct table *t = o->b->t;

    t->future_seconds = retention_future_default(t);
    if (!o->own[OWN_FUTURE])
        return 0;
    if (t->time_col < 0)
        return options_need_time(o, OWN_FUTURE);
    if (!retention_future(o->own[OWN_FUTURE]->value, &t->future_seconds))
        return options_fail_value(
            o, OWN_FUTURE, "a length of time such as '1 day' or '2h', or 'none'");
    return 0;
}

static int options_spread(const struct options *o)
{
    const struct option_spec *from = o->own[OWN_SPREAD];
    uint64_t n = 0;
    size_t digits;
    int rc;

    if (!from)
        return 0;
    digits = number_digits(from->value, strlen(from->value), &n);
    if (from->value[digits] || n < 1 || n > TABLE_SPREAD_MAX)
        return options_fail_value(o, OWN_SPREAD, "a number from 1 to 1024");
    if (n > 1 && o->b->t->partition_count > 0) {
        rc = DN_FAIL(o->b->err,
                     DN_E_KEY_RULE,
                     "table option spread does not go with partition columns, by which the rows "
                     "are spread already");
        return table_at(rc, o->b->err, from->name.pos);
    }
    o->b->t->spread = (uint32_t)n;
    return 0;
}

int table_check_field_default(const struct table *t, uint16_t col, struct dn_err *err)
{
    int rc;

    if (t->upsert != UPSERT_FIELD || options_in_key(t, col))
        return 0;
    rc =
        DN_FAIL(err,
                DN_E_KEY_RULE,
                "table option upsert = 'field' does not go with column \"%s\", whose DEFAULT is an "
                "expression",
                t->columns[col].name);
    dn_err_hint(err, "a row that was written by fields has constants where it was given none");
    return rc;
}

/* A patch may leave out any column outside the key, so a NOT NULL one needs a value to start with.
 */
static int options_check_field(const struct options *o)
{
    const struct table *t = o->b->t;
    const struct option_spec *from = o->own[OWN_UPSERT];
    struct table_names names = {0};
    int rc;

    if (t->form == KEY_NONE)
        return table_at(
            DN_FAIL(o->b->err, DN_E_KEY_RULE, "table option upsert = 'field' needs a primary key"),
            o->b->err,
            from->value_pos);
    for (int i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];

        rc = c->def_sql ? table_check_field_default(t, (uint16_t)i, o->b->err) : 0;
        if (rc < 0)
            return table_at(rc, o->b->err, from->value_pos);
        if (c->not_null && !c->has_default && !options_in_key(t, i))
            table_names_add(&names, c->name);
    }
    if (names.count == 0)
        return 0;
    rc = DN_FAIL(o->b->err,
                 DN_E_KEY_RULE,
                 names.count == 1
                     ? "table option upsert = 'field' does not go with column %s, which is NOT "
                       "NULL without a DEFAULT"
                     : "table option upsert = 'field' does not go with columns %s, which are NOT "
                       "NULL without a DEFAULT",
                 names.text);
    dn_err_hint(o->b->err,
                "a write may leave them out: give them a DEFAULT, allow NULL, or use upsert = "
                "'row'");
    return table_at(rc, o->b->err, from->value_pos);
}

static int options_upsert(const struct options *o)
{
    const struct option_spec *from = o->own[OWN_UPSERT];

    if (!from || strcasecmp(from->value, "row") == 0)
        return 0;
    if (strcasecmp(from->value, "field") != 0)
        return options_fail_value(o, OWN_UPSERT, "'row' or 'field'");
    o->b->t->upsert = UPSERT_FIELD;
    return options_check_field(o);
}

/* Rows expire as a whole; a write of some fields would have to say when each of them does. */
static int options_ttl(const struct options *o)
{
    const struct option_spec *from = o->own[OWN_TTL];
    int64_t seconds = 0;
    uint64_t n;
    size_t digits;
    int rc;

    if (!from)
        return 0;
    digits = number_digits(from->value, strlen(from->value), &n);
    if (digits > 0 && !from->value[digits])
        seconds = n > TABLE_TTL_MAX ? TABLE_TTL_MAX + 1 : (int64_t)n;
    else if (!duration_parse(from->value, &seconds))
        return options_fail_value(
            o, OWN_TTL, "a number of seconds or a length of time such as '7d'");
    if (seconds < 0 || seconds > TABLE_TTL_MAX)
        return options_fail_value(o, OWN_TTL, "from 0 to 630720000 seconds (20 years)");
    o->b->t->ttl_seconds = seconds;
    if (seconds == 0 || o->b->t->upsert == UPSERT_ROW)
        return 0;
    rc = DN_FAIL(o->b->err,
                 DN_E_UNSUPPORTED,
                 "table option default_time_to_live does not go with upsert = 'field'");
    dn_err_hint(o->b->err, "rows expire as a whole: use upsert = 'row'");
    return table_at(rc, o->b->err, from->name.pos);
}

/* The option stays what it is: table_compresses reads it. One that the table has already, which has
 * no position, is of an earlier release that took any value. */
static int options_compression(const struct options *o)
{
    const struct option_spec *from = o->own[OWN_COMPRESSION];

    if (!from || !from->value_pos || from->value[0] == '{' || strcasecmp(from->value, "max") == 0 ||
        strcasecmp(from->value, "default") == 0)
        return 0;
    return options_fail_value(o, OWN_COMPRESSION, "'default' or 'max'");
}

int table_build_options(struct table_builder *b)
{
    struct options o = {.b = b};
    int rc;

    rc = options_collect(&o);
    if (rc < 0)
        return rc;
    rc = options_time(&o);
    if (rc < 0)
        return rc;
    rc = options_quantum(&o);
    if (rc < 0)
        return rc;
    rc = options_slab(&o);
    if (rc < 0)
        return rc;
    rc = options_retention(&o);
    if (rc < 0)
        return rc;
    rc = options_future(&o);
    if (rc < 0)
        return rc;
    rc = options_spread(&o);
    if (rc < 0)
        return rc;
    rc = options_upsert(&o);
    if (rc < 0)
        return rc;
    rc = options_ttl(&o);
    if (rc < 0)
        return rc;
    return options_compression(&o);
}
