/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h: what statements ask their session for. Part of engine_int.h; threads as there. */
#pragma once

#include "base/err.h"
#include "dendro.h"
#include "engine/door.h"
#include "plan/plan.h"
#include "sql/ast.h"

struct datum;
struct sql_text;

/* Schemas of unqualified names, by search_path: those that are there, each ended by a zero, an
 * empty one ends all. The first is where objects are made. Bytes of it: */
#define SESSION_PATH_MAX (2 * (SETTING_TEXT_MAX + 1))

/* What clients were told of settings. */
struct session_told {
    char **values;  /* owned, of settings_reported(i); NULL = nothing yet */
    uint64_t epoch; /* of the session: all were told then */
};

/* ---- session.c ---- */
/* A time in a unit, as a value of the type with that unit. */
int engine_time(int64_t value, enum dendro_unit unit, struct datum *ret, struct dn_err *err)
    DN_MUST_CHECK;
void session_notice(struct dendro_conn *conn, const char *severity, const char *fmt, ...)
    DN_PRINTF(3, 4);
struct plan_env
session_plan_env(const struct dendro_conn *conn, const struct catalog *cat, struct arena *arena);
/* Table by the name a statement gives. NULL: err says why, with the position. */
const struct table *session_table(const struct dendro_conn *conn,
                                  const struct catalog *cat,
                                  const struct qual_name *name,
                                  struct dn_err *err);
/* The same for new rows: of a time partition its newest shard. ret_named: the name is that of a
 * shard, so the rows go there and nowhere else (route.h). */
const struct table *session_target(const struct dendro_conn *conn,
                                   const struct catalog *cat,
                                   const struct qual_name *name,
                                   bool *ret_named,
                                   struct dn_err *err);
/* A statement begins now. */
void session_tick(struct dendro_conn *conn);
int session_check_cancel(const struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
/* The code of an error of parsing or planning: DN_E_NOMEM of arenas that gave no memory because the
 * statement was canceled (arena.h) becomes DN_E_CANCELED. */
int session_canceled_memory(const struct dendro_conn *conn,
                            int rc,
                            struct dn_err *err) DN_MUST_CHECK;
/* Is the role whose rights count a superuser? */
bool session_superuser(struct dendro_conn *conn);
int session_write_allowed(const struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
int session_use(struct dendro_conn *conn, const struct stmt *ast, struct dn_err *err) DN_MUST_CHECK;
void session_free_appenders(struct dendro_conn *conn); /* appender.c */
/* SET and USE. */
int session_set(struct dendro_conn *conn, const struct stmt *ast, struct dn_err *err) DN_MUST_CHECK;

/* ---- stmt_cache.c ---- */
/* The statement kept for this text, or NULL; the text moves behind it. */
struct dendro_stmt *stmt_cache_take(struct dendro_conn *conn, struct sql_text *text);
/* Remembers from which text it was prepared: text stands behind it. */
void stmt_cache_note(struct dendro_stmt *stmt, const struct sql_text *text);
/* True: a finalized statement now belongs to the cache. */
bool stmt_cache_put(struct dendro_stmt *stmt);
void stmt_cache_free(struct dendro_conn *conn);
