/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_ops.h: what the engine knows of each kind of statement: one row each.
 *
 * The kinds are listed in sql/stmt_list.h; a kind's row `stmt_<name>_ops` stands at the end of the
 * file that runs it. A row is written with STMT_OPS, whose columns are all mandatory: a statement
 * that does not say which privilege it needs, or what it may do in a transaction block, does not
 * compile, and one without a row does not link. Columns that depend on the statement's text are
 * functions of its syntax tree.
 *
 * All functions run in the thread of the session. */
#pragma once

#include "engine/engine_int.h"
#include "engine/privilege.h"

/* What a statement does to tables, hence where it may run. Ordered: later ones may do more. */
enum tx_use {
    TX_FREE,  /* neither reads nor writes tables */
    TX_READS, /* … tables or the catalog */
    TX_WRITES,
    TX_ALONE, /* writes, and never inside a block */
};

struct stmt_ops {
    /* How messages call it: "CREATE TABLE". */
    const char *(*name)(const struct stmt *ast);
    /* What clients are told when it is done: "INSERT 0 3". */
    void (*tag)(const struct dendro_stmt *stmt, char *to, size_t size);
    /* Does it change rows, or objects? For logs. */
    enum engine_class (*class)(const struct stmt *ast);
    enum tx_use (*use)(const struct stmt *ast);
    /* May the session's role run it? Asked of everybody but superusers, when it is compiled. */
    int (*privilege)(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err);
    /* Plan, resolved target, columns of the result. */
    int (*compile)(struct dendro_stmt *stmt, struct dn_err *err);
    /* Executes it; a query is made ready to return its rows. */
    int (*run)(struct dendro_stmt *stmt, struct dn_err *err);
};

#define STMT_OPS(id, name_, tag_, class_, use_, privilege_, compile_, run_) \
    const struct stmt_ops stmt_##id##_ops = {.name = (name_),               \
                                             .tag = (tag_),                 \
                                             .class = (class_),             \
                                             .use = (use_),                 \
                                             .privilege = (privilege_),     \
                                             .compile = (compile_),         \
                                             .run = (run_)}

#define SQL_STMT(kind, name, printer) extern const struct stmt_ops stmt_##name##_ops;
#include "sql/stmt_list.h"
#undef SQL_STMT

/* The row of a statement. */
const struct stmt_ops *stmt_ops_of(const struct stmt *ast);

/* ---- columns that several rows share ---- */
/* STMT_NAME(drop_view, "DROP VIEW") defines the name of statements that are always called so. */
#define STMT_NAME(id, words)                                  \
    static const char *stmt_name_##id(const struct stmt *ast) \
    {                                                         \
        (void)ast;                                            \
        return (words);                                       \
    }

void stmt_tag_name(const struct dendro_stmt *stmt, char *to, size_t size); /* its name alone */
void stmt_tag_rows(const struct dendro_stmt *stmt, char *to, size_t size); /* … and how many rows */

enum engine_class stmt_class_other(const struct stmt *ast); /* changes nothing that outlives it */
enum engine_class stmt_class_mod(const struct stmt *ast);   /* rows */
enum engine_class
stmt_class_ddl(const struct stmt *ast); /* objects, roles, settings of the system */

enum tx_use stmt_use_free(const struct stmt *ast);
enum tx_use stmt_use_reads(const struct stmt *ast);
enum tx_use stmt_use_writes(const struct stmt *ast);
enum tx_use stmt_use_alone(const struct stmt *ast);

/* It concerns the session alone, or shows what everybody may see. */
int privilege_everybody(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err);
/* The planner asks for each table and column that is read or changed. */
int privilege_by_planner(const struct dendro_stmt *stmt,
                         const struct stmt *ast,
                         struct dn_err *err);
/* The code that runs it asks, because what is needed depends on what it finds. */
int privilege_when_run(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err);

/* Nothing to prepare. */
int stmt_compile_nothing(struct dendro_stmt *stmt, struct dn_err *err);
/* Rows made by describe.h: the names and types of their columns (compile.c). */
int stmt_compile_described(struct dendro_stmt *stmt, struct dn_err *err);
