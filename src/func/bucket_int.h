/* SPDX-License-Identifier: Apache-2.0
 *
 * bucket_int.h: buckets of time, for date_trunc of instants without and with a zone. Any thread. */
#pragma once

#include "base/err.h"
#include "vec/type.h"

#include <stdint.h>

struct bucketer {
    int64_t per;          /* units in a second */
    int64_t width;        /* units; 0: months count */
    int64_t origin;       /* units, 0 <= origin < width */
    int64_t months;       /* width in months */
    int64_t origin_month; /* a month since year 0 at which a bucket starts */
};

struct bucket {
    int64_t lo;
    int64_t end; /* one past it, or INT64_MAX if that is beyond the type */
};

/* False: the bucket starts before the type does. */
bool func_bucket_of(const struct bucketer *b, int64_t t, struct bucket *ret);
/* The name of a unit of time that goes by several: "hours" and "hr" are "hour"; NULL: it is none.
 */
const char *func_unit_name(struct vstr word);
/* By the word of date_trunc. DN_E_INVALID_PARAM. */
int func_bucket_by_field(struct vstr field,
                         enum type_id type,
                         struct bucketer *ret,
                         struct dn_err *err) DN_MUST_CHECK;

static inline bool bucket_has(const struct bucket *k, int64_t t)
{
    return t >= k->lo && (t < k->end || k->end == INT64_MAX);
}
