/* SPDX-License-Identifier: Apache-2.0
 *
 * winfunc.c: the window functions of SQL, and how they are found. */
#include "func/winfunc.h"

#include "base/bytes.h"
#include "func/func_int.h"

#include <strings.h>

static int win_number(int64_t v, struct winfunc_result *ret)
{
    *ret = (struct winfunc_result){.answer = WINFUNC_VALUE, .v.i64 = v};
    return 0;
}

static int win_double(double v, struct winfunc_result *ret)
{
    *ret = (struct winfunc_result){.answer = WINFUNC_VALUE, .v.f64 = v};
    return 0;
}

static int win_null(struct winfunc_result *ret)
{
    *ret = (struct winfunc_result){.answer = WINFUNC_NULL};
    return 0;
}

static int win_pick(int64_t row, struct winfunc_result *ret)
{
    *ret = (struct winfunc_result){.answer = WINFUNC_ROW, .row = row};
    return 0;
}

static int win_row_number(const struct winfunc_row *w,
                          const struct datum *args DN_UNUSED,
                          struct winfunc_result *ret,
                          struct dn_err *err DN_UNUSED)
{
    return win_number(w->row + 1, ret);
}

static int win_rank(const struct winfunc_row *w,
                    const struct datum *args DN_UNUSED,
                    struct winfunc_result *ret,
                    struct dn_err *err DN_UNUSED)
{
    return win_number(w->peers.first + 1, ret);
}

static int win_dense_rank(const struct winfunc_row *w,
                          const struct datum *args DN_UNUSED,
                          struct winfunc_result *ret,
                          struct dn_err *err DN_UNUSED)
{
    return win_number(w->groups_before + 1, ret);
}

static int win_percent_rank(const struct winfunc_row *w,
                            const struct datum *args DN_UNUSED,
                            struct winfunc_result *ret,
                            struct dn_err *err DN_UNUSED)
{
    return win_double(w->rows > 1 ? (double)w->peers.first / (double)(w->rows - 1) : 0, ret);
}

static int win_cume_dist(const struct winfunc_row *w,
                         const struct datum *args DN_UNUSED,
                         struct winfunc_result *ret,
                         struct dn_err *err DN_UNUSED)
{
    return win_double((double)w->peers.end / (double)w->rows, ret);
}

/* Buckets differ by one row at most; the larger ones come first. */
static int win_ntile(const struct winfunc_row *w,
                     const struct datum *args,
                     struct winfunc_result *ret,
                     struct dn_err *err)
{
    int64_t n = args[0].v.i64;
    int64_t size;
    int64_t larger;
    int rc;

    if (args[0].null)
        return win_null(ret);
    if (n <= 0) {
        rc = DN_FAIL(err, DN_E_BAD_NTILE, "argument of ntile must be greater than zero");
        dn_err_at(err, w->pos);
        return rc;
    }
    size = w->rows / n;
    larger = w->rows % n; /* so many have size + 1 */
    if (w->row < larger * (size + 1))
        return win_number(w->row / (size + 1) + 1, ret);
    return win_number(larger + (w->row - larger * (size + 1)) / size + 1, ret);
}

static int win_away(const struct winfunc_row *w,
                    const struct datum *offset,
                    int64_t sign,
                    struct winfunc_result *ret)
{
    int64_t by;
    int64_t to;

    if (offset->null)
        return win_null(ret);
    if (__builtin_mul_overflow(offset->v.i64, sign, &by) ||
        __builtin_add_overflow(w->row, by, &to) || to < 0 || to >= w->rows) {
        *ret = (struct winfunc_result){.answer = WINFUNC_ARG};
        return 0;
    }
    return win_pick(to, ret);
}

static int win_lag(const struct winfunc_row *w,
                   const struct datum *args,
                   struct winfunc_result *ret,
                   struct dn_err *err DN_UNUSED)
{
    return win_away(w, &args[1], -1, ret);
}

static int win_lead(const struct winfunc_row *w,
                    const struct datum *args,
                    struct winfunc_result *ret,
                    struct dn_err *err DN_UNUSED)
{
    return win_away(w, &args[1], 1, ret);
}

static int win_step(const struct winfunc_row *w, int64_t by, struct winfunc_result *ret)
{
    int64_t to = w->row + by;

    return to < 0 || to >= w->rows ? win_null(ret) : win_pick(to, ret);
}

static int win_lag_one(const struct winfunc_row *w,
                       const struct datum *args DN_UNUSED,
                       struct winfunc_result *ret,
                       struct dn_err *err DN_UNUSED)
{
    return win_step(w, -1, ret);
}

static int win_lead_one(const struct winfunc_row *w,
                        const struct datum *args DN_UNUSED,
                        struct winfunc_result *ret,
                        struct dn_err *err DN_UNUSED)
{
    return win_step(w, 1, ret);
}

/* lag(x, n): nothing is given for rows outside. */
static int win_plain(struct winfunc_result *ret)
{
    return ret->answer == WINFUNC_ARG ? win_null(ret) : 0;
}

static int win_lag_by(const struct winfunc_row *w,
                      const struct datum *args,
                      struct winfunc_result *ret,
                      struct dn_err *err DN_UNUSED)
{
    int rc = win_away(w, &args[1], -1, ret);

    return rc < 0 ? rc : win_plain(ret);
}

static int win_lead_by(const struct winfunc_row *w,
                       const struct datum *args,
                       struct winfunc_result *ret,
                       struct dn_err *err DN_UNUSED)
{
    int rc = win_away(w, &args[1], 1, ret);

    return rc < 0 ? rc : win_plain(ret);
}

static int win_first_value(const struct winfunc_row *w,
                           const struct datum *args DN_UNUSED,
                           struct winfunc_result *ret,
                           struct dn_err *err DN_UNUSED)
{
    return w->frame_count ? win_pick(w->frame[0].first, ret) : win_null(ret);
}

static int win_last_value(const struct winfunc_row *w,
                          const struct datum *args DN_UNUSED,
                          struct winfunc_result *ret,
                          struct dn_err *err DN_UNUSED)
{
    return w->frame_count ? win_pick(w->frame[w->frame_count - 1].end - 1, ret) : win_null(ret);
}

static int win_nth_value(const struct winfunc_row *w,
                         const struct datum *args,
                         struct winfunc_result *ret,
                         struct dn_err *err)
{
    int64_t n = args[1].v.i64;
    int rc;

    if (args[1].null)
        return win_null(ret);
    if (n <= 0) {
        rc = DN_FAIL(err, DN_E_BAD_NTH_VALUE, "argument of nth_value must be greater than zero");
        dn_err_at(err, w->pos);
        return rc;
    }
    for (uint32_t i = 0; i < w->frame_count; i++) {
        int64_t size = w->frame[i].end - w->frame[i].first;

        if (n <= size)
            return win_pick(w->frame[i].first + n - 1, ret);
        n -= size;
    }
    return win_null(ret);
}

/* ---- the table ---- */

/* Examples are over the rows 10, 20, 20, 40 in that order; tests run them. */
static const struct winfunc winfunc_rows[] = {
    {"row_number",
     {0},
     0,
     TYPE_BIGINT,
     false,
     win_row_number,
     false,
     "Number of the row in its partition, from 1.",
     "row_number() = 1, 2, 3, 4",
     WINFUNC_REACH_NUMBER},
    {"rank",
     {0},
     0,
     TYPE_BIGINT,
     false,
     win_rank,
     false,
     "Number of the first row of the peers: rank with gaps.",
     "rank() = 1, 2, 2, 4",
     WINFUNC_REACH_PEERS},
    {"dense_rank",
     {0},
     0,
     TYPE_BIGINT,
     false,
     win_dense_rank,
     false,
     "Number of the group of peers: rank without gaps.",
     "dense_rank() = 1, 2, 2, 3",
     WINFUNC_REACH_PEERS},
    {"percent_rank",
     {0},
     0,
     TYPE_DOUBLE,
     false,
     win_percent_rank,
     false,
     "(rank - 1) / (rows - 1); 0 for a single row.",
     "percent_rank() = 0, 0.3333333333333333, 0.3333333333333333, 1",
     WINFUNC_REACH_ALL},
    {"cume_dist",
     {0},
     0,
     TYPE_DOUBLE,
     false,
     win_cume_dist,
     false,
     "Part of the rows up to the last peer.",
     "cume_dist() = 0.25, 0.75, 0.75, 1",
     WINFUNC_REACH_ALL},
    {"ntile",
     {TYPE_BIGINT},
     1,
     TYPE_BIGINT,
     false,
     win_ntile,
     true,
     "Number of the bucket when the partition is split into so many of about equal size.",
     "ntile(3) = 1, 1, 2, 3",
     WINFUNC_REACH_ALL},
    {"lag",
     {TYPE_NONE},
     1,
     TYPE_NONE,
     false,
     win_lag_one,
     false,
     "The value in the row before; NULL where there is none.",
     "lag(x) = NULL, 10, 20, 20",
     WINFUNC_REACH_BACK},
    {"lag",
     {TYPE_NONE, TYPE_BIGINT},
     2,
     TYPE_NONE,
     false,
     win_lag_by,
     false,
     "The value so many rows before; NULL where there is none.",
     "lag(x, 2) = NULL, NULL, 10, 20",
     WINFUNC_REACH_BACK},
    {"lag",
     {TYPE_NONE, TYPE_BIGINT, TYPE_NONE},
     3,
     TYPE_NONE,
     false,
     win_lag,
     false,
     "The value so many rows before; the third argument where there is none.",
     "lag(x, 2, 0) = 0, 0, 10, 20",
     WINFUNC_REACH_BACK},
    {"lead",
     {TYPE_NONE},
     1,
     TYPE_NONE,
     false,
     win_lead_one,
     false,
     "The value in the row behind; NULL where there is none.",
     "lead(x) = 20, 20, 40, NULL",
     WINFUNC_REACH_AHEAD},
    {"lead",
     {TYPE_NONE, TYPE_BIGINT},
     2,
     TYPE_NONE,
     false,
     win_lead_by,
     false,
     "The value so many rows behind; NULL where there is none.",
     "lead(x, 2) = 20, 40, NULL, NULL",
     WINFUNC_REACH_AHEAD},
    {"lead",
     {TYPE_NONE, TYPE_BIGINT, TYPE_NONE},
     3,
     TYPE_NONE,
     false,
     win_lead,
     false,
     "The value so many rows behind; the third argument where there is none.",
     "lead(x, 2, 0) = 20, 40, 0, 0",
     WINFUNC_REACH_AHEAD},
    {"first_value",
     {TYPE_NONE},
     1,
     TYPE_NONE,
     true,
     win_first_value,
     false,
     "The value in the first row of the frame.",
     "first_value(x) = 10, 10, 10, 10",
     WINFUNC_REACH_FRAME},
    {"last_value",
     {TYPE_NONE},
     1,
     TYPE_NONE,
     true,
     win_last_value,
     false,
     "The value in the last row of the frame.",
     "last_value(x) = 10, 20, 20, 40",
     WINFUNC_REACH_FRAME},
    {"nth_value",
     {TYPE_NONE, TYPE_BIGINT},
     2,
     TYPE_NONE,
     true,
     win_nth_value,
     false,
     "The value in the n-th row of the frame, from 1; NULL where there is none.",
     "nth_value(x, 2) = NULL, 20, 20, 20",
     WINFUNC_REACH_FRAME},
};

const struct winfunc *winfunc_at(uint32_t i)
{
    return i < DN_ARRAY_SIZE(winfunc_rows) ? &winfunc_rows[i] : NULL;
}

bool winfunc_name_exists(const char *name)
{
    for (uint32_t i = 0; i < DN_ARRAY_SIZE(winfunc_rows); i++)
        if (strcasecmp(winfunc_rows[i].name, name) == 0)
            return true;
    return false;
}

static bool winfunc_fits(const struct winfunc *f, const enum type_id *types, uint32_t count)
{
    if (count != f->args_count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        enum type_id want = i == 2 ? types[0] : f->args[i];

        if (want != TYPE_NONE && types[i] != TYPE_NONE &&
            func_cast_cost(types[i], want) == UINT32_MAX)
            return false;
    }
    return true;
}

const struct winfunc *winfunc_find(const char *name,
                                   const enum type_id *types,
                                   uint32_t count,
                                   enum type_id *ret_casts,
                                   enum type_id *ret_result,
                                   uint32_t pos,
                                   struct dn_err *err)
{
    struct buf b;

    for (uint32_t i = 0; i < DN_ARRAY_SIZE(winfunc_rows); i++) {
        const struct winfunc *f = &winfunc_rows[i];

        if (strcasecmp(f->name, name) != 0 || !winfunc_fits(f, types, count))
            continue;
        for (uint32_t a = 0; a < count; a++)
            ret_casts[a] = a == 2 ? types[0] : f->args[a] == TYPE_NONE ? types[a] : f->args[a];
        *ret_result = f->result == TYPE_NONE ? types[0] : f->result;
        return f;
    }
    buf_init(&b, NULL);
    for (uint32_t i = 0; i < count; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", type_word(types[i]));
    DN_IGNORE(DN_FAIL(err, /* the result is NULL: that says it all */
                      DN_E_UNDEFINED_FUNCTION,
                      "window function %s(%.*s) does not exist",
                      name,
                      b.failed ? 0 : (int)b.len,
                      b.failed ? "" : (const char *)b.data));
    buf_done(&b);
    dn_err_at(err, pos);
    return NULL;
}
