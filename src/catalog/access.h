/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h: roles, their members, owners of objects, and grants. A struct catalog has one struct
 * access; NULL stands for a catalog in which nothing was changed from what is always there.
 * Immutable once others can see it and shared by reference count; an edit copies it, changes the
 * copy and puts that into a new catalog:
 *
 *     access_copy(cur->access, &next, err);
 *     access_put_role(next, &role, err); …
 *     catalog_with_access(cur, next, &ret, err);  access_unref(next);
 *
 * Always there: the first role, a superuser that owns every object without an entry in `owners`,
 * and the roles pg_read_all_data, pg_write_all_data, pg_read_all_stats (sees the activity of other
 * sessions), pg_read_all_settings (sees settings that hold paths and addresses), pg_monitor (a
 * member of both), pg_signal_backend (may cancel and end sessions), pg_checkpoint, and
 * pg_read_server_files and pg_write_server_files (files of the server's machine). Every role
 * (ACCESS_PUBLIC) may use the schema "public", connect to the database and make temporary tables,
 * until these rights are revoked.
 *
 * Readers take NULL for the struct access. Any thread may read; ref and unref are atomic. */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCESS_PUBLIC       0u  /* as a grantee: every role */
#define ACCESS_FIRST        10u /* the role that is always there */
#define ACCESS_FIRST_NAME   "dendro"
#define ACCESS_READ_ALL     6181u
#define ACCESS_WRITE_ALL    6182u
#define ACCESS_READ_STATS   3375u
#define ACCESS_MONITOR      3373u
#define ACCESS_READ_SETTING 3374u
#define ACCESS_SIGNAL       4200u
#define ACCESS_CHECKPOINT   4544u
#define ACCESS_READ_FILES   4569u
#define ACCESS_WRITE_FILES  4570u
#define ACCESS_ROLE_ID_MIN  16384u /* roles made by CREATE ROLE begin here */
#define ACCESS_ROLES_MAX    65536u
#define ACCESS_GRANTS_MAX   1048576u
#define ACCESS_VERIFIER_MAX 512u /* bytes of a password's verifier */
#define ACCESS_VALUE_MAX    4096u
#define ACCESS_FOREVER      INT64_MAX

enum access_kind {
    ACCESS_RELATION, /* table, view */
    ACCESS_SEQUENCE,
    ACCESS_SCHEMA,
    ACCESS_DATABASE,
    ACCESS_KIND_MAX
};

enum privilege {
#define DN_PRIVILEGE(name, sql, letter, kinds) PRIVILEGE_##name,
#include "catalog/privilege_list.h"
#undef DN_PRIVILEGE
    PRIVILEGE_MAX
};
#define PRIVILEGE_BIT(p) (1u << (p))

enum role_attr {
    ROLE_SUPERUSER = 1,
    ROLE_INHERIT = 2,
    ROLE_CREATEROLE = 4,
    ROLE_CREATEDB = 8,
    ROLE_LOGIN = 16,
    ROLE_REPLICATION = 32,
    ROLE_BYPASSRLS = 64
};
#define ROLE_ATTRS_ALL 127u

struct role_setting {
    char *name;  /* owned */
    char *value; /* owned */
};

struct role {
    uint32_t id;
    char *name;                    /* owned */
    uint32_t attrs;                /* of enum role_attr */
    int32_t connections;           /* limit of sessions at a time; -1: no limit */
    char *verifier;                /* owned: of the password; NULL = it has none */
    int64_t valid_until;           /* of the password, microseconds since 1970; ACCESS_FOREVER */
    struct role_setting *settings; /* owned, by name: what its sessions start with */
    uint32_t settings_count;
};

struct role_member {
    uint32_t role;
    uint32_t member;
    bool admin; /* the member may grant the role to others */
};

/* What is owned or granted. */
struct access_object {
    enum access_kind kind;
    uint64_t id;        /* RELATION, SEQUENCE: as in the catalog; else 0 */
    const char *schema; /* SCHEMA: its name; else NULL */
    uint32_t column;    /* RELATION: one of its columns (access_column); 0: all of it */
};

struct access_grant {
    enum access_kind kind;
    uint64_t id;
    char *schema;    /* owned; NULL as above */
    uint32_t column; /* as above */
    uint32_t grantee;
    uint32_t grantor;
    uint32_t privileges; /* bits */
    uint32_t options;    /* those of them that the grantee may grant to others */
    bool revoked;        /* the entry takes `privileges` away that PUBLIC has by default */
};

struct access_owner {
    enum access_kind kind;
    uint64_t id;
    char *schema; /* owned; NULL as above */
    uint32_t role;
};

struct access {
    atomic_uint refs;
    uint32_t role_id_next;
    struct role *roles; /* owned, by id; a built-in role is listed once it was changed */
    size_t roles_count;
    struct role_member *members; /* owned, by role and member */
    size_t members_count;
    struct access_owner *owners; /* owned; an object without an entry belongs to the first role */
    size_t owners_count;
    struct access_grant *grants; /* owned */
    size_t grants_count;
};

struct access *access_ref(const struct access *a); /* NULL gives NULL */
void access_unref(struct access *a);               /* NULL is fine */
void role_done(struct role *r);                    /* frees what it owns */

/* ---- reading ---- */

const struct role *access_role(const struct access *a, const char *name); /* NULL: none */
const struct role *access_role_by_id(const struct access *a, uint32_t id);
/* Iterates over all roles in no particular order: i counts from 0 until the result is NULL. */
const struct role *access_role_at(const struct access *a, size_t i);
const char *access_role_name(const struct access *a, uint32_t id); /* "public"; "" = unknown */
/* Iterates likewise over all memberships, those that are always there included. */
const struct role_member *access_member_at(const struct access *a, size_t i);
/* Is the role `of` itself or a member of it, directly or through others? A superuser is a member of
 * every role. */
bool access_member(const struct access *a, uint32_t role, uint32_t of);
/* Does the role have the privileges of `of`: is it a member through roles that all have INHERIT? */
bool access_inherits(const struct access *a, uint32_t role, uint32_t of);
bool access_admin(const struct access *a, uint32_t role, uint32_t of); /* may it grant `of`? */
bool access_superuser(const struct access *a, uint32_t role);
/* Is there a login with a password? Until then connections from the same machine are trusted. */
bool access_has_password(const struct access *a);

/* Is the object of that kind, with that id or (schema not NULL) that schema name? */
bool access_is(const struct access_object *o,
               enum access_kind kind,
               uint64_t id,
               const char *schema);
uint32_t access_owned_by(const struct access *a, const struct access_object *o);
/* Does the role own the object, itself or as a member of its owner? */
bool access_owns(const struct access *a, uint32_t role, const struct access_object *o);
/* Is the grant on exactly this object, or on exactly this column of it? */
bool access_grant_is(const struct access_object *o, const struct access_grant *g);
/* The privileges that the role has on an object by any grant or ownership, and those it may grant
 * to others. A privilege on a relation is one on each of its columns, too. */
uint32_t access_privileges(const struct access *a, uint32_t role, const struct access_object *o);
uint32_t access_options(const struct access *a, uint32_t role, const struct access_object *o);
/* The privileges that the role has on the relation or on at least one of its columns. */
uint32_t access_somewhere(const struct access *a, uint32_t role, const struct access_object *o);
#define ACCESS_COLUMN_ALL                                                \
    (PRIVILEGE_BIT(PRIVILEGE_INSERT) | PRIVILEGE_BIT(PRIVILEGE_SELECT) | \
     PRIVILEGE_BIT(PRIVILEGE_UPDATE) | PRIVILEGE_BIT(PRIVILEGE_REFERENCES))
/* The privileges that exist for this kind of object, and those that PUBLIC has by default. */
uint32_t access_all(enum access_kind kind);
uint32_t access_default(const struct access_object *o);
