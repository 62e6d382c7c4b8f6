/* SPDX-License-Identifier: Apache-2.0
 *
 * listen.h: sockets that wait for connections. The thread of the loop, but srv_socket_close,
 * srv_cores and srv_address_local: any. */
#pragma once

#include "base/err.h"
#include "dendro.h"

#include <stdbool.h>
#include <uv.h>

struct conn_ops;
struct srv_listener;

/* Somebody who has connected. */
struct srv_peer {
    int fd; /* now the callback's */
    bool local;
    char text[64]; /* address and port */
};

typedef void (*srv_accept_fn)(void *arg, struct srv_listener *l, struct srv_peer *peer);

struct srv_listen {
    uv_loop_t *loop;
    const char *address; /* IPv4, IPv6 or "localhost"; "*" = all */
    int port;            /* 0 = any that is free */
    const struct conn_ops *ops;
    srv_accept_fn fn;
    void *arg;
};

/* Zeroed: closed. */
struct srv_listener {
    int fd;
    int port;
    bool open;
    bool paused; /* no file descriptors left: tried again at the next tick */
    const struct conn_ops *ops;
    srv_accept_fn fn;
    void *arg;
    uv_poll_t poll;
};

int srv_listener_open(struct srv_listener *l,
                      const struct srv_listen *how,
                      struct dn_err *err) DN_MUST_CHECK;
void srv_listener_tick(struct srv_listener *l);
/* The socket is closed at once, the handle when the loop runs. */
void srv_listener_close(struct srv_listener *l);

/* A socket that listens, and its port. Any thread. */
int srv_socket_listen(const char *address, int port, int *ret_fd, int *ret_port, struct dn_err *err)
    DN_MUST_CHECK;
struct sockaddr;
/* Address and port as text. Any thread. */
void srv_address_print(const struct sockaddr *a, char *to, size_t size, bool *ret_local);
bool srv_address_local(const char *address);
/* Who finds the directory of the database in use is told where to go. */
void srv_announce(dendro_db *db, const char *address, int port);
void srv_socket_close(int fd);
unsigned srv_cores(void);
