/* SPDX-License-Identifier: Apache-2.0
 *
 * access_check.h: has a role a privilege on an object of the catalog, or does it own the object?
 * Any thread. */
#pragma once

#include "catalog/catalog.h"

bool catalog_has_schema(const struct catalog *c, const char *name); /* exactly so */
/* Is what an owner or a grant is about still in the catalog? For access_prune. */
bool catalog_keeps(const void *catalog, const struct access_object *o);
struct access_object catalog_object(const struct catalog_relation *r);
/* Fails with DN_E_DENIED unless the role has all privileges of `need` (bits) on a table or view and
 * USAGE on its schema. Role 0 may do everything. */
int catalog_may(const struct catalog *c,
                uint32_t role,
                const struct catalog_relation *r,
                uint32_t need,
                struct dn_err *err) DN_MUST_CHECK;
/* Like catalog_may(), but privileges on columns count: ret_left receives those that the role has on
 * some columns only, which the caller then checks column by column. */
int catalog_may_columns(const struct catalog *c,
                        uint32_t role,
                        const struct catalog_relation *r,
                        uint32_t need,
                        uint32_t *ret_left,
                        struct dn_err *err) DN_MUST_CHECK;
int catalog_may_column(const struct catalog *c,
                       uint32_t role,
                       const struct catalog_relation *r,
                       uint32_t column,
                       uint32_t need,
                       struct dn_err *err) DN_MUST_CHECK;
/* Fails unless the role has at least one of the privileges on the relation or (columns) on one of
 * its columns, and USAGE on its schema. */
int catalog_may_any(const struct catalog *c,
                    uint32_t role,
                    const struct catalog_relation *r,
                    uint32_t rights,
                    bool columns,
                    struct dn_err *err) DN_MUST_CHECK;
/* The number by which grants name a column: its id in a table, its place from 1 on in a view. 0:
 * there is no such column. */
uint32_t catalog_relation_column(const struct catalog_relation *r, const char *name);
int catalog_may_schema(const struct catalog *c,
                       uint32_t role,
                       const char *schema,
                       uint32_t need,
                       struct dn_err *err) DN_MUST_CHECK;
int catalog_must_own(const struct catalog *c,
                     uint32_t role,
                     const struct catalog_relation *r,
                     struct dn_err *err) DN_MUST_CHECK;
