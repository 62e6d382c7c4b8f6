/* SPDX-License-Identifier: Apache-2.0
 *
 * listen.c: see listen.h. */
#define _GNU_SOURCE /* accept4 */
#include "server/listen.h"

#include "base/mem.h"
#include "engine/engine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTEN_BACKLOG 1024
#define LISTEN_ROUND   64 /* accepted at a time */

void srv_socket_close(int fd)
{
    close(fd);
}

unsigned srv_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > 64 ? 64 : (unsigned)n;
}

static bool listen_local(const struct sockaddr *a)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)a;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)a;

    if (a->sa_family == AF_INET)
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    if (a->sa_family != AF_INET6)
        return false;
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
        return v6->sin6_addr.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static struct addrinfo *listen_resolve(const char *address, int port)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    char service[16];

    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(strcmp(address, "*") == 0 ? NULL : address, service, &hints, &list) != 0)
        return NULL;
    return list;
}

bool srv_address_local(const char *address)
{
    struct addrinfo *list = listen_resolve(address, 0);
    bool local = list != NULL;

    for (const struct addrinfo *a = list; a; a = a->ai_next)
        local = local && listen_local(a->ai_addr);
    if (list)
        freeaddrinfo(list);
    return local;
}

void srv_address_print(const struct sockaddr *a, char *to, size_t size, bool *ret_local)
{
    socklen_t len =
        a->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    char host[48] = "?";
    char port[8] = "?";

    DN_IGNORE(
        getnameinfo(a, len, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV));
    snprintf(to, size, "%s:%s", host, port);
    *ret_local = listen_local(a);
}

static void listen_ready(uv_poll_t *h, int status DN_UNUSED, int events DN_UNUSED)
{
    struct srv_listener *l = h->data;

    for (int i = 0; i < LISTEN_ROUND; i++) {
        struct sockaddr_storage a;
        socklen_t len = sizeof a;
        struct srv_peer peer;
        int on = 1;
        int fd = accept4(l->fd, (struct sockaddr *)&a, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            uv_poll_stop(&l->poll);
            l->paused = true;
        }
        if (fd < 0)
            return; /* nobody there any more, or somebody who has gone again */
        DN_IGNORE(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
        DN_IGNORE(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on));
        peer.fd = fd;
        srv_address_print((struct sockaddr *)&a, peer.text, sizeof peer.text, &peer.local);
        l->fn(l->arg, l, &peer);
        if (!l->open)
            return;
    }
}

static int listen_bind(const struct addrinfo *a, int *ret_fd)
{
    int on = 1;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int why;

    if (fd < 0)
        return errno;
    DN_IGNORE(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, LISTEN_BACKLOG) == 0) {
        *ret_fd = fd;
        return 0;
    }
    why = errno;
    close(fd);
    return why;
}

int srv_socket_listen(const char *address, int port, int *ret_fd, int *ret_port, struct dn_err *err)
{
    struct addrinfo *list = listen_resolve(address, port);
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    int why = EADDRNOTAVAIL;
    int rc;

    if (!list)
        return DN_FAIL(err, DN_E_CONFIG, "no address to listen on: \"%s\"", address);
    for (const struct addrinfo *at = list; at && why != 0; at = at->ai_next)
        why = listen_bind(at, ret_fd);
    freeaddrinfo(list);
    if (why != 0) {
        rc = DN_FAIL(
            err, DN_E_IO, "cannot listen on %s, port %d: %s", address, port, uv_strerror(-why));
        if (why == EADDRINUSE)
            dn_err_hint(err, "Another program has the port: stop it, or choose another one.");
        return rc;
    }
    *ret_port = port;
    if (getsockname(*ret_fd, (struct sockaddr *)&a, &len) == 0)
        *ret_port = ntohs(a.ss_family == AF_INET ? ((struct sockaddr_in *)(void *)&a)->sin_port
                                                 : ((struct sockaddr_in6 *)(void *)&a)->sin6_port);
    return 0;
}

int srv_listener_open(struct srv_listener *l, const struct srv_listen *how, struct dn_err *err)
{
    int rc = srv_socket_listen(how->address, how->port, &l->fd, &l->port, err);

    if (rc < 0)
        return rc;
    l->ops = how->ops;
    l->fn = how->fn;
    l->arg = how->arg;
    l->poll.data = l;
    rc = uv_poll_init(how->loop, &l->poll, l->fd);
    if (rc < 0) {
        close(l->fd);
        return DN_FAIL(err, DN_E_IO, "the event loop takes no socket: %s", uv_strerror(rc));
    }
    l->open = true;
    rc = uv_poll_start(&l->poll, UV_READABLE, listen_ready);
    if (rc < 0)
        return DN_FAIL(err, DN_E_IO, "the event loop takes no socket: %s", uv_strerror(rc));
    return 0;
}

void srv_listener_tick(struct srv_listener *l)
{
    if (!l->open || !l->paused)
        return;
    l->paused = false;
    DN_IGNORE(uv_poll_start(&l->poll, UV_READABLE, listen_ready));
}

void srv_listener_close(struct srv_listener *l)
{
    if (!l->open)
        return;
    l->open = false;
    uv_poll_stop(&l->poll);
    uv_close((uv_handle_t *)&l->poll, NULL);
    close(l->fd);
}

void srv_announce(dendro_db *db, const char *address, int port)
{
    bool six = strchr(address, ':') != NULL;
    char url[256];

    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
        address = six ? "::1" : "127.0.0.1";
    (void)snprintf(url,
                   sizeof url,
                   "postgres://dendro@%s%s%s:%d/dendro",
                   six ? "[" : "",
                   address,
                   six ? "]" : "",
                   port);
    engine_announce(db, url);
}
