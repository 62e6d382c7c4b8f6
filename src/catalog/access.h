/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h: roles, who belongs to whom, who owns what and who may do what with it. Part of the
 * catalog (struct catalog has one, or NULL: nothing but what is always there). Immutable once
 * others can see it and shared by reference count; an edit copies it, changes the copy and puts
 * that into a new catalog:
 *
 *     access_copy(cur->access, &next, err);
 *     access_put_role(next, &role, err); …
 *     catalog_with_access(cur, next, &ret, err);  access_unref(next);
 *
 * Always there: the first role, a superuser who owns everything that nobody else owns, and the
 * roles pg_read_all_data, pg_write_all_data, pg_read_all_stats (what sessions of others do),
 * pg_read_all_settings (settings that tell of paths and addresses), pg_monitor (a member of both),
 * pg_signal_backend (may cancel and end sessions), pg_checkpoint, and pg_read_server_files and
 * pg_write_server_files (files of the server's machine). Every role (ACCESS_PUBLIC) may use the
 * schema "public", connect to the database and make temporary tables, until these rights are
 * revoked.
 *
 * Readers take NULL for the struct access. Any thread may read; ref and unref are atomic. */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCESS_PUBLIC       0u  /* as a grantee: everybody */
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
#define ACCESS_ROLE_ID_MIN  16384u /* of roles that somebody made */
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
    int32_t connections;           /* at most so many at a time; -1: any number */
    char *verifier;                /* owned: of the password; NULL = it has none */
    int64_t valid_until;           /* of the password, microseconds since 1970; ACCESS_FOREVER */
    struct role_setting *settings; /* owned, by name: what its sessions start with */
    uint32_t settings_count;
};

struct role_member {
    uint32_t role;
    uint32_t member;
    bool admin; /* the member may give it to others */
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
    uint32_t options;    /* those it may give to others, a part of them */
    bool revoked;        /* instead: what PUBLIC had by itself was taken (`privileges`) */
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
    struct role *roles; /* owned, by id; of those that are always there only what was changed */
    size_t roles_count;
    struct role_member *members; /* owned, by role and member */
    size_t members_count;
    struct access_owner *owners; /* owned; what is not among them belongs to the first role */
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
/* All of them in some order: i from 0 until NULL comes. */
const struct role *access_role_at(const struct access *a, size_t i);
const char *access_role_name(const struct access *a, uint32_t id); /* "public"; "" = unknown */
/* Who belongs to whom, in some order, with those that always do: i from 0 until NULL comes. */
const struct role_member *access_member_at(const struct access *a, size_t i);
/* Is it `of`, or a member of it, at any remove? A superuser is a member of all. */
bool access_member(const struct access *a, uint32_t role, uint32_t of);
/* Has it the privileges of `of`: member by roles that all inherit? */
bool access_inherits(const struct access *a, uint32_t role, uint32_t of);
bool access_admin(const struct access *a, uint32_t role, uint32_t of); /* may it give it away? */
bool access_superuser(const struct access *a, uint32_t role);
/* Is there a login with a password? Until then connections from the same machine are trusted. */
bool access_has_password(const struct access *a);

/* Is the object that one? schema NULL: it is no schema. */
bool access_is(const struct access_object *o,
               enum access_kind kind,
               uint64_t id,
               const char *schema);
uint32_t access_owned_by(const struct access *a, const struct access_object *o);
/* Is the object the role's, itself or as a member of its owner? */
bool access_owns(const struct access *a, uint32_t role, const struct access_object *o);
/* Is the grant one on the object, or on the column, itself? */
bool access_grant_is(const struct access_object *o, const struct access_grant *g);
/* Privileges that the role has on an object, all ways counted; and those it may give to others. On
 * a column it has those it has on the whole, too. */
uint32_t access_privileges(const struct access *a, uint32_t role, const struct access_object *o);
uint32_t access_options(const struct access *a, uint32_t role, const struct access_object *o);
/* Those that it has on some column at least, or on the whole. */
uint32_t access_somewhere(const struct access *a, uint32_t role, const struct access_object *o);
#define ACCESS_COLUMN_ALL                                                \
    (PRIVILEGE_BIT(PRIVILEGE_INSERT) | PRIVILEGE_BIT(PRIVILEGE_SELECT) | \
     PRIVILEGE_BIT(PRIVILEGE_UPDATE) | PRIVILEGE_BIT(PRIVILEGE_REFERENCES))
/* What an object of the kind can be granted, and what everybody has on it by itself. */
uint32_t access_all(enum access_kind kind);
uint32_t access_default(const struct access_object *o);
