/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_count.c: count(*) and count(x). */
#include "func/func_int.h"

struct agg_count {
    int64_t rows;
};

static int agg_count_all(void *state,
                         const struct vec *v,
                         const uint16_t *sel,
                         uint32_t rows,
                         struct arena *strings DN_UNUSED,
                         struct dn_err *err DN_UNUSED)
{
    struct agg_count *c = state;
    uint32_t nulls = 0;

    if (v && v->nulls)
        for (uint32_t i = 0; i < rows; i++)
            nulls += vec_is_null(v, sel ? sel[i] : i);
    c->rows += rows - nulls;
    return 0;
}

static int agg_count_grouped(void *const *states,
                             const struct vec *v,
                             const uint16_t *sel,
                             uint32_t rows,
                             struct arena *strings DN_UNUSED,
                             struct dn_err *err DN_UNUSED)
{
    for (uint32_t i = 0; i < rows; i++) {
        struct agg_count *c = states[i];

        c->rows += !v || !vec_is_null(v, sel ? sel[i] : i);
    }
    return 0;
}

static void
agg_count_turns(void *const *states, const struct vec *v DN_UNUSED, uint32_t turn, uint32_t rows)
{
    for (uint32_t i = 0; i < turn; i++)
        ((struct agg_count *)states[i])->rows += rows / turn + (i < rows % turn);
}

static int agg_count_zone(void *state,
                          const struct agg_zone *z,
                          struct arena *strings DN_UNUSED,
                          struct dn_err *err DN_UNUSED)
{
    ((struct agg_count *)state)->rows += z->rows - z->nulls;
    return 0;
}

static int agg_count_merge(void *into,
                           const void *from,
                           struct arena *strings DN_UNUSED,
                           struct dn_err *err DN_UNUSED)
{
    ((struct agg_count *)into)->rows += ((const struct agg_count *)from)->rows;
    return 0;
}

static int agg_count_emit(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    *ret = (struct datum){.type = TYPE_BIGINT, .v.i64 = ((const struct agg_count *)state)->rows};
    return 0;
}

static const struct agg agg_count_rows[] = {
    {.name = "count",
     .arg = TYPE_NONE,
     .star = true,
     .result = TYPE_BIGINT,
     .state_size = sizeof(struct agg_count),
     .update_all = agg_count_all,
     .update_grouped = agg_count_grouped,
     .update_turns = agg_count_turns,
     .merge = agg_count_merge,
     .emit = agg_count_emit,
     .update_zone = agg_count_zone,
     .zone = AGG_ZONE_COUNT,
     .doc = "Number of rows.",
     .example = "count(*) of (1, NULL, 3) = 3"},
    {.name = "count",
     .arg = TYPE_NONE,
     .star = false,
     .result = TYPE_BIGINT,
     .state_size = sizeof(struct agg_count),
     .update_all = agg_count_all,
     .update_grouped = agg_count_grouped,
     .update_turns = agg_count_turns,
     .merge = agg_count_merge,
     .emit = agg_count_emit,
     .update_zone = agg_count_zone,
     .zone = AGG_ZONE_COUNT,
     .doc = "Number of values that are not NULL; 0 when there are none.",
     .example = "count of (1, NULL, 3) = 2"},
};

const struct agg_table agg_table_count = {agg_count_rows, DN_ARRAY_SIZE(agg_count_rows)};
