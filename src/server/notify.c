/* SPDX-License-Identifier: Apache-2.0
 *
 * notify.c: what systemd wants to be told (Type=notify, WatchdogSec): a datagram to the socket that
 * NOTIFY_SOCKET names. The loop's thread. */
#include "server/listen.h"
#include "server/server_int.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void server_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = path ? strlen(path) : 0;
    int fd;

    if (len < 2 || len >= sizeof(to.sun_path) || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(to.sun_path, path, len);
    if (path[0] == '@') /* an abstract name */
        to.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    /* Nobody waits for an answer, and there is nothing to be done if it fails. */
    DN_IGNORE(sendto(fd,
                     state,
                     strlen(state),
                     MSG_NOSIGNAL | MSG_DONTWAIT,
                     (const struct sockaddr *)&to,
                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)));
    srv_socket_close(fd);
}

/* Microseconds between two signs of life; 0: nobody waits for them. */
static uint64_t notify_watchdog(void)
{
    const char *usec = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");

    if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    return strtoull(usec, NULL, 10);
}

void server_notify_alive(struct server *s)
{
    static uint64_t last_ns; /* one server in a process has the socket */
    uint64_t every = notify_watchdog();
    uint64_t now = every ? server_now_ns(s) : 0;

    if (every == 0 || now - last_ns < every * 1000 / 2)
        return;
    last_ns = now;
    server_notify("WATCHDOG=1");
}
