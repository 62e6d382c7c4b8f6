/* SPDX-License-Identifier: Apache-2.0
 *
 * conn.h: a connection: socket, TLS, bytes on their way in and out, and the protocol that is
 * spoken over it.
 *
 * A connection is in one place at a time:
 *
 *     armed         nothing is to be done: the pool watches the socket, no worker is taken
 *     queued        it has given way to others, and waits for a worker
 *     a worker      runs the protocol; when nothing more has come it is armed again
 *
 * so that idle ones cost a few hundred bytes, and a worker that has answered takes whoever has sent
 * something, without any handing over. While nobody else needs the worker it stays with the
 * connection for a moment. The protocol never blocks on the socket: its run function is called with
 * what has come so far, and says what it waits for.
 *
 * A connection is its worker's alone; also its end: the worker closes and frees it. Other threads
 * may call conn_end; under the server's lock, while it is in the list of all, they may also call
 * ops->cancel (as may the signal of its session, server_session) and conn_nudge.
 */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "server/pool.h"

#include <stdatomic.h>

struct server;
struct conn;
typedef struct ssl_st SSL; /* OpenSSL's */

/* What the protocol waits for. */
enum conn_want {
    CONN_READ,  /* more bytes; all output is sent first */
    CONN_WRITE, /* room for output */
    CONN_AGAIN, /* nothing: it only lets others have the worker */
    CONN_CLOSE, /* nothing more: output is sent as far as it goes */
};

/* Why a connection is asked to end; the protocol tells the other side when it can. */
enum conn_end {
    CONN_STAYS,
    CONN_END_STOP,   /* the server stops */
    CONN_END_IDLE,   /* it said nothing for too long */
    CONN_END_LOGIN,  /* it did not log in in time */
    CONN_END_MEMORY, /* there is no memory for what it sends */
    CONN_END_BLOCK,  /* it left a transaction block alone for too long */
    CONN_END_ADMIN,  /* pg_terminate_backend */
};

struct conn_ops {
    const char *name;
    /* Makes c->proto. */
    int (*open)(struct conn *c, struct dn_err *err);
    /* Does what there is to do with c->in; a worker's thread. */
    enum conn_want (*run)(struct conn *c);
    /* Asks what runs now to stop; sets flags alone. Any thread, once the connection is cancelable,
     * under the server's lock, or that of the list of sessions, which its session leaves before
     * proto is freed. */
    void (*cancel)(struct conn *c);
    /* Need nobody log in? Asked once, after open. */
    bool (*trusted)(const struct conn *c);
    void (*close)(struct conn *c); /* frees c->proto */
};

struct conn {
    struct srv_job job;
    struct server *srv; /* borrowed */
    const struct conn_ops *ops;
    void *proto; /* owned, of ops */
    int fd;      /* owned */
    SSL *tls;    /* owned; NULL: plain bytes */
    bool local;  /* from this machine */
    char peer[64];
    bool full;     /* trusted, but there are too many: the protocol says so as soon as it can */
    bool broken;   /* the socket failed or was closed: nothing can be sent any more */
    bool drained;  /* the last bytes that came were all there were; not told with TLS, which keeps
                      some for itself */
    struct buf in; /* from in_at on: bytes that the protocol has not taken yet */
    size_t in_at;
    struct buf out; /* from out_at on: bytes to be sent */
    size_t out_at;
    atomic_int ending; /* enum conn_end */
    /* The protocol's, before it waits for something to read: as long as that may take, 0 = as the
     * server says; and what it is then (enum conn_end). */
    atomic_uint_fast64_t idle_ms;
    atomic_int idle_why;

    /* The server's. */
    struct conn *next; /* of all, under its lock */
    struct conn *prev;
    atomic_bool cancelable; /* it has a session: others may call ops->cancel; server_session */
    bool listed;            /* it is one of them */
    const char *role; /* who has logged in, of proto; NULL: nobody yet; server_enter, under lock */
    atomic_uint_fast64_t since_ns; /* armed since; 0: it is not, or a worker has taken it */
    atomic_int wants;              /* enum conn_want: what it is armed for */
    uint64_t accepted_ns;

    /* The worker's. */
    bool fresh; /* its protocol never ran: it may want to look at the first byte (conn_peek) */
};

#define CONN_OUT_FULL ((size_t)256 << 10) /* more output than this: send it first */

static inline const uint8_t *conn_in(const struct conn *c, size_t *ret_len)
{
    *ret_len = c->in.len - c->in_at;
    return c->in.data + c->in_at;
}
static inline void conn_took(struct conn *c, size_t n)
{
    c->in_at += n;
}
static inline size_t conn_out_left(const struct conn *c)
{
    return c->out.len - c->out_at;
}

/* What comes is charged to that owner from now on; false: out of memory. */
bool conn_charge(struct conn *c, struct mem_owner *owner) DN_MUST_CHECK;
/* Sends what it can: 1 all of it, 0 the socket takes no more now, < 0 broken. */
int conn_flush(struct conn *c);
/* Takes what has come: > 0 something, 0 nothing now, -1 the other side is gone, -2 there is no
 * memory for it (CONN_END_MEMORY). */
int conn_fill(struct conn *c);
/* The first byte that comes, which stays where it is; 0 = none yet, < 0 = the other side is gone.
 */
int conn_peek(struct conn *c);

/* The other end is asked to go, as soon as it may be interrupted. Any thread. */
void conn_end(struct conn *c, enum conn_end why);

/* Armed for the first time; false: the system refuses. */
bool conn_begin(struct conn *c) DN_MUST_CHECK;
/* Makes an armed connection run, because it is to end: nothing more can be read from its socket,
 * and with `cut` nothing be sent either. Under the server's lock. */
void conn_nudge(struct conn *c, bool cut);

/* job.run of connections. */
void conn_work(struct srv_job *job);
