/* SPDX-License-Identifier: Apache-2.0
 *
 * extended_fuzz.c: messages of a client that has logged in over PostgreSQL's protocol: Parse, Bind,
 * Describe, Execute and all others. Before them come statements "a" and "b" of the input's first
 * byte, with parameters of one type. Whatever is sent, what is answered are whole messages, and a
 * Sync is answered by ReadyForQuery. */
#include "fuzz.h"

#include "fuzz_server.h"

#include "engine/engine.h"
#include "server/conn.h"
#include "server/pgwire/frame.h"
#include "server/pgwire/pgw_int.h"
#include "server/pgwire/pgwire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTENDED_TURNS_MAX 2000u

static const char *const extended_types[] = {
    "BOOLEAN",     "SMALLINT",  "INTEGER",      "BIGINT",       "REAL",     "DOUBLE", "VARCHAR",
    "BLOB",        "TIMESTAMP", "TIMESTAMP(6)", "TIMESTAMP(9)", "INTERVAL", "DATE",   "TIME",
    "TIMESTAMPTZ", "UUID",      "NUMERIC",      "CHAR(4)",      "TIMETZ",   "BIT(5)", "VARBIT",
    "mood",        "INTEGER[]", "VARCHAR[]",    "NUMERIC[]",    "mood[]",   "OID",    "NAME",
    "\"char\"",    "REGCLASS",  "REGTYPE",      "INT2VECTOR",   "OIDVECTOR"};

static void must(bool good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

static void extended_parse(struct buf *b, const char *name, const char *sql)
{
    buf_u8(b, 'P');
    buf_be32(b, (uint32_t)(4 + strlen(name) + 1 + strlen(sql) + 1 + 2));
    buf_append(b, name, strlen(name) + 1);
    buf_append(b, sql, strlen(sql) + 1);
    buf_be16(b, 0);
}

static void extended_prelude(struct buf *b, uint8_t how)
{
    const char *type = extended_types[how % DN_ARRAY_SIZE(extended_types)];
    char sql[200];

    (void)snprintf(sql, sizeof sql, "SELECT $1::%s AS x, $1::%s = $2, $3", type, type);
    extended_parse(b, "a", sql);
    extended_parse(b,
                   "b",
                   "INSERT INTO all_types VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
                   "$12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24) RETURNING *");
    buf_u8(b, 'S');
    buf_be32(b, 4);
}

/* All of it are messages; how many of that code. */
static unsigned extended_answers(struct conn *c, uint8_t code)
{
    const uint8_t *p = c->out.data + c->out_at;
    size_t left = c->out.len - c->out_at;
    unsigned count = 0;

    while (left > 0) {
        uint32_t len = left >= 5 ? be_get32(p + 1) : 0;

        must(len >= 4 && len <= left - 1, "an answer is no whole message");
        count += p[0] == code;
        if (p[0] == '2' || p[0] == 'D')
            fuzz_reached();
        p += len + 1;
        left -= len + 1;
    }
    buf_reset(&c->out);
    c->out_at = 0;
    return count;
}

static void extended_cancel(void *arg)
{
    struct conn *c = arg;

    c->ops->cancel(c);
}

/* Runs as far as what has come goes; false: the connection is to be closed. */
static bool extended_run(struct conn *c, unsigned *ret_ready)
{
    enum conn_want want;
    unsigned turns = 0;

    *ret_ready = 0;
    do {
        want = c->ops->run(c);
        must(!c->out.failed, "out of memory");
        *ret_ready += extended_answers(c, 'Z');
    } while ((want == CONN_AGAIN || want == CONN_WRITE) && turns++ < EXTENDED_TURNS_MAX);
    return want == CONN_READ;
}

static void extended_login(struct conn *c)
{
    static const uint8_t none = 0;
    struct pgw_rd options = {.p = &none, .end = &none + 1};
    struct pgw *p;
    struct dendro_error e = {0};
    struct dn_err err = {0};

    must(c->ops->open(c, &err) == 0, err.text);
    p = c->proto;
    must(dendro_connect(server_db(c->srv), &p->session, &e) == 0, e.message);
    must(engine_session_role(p->session, "fuzz", &err) == 0, err.text);
    (void)snprintf(p->user, sizeof p->user, "fuzz");
    must(pgw_settings_keep(p, &options), "out of memory");
    must(pgw_entered(p) == CONN_AGAIN, "no greeting");
    must(extended_answers(c, 'Z') == 1, "no greeting");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct conn c = {.ops = &pgw_ops, .fd = -1, .local = true};
    struct pgw_frame f;
    unsigned ready;
    size_t len = 0;

    if (size == 0 || size > 4096)
        return 0;
    c.srv = fuzz_server();
    buf_init(&c.in, NULL);
    buf_init(&c.out, NULL);
    extended_login(&c);
    extended_prelude(&c.in, data[0]);
    must(extended_run(&c, &ready) && ready == 1, "the statements cannot be prepared");
    buf_append(&c.in, data + 1, size - 1);
    fuzz_server_watch(extended_cancel, &c);
    if (extended_run(&c, &ready) &&
        pgw_next(c.in.data + c.in_at, c.in.len - c.in_at, UINT32_MAX, &f, &len) == PGW_MORE &&
        !((struct pgw *)c.proto)->copy.left && !c.broken) {
        buf_reset(&c.in); /* the beginning of a message that never comes */
        c.in_at = 0;
        buf_append(&c.in, "S\0\0\0\4", 5);
        must(!extended_run(&c, &ready) || ready == 1, "no answer to Sync");
    }
    fuzz_server_watch(NULL, NULL);
    c.ops->close(&c);
    buf_done(&c.in);
    buf_done(&c.out);
    return 0;
}
