/* SPDX-License-Identifier: Apache-2.0
 *
 * zoned.h: instants in microseconds as the clocks of a zone show them, row by row: times are mostly
 * in the span of the one before. The zone is the session's unless a function is told another. */
#pragma once

#include "base/civil.h"
#include "func/func_int.h"
#include "func/tz.h"

#define ZONED_US     1000000
#define ZONED_US_DAY ((int64_t)CIVIL_DAY_SECONDS * ZONED_US)

struct zoned {
    const struct tz_zone *zone;
    struct tz_span span; /* of the last one */
};

static inline struct zoned zoned_make(const struct tz_zone *zone)
{
    return (struct zoned){.zone = zone, .span = {.from = 1, .end = 0}};
}

static inline const struct tz_zone *zoned_session(const struct func_ctx *ctx)
{
    return ctx->session ? ctx->session->zone : NULL;
}

/* Seconds ahead of UTC. */
static inline int32_t zoned_offset(struct zoned *z, int64_t us)
{
    int64_t s = civil_floor(us, ZONED_US);

    if (s < z->span.from || s >= z->span.end)
        z->span = tz_span_at(z->zone, s);
    return z->span.offset;
}

static inline bool zoned_infinite(int64_t us)
{
    return us == INT64_MAX || us == INT64_MIN;
}

static inline int zoned_fail(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_DATETIME_RANGE, "timestamp out of range");
}

/* What the clocks show, as microseconds of a time stamp without zone. Infinite ones stay. */
static inline int zoned_local(struct zoned *z, int64_t us, int64_t *ret, struct dn_err *err)
{
    *ret = us;
    if (zoned_infinite(us))
        return 0;
    return __builtin_add_overflow(us, (int64_t)zoned_offset(z, us) * ZONED_US, ret)
               ? zoned_fail(err)
               : 0;
}

/* The instant at which they show it. */
static inline int
zoned_instant(const struct tz_zone *zone, int64_t local, int64_t *ret, struct dn_err *err)
{
    int32_t offset = tz_local_offset(zone, civil_floor(local, ZONED_US));

    *ret = local;
    if (zoned_infinite(local))
        return 0;
    return __builtin_sub_overflow(local, (int64_t)offset * ZONED_US, ret) || zoned_infinite(*ret)
               ? zoned_fail(err)
               : 0;
}

/* A NULL of the kernel's own: what is infinite has no hour. */
int func_ret_null(const struct func_ctx *ctx, struct vec *ret, uint32_t row, struct dn_err *err)
    DN_MUST_CHECK;

/* A time stamp (not in milliseconds) plus an interval: months, then days by the calendar of the
 * session's zone if the type has one, then the rest. */
int func_interval_move(const struct func_ctx *ctx,
                       enum type_id type,
                       int64_t t,
                       struct vinterval v,
                       int64_t *ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* FUNC_EACH with a struct zoned z of the session's zone. */
#define ZONED_EACH(fn, result_type, call)                                   \
    static int fn(const struct func_ctx *ctx,                               \
                  const struct vec *args DN_UNUSED,                         \
                  uint32_t args_count DN_UNUSED,                            \
                  uint32_t count,                                           \
                  struct vec *ret,                                          \
                  struct dn_err *err)                                       \
    {                                                                       \
        struct zoned z = zoned_make(zoned_session(ctx));                    \
        result_type *to = func_ret_alloc(ctx, ret, count, sizeof *to, err); \
                                                                            \
        if (!to)                                                            \
            return DN_E_NOMEM;                                              \
        for (uint32_t i = 0; i < count; i++) {                              \
            int rc = 0;                                                     \
                                                                            \
            to[i] = 0;                                                      \
            if (!vec_is_null(ret, i))                                       \
                rc = (call);                                                \
            if (rc < 0)                                                     \
                return rc;                                                  \
        }                                                                   \
        return 0;                                                           \
    }
