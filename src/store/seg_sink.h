/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_sink.h: sorted rows become segment objects of the right size, for flushes and merges.
 *
 *     seg_sink_slab, seg_sink_add … -> seg_sink_finish -> metas[] go into the manifest
 *     or seg_sink_discard; seg_sink_done in any case
 *
 * One thread at a time. */
#pragma once

#include "store/segment.h"

#include <stdatomic.h>

struct shard;

struct seg_sink {
    struct shard *s;
    const struct table *t;
    struct seg_writer *w;   /* owned, NULL between segments */
    int64_t slab;           /* of the last rows */
    uint8_t level;          /* given to the segments */
    bool inside;            /* rows to come are of the series of the last ones: a segment that is
                               full waits for its end, within reason */
    struct seg_meta *metas; /* owned: finished segments */
    size_t metas_count;
    uint64_t bytes;            /* of the finished objects */
    const atomic_bool *cancel; /* set: DN_E_CANCELED at the next rows; NULL = never */
};
int seg_sink_add(struct seg_sink *k, const struct vec *vecs, uint32_t count, struct dn_err *err)
    DN_MUST_CHECK;
/* Before rows of a slab: ends the segment if the slab is new and it is big enough. */
int seg_sink_slab(struct seg_sink *k, int64_t slab, struct dn_err *err) DN_MUST_CHECK;
int seg_sink_finish(struct seg_sink *k, struct dn_err *err) DN_MUST_CHECK;
/* Deletes objects that no manifest names: what a failed flush or merge wrote is of no use. */
void seg_sink_discard(struct seg_sink *k);
void seg_sink_done(struct seg_sink *k);
