/* SPDX-License-Identifier: Apache-2.0
 *
 * access_check.h: may a role do that with an object of the catalog? Any thread. */
#pragma once

#include "catalog/catalog.h"

bool catalog_has_schema(const struct catalog *c, const char *name); /* exactly so */
/* Is what an owner or a grant is about still in the catalog? For access_prune. */
bool catalog_keeps(const void *catalog, const struct access_object *o);
struct access_object catalog_object(const struct catalog_relation *r);
/* May the role (0: whoever asks may do all) do that with a table or view (bits of privileges)? Its
 * schema must be usable too. DN_E_DENIED. */
int catalog_may(const struct catalog *c,
                uint32_t role,
                const struct catalog_relation *r,
                uint32_t need,
                struct dn_err *err) DN_MUST_CHECK;
/* The same where it may be on columns alone: ret_left is what the role may do with some columns
 * only, each of which is to be asked for. */
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
/* Any one of the rights, on the relation or (columns) on a column of it; its schema must be usable
 * too. */
int catalog_may_any(const struct catalog *c,
                    uint32_t role,
                    const struct catalog_relation *r,
                    uint32_t rights,
                    bool columns,
                    struct dn_err *err) DN_MUST_CHECK;
/* What grants call a column: a table's by its id, a view's by its place, from 1 on. 0: none. */
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
