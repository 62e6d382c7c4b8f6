/* SPDX-License-Identifier: Apache-2.0
 *
 * table_alter_options.c: options of a table change, and a table without a key gets one. */
#include "base/text.h"
#include "catalog/duration.h"
#include "catalog/table_alter.h"
#include "catalog/table_int.h"

#include <string.h>
#include <strings.h>

static bool alter_names(const struct option_spec *options, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(options[i].name.s, name) == 0)
            return true;
    return false;
}

bool table_options_place(const struct option_spec *options, size_t count)
{
    return alter_names(options, count, "quantum") || alter_names(options, count, "slab");
}

bool table_options_retain(const struct option_spec *options, size_t count)
{
    return alter_names(options, count, "retention");
}

/* What SET is given, laid over what the table has. */
struct alter_options {
    struct option_spec *list; /* owned */
    size_t count;
    const struct option_spec *key_quantum; /* for the QUANTUM of the key, which is no option */
};

static int alter_check_time(const struct table *t, const struct option_spec *o, struct dn_err *err)
{
    int rc;

    if (t->time_col >= 0 && table_column_find(t, o->value, strlen(o->value)) == t->time_col)
        return 0;
    rc = DN_FAIL(err, DN_E_KEY_RULE, "the time column of a table cannot be changed");
    dn_err_hint(err, "every row would have to move: make a new table and copy them");
    return table_at(rc, err, o->value_pos);
}

/* RESET: is there such an option, and can a table be without it? */
static int alter_check_reset(const struct table *t, const struct option_spec *o, struct dn_err *err)
{
    int rc;

    if (!table_option_known(o->name.s))
        rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "there is no table option \"%.80s\"", o->name.s);
    else if (strcasecmp(o->name.s, "time") == 0 ||
             (t->quantum_pos >= 0 && strcasecmp(o->name.s, "quantum") == 0))
        rc = DN_FAIL(err, DN_E_KEY_RULE, "table option %.80s cannot be reset", o->name.s);
    else
        return 0;
    return table_at(rc, err, o->name.pos);
}

static int alter_merge_options(const struct table *t,
                               const struct option_spec *given,
                               size_t count,
                               struct alter_options *ret,
                               struct dn_err *err)
{
    ret->list = mem_calloc(NULL, t->options_count + count, sizeof *ret->list);
    if (!ret->list)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->options_count; i++) {
        const struct table_option *o = &t->options[i];
        bool replaced = false;

        for (size_t k = 0; k < count && !replaced; k++)
            replaced = strcasecmp(given[k].name.s, o->name) == 0;
        if (!replaced)
            ret->list[ret->count++] = (struct option_spec){
                .name = {.s = o->name}, .value = o->value, .quoted = o->quoted};
    }
    for (size_t k = 0; k < count; k++) {
        int rc = 0;

        if (!given[k].value)
            rc = alter_check_reset(t, &given[k], err);
        else if (strcasecmp(given[k].name.s, "time") == 0)
            rc = alter_check_time(t, &given[k], err);
        if (rc < 0)
            return rc;
        if (t->quantum_pos >= 0 && strcasecmp(given[k].name.s, "quantum") == 0)
            ret->key_quantum = &given[k];
        else if (given[k].value)
            ret->list[ret->count++] = given[k];
    }
    return 0;
}

static int alter_key_quantum(struct table *t, const struct option_spec *o, struct dn_err *err)
{
    int64_t seconds;
    int64_t width;

    if (!duration_parse(o->value, &seconds) || seconds < 1 ||
        !table_width(seconds, 1, t->columns[t->time_col].type, &width))
        return table_at(
            DN_FAIL(err,
                    DN_E_INVALID_PARAM,
                    "table option quantum must be a length of time such as '15m', '6h' or '1 day', "
                    "not '%.80s'",
                    o->value),
            err,
            o->value_pos);
    duration_split(seconds, &t->quantum_count, &t->quantum_unit);
    return 0;
}

/* The options are built as for CREATE TABLE; `t` keeps what they do not decide. */
static int alter_build_options(struct table *t, const struct alter_options *o, struct dn_err *err)
{
    struct column_spec *columns = mem_calloc(NULL, t->columns_count, sizeof *columns);
    struct table_spec spec = {.options = o->list, .options_count = o->count, .columns = columns};
    struct table_builder b = {.spec = &spec, .t = t, .err = err};
    int rc = 0;

    t->slabs = NULL;
    t->slabs_count = 0;
    t->options = NULL;
    t->options_count = 0;
    t->upsert = UPSERT_ROW;
    t->retention = (struct retention){.kind = RETENTION_NONE};
    t->late = LATE_REJECT;
    t->future_seconds = RETENTION_ANY_FUTURE;
    t->ttl_seconds = 0;
    t->spread = 1;
    if (t->quantum_pos < 0) {
        t->quantum_count = 0;
        t->quantum_unit = 0;
    }
    if (!columns)
        return DN_FAIL_NOMEM(err);
    if (o->key_quantum) {
        rc = alter_key_quantum(t, o->key_quantum, err);
        if (rc < 0)
            goto out;
    }
    rc = table_build_options(&b);
    if (rc < 0)
        goto out;
    if (!t->slabs)
        t->slabs = mem_calloc(NULL, 0, sizeof *t->slabs);
    if (!t->slabs)
        rc = DN_FAIL_NOMEM(err);
out:
    mem_free(columns);
    return rc;
}

/* t has one rule for all time; rows that are there keep those of `old`, whose schedule t had. */
static int alter_schedule(struct table *t,
                          const struct table *old,
                          const struct table_rows_span *rows,
                          struct dn_err *err)
{
    const struct slab_rule *last;
    struct slab_rule fresh;
    struct slab_rule *all;
    uint16_t keep = 0;
    int64_t from = INT64_MAX;
    bool same;

    if (old->slabs_count == 0)
        return 0;
    fresh = t->slabs[0];
    last = &old->slabs[old->slabs_count - 1];
    same = fresh.quantum_width == last->quantum_width && fresh.slab_width == last->slab_width;
    if (!same && !rows->any)
        return 0;
    if (!same)
        from = table_slab_end(old, table_slab(old, rows->time_max));
    if (!same && from == INT64_MAX)
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "quantum and slab cannot change: a row lies in the last slab of all time");
    while (keep < old->slabs_count && old->slabs[keep].from < from)
        keep++;
    if (keep >= TABLE_SLAB_RULES_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "quantum and slab were changed %u times, which is the most",
                       TABLE_SLAB_RULES_MAX);
    all = mem_calloc(NULL, (size_t)keep + 1, sizeof *all);
    if (!all)
        return DN_FAIL_NOMEM(err);
    memcpy(all, old->slabs, keep * sizeof *all);
    if (!same) {
        all[keep] = fresh;
        all[keep++].from = from;
    }
    mem_free(t->slabs);
    t->slabs = all;
    t->slabs_count = keep;
    return 0;
}

/* The horizon stays where it is, if something keeps it; slabs after the last row may be others. */
static void alter_horizon(struct table *t)
{
    if (t->retention.kind == RETENTION_NONE)
        t->horizon = RETENTION_NO_HORIZON;
    if (t->horizon != RETENTION_NO_HORIZON)
        t->horizon = table_slab(t, t->horizon);
}

int table_set_options(struct table *t,
                      const struct option_spec *options,
                      size_t count,
                      const struct table_rows_span *rows,
                      struct dn_err *err)
{
    struct alter_options merged = {.count = 0};
    struct table *old;
    int rc = table_copy(t, &old, err);

    if (rc < 0)
        return rc;
    rc = alter_merge_options(old, options, count, &merged, err);
    if (rc < 0)
        goto out;
    table_free_options(t);
    mem_free(t->slabs);
    rc = alter_build_options(t, &merged, err);
    if (rc < 0)
        goto out;
    rc = alter_schedule(t, old, rows, err);
    if (rc < 0)
        goto out;
    alter_horizon(t);
    DN_DCHECK(table_check(t, NULL) == 0); /* I1 to I10 */
out:
    mem_free(merged.list);
    table_unref(old);
    return rc;
}

/* ---- ADD PRIMARY KEY ---- */

/* What a table without a key has of one. */
static void alter_forget_key(struct table *t)
{
    table_free_options(t);
    mem_free(t->slabs);
    mem_free(t->partition);
    mem_free(t->local);
    mem_free(t->rest);
    t->slabs = NULL;
    t->partition = NULL;
    t->series = NULL;
    t->local = t->rest = NULL;
    t->slabs_count = t->partition_count = t->series_count = t->local_count = t->rest_count = 0;
    t->time_col = t->quantum_pos = -1;
    t->quantum_count = 0;
    t->quantum_unit = 0;
}

bool table_key_is_plain(const struct table *t)
{
    bool plain = t->form != KEY_NONE && t->quantum_pos < 0 && t->options_count == 0;

    for (uint16_t i = 0; i < t->local_count; i++)
        plain = plain && !t->local[i].desc;
    if (t->form == KEY_RANGE)
        return plain;
    return plain && t->form == KEY_CQL && t->partition_count == 1 &&
           !type_is_timestamp(t->columns[t->partition[0]].type);
}

/* A dump has the columns of the key once more, behind the option primary_key. */
static bool alter_same_columns(const struct table *t, const struct table_spec *key)
{
    bool same = !key->has_inner && key->local_count == t->local_count;

    for (size_t i = 0; same && i < key->local_count; i++)
        same = !key->local[i].is_quantum && !key->local[i].order_given &&
               strcmp(key->local[i].name.s, t->columns[t->local[i].col].name) == 0;
    return same;
}

static int
alter_check_defaults(const struct table *t, const struct table_spec *key, struct dn_err *err)
{
    for (uint16_t i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];

        if (c->not_null && c->has_default && c->def.null)
            return table_at(DN_FAIL(err,
                                    DN_E_NOT_NULL,
                                    "column \"%s\" is NOT NULL as a key or time column, but its "
                                    "DEFAULT is NULL",
                                    c->name),
                            err,
                            key->key_pos);
    }
    return 0;
}

int table_add_key(struct table *t, const struct table_spec *key, struct dn_err *err)
{
    struct alter_options options = {.count = 0};
    struct column_spec *columns;
    struct table_spec spec = *key;
    struct table_builder b = {.spec = &spec, .t = t, .err = err};
    struct table *old;
    int rc;

    if (t->form != KEY_NONE && !table_key_is_plain(t) && alter_same_columns(t, key))
        return 1;
    if (t->form != KEY_NONE)
        return table_at(DN_FAIL(err,
                                DN_E_BAD_TABLE,
                                "multiple primary keys for table \"%s\" are not allowed",
                                t->name),
                        err,
                        key->key_pos);
    rc = table_copy(t, &old, err);
    if (rc < 0)
        return rc;
    columns = mem_calloc(NULL, t->columns_count, sizeof *columns);
    spec.columns = columns;
    spec.columns_count = t->columns_count;
    for (uint16_t i = 0; columns && i < t->columns_count; i++)
        columns[i] = (struct column_spec){.name = {.s = old->columns[i].name},
                                          .type = old->columns[i].type,
                                          .mods = old->columns[i].mods,
                                          .not_null = old->columns[i].not_null};
    rc = columns ? alter_merge_options(old, NULL, 0, &options, err) : DN_FAIL_NOMEM(err);
    if (rc < 0)
        goto out;
    alter_forget_key(t);
    rc = table_build_key(&b);
    if (rc < 0)
        goto out;
    rc = alter_build_options(t, &options, err);
    if (rc < 0)
        goto out;
    rc = alter_check_defaults(t, key, err);
    if (rc < 0)
        goto out;
    rc = table_lay_out(t, err);
    DN_DCHECK(rc < 0 || table_check(t, NULL) == 0); /* I1 to I10 */
out:
    mem_free(columns);
    mem_free(options.list);
    table_unref(old);
    return rc;
}
