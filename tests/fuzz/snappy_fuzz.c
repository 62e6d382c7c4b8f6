/* SPDX-License-Identifier: Apache-2.0
 *
 * snappy_fuzz.c: bodies of Prometheus' remote write as they come. First byte: even, the rest is
 * packed already; odd, it is packed here first, and must come out as it was. What unpacks is no
 * longer than it may be and is read as a message. */
#include "fuzz.h"

#include "server/ingest/prom.h"

#include "base/mem.h"

#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>

#define SNAPPY_MAX ((size_t)1 << 16)

static struct prom_series snappy_series;

static int snappy_sample(void *arg,
                         const struct prom_series *s DN_UNUSED,
                         uint64_t bits DN_UNUSED,
                         int64_t time_ms DN_UNUSED)
{
    ++*(uint64_t *)arg;
    return 0;
}

static void snappy_body(const uint8_t *packed, size_t len, struct buf *to)
{
    struct prom_counts counts;
    uint64_t samples = 0;
    size_t size = 0;
    int rc = prom_unpack(packed, len, SNAPPY_MAX, to, &size);

    DN_ASSERT(rc == 0 || rc == PROM_BAD || rc == PROM_LONG);
    DN_ASSERT(rc != PROM_LONG || size > SNAPPY_MAX);
    if (rc != 0)
        return;
    DN_ASSERT(to->len == size && size <= SNAPPY_MAX);
    fuzz_reached();
    rc = prom_decode(to->data, to->len, &snappy_series, snappy_sample, &samples, &counts);
    DN_ASSERT(rc == 0 || rc == PROM_BAD);
    DN_ASSERT(samples <= counts.samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf to;
    size_t room;
    char *packed;

    if (size == 0 || size > SNAPPY_MAX)
        return 0;
    buf_init(&to, NULL);
    if (data[0] % 2 == 0) {
        snappy_body(data + 1, size - 1, &to);
    } else {
        room = snappy_max_compressed_length(size - 1);
        packed = mem_alloc(NULL, room);
        DN_ASSERT(packed);
        DN_ASSERT(snappy_compress((const char *)data + 1, size - 1, packed, &room) == SNAPPY_OK);
        snappy_body((const uint8_t *)packed, room, &to);
        DN_ASSERT(to.len == size - 1 && (size == 1 || memcmp(to.data, data + 1, size - 1) == 0));
        mem_free(packed);
    }
    buf_done(&to);
    return 0;
}
