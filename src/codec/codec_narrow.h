/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_narrow.h: the integers that numbers are stored as, where they are small, without making
 * numbers of them: four times as many of them stand in a register as of DOUBLEs. Any thread. */
#pragma once

#include "codec/codec.h"

/* Numbers as integers of 16 bits: values[i] / 10^exponent. */
struct codec_narrow {
    const int16_t *values; /* those of NULL rows are anything */
    const uint64_t *nulls; /* as in struct vec */
    unsigned exponent;     /* 0 for integers */
    int32_t lo;            /* bounds of the values, as the caller's have it */
    int32_t hi;
    enum type_id type; /* of the numbers */
    uint32_t count;
};

/* The integers that numbers are stored as, without making DOUBLEs of them. bounds: the least and
 * the greatest value that is not NULL. DN_NOT_FOUND: they are stored in another way, or do not fit
 * into 16 bits. Memory is the arena's. */
int codec_decode_narrow(const struct codec_src *src,
                        const double bounds[2],
                        struct arena *arena,
                        struct codec_narrow *ret,
                        struct dn_err *err) DN_MUST_CHECK;
bool codec_may_narrow(unsigned codec); /* false: it never does */
/* What codec_decode would have given, from the integers; borrows nulls. */
int codec_widen_narrow(const struct codec_narrow *n,
                       struct arena *arena,
                       struct vec *ret,
                       struct dn_err *err) DN_MUST_CHECK;
