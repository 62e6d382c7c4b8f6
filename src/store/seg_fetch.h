/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_fetch.h: bringing the bytes of vectors into memory, for seg_read.c, which decodes them, and
 * seg_packed.c, which looks into them. One thread at a time per fetch. */
#pragma once

#include "codec/codec.h"
#include "store/seg_reader.h"

#define SEG_COLS_FEW 32u /* columns of a fetch whose bookkeeping fits the stack */

/* One column of a fetch whose bytes are needed. */
struct seg_want {
    uint32_t out; /* place in ret */
    struct seg_vecref vec;
    uint32_t back;        /* its dictionary is that of the vector so many before it */
    const uint8_t *bytes; /* of the vector, once there */
    uint8_t *extent;      /* being read: owned until the cache has it; NULL: was in the cache */
    bool direct;          /* the vector alone is read, into the arena */
};

struct seg_fetch {
    struct seg *s;
    uint32_t group;
    struct seg_want *wants;
    struct volume_range *ranges;
    uint32_t count;   /* wants */
    uint32_t missing; /* ranges */
    bool lone;        /* as in struct seg_select */
};

/* Room for the wants of a fetch, as SEG_COLS_FEW are the caller's. False: out of memory. */
bool seg_fetch_room(struct seg_fetch *f, uint32_t count, struct arena *arena) DN_MUST_CHECK;
/* Fills the bytes of all wants, from the cache or from the volume; checked against their checksums.
 * Valid as long as pins and arena are. */
int seg_fetch_bytes(struct seg_fetch *f,
                    struct seg_pins *pins,
                    struct arena *arena,
                    struct dn_err *err) DN_MUST_CHECK;
/* The vector after want i is asked for from memory while that one is worked on: vectors of a column
 * lie together, those of a row do not. */
void seg_fetch_ahead(const struct seg_fetch *f, uint32_t i);
/* Where the bytes are that an error is about. */
void seg_vec_prefix(const struct seg *s, const struct seg_vecref *v, struct dn_err *err);
/* The number of the dictionary of a vector that is `back` vectors behind its home. */
uint64_t seg_dict_id(const struct seg *s, const struct seg_vecref *v, uint32_t back);
