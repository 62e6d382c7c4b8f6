/* SPDX-License-Identifier: Apache-2.0
 *
 * conn.h: a connection: socket, TLS, bytes on their way in and out, and the protocol that is
 * spoken over it.
 *
 * A connection is in one place at a time:
 *
 *     the loop      nothing is to be done: the loop watches the socket, no worker is taken
 *     the pool      something came: it waits for a worker
 *     a worker      runs the protocol; a while after the last answer it goes back to the loop
 *
 * so that idle ones cost a few hundred bytes, and one that asks and asks has a thread for itself
 * without any handing over. The protocol never blocks on the socket: its run function is called
 * with what has come so far, and says what it waits for.
 *
 * Where it is decides which thread may touch it: the loop's or the worker's. From other threads:
 * conn_end, and ops->cancel under the server's lock or by the signal of its session
 * (server_session).
 */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "server/pool.h"

#include <stdatomic.h>
#include <uv.h>

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
    /* Asks what runs now to stop; sets flags alone. Any thread, under the server's lock, or that of
     * the list of sessions, which its session leaves before proto is freed. */
    void (*cancel)(struct conn *c);
    /* Need nobody log in? Asked once, after open. */
    bool (*trusted)(const struct conn *c);
    void (*close)(struct conn *c); /* frees c->proto */
};

enum conn_place {
    CONN_IN_LOOP,
    CONN_IN_POOL, /* or with a worker */
    CONN_GONE,    /* the loop closes it */
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
    uint64_t idle_ms;  /* the protocol's, before it waits for something to read: as long as that may
                        * take; 0 = as the server says */
    enum conn_end idle_why;

    /* The server's. */
    struct conn *next; /* of all, under its lock */
    struct conn *prev;
    struct conn *inbox; /* on the way back to the loop */
    const char *role; /* who has logged in, of proto; NULL: nobody yet; server_enter, under lock */
    enum conn_place place;
    enum conn_want wants; /* in the loop: what it waits for */
    uint64_t since_ns;    /* in the loop since */
    uint64_t accepted_ns;
    uv_poll_t poll;
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

/* job.run of connections. */
void conn_work(struct srv_job *job);
