/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_db.h: the database as the script runner sees it. slt_db.c is the only file of the runner
 * that knows include/dendro.h. One thread at a time. */
#pragma once

#include "slt_text.h"

#include <stdbool.h>
#include <stdint.h>

struct slt_db;

struct slt_error {
    char sqlstate[6];
    char *text;        /* owned */
    char *hint;        /* owned, NULL = none */
    uint32_t position; /* 1-based character position in the statement, 0 = none */
};

struct slt_result {
    struct slt_list names;  /* of the columns; none for a statement without rows */
    char *types;            /* owned; one letter per column: T I R B D X */
    struct slt_list values; /* row after row, each as slt_escape writes it */
    int64_t affected;       /* rows written, of a statement that writes */
};

/* Opens (and makes, if it is not there) the database in the directory, with this test_clock (NULL:
 * none). -1: see error. */
int slt_db_open(const char *dir,
                const char *clock,
                struct slt_db **ret_db,
                struct slt_error *error);
/* NULL is fine. What its clock says; the caller frees it. */
char *slt_db_clock(struct slt_db *db);
void slt_db_close(struct slt_db *db);
/* From now on statements run in the session of that name, made when it is first named; NULL: the
 * first one. -1: see error. */
int slt_db_use(struct slt_db *db, const char *name, struct slt_error *error);
/* Is a session in a transaction block? */
bool slt_db_in_block(const struct slt_db *db);
/* CHECKPOINT, in a session of its own. -1: see error. */
int slt_db_checkpoint(struct slt_db *db, struct slt_error *error);
/* Runs every statement of sql; the result is that of the last one. -1: see error. */
int slt_db_exec(struct slt_db *db,
                const char *sql,
                struct slt_result *ret_result,
                struct slt_error *error);

void slt_result_done(struct slt_result *result);
void slt_error_done(struct slt_error *error);
