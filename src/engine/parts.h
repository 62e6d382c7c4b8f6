/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h: INSERT, UPDATE and DELETE in the WITH of a statement. Each is a statement of its own
 * that runs before the rest, exactly once and to its end, whether anybody reads what it returns or
 * not. All of them and the rest read the same snapshot, so none sees what another writes; only what
 * RETURNING gives goes from one to the next. All is one commit: outside a transaction block the
 * statement gets one of its own, and runs again if others were faster.
 *
 * In a WITH RECURSIVE they may read each other whatever their order is: each comes after those that
 * it reads, else in the order of the text.
 *
 * A row that several of them would change is changed by the first, and is none of the rows of the
 * others, as in PostgreSQL; the parts come in their order, then the rest. (MERGE sees to it by
 * itself.)
 *
 * An UPDATE or DELETE of a time partition is the statement once for each of its shards: itself in
 * the newest, and as many parts for the older ones.
 *
 * Owner thread of the connection only. */
#pragma once

#include "exec/rows.h"
#include "plan/plan.h"

struct dendro_stmt;

struct stmt_parts {
    struct dendro_stmt **v; /* owned: the parts in their order */
    struct plan_part *seen; /* owned: as plans see them; the first seen_count */
    struct exec_rows *rows; /* owned: what they returned; the first `done` */
    uint32_t count;
    uint32_t seen_count;
    uint32_t done;
    const struct plan_later *later; /* borrowed, while parts are compiled; else NULL */
    uint32_t shards;                /* the last so many are the statement itself, in older shards */
    struct dendro_stmt *whole;      /* borrowed: the statement */
    struct parts_changed *changed;  /* owned list: rows that were changed, by table */
};

/* stmt->parts, if its WITH has any. */
int stmt_parts_compile(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* The parts and then the statement, as stmt_run; rows of a SELECT are all there when it returns. */
int stmt_parts_run(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
void stmt_parts_free(struct stmt_parts *p); /* NULL is fine */
/* compile.c: a part, which sees those before it, by the catalog of the statement. */
int stmt_compile_part(struct dendro_stmt *part,
                      struct catalog *cat,
                      struct stmt_parts *before,
                      struct dn_err *err) DN_MUST_CHECK;
/* compile.c: stmt_compile of a statement that runs. DN_E_TABLE_CHANGED: it has parts now, or has
 * none any more, and must begin again. */
int stmt_compile_again(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* ---- parts_first.c: of UPDATE and DELETE ---- */
/* Do several of the statement's parts change rows of the table? */
bool stmt_parts_share(const struct dendro_stmt *stmt, const struct table *t);
/* Rows that were changed before go out of the batch's selection; it has the plan's columns. */
int stmt_parts_skip(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct plan_change *plan,
                    struct batch *b,
                    struct dn_err *err) DN_MUST_CHECK;
/* These were changed; columns by store column. */
int stmt_parts_note(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct vec *cols,
                    uint32_t rows,
                    struct dn_err *err) DN_MUST_CHECK;
void stmt_parts_changed_free(struct stmt_parts *p);

/* Does the statement have any? */
bool stmt_has_parts(const struct stmt *ast);
