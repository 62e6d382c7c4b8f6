/* SPDX-License-Identifier: Apache-2.0
 *
 * objects.h: inside of src/system: iterators over the objects of a catalog: relations, their
 * columns, indexes and constraints, and the privileges on them. Threads as in system.h. */
#pragma once

#include "base/arena.h"
#include "system/system.h"

struct sys_relation;
struct sys_rows;

/* ---- objects ---- */

/* A table, a view, a sequence, or a relation of the system. */
struct sys_item {
    size_t at; /* 0 before the first sys_next */
    const struct table *table;
    const struct view *view;
    const struct sequence *sequence;
    const struct sys_relation *rel;
    const char *schema;
    const char *name;
    uint32_t oid;
    uint32_t schema_oid;
    uint32_t owner; /* a role */
};

bool sys_next(const struct sys_env *env, struct sys_item *it);
/* An index of a table. */
struct sys_index {
    uint32_t at; /* 0 before the first sys_index_next */
    const struct table *table;
    const struct table_constraint *own; /* NULL: that of the key */
    uint32_t oid;
};
struct sys_elem {
    const struct column *column; /* NULL: an expression */
    const char *text;            /* … len bytes */
    size_t len;
    bool desc;
};
bool sys_index_next(const struct table *t, struct sys_index *ix);
bool sys_index_unique(const struct sys_index *ix);
uint32_t sys_index_count(const struct sys_index *ix); /* of its elements */
bool sys_index_elem(const struct sys_index *ix, uint32_t i, struct sys_elem *ret);
void sys_index_name(const struct sys_index *ix, struct buf *b);
/* CREATE INDEX …; column from 1 on: that element. */
void sys_index_print(const struct sys_index *ix, int64_t column, struct buf *b);
/* The number of the index of a UNIQUE; 0: it has none. */
uint32_t sys_unique_oid(const struct table *t, const struct table_constraint *own);

/* Finds an object by its number; if ret_index->table is set, the number is that of the index. */
bool sys_item_find(const struct sys_env *env,
                   int64_t oid,
                   struct sys_item *ret,
                   struct sys_index *ret_index);
/* Is it found by its name without a schema? */
bool sys_item_visible(const struct sys_env *env, const struct sys_item *it);
char sys_item_kind(const struct sys_item *it); /* 'r', 'v', 'S', 'p': a time partition */
struct access_object sys_item_object(const struct sys_item *it);
bool sys_item_temp(const struct sys_item *it);
const char *sys_item_comment(const struct sys_item *it);
uint32_t sys_item_columns(const struct sys_item *it);
uint32_t sys_index_oid(const struct table *t); /* of its key */
/* The name of the key's constraint and index, into b. */
void sys_key_name(const struct table *t, struct buf *b);

struct sys_attr {
    const char *name;
    enum type_id type;
    uint32_t oid; /* of the type, if it is another than that of `type`; 0 */
    struct type_mods mods;
    int32_t num; /* from 1 on */
    bool not_null;
    const struct column *column; /* of a table; NULL */
};
/* The columns of a relation; NULL: out of memory, and w->rc is set. */
const struct sys_attr *
sys_attrs(struct sys_rows *w, const struct sys_item *it, uint32_t *ret_count);

/* it: whose column it is; NULL: an index's. */
void sys_attribute_row(struct sys_rows *w,
                       uint32_t rel,
                       const struct sys_item *it,
                       const struct sys_attr *a,
                       int32_t num);
/* Those of an index; attrs: of its table. */
void sys_attribute_index(struct sys_rows *w,
                         const struct sys_attr *attrs,
                         const struct sys_index *ix);
void sys_class_index(struct sys_rows *w, const struct sys_item *it, const struct sys_index *ix);
double sys_count(const struct sys_rows *w, const struct table *t); /* about its rows; -1 */

uint32_t sys_attr_type(const struct sys_attr *a); /* the number of its type */
void sys_role_settings(struct sys_rows *w, const struct role *r);

uint32_t sys_attrdef_oid(const struct table *t, const struct column *c); /* of its default */

uint32_t sys_schema_oid(const char *name);
/* The i-th schema, those of the system first; NULL: no more. */
const char *sys_schema_at(const struct sys_env *env, size_t i);

/* ---- constraints: the key first, then those of the table ---- */

struct sys_con {
    char kind; /* 'p', 'c', 'u', 'f' */
    const char *name;
    uint32_t oid;
    const struct table_constraint *own; /* NULL: the key */
    int64_t *cols;                      /* attnums */
    uint32_t cols_count;
    const struct table *target; /* 'f'; NULL: not found */
    int64_t *target_cols;
    uint32_t target_count;
};
/* NULL: of the key. */
uint32_t sys_con_oid(const struct table *t, const struct table_constraint *own);
uint32_t sys_cons_count(const struct table *t);
/* False: it is an index and no constraint, or out of memory, which w->rc says. */
bool sys_con(struct sys_rows *w, const struct table *t, uint32_t i, struct sys_con *ret);
/* As CREATE TABLE has it, without CONSTRAINT and name. */
void sys_con_print(const struct sys_env *env,
                   const struct table *t,
                   const struct table_constraint *own,
                   struct buf *b);
/* What a foreign key does on " ON DELETE " or " ON UPDATE ": letters of pg_constraint. */
char sys_con_action(const struct table_constraint *own, const char *event);
/* The default of a column; false: it has none. */
bool sys_default(const struct catalog *cat, const struct column *c, struct buf *b);

/* ---- privileges ---- */

uint32_t sys_role(const struct sys_env *env); /* the role of the session */
bool sys_item_may(const struct sys_env *env,
                  const struct sys_item *it); /* has any privilege on it? */
bool sys_table_may(const struct sys_env *env, const struct table *t);
bool sys_table_reads(const struct sys_env *env, const struct table *t); /* SELECT on all of it? */
int sys_answer_privilege(const struct sys_env *env,
                         const struct func_right *r,
                         int64_t *ret,
                         struct dn_err *err) DN_MUST_CHECK;
/* Iterates over the access list of an object: PUBLIC, the owner, then the other grantees. *at is 0
 * before the first entry. */
struct sys_acl_entry {
    uint32_t grantee; /* ACCESS_PUBLIC: every role */
    uint32_t grantor;
    uint32_t privileges;
    uint32_t options;
};
bool sys_acl_next(const struct sys_env *env,
                  const struct access_object *o,
                  size_t *at,
                  struct sys_acl_entry *ret);
/* As an aclitem[]; NULL where nothing was granted or revoked. */
void sys_acl(struct sys_rows *w, const struct access_object *o);
void sys_item_acl(struct sys_rows *w, const struct sys_item *it);
void sys_texts(struct sys_rows *w, const char *const *v, uint32_t count); /* an array of texts */
