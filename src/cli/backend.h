/* SPDX-License-Identifier: Apache-2.0
 *
 * backend.h: who answers the shell: a database in this process (dendro.h) or a server (libpq). All
 * of the shell above it knows this header alone.
 *
 *     backend_prepare(b, sql, len, &tail, &err)   1: a statement, 0: only blanks
 *     while ((rc = backend_step(b, &err)) == DENDRO_ROW)
 *         backend_text(b, 0, &len)
 *     backend_finish(b)                           in any case
 *
 * One statement at a time and one thread, except for backend_cancel, which a signal handler may
 * call. Pointers live until the next step or finish. */
#pragma once

#include "base/bytes.h"
#include "dendro.h"

#include <stdbool.h>

struct backend;

/* What the shell asks the catalog. */
enum backend_question {
    BACKEND_TABLES,     /* \dt */
    BACKEND_VIEWS,      /* \dv */
    BACKEND_INDEXES,    /* \di */
    BACKEND_SCHEMAS,    /* \dn */
    BACKEND_ROLES,      /* \du */
    BACKEND_DATABASES,  /* \l */
    BACKEND_CONNECTION, /* \conninfo */
    BACKEND_TABLE,      /* \d NAME */
    BACKEND_CREATE,     /* \sf NAME */
    BACKEND_FUNCTIONS,  /* \df TEXT */
    /* For the Tab key: the first column counts. */
    BACKEND_TABLE_NAMES,
    BACKEND_COLUMN_NAMES, /* of NAME */
    BACKEND_FUNCTION_NAMES,
    BACKEND_SETTING_NAMES,
};

struct backend_ops {
    int (*prepare)(struct backend *b,
                   const char *sql,
                   size_t len,
                   const char **ret_tail,
                   struct dendro_error *err);
    int (*step)(struct backend *b, struct dendro_error *err);
    void (*finish)(struct backend *b);
    int (*columns)(const struct backend *b);
    const char *(*name)(const struct backend *b, int col);
    enum dendro_type (*type)(const struct backend *b, int col);
    void (*type_name)(const struct backend *b, int col, char *ret, size_t size);
    const char *(*text)(struct backend *b, int col, size_t *ret_len);
    double (*number)(struct backend *b, int col);
    const char *(*tag)(const struct backend *b);
    void (*copy_info)(const struct backend *b, struct dendro_copy_info *ret);
    void (*set_copy)(struct backend *b, const struct dendro_copy *copy);
    void (*set_progress)(struct backend *b, dendro_progress_fn fn, void *arg, unsigned interval_ms);
    void (*set_notice)(struct backend *b, dendro_notice_fn fn, void *arg);
    void (*cancel)(struct backend *b);
    enum dendro_tx_status (*status)(const struct backend *b);
    void (*close)(struct backend *b);
};

struct backend {
    const struct backend_ops *ops;
    bool remote;      /* files of \copy are on this side, not on that of the database */
    bool dendro;      /* it has SHOW TABLES and the like; else it is a PostgreSQL */
    bool lost;        /* the server is gone; the next prepare tries to reach it again */
    char title[64];   /* for the prompt: what the database is called */
    char where[256];  /* for the greeting: the server, or the directory */
    char detail[600]; /* of the last error: more about it, "" = none */
};

struct backend_options {
    bool read_only;
    bool must_exist;             /* a directory: do not make one */
    bool ask;                    /* for a password, on the terminal */
    const char *const *settings; /* name, value, …, NULL; NULL = none */
};

/* Is it an address of a server: postgres://…, postgresql://… or "host=… port=…"? Else it is a
 * directory. */
bool backend_is_remote(const char *where);
/* ret: owned, backend_close. */
int backend_open(const char *where,
                 const struct backend_options *options,
                 struct backend **ret,
                 struct dendro_error *err);
void backend_close(struct backend *b); /* NULL is fine */

/* Takes the first statement of the text; ret_tail gets the byte behind it, after an error too. 1: a
 * statement, 0: nothing but blanks and comments. A server sees it at the first step. */
int backend_prepare(struct backend *b,
                    const char *sql,
                    size_t len,
                    const char **ret_tail,
                    struct dendro_error *err);
/* DENDRO_ROW, DENDRO_DONE or an error. */
int backend_step(struct backend *b, struct dendro_error *err);
void backend_finish(struct backend *b);

/* Columns of the result: 0 = it has none, -1 = not known before the first step. */
int backend_columns(const struct backend *b);
const char *backend_name(const struct backend *b, int col);
/* What comes nearest to it among Dendro's; its own name. */
enum dendro_type backend_type(const struct backend *b, int col);
void backend_type_name(const struct backend *b, int col, char *ret, size_t size);
/* NULL: a NULL, or out of memory. */
const char *backend_text(struct backend *b, int col, size_t *ret_len);
/* A time in seconds since 1970, or a number; NaN where there is none. */
double backend_number(struct backend *b, int col);
bool backend_is_time(const struct backend *b, int col);
/* "INSERT 0 3"; after DENDRO_DONE. */
const char *backend_tag(const struct backend *b);
/* Of a COPY of STDIN or STDOUT: from the first call of its reader or writer on. */
void backend_copy_info(const struct backend *b, struct dendro_copy_info *ret);
void backend_set_copy(struct backend *b, const struct dendro_copy *copy);
void backend_set_progress(struct backend *b,
                          dendro_progress_fn fn,
                          void *arg,
                          unsigned interval_ms);
void backend_set_notice(struct backend *b, dendro_notice_fn fn, void *arg);
/* Asks the statement that runs to stop. Async-signal-safe. */
void backend_cancel(struct backend *b);
enum dendro_tx_status backend_status(const struct backend *b);

/* Appends a statement that answers the question; arg: a name as SQL writes it, or a text. False:
 * nothing there does, but tables of this program may. */
bool backend_ask(const struct backend *b,
                 enum backend_question q,
                 const char *arg,
                 struct buf *ret);

/* The two kinds. */
int backend_local_open(const char *where,
                       const struct backend_options *options,
                       struct backend **ret,
                       struct dendro_error *err);
int backend_remote_open(const char *where,
                        const struct backend_options *options,
                        struct backend **ret,
                        struct dendro_error *err);
