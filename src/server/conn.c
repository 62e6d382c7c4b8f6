/* SPDX-License-Identifier: Apache-2.0
 *
 * conn.c: see conn.h. */
#include "server/conn.h"

#include "server/server.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#define CONN_READ_BYTES ((size_t)32 << 10) /* asked of the socket at a time */
#define CONN_KEEP_BYTES                                                       \
    ((size_t)128 << 10)  /* a buffer that got bigger is given back when empty \
                          */
#define CONN_LINGER_MS 2 /* a worker waits so long for the next request */

/* ---- bytes ---- */

/* < 0: the socket is broken; 0: not now. */
static ptrdiff_t conn_send(struct conn *c, const uint8_t *p, size_t n)
{
    ptrdiff_t sent;
    int why;

    if (!c->tls) {
        sent = send(c->fd, p, n, MSG_NOSIGNAL);
        return sent >= 0                                                   ? sent
               : errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0
                                                                           : -1;
    }
    ERR_clear_error();
    sent = SSL_write(c->tls, p, n > INT32_MAX ? INT32_MAX : (int)n);
    if (sent > 0)
        return sent;
    why = SSL_get_error(c->tls, (int)sent);
    return why == SSL_ERROR_WANT_WRITE || why == SSL_ERROR_WANT_READ ? 0 : -1;
}

/* < 0: the end, or broken; 0: not now. */
static ptrdiff_t conn_recv(struct conn *c, uint8_t *p, size_t n)
{
    ptrdiff_t got;
    int why;

    if (!c->tls) {
        got = recv(c->fd, p, n, 0);
        if (got > 0)
            return got;
        return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
    }
    ERR_clear_error();
    got = SSL_read(c->tls, p, (int)n);
    if (got > 0)
        return got;
    why = SSL_get_error(c->tls, (int)got);
    return why == SSL_ERROR_WANT_WRITE || why == SSL_ERROR_WANT_READ ? 0 : -1;
}

/* Nothing is in it: back to the start, and not bigger than `keep`. */
static void conn_rewind(struct buf *b, size_t *at, size_t keep)
{
    *at = 0;
    buf_reset(b);
    if (b->cap > keep) {
        struct mem_owner *owner = b->owner;

        buf_done(b);
        buf_init(b, owner);
    }
}

int conn_flush(struct conn *c)
{
    while (c->out_at < c->out.len && !c->broken) {
        ptrdiff_t n = conn_send(c, c->out.data + c->out_at, c->out.len - c->out_at);

        if (n == 0)
            return 0;
        if (n < 0)
            c->broken = true;
        else
            c->out_at += (size_t)n;
    }
    if (c->broken)
        return -1;
    conn_rewind(&c->out, &c->out_at, CONN_OUT_FULL * 2); /* a long answer fills it again */
    return 1;
}

bool conn_charge(struct conn *c, struct mem_owner *owner)
{
    struct buf in;

    buf_init(&in, owner);
    buf_append(&in, c->in.data + c->in_at, c->in.len - c->in_at);
    if (in.failed) {
        buf_done(&in);
        return false;
    }
    buf_done(&c->in);
    c->in = in;
    c->in_at = 0;
    return true;
}

int conn_fill(struct conn *c)
{
    ptrdiff_t n;

    if (c->broken)
        return -1;
    if (c->in_at == c->in.len) {
        conn_rewind(&c->in, &c->in_at, CONN_KEEP_BYTES);
    } else if (c->in_at >= CONN_READ_BYTES) {
        memmove(c->in.data, c->in.data + c->in_at, c->in.len - c->in_at);
        c->in.len -= c->in_at;
        c->in_at = 0;
    }
    if (!buf_reserve(&c->in, CONN_READ_BYTES)) { /* the protocol may still say so */
        conn_end(c, CONN_END_MEMORY);
        return atomic_load(&c->ending) == CONN_END_MEMORY ? -2 : -1;
    }
    n = conn_recv(c, c->in.data + c->in.len, c->in.cap - c->in.len);
    c->drained = !c->tls && n > 0 && (size_t)n < c->in.cap - c->in.len;
    if (n > 0)
        c->in.len += (size_t)n;
    else if (n < 0)
        c->broken = true;
    return n > 0 ? 1 : (int)n;
}

int conn_peek(struct conn *c)
{
    uint8_t first;
    ptrdiff_t n = recv(c->fd, &first, 1, MSG_PEEK);

    if (n == 1)
        return first ? first : 1; /* only one byte matters, and it is not this one */
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

void conn_end(struct conn *c, enum conn_end why)
{
    int stays = CONN_STAYS;

    atomic_compare_exchange_strong(&c->ending, &stays, (int)why);
}

bool conn_begin(struct conn *c)
{
    c->fresh = true;
    atomic_store(&c->wants, CONN_READ);
    atomic_store(&c->since_ns, server_now_ns(c->srv));
    return srv_pool_arm(server_pool(c->srv), c->fd, &c->job, false, true) == 0;
}

void conn_nudge(struct conn *c, bool cut)
{
    DN_IGNORE(shutdown(c->fd, cut ? SHUT_RDWR : SHUT_RD));
}

/* ---- a worker's turn ---- */

/* Waits a moment, if nobody else wants the worker; true: go on. */
static bool conn_linger(struct conn *c, short events)
{
    struct pollfd p = {.fd = c->fd, .events = events};

    if (!srv_pool_calm(server_pool(c->srv)) || atomic_load(&c->ending) != CONN_STAYS)
        return false;
    return poll(&p, 1, CONN_LINGER_MS) > 0;
}

static void conn_leave_for_good(struct conn *c)
{
    server_forget(c->srv, c);
    c->ops->close(c);
    c->proto = NULL;
    server_gone(c->srv, c);
}

/* The connection is the pool's, and perhaps another worker's already; false: it is to end, or
 * cannot be armed, and stays. */
static bool conn_arm(struct conn *c, enum conn_want wants)
{
    c->drained = false; /* when it is back something has come */
    if (wants == CONN_READ && c->out_at == c->out.len)
        conn_rewind(&c->out, &c->out_at, CONN_KEEP_BYTES);
    atomic_store(&c->wants, wants);
    atomic_store(&c->since_ns,
                 server_now_ns(c->srv)); /* conn_work begins with it: all before is seen */
    /* whoever sets `ending` looks at since_ns next, and nudges those that are armed */
    if ((wants == CONN_READ && atomic_load(&c->ending) != CONN_STAYS) ||
        srv_pool_arm(server_pool(c->srv), c->fd, &c->job, wants == CONN_WRITE, false) != 0) {
        atomic_store(&c->since_ns, 0);
        c->broken = c->broken || atomic_load(&c->ending) == CONN_STAYS;
        return false;
    }
    return true;
}

/* True: there is something new for the protocol. Otherwise the connection is elsewhere now. */
static bool conn_await(struct conn *c, enum conn_want want)
{
    int rc = conn_flush(c);

    while (rc == 0) { /* the other side does not read as fast as this one writes */
        if (!conn_linger(c, POLLOUT))
            return !conn_arm(c, CONN_WRITE);
        rc = conn_flush(c);
    }
    if (want == CONN_WRITE)
        return true;
    if (rc > 0) /* a client that waits for its answer has sent nothing more: no need to look */
        rc = c->drained ? 0 : conn_fill(c);
    while (rc == 0) {
        if (!conn_linger(c, POLLIN))
            return !conn_arm(c, CONN_READ);
        rc = conn_fill(c);
    }
    if (rc > 0 || rc == -2)
        return true;
    conn_leave_for_good(c);
    return false;
}

/* It was armed, and something came, or it is to end. As conn_await. */
static bool conn_return(struct conn *c)
{
    enum conn_want want = (enum conn_want)atomic_load(&c->wants);
    bool fresh = c->fresh;

    c->fresh = false;
    atomic_store(&c->since_ns, 0);
    if (fresh || (want == CONN_READ && atomic_load(&c->ending) != CONN_STAYS))
        return true;
    return conn_await(c, want);
}

void conn_work(struct srv_job *job)
{
    struct conn *c = (struct conn *)job; /* its first member */

    server_watch_pool(c->srv);
    if (atomic_load(&c->since_ns) != 0 && !conn_return(c))
        return;
    for (;;) {
        enum conn_want want = c->broken ? CONN_CLOSE : c->ops->run(c);

        switch (want) {
        case CONN_READ:
        case CONN_WRITE:
            if (!conn_await(c, want))
                return;
            break;
        case CONN_AGAIN:
            if (!srv_pool_waiting(server_pool(c->srv)))
                break;
            srv_pool_submit(server_pool(c->srv), job);
            return;
        case CONN_CLOSE:
            conn_flush(c);
            conn_leave_for_good(c);
            return;
        }
    }
}
