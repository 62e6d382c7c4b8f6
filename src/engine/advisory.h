/* SPDX-License-Identifier: Apache-2.0
 *
 * advisory.h: locks that sessions agree upon, on numbers that mean nothing to the database. Held
 * by a session as often as it took them, or until its transaction ends. They are in memory only.
 * Any thread, one at a time per session. */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define ADVISORY_BUCKETS 1024u /* of keys */

struct dendro_conn;
struct dendro_db;

/* What func_session.advisory does. */
int advisory_ask(struct dendro_conn *conn, unsigned how, int64_t key, struct dn_err *err)
    DN_MUST_CHECK;
/* The transaction of the session has ended. */
void advisory_end_transaction(struct dendro_conn *conn);
/* ROLLBACK TO, RELEASE of the savepoint with this number (from 0): what was taken for the
 * transaction since then is given back; … is the transaction's as if taken before it. */
void advisory_back_to(struct dendro_conn *conn, size_t save);
void advisory_release(struct dendro_conn *conn, size_t save);
/* The session gives all back. */
void advisory_end_session(struct dendro_conn *conn);
void advisory_free(struct dendro_db *db);
