/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.c: COPY … FROM STDIN and TO STDOUT. The engine asks for bytes and hands them out while it
 * runs the statement, so the worker waits here for the client, in both directions; the pool is told
 * and may start another one meanwhile (srv_pool_pause).
 *
 * Data of a COPY is taken as it comes, not message by message: a message may be as long as it likes
 * without being kept as a whole. `copy.left` is what is still to come of it; if the statement fails
 * in the middle, the rest is thrown away (pgw_copy_skip) before the next message is looked at. */
#include "server/conf.h"
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/server.h"

#include <poll.h>
#include <stdio.h>

#define COPY_WAIT_MS 50 /* between two looks at the cancel flag */
#define COPY_HEAD    5u /* bytes of a message before its body */

/* ---- waiting ---- */

static bool copy_ends(const struct pgw *p)
{
    return atomic_load(&p->canceled) || p->c->broken;
}

/* False: there is no point in waiting any longer. */
static bool copy_wait(struct pgw *p, short events)
{
    struct srv_pool *pool = server_pool(p->c->srv);
    struct pollfd fd = {.fd = p->c->fd, .events = events};
    bool go_on = !copy_ends(p);
    int rc = go_on ? poll(&fd, 1, 0) : 0;

    if (!go_on || rc != 0)
        return go_on;
    srv_pool_pause(pool);
    while (go_on && rc == 0) {
        rc = poll(&fd, 1, COPY_WAIT_MS);
        go_on = !copy_ends(p);
    }
    srv_pool_resume(pool);
    return go_on;
}

/* Sends all there is. */
static bool copy_flush(struct pgw *p)
{
    int rc = conn_flush(p->c);

    while (rc == 0 && copy_wait(p, POLLOUT))
        rc = conn_flush(p->c);
    return rc > 0;
}

/* ---- in ---- */

/* A message that ends the data; always -1. */
static int copy_ended(struct pgw *p, uint8_t code, const char *body, size_t len)
{
    struct pgw_copy *copy = &p->copy;

    if (code == 'X') { /* stays for whoever comes next */
        copy->state = PGW_COPY_FAILED;
        return -1;
    }
    copy->state = code == 'c' ? PGW_COPY_DONE : code == 'f' ? PGW_COPY_FAILED : PGW_COPY_BROKEN;
    if (copy->state == PGW_COPY_BROKEN)
        return -1;
    if (copy->state == PGW_COPY_FAILED)
        snprintf(copy->why, sizeof copy->why, "%.*s", (int)len, body);
    conn_took(p->c, COPY_HEAD + len);
    return -1;
}

/* The next message that is no Flush or Sync, which mean nothing now: libpq sends one with the
 * statement. 1 data, 0 not all of it has come, -1 the end, for better or worse. */
static int copy_message(struct pgw *p)
{
    struct pgw_copy *copy = &p->copy;
    uint64_t max = atomic_load(&server_live(p->c->srv)->message_max);

    for (;;) {
        size_t n;
        const uint8_t *in = conn_in(p->c, &n);
        uint32_t len = n >= COPY_HEAD ? be_get32(in + 1) : 0;

        if (n < COPY_HEAD)
            return 0;
        if (len < 4 || len > max || (in[0] != 'd' && len > max / 2)) {
            copy->state = PGW_COPY_BROKEN;
            return -1;
        }
        if (in[0] == 'd') {
            conn_took(p->c, COPY_HEAD);
            copy->left = len - 4;
            return 1;
        }
        if (n < (size_t)len + 1)
            return 0;
        if (in[0] != 'H' && in[0] != 'S')
            return copy_ended(p, in[0], (const char *)in + COPY_HEAD, len - 4);
        conn_took(p->c, (size_t)len + 1);
    }
}

/* Takes data that is there; 0: none. */
static size_t copy_take(struct pgw *p, void *to, size_t len)
{
    struct pgw_copy *copy = &p->copy;
    size_t n;
    const uint8_t *in = conn_in(p->c, &n);

    if (n > copy->left)
        n = copy->left;
    if (n > len)
        n = len;
    if (to)
        memcpy(to, in, n);
    conn_took(p->c, n);
    copy->left -= (uint32_t)n;
    return n;
}

static int copy_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct pgw *p = arg;
    struct pgw_copy *copy = &p->copy;
    size_t got = 0;

    *ret_len = 0;
    while (copy->state == PGW_COPY_RUNS && got < len) {
        size_t n;
        int rc;

        if (copy->left > 0) {
            n = copy_take(p, (uint8_t *)to + got, len - got);
            got += n;
            rc = n > 0;
        } else {
            rc = copy_message(p);
        }
        if (rc != 0)
            continue;
        if (got > 0) /* better now than all of it later */
            break;
        rc = copy_flush(p) ? conn_fill(p->c) : -1;
        if (rc < 0 || (rc == 0 && !copy_wait(p, POLLIN)))
            copy->state = PGW_COPY_FAILED;
    }
    *ret_len = got;
    return got > 0 || copy->state == PGW_COPY_DONE ? 0 : 1;
}

/* What the engine did not want of it. */
static void copy_drain(struct pgw *p)
{
    uint8_t rest[4096];
    size_t n;

    while (p->copy.state == PGW_COPY_RUNS)
        if (copy_read(p, rest, sizeof rest, &n) != 0)
            break;
}

bool pgw_copy_skip(struct pgw *p)
{
    while (p->copy.left > 0 && copy_take(p, NULL, SIZE_MAX) > 0)
        ;
    return p->copy.left == 0;
}

/* ---- out ---- */

static int copy_write(void *arg, const void *bytes, size_t len)
{
    struct pgw *p = arg;
    struct buf *b = &p->c->out;
    size_t at = pgw_begin(b, 'd');

    buf_append(b, bytes, len);
    pgw_end(b, at);
    if (b->failed || copy_ends(p))
        return 1;
    return conn_out_left(p->c) < CONN_OUT_FULL || copy_flush(p) ? 0 : 1;
}

/* ---- the statement ---- */

void pgw_copy_init(struct pgw *p)
{
    struct dendro_copy copy = {
        .read = copy_read, .read_arg = p, .write = copy_write, .write_arg = p};

    engine_set_copy(p->session, &copy);
}

/* CopyInResponse or CopyOutResponse. */
static void copy_announce(struct pgw *p, const struct dendro_copy_info *info)
{
    struct buf *b = &p->c->out;
    size_t at = pgw_begin(b, info->direction == DENDRO_COPY_IN ? 'G' : 'H');

    buf_u8(b, info->binary);
    pgw_i16(b, (int16_t)info->columns_count);
    for (int i = 0; i < info->columns_count; i++)
        pgw_i16(b, info->binary);
    pgw_end(b, at);
}

/* The engine only knows that somebody gave up. */
static void copy_explain(struct pgw *p, struct dendro_error *err)
{
    if (err->code != DENDRO_E_CANCELED)
        return;
    if (atomic_load(&p->canceled))
        snprintf(err->message, sizeof err->message, "canceling statement due to user request");
    else if (p->copy.state == PGW_COPY_FAILED)
        snprintf(err->message,
                 sizeof err->message,
                 "COPY from stdin failed%s%s",
                 p->copy.why[0] ? ": " : "",
                 p->copy.why);
}

bool pgw_copy_is(const struct pgw_portal *portal, struct dendro_copy_info *ret)
{
    dendro_stmt_copy(portal->stmt, ret);
    return ret->direction != DENDRO_COPY_NONE;
}

int pgw_copy_run(struct pgw *p,
                 struct pgw_portal *portal,
                 const struct dendro_copy_info *info,
                 struct dendro_error *err)
{
    int rc;

    p->copy = (struct pgw_copy){.state = PGW_COPY_RUNS};
    copy_announce(p, info);
    rc = dendro_step(portal->stmt, err);
    if (rc < 0)
        copy_explain(p, err);
    else if (info->direction == DENDRO_COPY_IN)
        copy_drain(p);
    else
        pgw_empty(&p->c->out, 'c');
    if (p->copy.state == PGW_COPY_BROKEN)
        pgw_fatal(p, "08P01", "unexpected message during COPY from stdin");
    return rc;
}
