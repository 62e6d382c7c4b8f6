/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence_call.c: nextval, currval, lastval, setval and pg_get_serial_sequence for a session;
 * rules and words are PostgreSQL's. Names are looked up in the catalog that the session's
 * statements see. */
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/sequence.h"

#include "base/text.h"
#include "catalog/access_check.h"

#include <inttypes.h>

/* ---- names in texts ---- */

/* Parts of a name, split at dots outside of double quotes. 0: not a name. */
static unsigned seq_split(
    const char *s, size_t len, char (*parts)[TABLE_NAME_MAX + 1], unsigned most, struct dn_err *err)
{
    unsigned n = 0;
    size_t at = 0;
    size_t out = 0;
    bool quoted = false;
    bool any = false; /* of this part */

    for (; at < len; at++) {
        if (s[at] == '"' && quoted && at + 1 < len && s[at + 1] == '"') {
            at++;
        } else if (s[at] == '"') {
            quoted = !quoted;
            any = true;
            continue;
        } else if (s[at] == '.' && !quoted) {
            if (!any || n + 1 == most)
                goto bad;
            parts[n++][out] = '\0';
            out = 0;
            any = false;
            continue;
        }
        if (out == TABLE_NAME_MAX)
            goto bad;
        parts[n][out++] = s[at];
        any = true;
    }
    if (any && !quoted) {
        parts[n][out] = '\0';
        return n + 1;
    }
bad:
    DN_IGNORE(DN_FAIL(err, /* 0 says it */
                      DN_E_BAD_NAME,
                      "invalid name syntax: \"%.*s\"",
                      (int)(len > 200 ? 200 : len),
                      s));
    return 0;
}

static int seq_relation(const struct dendro_conn *conn,
                        const struct catalog *cat,
                        const char *text,
                        size_t len,
                        struct catalog_relation *ret,
                        struct dn_err *err)
{
    char parts[2][TABLE_NAME_MAX + 1];
    unsigned n = seq_split(text, len, parts, 2, err);
    struct qual_name name = {.schema = n == 2 ? parts[0] : NULL, .name = n ? parts[n - 1] : NULL};

    return n ? session_relation(conn, cat, &name, ret, err) : err->code;
}

int session_sequence_named(const struct dendro_conn *conn,
                           const struct catalog *cat,
                           const char *text,
                           size_t len,
                           const struct sequence **ret,
                           struct dn_err *err)
{
    struct catalog_relation r = {.sequence = NULL};
    int rc = seq_relation(conn, cat, text, len, &r, err);

    if (rc < 0)
        return rc;
    if (!r.sequence)
        return DN_FAIL(
            err, DN_E_WRONG_OBJECT, "\"%s\" is not a sequence", catalog_relation_name(&r));
    *ret = r.sequence;
    return 0;
}

/* ---- what the session was given ---- */

static int seq_remember(struct dendro_conn *conn, uint64_t id, int64_t value, struct dn_err *err)
{
    struct sched_mutex *lock = conn->db->sequences.lock;
    struct session_sequence_seen *more;
    uint32_t i = 0;
    int rc = 0;

    sched_lock(lock); /* several threads of a statement */
    while (i < conn->sequences.count && conn->sequences.seen[i].id != id)
        i++;
    if (i == conn->sequences.count) {
        more = mem_realloc(&conn->db->owner, conn->sequences.seen, (i + 1u) * sizeof(*more));
        if (more) {
            conn->sequences.seen = more;
            conn->sequences.count++;
        } else {
            rc = DN_FAIL_NOMEM(err);
        }
    }
    if (rc == 0) {
        conn->sequences.seen[i] = (struct session_sequence_seen){.id = id, .value = value};
        conn->sequences.last = id;
    }
    sched_unlock(lock);
    return rc;
}

static bool seq_seen(const struct dendro_conn *conn, uint64_t id, int64_t *ret)
{
    bool found = false;

    sched_lock(conn->db->sequences.lock);
    for (uint32_t i = 0; !found && i < conn->sequences.count; i++) {
        found = conn->sequences.seen[i].id == id;
        *ret = conn->sequences.seen[i].value;
    }
    sched_unlock(conn->db->sequences.lock);
    return found;
}

void session_sequences_forget(struct dendro_conn *conn)
{
    mem_free(conn->sequences.seen);
    conn->sequences.seen = NULL;
    conn->sequences.count = 0;
    conn->sequences.last = 0;
}

/* ---- calls ---- */

static int seq_writable(const struct dendro_conn *conn,
                        const struct sequence *s,
                        const char *what,
                        struct dn_err *err)
{
    int rc = session_write_allowed(conn, err);

    if (rc == 0 && !s->temp &&
        (tx_in_block(conn) ? conn->tx.read_only : conn->settings.default_transaction_read_only))
        rc = DN_FAIL(err, DN_E_READ_ONLY, "cannot execute %s() in a read-only transaction", what);
    return rc;
}

static int seq_nextval(struct dendro_conn *conn,
                       const struct sequence *s,
                       const struct func_sequence *call,
                       int64_t *ret,
                       struct dn_err *err)
{
    int rc = seq_writable(conn, s, "nextval", err);

    if (rc == 0)
        rc = engine_sequence_next(conn->db, s, call->count, ret, err);
    if (rc == 0 && call->count)
        rc = seq_remember(conn, s->id, ret[call->count - 1], err);
    return rc;
}

static int seq_setval(struct dendro_conn *conn,
                      const struct sequence *s,
                      const struct func_sequence *call,
                      int64_t *ret,
                      struct dn_err *err)
{
    int rc = seq_writable(conn, s, "setval", err);

    if (rc == 0 && (call->value < s->min || call->value > s->max))
        rc = DN_FAIL(err,
                     DN_E_OUT_OF_RANGE,
                     "setval: value %" PRId64 " is out of bounds for sequence \"%s\" (%" PRId64
                     "..%" PRId64 ")",
                     call->value,
                     s->name,
                     s->min,
                     s->max);
    if (rc == 0)
        rc = engine_sequence_set(conn->db, s, call->value, call->called, err);
    if (rc == 0 && call->called) { /* currval is defined now; lastval is nextval's alone */
        uint64_t last = conn->sequences.last;

        rc = seq_remember(conn, s->id, call->value, err);
        conn->sequences.last = last;
    }
    *ret = call->value;
    return rc;
}

static int seq_lastval(const struct dendro_conn *conn,
                       const struct catalog *cat,
                       int64_t *ret,
                       struct dn_err *err)
{
    if (conn->sequences.last && catalog_sequence_by_id(cat, conn->sequences.last) &&
        seq_seen(conn, conn->sequences.last, ret))
        return 0;
    return DN_FAIL(err, DN_E_NOT_READY, "lastval is not yet defined in this session");
}

/* What of it needs which privilege; one of two is enough. */
static int seq_may(const struct dendro_conn *conn,
                   const struct catalog *cat,
                   const struct sequence *s,
                   enum func_sequence_op op,
                   struct dn_err *err)
{
    struct catalog_relation r = {.sequence = s};
    uint32_t need = op == FUNC_SEQUENCE_NEXT  ? PRIVILEGE_BIT(PRIVILEGE_UPDATE)
                    : op == FUNC_SEQUENCE_SET ? PRIVILEGE_BIT(PRIVILEGE_UPDATE)
                                              : PRIVILEGE_BIT(PRIVILEGE_SELECT);
    struct dn_err ignored;

    if (op == FUNC_SEQUENCE_NEXT && s->identity)
        return 0; /* who may insert may do that */
    if ((op == FUNC_SEQUENCE_NEXT || op == FUNC_SEQUENCE_CURRENT) &&
        catalog_may(cat, conn->role, &r, PRIVILEGE_BIT(PRIVILEGE_USAGE), &ignored) == 0)
        return 0;
    return catalog_may(cat, conn->role, &r, need, err);
}

static int seq_call(struct dendro_conn *conn,
                    const struct catalog *cat,
                    const struct func_sequence *call,
                    int64_t *ret,
                    struct dn_err *err)
{
    const struct sequence *s = NULL;
    bool called = false;
    int rc;

    if (call->op == FUNC_SEQUENCE_LAST)
        return seq_lastval(conn, cat, ret, err);
    rc = session_sequence_named(conn, cat, call->name, call->name_len, &s, err);
    if (rc == 0)
        rc = seq_may(conn, cat, s, call->op, err);
    if (rc < 0)
        return rc;
    switch (call->op) {
    case FUNC_SEQUENCE_NEXT:
        return seq_nextval(conn, s, call, ret, err);
    case FUNC_SEQUENCE_SET:
        return seq_setval(conn, s, call, ret, err);
    case FUNC_SEQUENCE_CURRENT:
        if (seq_seen(conn, s->id, ret))
            return 0;
        return DN_FAIL(err,
                       DN_E_NOT_READY,
                       "currval of sequence \"%s\" is not yet defined in this session",
                       s->name);
    case FUNC_SEQUENCE_STATE:
    case FUNC_SEQUENCE_CALLED:
        rc = engine_sequence_last(conn->db, s, ret, &called, err);
        if (rc == 0 && call->op == FUNC_SEQUENCE_CALLED)
            *ret = called;
        return rc;
    case FUNC_SEQUENCE_LAST:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown call of a sequence: %d", (int)call->op);
}

int session_sequence_call(void *arg,
                          const struct func_sequence *call,
                          int64_t *ret,
                          struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    struct catalog *cat = tx_catalog(conn);
    int rc = seq_call(conn, cat, call, ret, err);

    catalog_unref(cat);
    return rc;
}

int session_serial_sequence(void *arg,
                            const struct func_serial *of,
                            struct buf *ret,
                            struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    struct catalog *cat = tx_catalog(conn);
    struct catalog_relation r = {.table = NULL};
    const struct sequence *s = NULL;
    int col = -1;
    int rc = seq_relation(conn, cat, of->table, of->table_len, &r, err);

    if (rc == 0 && r.table)
        col = table_column_find(r.table, of->column, of->column_len);
    if (rc == 0 && col < 0)
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_COLUMN,
                     "column \"%.*s\" of relation \"%s\" does not exist",
                     (int)(of->column_len > 200 ? 200 : of->column_len),
                     of->column,
                     catalog_relation_name(&r));
    if (rc == 0)
        s = catalog_sequence_of(cat, r.table->id, r.table->columns[col].id, false);
    if (s) {
        table_print_ident(s->schema, ret);
        buf_u8(ret, '.');
        table_print_ident(s->name, ret);
    }
    catalog_unref(cat);
    return rc < 0 ? rc : s ? 0 : 1;
}
