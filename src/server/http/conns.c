/* SPDX-License-Identifier: Apache-2.0
 *
 * conns.c: see conns.h. A connection that has to go is shut down, not closed: libmicrohttpd sees
 * its end as if the client had gone, and frees it in the thread that has it. */
#include "server/http/conns.h"

#include "base/mem.h"

#include <stdbool.h>
#include <sys/socket.h>

struct http_conn {
    struct http_conn *next; /* newer */
    struct http_conn *prev;
    int fd; /* libmicrohttpd's */
    enum http_conn_state state;
    bool known; /* somebody has logged in over it */
    bool shut;
};

struct http_conns {
    struct sched_mutex *lock; /* owned; guards all below, and the connections */
    struct mem_owner *owner;  /* borrowed */
    struct http_conn *oldest;
    struct http_conn *newest;
    unsigned count; /* without those that are shut */
    unsigned max;
};

struct http_conns *http_conns_new(struct sched *sched, struct mem_owner *owner, unsigned max)
{
    struct http_conns *l = mem_calloc(owner, 1, sizeof(*l));

    if (!l)
        return NULL;
    l->owner = owner;
    l->max = max;
    l->lock = sched_mutex_new(sched, "http connections");
    if (l->lock)
        return l;
    mem_free(l);
    return NULL;
}

void http_conns_free(struct http_conns *l)
{
    if (!l)
        return;
    DN_ASSERT(!l->oldest);
    sched_mutex_free(l->lock);
    mem_free(l);
}

/* The oldest that is in this state; under the lock. */
static struct http_conn *conns_oldest(const struct http_conns *l, enum http_conn_state state)
{
    for (struct http_conn *c = l->oldest; c; c = c->next)
        if (c->state == state && !c->shut)
            return c;
    return NULL;
}

static void conns_make_room(struct http_conns *l)
{
    struct http_conn *c;

    if (l->count < l->max)
        return;
    c = conns_oldest(l, HTTP_CONN_NEW);
    if (!c)
        c = conns_oldest(l, HTTP_CONN_IDLE);
    if (!c)
        return; /* all are busy: libmicrohttpd has its limit */
    c->shut = true;
    l->count--;
    DN_IGNORE(shutdown(c->fd, SHUT_RDWR)); /* one that is gone already is as well */
}

struct http_conn *http_conns_begin(struct http_conns *l, int fd)
{
    struct http_conn *c = mem_calloc(l->owner, 1, sizeof(*c));

    if (!c)
        return NULL;
    c->fd = fd;
    sched_lock(l->lock);
    conns_make_room(l);
    c->prev = l->newest;
    if (l->newest)
        l->newest->next = c;
    else
        l->oldest = c;
    l->newest = c;
    l->count++;
    sched_unlock(l->lock);
    return c;
}

void http_conns_end(struct http_conns *l, struct http_conn *c)
{
    if (!c)
        return;
    sched_lock(l->lock);
    if (c->prev)
        c->prev->next = c->next;
    else
        l->oldest = c->next;
    if (c->next)
        c->next->prev = c->prev;
    else
        l->newest = c->prev;
    l->count -= !c->shut;
    sched_unlock(l->lock);
    mem_free(c);
}

void http_conns_set(struct http_conns *l, struct http_conn *c, enum http_conn_state state)
{
    if (!c)
        return;
    sched_lock(l->lock);
    c->state = state;
    c->known = c->known || state == HTTP_CONN_BUSY;
    sched_unlock(l->lock);
}

void http_conns_rest(struct http_conns *l, struct http_conn *c)
{
    if (c)
        http_conns_set(l, c, c->known ? HTTP_CONN_IDLE : HTTP_CONN_NEW);
}
