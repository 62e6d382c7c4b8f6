/* SPDX-License-Identifier: Apache-2.0
 *
 * system.h: pg_catalog and information_schema: relations whose rows are made out of the catalog
 * when a statement reads them, and what functions ask about objects.
 *
 *     rel = sys_find(schema, name)                 NULL: no such relation of the system
 *     sys_columns(rel, arena, &cols, &count, err)  names and types, in order
 *     sys_rows(&env, rel, cols, n, bufs, err)      all rows of some of the columns
 *
 * Numbers of objects (oids) are those of PostgreSQL for what it has too; others follow from the
 * ids of the catalog and stay the same as long as the object is there.
 *
 * Any thread; nothing is kept between calls. */
#pragma once

#include "catalog/catalog.h"
#include "catalog/settings.h"
#include "func/session.h"

/* The catalog, and the session that asks. */
struct sys_env {
    const struct catalog *catalog;
    const char *schema; /* where names without a schema are looked for */
    const char *temp;   /* before that; NULL = none */
    const char *more;   /* behind it, as in struct catalog_path */
    const struct settings *settings;
    const struct func_session *session;
    /* Estimates the number of rows of a table; may be NULL. */
    double (*count)(void *arg, const struct table *table);
    void *count_arg;
};

struct sys_relation; /* static */

struct sys_column {
    const char *name;
    enum type_id type;
    uint32_t oid;          /* what clients are told the type is; 0: what it is */
    struct type_mods mods; /* VARCHAR(3) */
};

/* Is it the name of a schema of the system? */
bool sys_is_schema(const char *name);
/* schema NULL: pg_catalog is looked at before all others. */
const struct sys_relation *sys_find(const char *schema, const char *name);
/* What a function without arguments returns as rows of several columns: pg_get_keywords(). */
const struct sys_relation *sys_find_function(const char *name);
const char *sys_relation_name(const struct sys_relation *r);
const char *sys_relation_schema(const struct sys_relation *r);
uint32_t sys_relation_oid(const struct sys_relation *r);
bool sys_relation_secret(const struct sys_relation *r); /* only superusers read it */
int sys_columns(const struct sys_relation *r,
                struct arena *arena,
                struct sys_column **ret,
                uint32_t *ret_count,
                struct dn_err *err) DN_MUST_CHECK;
/* Appends all rows: column cols[i] to to[i], which is of its type. */
int sys_rows(const struct sys_env *env,
             const struct sys_relation *r,
             const uint16_t *cols,
             uint32_t cols_count,
             struct colbuf *to,
             struct dn_err *err) DN_MUST_CHECK;

/* Numbers that results on the wire name. */
uint32_t sys_table_oid(uint64_t id); /* of a view or sequence; of a table sys_oid */
uint32_t sys_oid(const struct table *t);
uint32_t sys_type_oid(enum type_id type, const struct type_mods *mods);
int32_t sys_type_mod(enum type_id type, const struct type_mods *mods); /* -1: none */

/* func_session.ask, but for sizes. */
int sys_answer(const struct sys_env *env,
               const struct func_ask *ask,
               struct func_answer *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* The table of a number (of a name, if ask has a text); NULL: none. */
const struct table *sys_ask_table(const struct sys_env *env, const struct func_ask *ask);
