/* SPDX-License-Identifier: Apache-2.0
 *
 * system_int.h: inside of src/system: relations as they are listed, rows as they are filled, types
 * and functions. Threads as in system.h. */
#pragma once

#include "base/arena.h"
#include "system/objects.h"

#include <string.h>

#define SYS_OWNER      10    /* the role that owns everything */
#define SYS_DATABASE   5     /* number of the database */
#define SYS_CATALOG    11    /* of pg_catalog */
#define SYS_PUBLIC     2200  /* of public */
#define SYS_INFO       13000 /* of information_schema */
#define SYS_TABLE_AM   16000 /* access methods: of tables, of keys */
#define SYS_INDEX_AM   403
#define SYS_TABLESPACE 1663
#define SYS_OIDS       16384 /* numbers of what users make begin here */

/* ---- rows ---- */

/* Rows are filled column by column in the order of the relation. Columns that the query does not
 * use are skipped. */
struct sys_rows {
    const struct sys_env *env;
    const struct sys_column *cols;
    uint32_t cols_count;
    struct colbuf **to; /* by column; NULL: not wanted */
    struct arena *arena;
    uint32_t at; /* the column that is next */
    int rc;      /* the first error */
    struct dn_err *err;
};

static inline bool sys_wanted(const struct sys_rows *w)
{
    return w->at < w->cols_count && w->to[w->at] && w->rc == 0;
}

void sys_put(struct sys_rows *w, const struct datum *d); /* of the column's type */
void sys_null(struct sys_rows *w, uint32_t count);       /* that many columns */
void sys_int(struct sys_rows *w, int64_t v);             /* also OID, BOOLEAN, a REAL */
void sys_text(struct sys_rows *w, const char *s);        /* NULL: a NULL */
void sys_buf(struct sys_rows *w, const struct buf *b);
void sys_reg(struct sys_rows *w, uint32_t oid, const char *name);
void sys_items(struct sys_rows *w, const int64_t *v, uint32_t count); /* arrays, vectors */
void sys_end(struct sys_rows *w); /* of the row: all columns are there */

/* ---- relations ---- */

struct sys_relation {
    const char *schema;
    const char *name;
    uint32_t oid;                     /* 0: it is what a function returns */
    char kind;                        /* as in pg_catalog_list.h; 'f': what a function returns */
    void (*fill)(struct sys_rows *w); /* NULL: it has no rows */
    const char *columns;              /* "oid oid, relname name" */
};

const struct sys_relation *sys_relation_at(size_t i); /* one after the other; NULL: no more */

/* SYS_OID_pg_class: the number of a relation. */
enum sys_relation_oid {
#define SYS_EMPTY(name, oid, kind, columns)          SYS_OID_##name = (oid),
#define SYS_RELATION(name, oid, kind, fill, columns) SYS_OID_##name = (oid),
#define SYS_FUNCTION(name, fill, columns)
#include "system/information_schema_list.h"
#include "system/pg_catalog_list.h"
#undef SYS_FUNCTION
#undef SYS_RELATION
#undef SYS_EMPTY
};

#define SYS_EMPTY(name, oid, kind, columns)
#define SYS_RELATION(name, oid, kind, fill, columns) void fill(struct sys_rows *w);
#define SYS_FUNCTION(name, fill, columns)            void fill(struct sys_rows *w);
#include "system/information_schema_list.h"
#include "system/pg_catalog_list.h"
#undef SYS_FUNCTION
#undef SYS_RELATION
#undef SYS_EMPTY

/* ---- types and functions ---- */

struct sys_type {
    uint32_t oid;
    const char *name;
    int16_t len;
    bool by_value;
    char kind;
    char category;
    bool preferred;
    uint32_t elem;
    uint32_t array;
    uint32_t io[4]; /* input, output, receive, send */
    char align;
    char storage;
    uint32_t collation;
};
const struct sys_type *sys_type_at(size_t i); /* NULL: no more */
const struct sys_type *sys_type_find(uint32_t oid);
/* By a name as SQL or pg_type has it; 0: none. */
uint32_t sys_type_by_name(struct vstr name);
/* format_type; false: there is no such type. */
bool sys_type_print(const struct sys_env *env, int64_t oid, int64_t mod, struct buf *b);

struct sys_proc {
    uint32_t oid;
    const char *name;
    char kind; /* 'f', 'a', 'w' */
    uint32_t result;
    uint32_t args[8];
    uint32_t args_count;
    bool strict, set, variadic;
    char volatility;
    const char *doc;
};
/* One function after the other; all zero before the first. */
struct sys_procs {
    unsigned kind;
    uint32_t at;
};
bool sys_proc_next(struct sys_procs *it, struct sys_proc *ret);
bool sys_proc_find(int64_t oid, struct sys_proc *ret);
const char *sys_io_name(uint32_t oid); /* of pg_proc_list.h; NULL: none */

/* ---- fill_dump.c ---- */
void sys_dump_depends(
    struct sys_rows *w); /* rows of pg_depend: of views, tables, time partitions */
/* pg_get_triggerdef. DN_NOT_FOUND: no such trigger. */
int sys_answer_trigger(const struct sys_env *env,
                       const struct func_ask *ask,
                       struct buf *b,
                       struct dn_err *err) DN_MUST_CHECK;

/* partition_info(text, more) (fill_timepart.c). DN_NOT_FOUND: no such partition. */
int sys_answer_partition(const struct sys_env *env, const struct func_ask *ask, struct buf *b);

/* ---- fill_usertype.c: what CREATE TYPE made ---- */
void sys_fill_user_types(struct sys_rows *w); /* their rows of pg_type */
/* The name, with its schema if need be; false: there is no such type. */
bool sys_user_type_print(const struct sys_env *env, int64_t oid, struct buf *b);
/* Is it found without its schema? False: there is no such type. */
bool sys_user_type_visible(const struct sys_env *env, int64_t oid, int64_t *ret);
/* NULL: none. ret_array: it is an array of that. */
const char *sys_user_type_name(const struct sys_env *env, int64_t oid, bool *ret_array);
const char *sys_user_type_schema(const struct sys_env *env, int64_t oid);
/* By name, [] may follow; schema NULL: not given. 0: none. */
int64_t sys_user_type_oid(const struct sys_env *env, const char *schema, const char *name);
/* FUNC_ASK_ENUM_… */
int sys_answer_enum(const struct sys_env *env,
                    const struct func_ask *ask,
                    struct func_answer *ret,
                    struct dn_err *err);

/* The last columns of pg_type (fill_misc.c). */
void sys_type_tail(struct sys_rows *w, char align, char storage, uint32_t collation);

/* An identifier as PostgreSQL quotes it. */
void sys_quote(const char *name, struct buf *b);
