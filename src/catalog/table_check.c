/* SPDX-License-Identifier: Apache-2.0
 *
 * table_check.c: the invariants of every definition. table_build() asserts them in debug
 * builds; a definition read from a document is used only after it passed.
 *
 *  I1  0 to 511 columns; ids from 1, each once, below column_id_next; names good and each once
 *      and modifiers are those a type may have
 *  I2  a default has its column's type, is finite or valid UTF-8, and NULL only where allowed
 *  I3  series and local name existing columns, each at most once; local begins with the series
 *  I4  the form fits: NONE has no key; RANGE has no series and its time column first; RIAK and CQL
 *      have a series or a quantum; in RIAK the quantum column follows the series. Laid out by
 *      value are only tables with partition columns and without quantum and time column
 *  I5  key columns and the time column are NOT NULL; a keyed table has its time column in the key
 *  I6  slab rules exist just when there is a time column; the first begins at INT64_MIN, the
 *      others later and later; each slab is a whole multiple of the quantum
 *  I7  quantum count and unit describe the newest rule's quantum
 *  I8  spread > 1 only without a series; upsert by field only with a key and constant defaults,
 *      and without a time to live
 *  I10 retention only with a time column; the horizon is the start of a slab
 *  I9  constraints have names of their own and name existing columns; expressions are text
 *
 * No allocation. Texts are paths into the definition: "columns[3].name: …". */
#include "base/text.h"
#include "catalog/duration.h"
#include "catalog/table_constraint.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool check_name_good(const char *name)
{
    size_t len = name ? strlen(name) : 0;

    return len >= 1 && len <= TABLE_NAME_MAX && text_utf8_valid(name, len);
}

static bool check_default_good(const struct column *c)
{
    const struct datum *d = &c->def;

    if (d->type != c->type)
        return false;
    if (d->null)
        return !c->not_null;
    switch (type_phys(c->type)) {
    case PHYS_I8:
        return d->v.i64 == 0 || d->v.i64 == 1;
    case PHYS_I16:
        return d->v.i64 >= INT16_MIN && d->v.i64 <= INT16_MAX;
    case PHYS_I32:
        return d->v.i64 >= INT32_MIN && d->v.i64 <= INT32_MAX;
    case PHYS_I64:
        return true;
    case PHYS_F32:
        return isfinite((float)d->v.f64);
    case PHYS_F64:
        return isfinite(d->v.f64);
    case PHYS_STR:
        if (c->type == TYPE_UUID)
            return d->str.len == 16;
        return !type_is_utf8(c->type) || text_utf8_valid(d->str.ptr, d->str.len);
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
        return true;
    case PHYS_MAX:
        break;
    }
    return false;
}

static bool check_sql_good(const char *sql)
{
    size_t len = strlen(sql);

    return len >= 1 && len <= TABLE_SQL_MAX && text_utf8_valid(sql, len);
}

static int check_constraints(const struct table *t, struct dn_err *err)
{
    for (unsigned i = 0; i < t->constraints_count; i++) {
        const struct table_constraint *c = &t->constraints[i];

        DN_CHECK_DISK(check_name_good(c->name), err, "constraints[%u].name: not a name", i);
        DN_CHECK_DISK(table_constraint_find(t, c->name) == c,
                      err,
                      "constraints[%u].name: \"%s\" is another's too",
                      i,
                      c->name);
        DN_CHECK_DISK(check_sql_good(c->text) || (c->kind != TABLE_CHECK && c->text[0] == '\0'),
                      err,
                      "constraints[%u].text: not one",
                      i);
        for (unsigned k = 0; k < c->cols_count; k++)
            DN_CHECK_DISK(c->cols[k] < t->columns_count,
                          err,
                          "constraints[%u].columns[%u]: not a column",
                          i,
                          k);
    }
    return 0;
}

static int check_columns(const struct table *t, struct dn_err *err)
{
    DN_CHECK_DISK(t->columns_count <= TABLE_COLUMNS_MAX,
                  err,
                  "columns: %u of them",
                  (unsigned)t->columns_count);
    for (unsigned i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];

        DN_CHECK_DISK(check_name_good(c->name), err, "columns[%u].name: not a name", i);
        DN_CHECK_DISK(c->id >= 1 && c->id < t->column_id_next && c->id <= TABLE_COLUMN_ID_MAX,
                      err,
                      "columns[%u].id: %u is not below %u",
                      i,
                      c->id,
                      t->column_id_next);
        DN_CHECK_DISK(type_storable(c->type) &&
                          ((TYPE_BASE(c->type) & ~TYPE_ARRAY) != TYPE_ENUM || TYPE_NUMBER(c->type)),
                      err,
                      "columns[%u].type: not a type",
                      i);
        DN_CHECK_DISK(type_mods_good(c->type, &c->mods),
                      err,
                      "columns[%u].mods: not of %s",
                      i,
                      type_name(c->type));
        for (unsigned j = 0; j < i; j++) {
            DN_CHECK_DISK(t->columns[j].id != c->id,
                          err,
                          "columns[%u].id: %u is columns[%u]'s too",
                          i,
                          c->id,
                          j);
            DN_CHECK_DISK(strcmp(t->columns[j].name, c->name) != 0,
                          err,
                          "columns[%u].name: \"%s\" is columns[%u]'s too",
                          i,
                          c->name,
                          j);
        }
        DN_CHECK_DISK(!c->has_default || check_default_good(c),
                      err,
                      "columns[%u].default: not a value of the column",
                      i);
        DN_CHECK_DISK(!c->def_sql || check_sql_good(c->def_sql),
                      err,
                      "columns[%u].default_sql: not an expression",
                      i);
    }
    return 0;
}

static int check_key_lists(const struct table *t, struct dn_err *err)
{
    uint8_t seen[TABLE_COLUMNS_MAX] = {0};

    DN_CHECK_DISK(t->partition_count <= t->local_count && t->local_count <= t->columns_count,
                  err,
                  "key: %u partition and %u local columns",
                  (unsigned)t->partition_count,
                  (unsigned)t->local_count);
    for (unsigned i = 0; i < t->local_count; i++) {
        DN_CHECK_DISK(t->local[i].col < t->columns_count && !seen[t->local[i].col],
                      err,
                      "key.local[%u]: no column, or one named before",
                      i);
        seen[t->local[i].col] = 1;
        DN_CHECK_DISK(t->columns[t->local[i].col].not_null,
                      err,
                      "key.local[%u]: column \"%s\" allows NULL",
                      i,
                      t->columns[t->local[i].col].name);
    }
    for (unsigned i = 0; i < t->partition_count; i++)
        DN_CHECK_DISK(t->partition[i] == t->local[i].col,
                      err,
                      "key.series[%u]: differs from the local key",
                      i);
    return 0;
}

static int check_form(const struct table *t, struct dn_err *err)
{
    bool good = false;

    switch (t->form) {
    case KEY_NONE:
        good = t->local_count == 0 && t->quantum_pos < 0;
        break;
    case KEY_RIAK:
        good = t->partition_count + t->quantum_pos >= 0 && t->local_count >= 1 &&
               (t->quantum_pos < 0 || (t->local_count > t->partition_count &&
                                       t->local[t->partition_count].col == t->time_col));
        break;
    case KEY_CQL:
        good = t->partition_count + t->quantum_pos >= 0 && t->local_count >= 1;
        break;
    case KEY_RANGE:
        good = t->partition_count == 0 && t->local_count >= 1 && t->quantum_pos < 0 &&
               t->local[0].col == t->time_col;
        break;
    case KEY_FORM_MAX:
        break;
    }
    DN_CHECK_DISK(good, err, "key.form: does not fit the key");
    DN_CHECK_DISK(t->quantum_pos == -1 ||
                      (t->quantum_pos == t->partition_count && t->quantum_count > 0),
                  err,
                  "key.quantum: does not fit the key");
    DN_CHECK_DISK(!t->by_value || (t->partition_count > 0 && t->quantum_pos < 0 && t->time_col < 0),
                  err,
                  "key.layout: does not fit the key");
    DN_CHECK_DISK(!t->clustering_clause || t->form == KEY_CQL || t->form == KEY_RANGE,
                  err,
                  "key.clustering_clause: does not fit the form");
    return 0;
}

static int check_time(const struct table *t, struct dn_err *err)
{
    const struct column *c;
    bool in_key = t->form == KEY_NONE;
    bool in_series = false;

    DN_CHECK_DISK(t->time_col >= -1 && t->time_col < t->columns_count, err, "time: no column");
    DN_CHECK_DISK((t->time_col >= 0) == (t->slabs_count > 0),
                  err,
                  "slabs: %u without a time column, or none with one",
                  (unsigned)t->slabs_count);
    if (t->time_col < 0) {
        DN_CHECK_DISK(t->quantum_pos < 0 && t->quantum_count == 0 && t->quantum_unit == 0,
                      err,
                      "quantum: there is no time column");
        return 0;
    }
    c = &t->columns[t->time_col];
    for (unsigned i = 0; i < t->local_count; i++) {
        in_key = in_key || t->local[i].col == t->time_col;
        in_series = in_series || (i < t->partition_count && t->local[i].col == t->time_col);
    }
    DN_CHECK_DISK(type_is_timestamp(c->type) && c->not_null,
                  err,
                  "time: column \"%s\" is no NOT NULL time stamp",
                  c->name);
    DN_CHECK_DISK(in_key, err, "time: column \"%s\" is not in the key", c->name);
    DN_CHECK_DISK(t->quantum_pos < 0 || !in_series,
                  err,
                  "time: column \"%s\" has a quantum and is in the series",
                  c->name);
    return 0;
}

static int check_slabs(const struct table *t, struct dn_err *err)
{
    const struct slab_rule *last;
    int64_t width = 0;

    DN_CHECK_DISK(t->slabs_count <= TABLE_SLAB_RULES_MAX, err, "slabs: too many");
    for (unsigned i = 0; i < t->slabs_count; i++) {
        const struct slab_rule *rule = &t->slabs[i];

        DN_CHECK_DISK(i == 0 ? rule->from == INT64_MIN : rule->from > t->slabs[i - 1].from,
                      err,
                      "slabs[%u].from: out of order",
                      i);
        DN_CHECK_DISK(rule->slab_width > 0 && rule->quantum_width >= 0 &&
                          (rule->quantum_width == 0 || rule->slab_width % rule->quantum_width == 0),
                      err,
                      "slabs[%u]: slab %" PRId64 " is no multiple of quantum %" PRId64,
                      i,
                      rule->slab_width,
                      rule->quantum_width);
    }
    if (t->slabs_count == 0)
        return 0;
    last = &t->slabs[t->slabs_count - 1];
    if (t->quantum_count == 0) {
        DN_CHECK_DISK(last->quantum_width == 0 && t->quantum_unit == 0 && t->form != KEY_RANGE,
                      err,
                      "quantum: missing");
        return 0;
    }
    DN_CHECK_DISK(t->quantum_count > 0 && duration_unit(t->quantum_unit) > 0 &&
                      (t->quantum_unit & 0x20) &&
                      table_width(t->quantum_count,
                                  duration_unit(t->quantum_unit),
                                  t->columns[t->time_col].type,
                                  &width) &&
                      width == last->quantum_width,
                  err,
                  "quantum: does not fit the newest slab rule");
    return 0;
}

/* Slabs below the horizon are gone as a whole. */
static int check_retention(const struct table *t, struct dn_err *err)
{
    DN_CHECK_DISK(t->retention.kind == RETENTION_NONE || (t->time_col >= 0 && !t->timepart),
                  err,
                  "options: retention without a time column");
    DN_CHECK_DISK(t->horizon == RETENTION_NO_HORIZON || (t->retention.kind != RETENTION_NONE &&
                                                         table_slab(t, t->horizon) == t->horizon),
                  err,
                  "horizon: not the start of a slab");
    return 0;
}

static int check_policies(const struct table *t, struct dn_err *err)
{
    DN_CHECK_DISK(t->spread >= 1 && t->spread <= TABLE_SPREAD_MAX &&
                      (t->spread == 1 || t->partition_count == 0),
                  err,
                  "spread: %u",
                  t->spread);
    DN_CHECK_DISK(t->ttl_seconds >= 0 && t->ttl_seconds <= TABLE_TTL_MAX &&
                      (t->ttl_seconds == 0 || t->upsert == UPSERT_ROW),
                  err,
                  "ttl: %" PRId64,
                  t->ttl_seconds);
    if (t->upsert == UPSERT_FIELD) {
        DN_CHECK_DISK(t->form != KEY_NONE, err, "upsert: by field without a key");
        for (unsigned i = 0; i < t->columns_count; i++) {
            bool in_key = false;

            for (unsigned j = 0; j < t->local_count; j++)
                in_key = in_key || t->local[j].col == i;
            DN_CHECK_DISK(in_key || !t->columns[i].def_sql,
                          err,
                          "upsert: by field, but the default of column \"%s\" is an expression",
                          t->columns[i].name);
            DN_CHECK_DISK(in_key || !t->columns[i].not_null || t->columns[i].has_default,
                          err,
                          "upsert: by field, but column \"%s\" is NOT NULL without a default",
                          t->columns[i].name);
        }
    }
    for (unsigned i = 0; i < t->options_count; i++) {
        const struct table_option *o = &t->options[i];

        DN_CHECK_DISK(check_name_good(o->name) && o->value &&
                          strlen(o->value) <= TABLE_OPTION_MAX &&
                          text_utf8_valid(o->value, strlen(o->value)),
                      err,
                      "options[%u]: bad name or value",
                      i);
    }
    return 0;
}

int table_check(const struct table *t, struct dn_err *err)
{
    int rc;

    DN_CHECK_DISK(check_name_good(t->name), err, "name: not a name");
    DN_CHECK_DISK(check_name_good(t->schema), err, "schema: not a name");
    DN_CHECK_DISK(t->version >= 1, err, "version: 0");
    rc = check_columns(t, err);
    if (rc < 0)
        return rc;
    rc = check_key_lists(t, err);
    if (rc < 0)
        return rc;
    rc = check_time(t, err);
    if (rc < 0)
        return rc;
    rc = check_form(t, err);
    if (rc < 0)
        return rc;
    rc = check_slabs(t, err);
    if (rc < 0)
        return rc;
    rc = check_policies(t, err);
    if (rc < 0)
        return rc;
    rc = check_retention(t, err);
    if (rc < 0)
        return rc;
    if (t->timepart) {
        rc = timepart_check(t->timepart, err);
        if (rc < 0)
            return rc;
    }
    return check_constraints(t, err);
}
