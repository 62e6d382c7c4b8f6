/* SPDX-License-Identifier: Apache-2.0
 *
 * table_alter.h: what ALTER COLUMN changes of a column, in a definition that nobody else holds yet
 * (a table_copy). Its owner's thread. */
#pragma once

#include "catalog/table.h"

/* NULL is allowed, or not any more: the rows there are must have none. */
int table_set_not_null(struct table *t,
                       const struct spec_name *name,
                       bool not_null,
                       struct dn_err *err) DN_MUST_CHECK;
/* Are stored values of the column values of that type, too, but for their length? */
bool table_same_values(const struct column *c, enum type_id type, const struct type_mods *mods);
/* … then only those change. */
void table_set_mods(struct table *t, uint16_t col, const struct type_mods *mods);
/* Can stored values of the column be read as those of a wider type? Not in a key, whose bytes would
 * be others, nor where a CHECK names the column: it would have to be asked again. */
bool table_widens(const struct table *t, uint16_t col, enum type_id type);
/* … then the definition alone changes, docs/adr/0007-numbers-that-widen.md. */
void table_widen(struct table *t, uint16_t col, enum type_id type);
/* Type, modifiers and constant DEFAULT of the spec: rows that are there cannot be read so. */
int table_change_type(struct table *t,
                      uint16_t col,
                      const struct column_spec *spec,
                      struct dn_err *err) DN_MUST_CHECK;
/* Is the key, as it is declared, nothing but a list of columns, and needs no option one? */
bool table_key_is_plain(const struct table *t);
/* The PRIMARY KEY of the spec, for a table that has none: rows that are there lie otherwise. 1: the
 * spec is the plain list of a key that is more than that. */
int table_add_key(struct table *t, const struct table_spec *key, struct dn_err *err) DN_MUST_CHECK;
