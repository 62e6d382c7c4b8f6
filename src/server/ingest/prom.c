/* SPDX-License-Identifier: Apache-2.0
 *
 * prom.c: see prom.h. Messages, by number of field:
 *
 *     WriteRequest   1 TimeSeries…   3 metadata
 *     TimeSeries     1 Label…        2 Sample…      3 exemplars   4 histograms
 *     Label          1 name          2 value
 *     Sample         1 value, double 2 timestamp, int64 of milliseconds
 *
 * Labels may come behind samples, so a series is walked twice. */
#include "server/ingest/prom.h"

#include "base/bytes.h"

#include <snappy-c.h>

/* Three bytes of snappy's stand for 64 at most. */
#define PROM_UNPACKED_MAX(len) ((len) / 3 * 64 + 64)

enum { PROM_VARINT = 0, PROM_FIXED64 = 1, PROM_BYTES = 2, PROM_FIXED32 = 5 };

/* The next field: its number, or 0: the end, or -1: no such message. */
struct prom_field {
    uint64_t number;
    unsigned wire;
    uint64_t value; /* VARINT, FIXED64, FIXED32 */
    const uint8_t *bytes;
    size_t len;
};

static int prom_next(struct rd *r, struct prom_field *f)
{
    uint64_t key;

    if (rd_left(r) == 0)
        return 0;
    key = rd_varint(r);
    *f = (struct prom_field){.number = key >> 3, .wire = (unsigned)(key & 7)};
    switch (f->wire) {
    case PROM_VARINT:
        f->value = rd_varint(r);
        break;
    case PROM_FIXED64:
        f->value = rd_u64(r);
        break;
    case PROM_FIXED32:
        f->value = rd_u32(r);
        break;
    case PROM_BYTES:
        f->bytes = rd_blob(r, &f->len);
        break;
    default:
        return PROM_BAD;
    }
    return r->bad || f->number == 0 ? PROM_BAD : 1;
}

static int prom_label(const struct prom_field *of, struct prom_label *ret)
{
    struct rd r = rd_make(of->bytes, of->len);
    struct prom_field f;
    int rc;

    *ret = (struct prom_label){.name = {.ptr = "", .len = 0}, .value = {.ptr = "", .len = 0}};
    while ((rc = prom_next(&r, &f)) > 0) {
        struct lp_text text = {.ptr = (const char *)f.bytes, .len = (uint32_t)f.len};

        if (f.number > 2)
            continue;
        if (f.wire != PROM_BYTES || f.len > UINT32_MAX)
            return PROM_BAD;
        if (f.number == 1)
            ret->name = text;
        else
            ret->value = text;
    }
    return rc < 0 || ret->name.len == 0 ? PROM_BAD : 0;
}

static int
prom_sample(const struct prom_field *of, const struct prom_series *s, prom_fn fn, void *arg)
{
    struct rd r = rd_make(of->bytes, of->len);
    struct prom_field f;
    uint64_t bits = 0;
    int64_t time = 0;
    int rc;

    while ((rc = prom_next(&r, &f)) > 0) {
        if (f.number == 1 && f.wire == PROM_FIXED64)
            bits = f.value;
        else if (f.number == 2 && f.wire == PROM_VARINT)
            time = (int64_t)f.value;
        else if (f.number <= 2)
            return PROM_BAD;
    }
    return rc < 0 ? PROM_BAD : fn(arg, s, bits, time);
}

static int prom_labels(const struct prom_field *of, struct prom_series *s)
{
    struct rd r = rd_make(of->bytes, of->len);
    struct prom_field f;
    int rc;

    s->labels_count = 0;
    while ((rc = prom_next(&r, &f)) > 0) {
        if (f.number != 1)
            continue;
        if (f.wire != PROM_BYTES || s->labels_count == LP_TAGS_MAX + 1 ||
            prom_label(&f, &s->labels[s->labels_count]) < 0)
            return PROM_BAD;
        s->labels_count++;
    }
    return rc;
}

static int prom_time_series(const struct prom_field *of,
                            struct prom_series *s,
                            prom_fn fn,
                            void *arg,
                            struct prom_counts *n)
{
    struct rd r = rd_make(of->bytes, of->len);
    struct prom_field f;
    int rc = prom_labels(of, s);
    int next = 0;

    n->series++;
    while (rc == 0 && (next = prom_next(&r, &f)) > 0) {
        n->histograms += f.number == 4;
        if (f.number != 2)
            continue;
        n->samples++;
        rc = f.wire == PROM_BYTES ? prom_sample(&f, s, fn, arg) : PROM_BAD;
    }
    return rc ? rc : next;
}

int prom_decode(const uint8_t *bytes,
                size_t len,
                struct prom_series *series,
                prom_fn fn,
                void *arg,
                struct prom_counts *ret_counts)
{
    struct rd r = rd_make(bytes, len);
    struct prom_field f;
    int rc = 0;
    int next = 0;

    *ret_counts = (struct prom_counts){.series = 0};
    while (rc == 0 && (next = prom_next(&r, &f)) > 0) {
        if (f.number != 1)
            continue;
        rc = f.wire == PROM_BYTES ? prom_time_series(&f, series, fn, arg, ret_counts) : PROM_BAD;
    }
    return rc ? rc : next;
}

int prom_unpack(const uint8_t *packed, size_t len, size_t max, struct buf *to, size_t *ret_len)
{
    size_t size = 0;
    uint8_t *room;

    if (len == 0 || snappy_uncompressed_length((const char *)packed, len, &size) != SNAPPY_OK ||
        size > PROM_UNPACKED_MAX(len))
        return PROM_BAD;
    *ret_len = size;
    if (size > max)
        return PROM_LONG;
    buf_reset(to);
    room = buf_extend(to, size ? size : 1);
    if (!room)
        return PROM_NOMEM;
    if (snappy_uncompress((const char *)packed, len, (char *)room, &size) != SNAPPY_OK)
        return PROM_BAD;
    to->len = size;
    return 0;
}
