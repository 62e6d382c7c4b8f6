/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_bool.c: bool_and, bool_or and every. */
#include "func/func_int.h"

struct agg_bool {
    int64_t yes; /* values that are true */
    int64_t no;
};

static inline void agg_bool_one(void *state, int8_t x)
{
    struct agg_bool *s = state;

    s->yes += x != 0;
    s->no += x == 0;
}

static void agg_bool_many(void *state, const int8_t *data, uint32_t count)
{
    struct agg_bool *s = state;
    uint32_t yes = 0;

    for (uint32_t i = 0; i < count; i++)
        yes += data[i] != 0;
    s->yes += yes;
    s->no += count - yes;
}

#define SUM_T       int8_t
#define SUM_STATE   struct agg_bool
#define SUM_ONE     agg_bool_one
#define SUM_MANY    agg_bool_many
#define SUM_ALL     agg_bool_all
#define SUM_GROUPED agg_bool_grouped
#include "func/agg_sum_tmpl.h"

static int agg_bool_merge(void *into,
                          const void *from,
                          struct arena *strings DN_UNUSED,
                          struct dn_err *err DN_UNUSED)
{
    struct agg_bool *a = into;
    const struct agg_bool *b = from;

    a->yes += b->yes;
    a->no += b->no;
    return 0;
}

static int agg_bool_emit_and(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_bool *s = state;

    *ret =
        (struct datum){.type = TYPE_BOOLEAN, .null = s->yes + s->no == 0, .v = {.i64 = s->no == 0}};
    return 0;
}

static int agg_bool_emit_or(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_bool *s = state;

    *ret =
        (struct datum){.type = TYPE_BOOLEAN, .null = s->yes + s->no == 0, .v = {.i64 = s->yes > 0}};
    return 0;
}

#define BOOL_ROW(aname, final, text, sample)                               \
    {                                                                      \
        .name = aname, .arg = TYPE_BOOLEAN, .result = TYPE_BOOLEAN,        \
        .state_size = sizeof(struct agg_bool), .update_all = agg_bool_all, \
        .update_grouped = agg_bool_grouped, .merge = agg_bool_merge,       \
        .emit = agg_bool_emit_##final, .doc = text, .example = sample      \
    }

static const struct agg agg_bool_rows[] = {
    BOOL_ROW("bool_and",
             and,
             "Whether all values that are not NULL are true; NULL when there are none.",
             "bool_and of (true, NULL, false) = false"),
    BOOL_ROW("bool_or",
             or
             ,
             "Whether one of the values is true; NULL when there are none but NULL.",
             "bool_or of (true, NULL, false) = true"),
    BOOL_ROW("every", and, "The same as bool_and.", "every of (true, NULL) = true"),
};

const struct agg_table agg_table_bool = {agg_bool_rows, DN_ARRAY_SIZE(agg_bool_rows)};
