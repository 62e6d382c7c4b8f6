/* SPDX-License-Identifier: Apache-2.0
 *
 * table_alter.h: what ALTER COLUMN changes of a column, in a table_copy() that no other thread
 * knows yet. One thread at a time. */
#pragma once

#include "catalog/table.h"

/* Allows or forbids NULL; the caller has checked that existing rows have none. */
int table_set_not_null(struct table *t,
                       const struct spec_name *name,
                       bool not_null,
                       struct dn_err *err) DN_MUST_CHECK;
/* Are stored values of the column also values of this type, except perhaps for their length? */
bool table_same_values(const struct column *c, enum type_id type, const struct type_mods *mods);
/* Changes the modifiers alone; only after table_same_values(). */
void table_set_mods(struct table *t, uint16_t col, const struct type_mods *mods);
/* Can stored values of the column be read as values of this wider type? Not in a key, whose bytes
 * would change, and not in a column with a CHECK, which would have to be evaluated again. */
bool table_widens(const struct table *t, uint16_t col, enum type_id type);
/* Changes the type in the definition alone (docs/adr/0007-numbers-that-widen.md); only after
 * table_widens(). */
void table_widen(struct table *t, uint16_t col, enum type_id type);
/* Takes type, modifiers and constant DEFAULT from the spec; existing rows become unreadable by it.
 */
int table_change_type(struct table *t,
                      uint16_t col,
                      const struct column_spec *spec,
                      struct dn_err *err) DN_MUST_CHECK;
/* Is the declared key a plain list of columns that needs no table option? */
bool table_key_is_plain(const struct table *t);
/* Gives a table without a key the PRIMARY KEY of the spec; existing rows are placed differently
 * then. 1: the table has a key with these columns already, and more clauses than the spec. */
int table_add_key(struct table *t, const struct table_spec *key, struct dn_err *err) DN_MUST_CHECK;
