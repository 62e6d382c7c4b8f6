/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_cache.c: prepared statements kept for the next prepare of the same text.
 *
 * A statement that is finalized stays with its session, syntax tree and plan, under the text it was
 * prepared from; preparing that text again takes it out. So it belongs either to the caller or to
 * the cache, never to both, and nothing of it is shared. What was compiled against an older
 * catalog, another schema or other settings is compiled anew, as for any statement; the cache drops
 * it as soon as it sees a newer catalog, so that old ones are not kept alive.
 *
 * The most recently used stand first; the last goes when there are too many. Only texts that start
 * with the statement are kept (positions in errors would be others), only what is small, and of
 * statements that write only those with parameters: rows of values do not come again. */
#include "engine/engine_int.h"

#include "base/hash.h"

#define CACHE_STMTS_MAX 64u           /* per session */
#define CACHE_TEXT_MAX  (16u * 1024)  /* bytes of the text */
#define CACHE_BYTES_MAX (128u * 1024) /* of a statement's memory */

static bool cache_wants(const struct dendro_stmt *stmt)
{
    if (stmt->ast->user_types) /* another type may have the name then */
        return false;
    switch (stmt->ast->kind) {
    case STMT_SELECT:
        return true;
    case STMT_INSERT:
    case STMT_UPDATE:
    case STMT_DELETE:
        return stmt->ast->params_count > 0;
    default: /* nothing to gain */
        return false;
    }
}

static void cache_unlink(struct dendro_stmt *stmt)
{
    struct dendro_conn *conn = stmt->conn;

    if (stmt->prev)
        stmt->prev->next = stmt->next;
    else
        conn->cached = stmt->next;
    if (stmt->next)
        stmt->next->prev = stmt->prev;
    else
        conn->cached_last = stmt->prev;
    stmt->next = stmt->prev = NULL;
    conn->cached_count--;
}

/* Forgets what was compiled against catalogs that are gone. */
static void cache_refresh(struct dendro_conn *conn)
{
    struct catalog *cat = tx_catalog(conn);

    if (cat->version != conn->cached_version) {
        for (struct dendro_stmt *s = conn->cached; s; s = s->next)
            stmt_forget(s);
        conn->cached_version = cat->version;
    }
    catalog_unref(cat);
}

struct dendro_stmt *stmt_cache_take(struct dendro_conn *conn, struct sql_text *text)
{
    uint64_t hash;

    if (text->next != 0 || text->len > CACHE_TEXT_MAX || !conn->cached)
        return NULL;
    cache_refresh(conn);
    hash = dn_hash64(text->text, text->len, 0);
    for (struct dendro_stmt *s = conn->cached; s; s = s->next) {
        if (s->source_hash != hash || s->source_len != text->len ||
            memcmp(s->source, text->text, text->len) != 0)
            continue;
        cache_unlink(s);
        keep_forget(s);
        text->next = s->source_next;
        text->next_pos = s->source_next_pos;
        conn->cache_hits++;
        return s;
    }
    return NULL;
}

/* The statement came from the text's start. No memory for the copy: it is not kept, that is all. */
void stmt_cache_note(struct dendro_stmt *stmt, const struct sql_text *text)
{
    if (text->len > CACHE_TEXT_MAX || !cache_wants(stmt))
        return;
    stmt->source = mem_dup(&stmt->owner, text->text, text->len);
    stmt->source_len = text->len;
    stmt->source_hash = dn_hash64(text->text, text->len, 0);
    stmt->source_next = text->next;
    stmt->source_next_pos = text->next_pos;
}

bool stmt_cache_put(struct dendro_stmt *stmt)
{
    struct dendro_conn *conn = stmt->conn;

    if (!stmt->source || conn->closing || mem_owner_used(&stmt->owner) > CACHE_BYTES_MAX ||
        keep_stmt(stmt, false, NULL) < 0)
        return false;
    cache_refresh(conn);
    stmt->prev = NULL;
    stmt->next = conn->cached;
    if (conn->cached)
        conn->cached->prev = stmt;
    else
        conn->cached_last = stmt;
    conn->cached = stmt;
    if (++conn->cached_count > CACHE_STMTS_MAX) {
        struct dendro_stmt *last = conn->cached_last;

        cache_unlink(last);
        stmt_free(last);
    }
    return true;
}

void stmt_cache_free(struct dendro_conn *conn)
{
    while (conn->cached) {
        struct dendro_stmt *s = conn->cached;

        cache_unlink(s);
        stmt_free(s);
    }
}
