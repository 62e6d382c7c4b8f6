/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* explicit_bzero */
#include "cli/password.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* A line; false: none. */
static bool password_read(int fd, char *ret, size_t size)
{
    size_t len = 0;
    ssize_t n;

    while (len + 1 < size) {
        n = read(fd, ret + len, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || ret[len] == '\x03')
            return false;
        if (ret[len] == '\n' || ret[len] == '\r')
            break;
        len++;
    }
    ret[len] = '\0';
    return true;
}

bool cli_password(const char *prompt, char *ret, size_t size)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    struct termios before;
    struct termios quiet;
    bool ok = false;

    if (fd < 0)
        return false;
    if (tcgetattr(fd, &before) == 0) {
        quiet = before;
        quiet.c_lflag &= ~(tcflag_t)(ECHO | ISIG); /* Ctrl-C must not leave the terminal so */
        (void)tcsetattr(fd, TCSAFLUSH, &quiet);
        (void)dprintf(fd, "%s", prompt);
        ok = password_read(fd, ret, size);
        (void)dprintf(fd, "\n");
        (void)tcsetattr(fd, TCSAFLUSH, &before);
    }
    if (!ok)
        explicit_bzero(ret, size);
    (void)close(fd);
    return ok;
}
