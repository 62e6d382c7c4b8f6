/* SPDX-License-Identifier: Apache-2.0
 *
 * pgwire_fuzz.c: bytes of a client: a first packet, then messages, each body read in every way. */
#include "fuzz.h"

#include "server/pgwire/frame.h"

static void fuzz_body(struct pgw_rd body)
{
    struct pgw_rd r = body;

    while (!r.bad && pgw_rd_left(&r) > 0)
        pgw_rd_text(&r);
    r = body;
    while (!r.bad && pgw_rd_left(&r) > 0) {
        int32_t n = pgw_rd_i32(&r);

        pgw_rd_bytes(&r, n < 0 ? 0 : (size_t)n);
    }
    r = body;
    while (!r.bad && pgw_rd_left(&r) > 0) {
        pgw_rd_u8(&r);
        pgw_rd_i16(&r);
        pgw_rd_i64(&r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pgw_frame f;
    size_t at = 0;
    size_t len = 0;

    if (pgw_first(data, size, &f, &len) == PGW_FRAME) {
        DN_ASSERT(len <= size);
        fuzz_body(f.body);
        at = len;
    }
    while (pgw_next(data + at, size - at, 1 << 20, &f, &len) == PGW_FRAME) {
        DN_ASSERT(len <= size - at);
        fuzz_reached();
        fuzz_body(f.body);
        at += len;
    }
    return 0;
}
