/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_zone.h: what is known of a vector or block without decoding, while it is computed. For
 * src/store/seg_*.c only. Any thread. */
#pragma once

#include "store/segment_int.h"

__extension__ typedef __int128 seg_i128;

/* Zone of a vector or block while it is computed. */
struct seg_zone {
    enum type_id type;
    uint32_t rows;
    uint32_t nulls;   /* NULL or absent */
    uint32_t absent;  /* of these, absent */
    bool has_range;   /* at least one value */
    bool constant;    /* every row has the same bits, or all are NULL, or all absent */
    union vfixed min; /* fixed-width types */
    union vfixed max;
    struct vstr str_min; /* strings, whole; borrowed from the vector */
    struct vstr str_max;
    struct datum wide_min; /* INTERVAL and NUMERIC in the key; of others no bounds are kept */
    struct datum wide_max;
    seg_i128 isum; /* integers: exact */
    double fsum;   /* REAL, DOUBLE */
};

/* A bound of a string, or of an INTERVAL or NUMERIC in the key, as it is stored. */
struct seg_bound {
    uint8_t bytes[SEG_BOUND_MAX];
    uint8_t len;
    bool exact; /* the value itself; else a prefix of the least, or above the greatest */
};

/* v: FLAT, absent rows have their null bit set too. key: the column is in the key. */
void seg_zone_vec(const struct vec *v, bool key, struct seg_zone *ret);
/* b follows a. */
void seg_zone_merge(struct seg_zone *a, const struct seg_zone *b);
/* False: the type has no sum, it does not fit, or is not finite. */
bool seg_zone_sum(const struct seg_zone *z, union vfixed *ret);
struct datum seg_zone_min(const struct seg_zone *z); /* null if there is no value */
struct datum seg_zone_max(const struct seg_zone *z);
void seg_bound_min(struct vstr s, struct seg_bound *ret);
/* False: no short string is greater (16 bytes of 0xff). */
bool seg_bound_max(struct vstr s, struct seg_bound *ret);
/* The bounds of a block as they are stored. False: it has none. */
bool seg_zone_bounds(const struct seg_zone *z,
                     struct seg_bound *ret_min,
                     struct seg_bound *ret_max);
/* Type in which sums of a column are kept; TYPE_NONE: it has none. */
enum type_id seg_sum_type(enum type_id type);
/* All bits alike? Strings compare as bytes. */
bool seg_same_value(enum type_id type, const void *a, const void *b);
