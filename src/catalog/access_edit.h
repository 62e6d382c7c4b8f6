/* SPDX-License-Identifier: Apache-2.0
 *
 * access_edit.h: changes to a copy of the roles, owners and grants, before others can see it; see
 * access.h. One thread at a time. */
#pragma once

#include "catalog/access.h"

int access_copy(const struct access *a, struct access **ret, struct dn_err *err) DN_MUST_CHECK;
/* A role with the id of role->id, 0: a new one, whose id is told. All of it is copied. */
int access_put_role(struct access *a, const struct role *role, uint32_t *ret_id, struct dn_err *err)
    DN_MUST_CHECK;
void access_drop_role(struct access *a, uint32_t id); /* nothing was granted to it any more */
int access_put_member(struct access *a, struct role_member m, struct dn_err *err) DN_MUST_CHECK;
/* With admin_only the role stays, but it cannot be given away any more. */
void access_drop_member(struct access *a, uint32_t role, uint32_t member, bool admin_only);
int access_set_owner(struct access *a,
                     const struct access_object *o,
                     uint32_t role,
                     struct dn_err *err) DN_MUST_CHECK;
/* All that one role owns is another's, with the grants that the first made on it. */
void access_reassign(struct access *a, uint32_t from, uint32_t to);
int access_give(struct access *a,
                const struct access_object *o,
                uint32_t grantee,
                uint32_t grantor,
                uint32_t privileges,
                uint32_t options,
                struct dn_err *err) DN_MUST_CHECK;
/* Takes privileges that anybody gave, or only the right to give them away; of a whole relation also
 * those on its columns. */
int access_take(struct access *a,
                const struct access_object *o,
                uint32_t grantee,
                uint32_t privileges,
                bool options_only,
                struct dn_err *err) DN_MUST_CHECK;
/* Forgets owners and grants that `keep` does not want. */
void access_prune(struct access *a,
                  bool (*keep)(const void *arg, const struct access_object *o),
                  const void *arg);
/* The object has another id now, the schema another name. */
void access_move(struct access *a, uint64_t was, uint64_t id);
int access_rename_schema(struct access *a, const char *from, const char *to, struct dn_err *err)
    DN_MUST_CHECK;
/* What keeps a role from being dropped: objects it owns, and grants to it or by it. */
size_t access_owned_count(const struct access *a, uint32_t role);
size_t access_granted_count(const struct access *a, uint32_t role);
/* Takes all that was granted to the role, and what it granted with that to others. */
void access_drop_grants(struct access *a, uint32_t role);
