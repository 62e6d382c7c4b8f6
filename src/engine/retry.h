/* SPDX-License-Identifier: Apache-2.0
 *
 * retry.h: the one policy for what another session came before. A statement counts all its tries
 * together, whatever they failed with and however deep in it that was seen:
 *
 *     stmt->retry = (struct retry){.tries = 0};                 when it begins
 *     while ((rc = …) < 0) {
 *         drop what the try has made
 *         if ((rc = retry_again(&stmt->retry, conn, rc, err)) < 0)
 *             break;
 *         compile anew, if the catalog has changed
 *     }
 *
 * The session's thread. */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct dendro_conn;
struct dendro_stmt;

#define RETRY_MAX 64 /* tries of one statement, or of one commit */

struct retry {
    uint32_t tries; /* that failed */
};

/* May it be tried again? 0: yes, after a pause that grows by chance (DN_E_CONFLICT), or after the
 * edit of the catalog that is under way (DN_E_TABLE_CHANGED). Else rc, which is another error or
 * the last try's, or that it was canceled. */
int retry_again(struct retry *r, struct dendro_conn *conn, int rc, struct dn_err *err)
    DN_MUST_CHECK;
/* Where the tries of a statement are counted: those of a part with the whole. */
struct retry *retry_of(struct dendro_stmt *stmt);

/* Runs `once` until it is not DN_E_CONFLICT, as above; tries counts from 0. */
typedef int (*stmt_once_fn)(struct dendro_stmt *stmt, int tries, struct dn_err *err);
int stmt_retry(struct dendro_stmt *stmt, stmt_once_fn once, struct dn_err *err) DN_MUST_CHECK;
