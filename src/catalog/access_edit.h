/* SPDX-License-Identifier: Apache-2.0
 *
 * access_edit.h: changes to a copy of the roles, owners and grants, before others can see it; see
 * access.h. One thread at a time. */
#pragma once

#include "catalog/access.h"

int access_copy(const struct access *a, struct access **ret, struct dn_err *err) DN_MUST_CHECK;
/* Replaces the role with the id role->id, or (0) adds one and sets *ret_id. Everything is copied.
 */
int access_put_role(struct access *a, const struct role *role, uint32_t *ret_id, struct dn_err *err)
    DN_MUST_CHECK;
void access_drop_role(struct access *a, uint32_t id); /* it must have no grants left */
int access_put_member(struct access *a, struct role_member m, struct dn_err *err) DN_MUST_CHECK;
/* With admin_only the member keeps the role, but loses the right to grant it. */
void access_drop_member(struct access *a, uint32_t role, uint32_t member, bool admin_only);
int access_set_owner(struct access *a,
                     const struct access_object *o,
                     uint32_t role,
                     struct dn_err *err) DN_MUST_CHECK;
/* Makes `to` the owner of all objects of `from`, and the grantor of the grants `from` made on them.
 */
void access_reassign(struct access *a, uint32_t from, uint32_t to);
int access_give(struct access *a,
                const struct access_object *o,
                uint32_t grantee,
                uint32_t grantor,
                uint32_t privileges,
                uint32_t options,
                struct dn_err *err) DN_MUST_CHECK;
/* Takes privileges away regardless of the grantor, or only the right to grant them; for a whole
 * relation also the privileges on its columns. */
int access_take(struct access *a,
                const struct access_object *o,
                uint32_t grantee,
                uint32_t privileges,
                bool options_only,
                struct dn_err *err) DN_MUST_CHECK;
/* Drops the owners and grants for whose object `keep` returns false. */
void access_prune(struct access *a,
                  bool (*keep)(const void *arg, const struct access_object *o),
                  const void *arg);
/* Follows a change of an object's id, or of a schema's name. */
void access_move(struct access *a, uint64_t was, uint64_t id);
int access_rename_schema(struct access *a, const char *from, const char *to, struct dn_err *err)
    DN_MUST_CHECK;
/* What keeps a role from being dropped: objects it owns, and grants to it or by it. */
size_t access_owned_count(const struct access *a, uint32_t role);
size_t access_granted_count(const struct access *a, uint32_t role);
/* Drops all grants to the role, and the grants to others that depend on them. */
void access_drop_grants(struct access *a, uint32_t role);
