/* SPDX-License-Identifier: Apache-2.0
 *
 * table_int.h: inside src/catalog only. How a definition is put together: table_build.c calls
 * table_build_key, then table_build_options, then table_derive; document/table.c fills the
 * same fields from a document, then calls table_check and table_derive. One thread at a time. */
#pragma once

#include "catalog/table.h"

/* A definition under construction. */
struct table_builder {
    const struct table_spec *spec; /* borrowed */
    struct table *t;               /* half-built; freed by table_build when a step fails */
    struct dn_err *err;            /* borrowed, may be NULL */
};

/* Fills form, series, local, quantum and time column, and the implied NOT NULLs. */
int table_build_key(struct table_builder *b) DN_MUST_CHECK;
/* Fills options, upsert, spread, time column, slabs. After the key. */
int table_build_options(struct table_builder *b) DN_MUST_CHECK;

/* Is there such an option? */
bool table_option_known(const char *name);

/* What a column, or the WITH list, holds. */
void table_free_column(struct column *c);
void table_free_options(struct table *t);
void table_free_constraint(struct table_constraint *c);
int table_copy_constraints(const struct table *from,
                           struct table *to,
                           struct dn_err *err) DN_MUST_CHECK;
/* Those that do not name the column, whose place is free now. */
void table_constraints_without(struct table *t, uint16_t col);
/* A zeroed definition with one reference, NULL when out of memory. */
struct table *table_new(void);
/* What follows from the rest: key_pos, rest, time_desc. series and local must name columns that
 * exist. */
int table_derive(struct table *t, struct dn_err *err) DN_MUST_CHECK;
/* Decides how the rows of a table with a new key are laid out, then calls table_derive(). */
int table_lay_out(struct table *t, struct dn_err *err) DN_MUST_CHECK;
/* All invariants of table.h, for definitions that come from disk: DN_E_CORRUPT. */
int table_check(const struct table *t, struct dn_err *err) DN_MUST_CHECK;
/* Could a table have such a column? */
int table_check_column(const struct column_spec *from, struct dn_err *err) DN_MUST_CHECK;
/* A constant DEFAULT: the bytes are the definition's own. */
int table_copy_default(const struct column_spec *from,
                       struct column *to,
                       struct dn_err *err) DN_MUST_CHECK;
void table_free_default(struct column *c);
/* Adds it after the last one; columns[] has room for it. */
int table_put_column(struct table *t,
                     const struct column_spec *from,
                     struct dn_err *err) DN_MUST_CHECK;
/* Is the name empty, too long or not UTF-8? `what` names it in the message. */
int table_check_name(const char *what,
                     const struct spec_name *name,
                     struct dn_err *err) DN_MUST_CHECK;

/* A patch says nothing of columns that are not listed, and a row that it makes has their constant:
 * upsert = 'field' leaves no place for a default that is an expression, but in the key. */
int table_check_field_default(const struct table *t,
                              uint16_t col,
                              struct dn_err *err) DN_MUST_CHECK;

/* Width of count units in ticks of a time stamp type; false when it does not fit. */
bool table_width(int64_t count, int64_t unit_seconds, enum type_id type, int64_t *ret_width)
    DN_MUST_CHECK;

/* Hands rc on with a position: return table_at(DN_FAIL(…), err, pos). */
static inline int table_at(int rc, struct dn_err *err, uint32_t pos)
{
    dn_err_at(err, pos);
    return rc;
}

/* A list of names for a message, without allocation: "a", "b", … */
#define TABLE_NAMES_MAX 360
struct table_names {
    char text[TABLE_NAMES_MAX];
    size_t len;     /* bytes used */
    unsigned count; /* names given */
    bool full;      /* the rest was left out */
    bool bare;      /* without quotes */
};
void table_names_add(struct table_names *n, const char *name);

/* table_alter_column.c: may a new column join the key; the last column becomes the last of the key.
 */
int table_check_join_key(const struct table *t,
                         const struct column_spec *spec,
                         struct dn_err *err) DN_MUST_CHECK;
int table_join_key(struct table *t, struct dn_err *err) DN_MUST_CHECK;
