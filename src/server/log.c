/* SPDX-License-Identifier: Apache-2.0
 *
 * log.c: the server's log: stderr, which systemd and containers keep. */
#include "server/server.h"

#include <stdarg.h>
#include <stdio.h>

void server_log(const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    for (char *c = text; *c; c++) /* a name may not start a line of its own */
        if ((unsigned char)*c < ' ')
            *c = '?';
    (void)fprintf(stderr, "dendro: %s\n", text);
}
