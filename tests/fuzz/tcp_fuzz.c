/* SPDX-License-Identifier: Apache-2.0
 *
 * tcp_fuzz.c: the first line of a client of line protocol over TCP, as it comes in bit by bit: what
 * is said of its beginning does not change when more is there, and a name and password end where
 * the line does. */
#include "fuzz.h"

#include "server/ingest/tcp.h"

#include "base/attr.h"

#include <string.h>

#define ROOM 64u /* a short one, so that lines are too long for it */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool may = true; /* so far it may become a login */

    size = size < 4096 ? size : 4096;
    for (size_t n = 1; n <= size; n++) {
        char text[ROOM];
        size_t len = 0;
        bool is = ingest_tcp_auth(data, n, text, sizeof text, &len);
        const uint8_t *end = memchr(data, '\n', n);

        DN_ASSERT(!is || may); /* what was none does not become one */
        DN_ASSERT(len == (end ? (size_t)(end - data) + 1 : 0));
        may = is;
        if (is && len) {
            size_t got = strnlen(text, sizeof text);

            fuzz_reached();
            DN_ASSERT(got < sizeof text && got <= len);
            DN_ASSERT(memcmp(text, data + strlen("auth "), got) == 0);
        }
        if (len)
            break;
    }
    return 0;
}
