/* SPDX-License-Identifier: Apache-2.0
 *
 * table_constraint.h: constraints beside the key of a definition that no other thread knows yet (a
 * table_copy(), or one that is being built). Any thread may read; changes are its owner's. */
#pragma once

#include "catalog/table.h"

int table_add_constraint(struct table *t,
                         const struct constraint_spec *spec,
                         struct dn_err *err) DN_MUST_CHECK;
int table_drop_constraint(struct table *t,
                          const struct spec_name *name,
                          struct dn_err *err) DN_MUST_CHECK;
int table_rename_constraint(struct table *t,
                            const struct spec_name *name,
                            const struct spec_name *to,
                            struct dn_err *err) DN_MUST_CHECK;
/* VALIDATE CONSTRAINT: whether the rows there are keep it is the caller's concern. */
int table_validate_constraint(struct table *t,
                              const struct spec_name *name,
                              struct dn_err *err) DN_MUST_CHECK;
static inline bool table_is_index(const struct table_constraint *c)
{
    return c->kind == TABLE_INDEX || c->kind == TABLE_UNIQUE_INDEX;
}
/* Of an index, which table_constraint_find gave. */
void table_drop_index(struct table *t, const struct table_constraint *index);
int table_rename_index(struct table *t,
                       const struct table_constraint *index,
                       const struct spec_name *to,
                       struct dn_err *err) DN_MUST_CHECK;
/* COMMENT ON one of them, or on an index; text NULL: without. */
int table_set_constraint_comment(struct table *t,
                                 const struct spec_name *name,
                                 const char *text,
                                 struct dn_err *err) DN_MUST_CHECK;
/* Is that the name of the primary key? */
bool table_is_key_name(const struct table *t, const char *name);
/* Another text for one of them: a column was renamed. */
int table_set_constraint_text(struct table *t, uint16_t i, const char *text, struct dn_err *err)
    DN_MUST_CHECK;
/* By its exact name; NULL: none. */
const struct table_constraint *table_constraint_find(const struct table *t, const char *name);
/* PRIMARY KEY (…), as CREATE TABLE has it; of a table that has one. */
void table_print_key(const struct table *t, struct buf *b);
/* CONSTRAINT name CHECK (…), as CREATE TABLE has it. */
void table_print_constraint(const struct table *t, const struct table_constraint *c, struct buf *b);
