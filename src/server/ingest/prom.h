/* SPDX-License-Identifier: Apache-2.0
 *
 * prom.h: Prometheus' remote write, version 1: a WriteRequest in protocol buffers' form, packed by
 * snappy (block format). Only what is needed of it is read: labels and samples of time series;
 * metadata and exemplars are passed over, native histograms are counted. Untrusted bytes. Any
 * thread. */
#pragma once

#include "base/attr.h"
#include "base/bytes.h"
#include "server/ingest/lp.h"

#include <stdbool.h>

#define PROM_STALE UINT64_C(0x7ff0000000000002) /* the NaN that ends a series */

struct prom_label {
    struct lp_text name;
    struct lp_text value;
};

struct prom_series {
    struct prom_label labels[LP_TAGS_MAX + 1];
    uint32_t labels_count;
};

/* A sample; the bits of its value tell a stale marker from other NaNs. Another result than 0 ends
 * it. */
typedef int (*prom_fn)(void *arg, const struct prom_series *s, uint64_t bits, int64_t time_ms);

struct prom_counts {
    uint64_t series;
    uint64_t samples;
    uint64_t histograms; /* native ones, which are not stored */
};

#define PROM_BAD   (-1)
#define PROM_LONG  (-2)
#define PROM_NOMEM (-3)

/* Takes snappy's packing off. 0; PROM_BAD: it is none; PROM_LONG: more than max bytes, as
 * *ret_len says; PROM_NOMEM. */
int prom_unpack(const uint8_t *packed, size_t len, size_t max, struct buf *to, size_t *ret_len)
    DN_MUST_CHECK;
/* The message, unpacked. 0, what fn gave, or PROM_BAD. series: room to work in. */
int prom_decode(const uint8_t *bytes,
                size_t len,
                struct prom_series *series,
                prom_fn fn,
                void *arg,
                struct prom_counts *ret_counts) DN_MUST_CHECK;
