/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_query.c: random queries over one table of the model, evaluated by loops over its rows. */
#include "sql_where.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define Q_ITEMS_MAX 5u

enum q_agg { Q_COUNT_STAR, Q_COUNT, Q_SUM, Q_AVG, Q_MIN, Q_MAX, Q_AGG_MAX };

struct q_item {
    bool is_agg;
    enum q_agg agg;
    uint32_t col;
    int64_t add; /* plain integer columns: + add */
};

struct query {
    const struct sqlm_table *t;
    struct rng *r;
    struct q_where where;
    struct q_item items[Q_ITEMS_MAX];
    uint32_t items_count;
    uint32_t group[2];
    uint32_t group_count;
    bool grouped; /* aggregates or GROUP BY */
    bool distinct;
    uint32_t order[2]; /* index of an item */
    bool desc[2];
    uint32_t order_count;
    int64_t limit; /* -1 = none */
    int64_t offset;
    struct buf sql;
};

static const char *const q_aggs[Q_AGG_MAX] = {"COUNT", "COUNT", "SUM", "AVG", "MIN", "MAX"};

/* ---- select list ---- */

static bool q_agg_takes(enum q_agg agg, enum dendro_type type)
{
    if (agg == Q_SUM || agg == Q_AVG)
        return sql_type_is_int(type) || sql_type_is_float(type);
    return true;
}

static void q_items_random(struct query *q)
{
    struct rng *r = q->r;
    uint32_t n = 1 + rng_below(r, 3);

    q->grouped = rng_one_in(r, 2);
    if (q->grouped) {
        q->group_count = rng_below(r, 3);
        for (uint32_t i = 0; i < q->group_count; i++) {
            q->group[i] = rng_below(r, q->t->cols_count);
            if (i && q->group[i] == q->group[0]) {
                q->group_count = 1;
                break;
            }
            q->items[q->items_count++] = (struct q_item){.col = q->group[i]};
        }
        for (uint32_t i = 0; i < n; i++) {
            struct q_item item = {.is_agg = true, .agg = (enum q_agg)rng_below(r, Q_AGG_MAX)};
            item.col = rng_below(r, q->t->cols_count);
            if (!q_agg_takes(item.agg, q->t->cols[item.col].type))
                item.agg = Q_COUNT;
            q->items[q->items_count++] = item;
        }
        return;
    }
    q->distinct = rng_one_in(r, 5);
    for (uint32_t i = 0; i < n; i++) {
        struct q_item item = {.col = rng_below(r, q->t->cols_count)};
        const struct sqlm_col *c = &q->t->cols[item.col];
        if (sql_type_is_int(c->type) && !c->wide && rng_one_in(r, 4))
            item.add = 1 + rng_below(r, 5);
        q->items[q->items_count++] = item;
    }
}

static void q_item_print(struct query *q, const struct q_item *item)
{
    const char *col = q->t->cols[item->col].name;

    if (item->is_agg)
        buf_printf(&q->sql, "%s(%s)", q_aggs[item->agg], item->agg == Q_COUNT_STAR ? "*" : col);
    else if (item->add)
        buf_printf(&q->sql, "%s + %" PRId64, col, item->add);
    else
        buf_puts(&q->sql, col);
}

static void q_random(struct query *q)
{
    struct rng *r = q->r;
    struct buf *b = &q->sql;

    buf_init(b, NULL);
    q_items_random(q);
    q->limit = rng_one_in(r, 4) ? (int64_t)rng_below(r, 12) : -1;
    q->offset = rng_one_in(r, 6) ? (int64_t)rng_below(r, 6) : 0;
    q->order_count = rng_below(r, 3);
    if (q->order_count > q->items_count)
        q->order_count = q->items_count;
    for (uint32_t i = 0; i < q->order_count; i++) {
        q->order[i] = rng_below(r, q->items_count);
        q->desc[i] = rng_one_in(r, 2);
    }
    buf_printf(b, "SELECT %s", q->distinct ? "DISTINCT " : "");
    for (uint32_t i = 0; i < q->items_count; i++) {
        buf_puts(b, i ? ", " : "");
        q_item_print(q, &q->items[i]);
    }
    buf_printf(b, " FROM %s", q->t->name);
    if (rng_below(r, 5)) {
        q_where_random(&q->where, q->t, r);
        buf_puts(b, " WHERE ");
        q_where_print(&q->where, r, b);
    }
    for (uint32_t i = 0; i < q->group_count; i++)
        buf_printf(b, "%s%s", i ? ", " : " GROUP BY ", q->t->cols[q->group[i]].name);
    for (uint32_t i = 0; i < q->order_count; i++)
        buf_printf(b,
                   "%s%u%s",
                   i ? ", " : " ORDER BY ",
                   q->order[i] + 1,
                   q->desc[i]         ? " DESC"
                   : rng_one_in(r, 2) ? " ASC"
                                      : "");
    if (q->limit >= 0)
        buf_printf(b, " LIMIT %" PRId64, q->limit);
    if (q->offset)
        buf_printf(b, " OFFSET %" PRId64, q->offset);
    buf_u8(b, 0);
    DN_ASSERT(!b->failed);
}

static void q_done(struct query *q)
{
    q_where_done(&q->where);
    buf_done(&q->sql);
}

/* ---- evaluation ---- */

/* False: the sum does not fit. */
static bool q_aggregate(const struct q_item *item,
                        const struct sqlm_col *col,
                        const struct sql_rows *rows,
                        const bool *in,
                        struct sql_value *ret)
{
    __extension__ typedef __int128 wide;
    wide sum = 0;
    double fsum = 0;
    int64_t count = 0;
    const struct sql_value *best = NULL;
    bool is_float = sql_type_is_float(col->type);

    for (size_t i = 0; i < rows->count; i++) {
        const struct sql_value *v = &sql_row(rows, i)[item->col];
        if (!in[i] || (v->null && item->agg != Q_COUNT_STAR))
            continue;
        count++;
        if (item->agg == Q_COUNT_STAR)
            continue;
        if (is_float)
            fsum += v->f64;
        else if (sql_type_is_int(col->type))
            sum += v->i64;
        if (!best || (item->agg == Q_MIN && sql_value_cmp(v, best) < 0) ||
            (item->agg == Q_MAX && sql_value_cmp(v, best) > 0))
            best = v;
    }
    *ret = (struct sql_value){.type = DENDRO_TYPE_BIGINT, .i64 = count};
    switch (item->agg) {
    case Q_COUNT_STAR:
    case Q_COUNT:
        return true;
    case Q_SUM:
        ret->null = count == 0;
        ret->type = is_float ? col->type : DENDRO_TYPE_BIGINT;
        ret->rounded = col->type == DENDRO_TYPE_REAL;
        ret->f64 = ret->rounded ? (double)(float)fsum : fsum;
        ret->i64 = (int64_t)sum;
        return is_float || (sum >= INT64_MIN && sum <= INT64_MAX);
    case Q_AVG:
        ret->null = count == 0;
        ret->type = DENDRO_TYPE_DOUBLE;
        ret->f64 = count ? (is_float ? fsum : (double)sum) / (double)count : 0;
        return true;
    case Q_MIN:
    case Q_MAX:
        *ret = best ? sql_value_copy(best) : (struct sql_value){.null = true};
        ret->type = col->type;
        return true;
    case Q_AGG_MAX:
        break;
    }
    return false;
}

static bool
q_same_group(const struct query *q, const struct sql_value *a, const struct sql_value *b)
{
    for (uint32_t i = 0; i < q->group_count; i++)
        if (sql_value_cmp(&a[q->group[i]], &b[q->group[i]]) != 0)
            return false;
    return true;
}

/* One row of the result out of the rows marked `in`, of which `first` is one (or NULL: none). */
static bool q_group_out(const struct query *q,
                        const bool *in,
                        const struct sql_value *first,
                        struct sql_rows *ret)
{
    struct sql_value *out = sql_rows_add(ret);
    bool ok = true;

    for (uint32_t k = 0; k < q->items_count; k++) {
        const struct q_item *item = &q->items[k];
        if (item->is_agg)
            ok &= q_aggregate(item, &q->t->cols[item->col], &q->t->rows, in, &out[k]);
        else
            out[k] = sql_value_copy(&first[item->col]);
    }
    return ok;
}

static bool q_eval_grouped(const struct query *q, const bool *hit, struct sql_rows *ret)
{
    const struct sql_rows *rows = &q->t->rows;
    bool *in = mem_calloc(NULL, rows->count + 1, sizeof *in);
    bool *seen = mem_calloc(NULL, rows->count + 1, sizeof *seen);
    bool ok = true;

    DN_ASSERT(in && seen);
    if (q->group_count == 0)
        ok = q_group_out(q, hit, NULL, ret);
    for (size_t i = 0; q->group_count && i < rows->count; i++) {
        if (!hit[i] || seen[i])
            continue;
        for (size_t k = 0; k < rows->count; k++) {
            in[k] = hit[k] && q_same_group(q, sql_row(rows, i), sql_row(rows, k));
            seen[k] |= in[k];
        }
        ok &= q_group_out(q, in, sql_row(rows, i), ret);
    }
    mem_free(in);
    mem_free(seen);
    return ok;
}

static bool q_rows_equal(const struct sql_value *a, const struct sql_value *b, uint32_t cols)
{
    for (uint32_t c = 0; c < cols; c++)
        if (!sql_value_same(&a[c], &b[c]))
            return false;
    return true;
}

static void q_eval_plain(const struct query *q, const bool *hit, struct sql_rows *ret)
{
    const struct sql_rows *rows = &q->t->rows;

    for (size_t i = 0; i < rows->count; i++) {
        struct sql_value *out;
        bool twin = false;
        if (!hit[i])
            continue;
        out = sql_rows_add(ret);
        for (uint32_t k = 0; k < q->items_count; k++) {
            out[k] = sql_value_copy(&sql_row(rows, i)[q->items[k].col]);
            if (q->items[k].add) { /* a small whole number in SQL text is an INTEGER */
                if (out[k].type != DENDRO_TYPE_BIGINT)
                    out[k].type = DENDRO_TYPE_INTEGER;
                out[k].i64 += out[k].null ? 0 : q->items[k].add;
            }
        }
        for (size_t k = 0; q->distinct && k + 1 < ret->count && !twin; k++)
            twin = q_rows_equal(sql_row(ret, k), out, ret->cols);
        if (twin) {
            for (uint32_t k = 0; k < ret->cols; k++)
                sql_value_done(&out[k]);
            ret->count--;
        }
    }
}

/* In the order of ORDER BY: NULL last ascending, first descending. */
static int q_order_cmp(const struct query *q, const struct sql_value *a, const struct sql_value *b)
{
    for (uint32_t i = 0; i < q->order_count; i++) {
        const struct sql_value *x = &a[q->order[i]];
        const struct sql_value *y = &b[q->order[i]];
        int c = sql_value_same(x, y) ? 0 : sql_value_cmp(x, y); /* sums differ in the last bit */
        if (c)
            return q->desc[i] ? -c : c;
    }
    return 0;
}

static const struct query *q_sorting;

static int q_sort_cmp(const void *a, const void *b)
{
    return q_order_cmp(q_sorting, a, b);
}

/* ---- comparison ---- */

static char q_message[3000];

static const char *q_wrong(const struct query *q, const char *what, const struct sql_value *row)
{
    struct buf b;

    buf_init(&b, NULL);
    for (uint32_t i = 0; row && i < q->items_count; i++) {
        buf_puts(&b, i ? "|" : "");
        sql_value_print(&row[i], &b);
    }
    (void)snprintf(q_message,
                   sizeof q_message,
                   "%.1800s\n  %.200s %.*s",
                   (const char *)q->sql.data,
                   what,
                   (int)(b.len < 800 ? b.len : 800),
                   row ? (const char *)b.data : "");
    buf_done(&b);
    return q_message;
}

/* The same, quickly, but for sums that differ in their last bit: true is certain. */
static bool q_surely_in(const struct sql_rows *got, const struct sql_rows *want)
{
    struct sql_rows a;
    struct sql_rows b;
    size_t k = 0;
    size_t i = 0;

    sql_rows_copy(got, &a);
    sql_rows_copy(want, &b);
    sql_rows_sort(&a);
    sql_rows_sort(&b);
    while (i < a.count && k < b.count) {
        i += q_rows_equal(sql_row(&a, i), sql_row(&b, k), a.cols);
        k++;
    }
    k = a.count;
    sql_rows_done(&a);
    sql_rows_done(&b);
    return i == k;
}

/* Each row of `got` is one of `want`, which has each at most as often. */
static const struct sql_value *q_not_in(const struct sql_rows *got, const struct sql_rows *want)
{
    bool *used;
    const struct sql_value *odd = NULL;

    if (q_surely_in(got, want))
        return NULL;
    used = mem_calloc(NULL, want->count + 1, sizeof *used);
    DN_ASSERT(used);
    for (size_t i = 0; i < got->count && !odd; i++) {
        size_t k = 0;
        while (k < want->count &&
               (used[k] || !q_rows_equal(sql_row(got, i), sql_row(want, k), got->cols)))
            k++;
        if (k == want->count)
            odd = sql_row(got, i);
        else
            used[k] = true;
    }
    mem_free(used);
    return odd;
}

static const char *
q_compare_rows(struct query *q, const struct sql_rows *got, struct sql_rows *want)
{
    size_t from = (size_t)q->offset < want->count ? (size_t)q->offset : want->count;
    size_t count = want->count - from;
    const struct sql_value *odd;
    char text[100];

    if (q->limit >= 0 && (size_t)q->limit < count)
        count = (size_t)q->limit;
    if (got->count != count) {
        (void)snprintf(text, sizeof text, "%zu rows instead of %zu", got->count, count);
        return q_wrong(q, text, NULL);
    }
    odd = q_not_in(got, want);
    if (odd)
        return q_wrong(q, "a row that should not be there:", odd);
    q_sorting = q;
    if (want->count)
        qsort(want->v, want->count, want->cols * sizeof *want->v, q_sort_cmp);
    for (size_t i = 0; i < count; i++)
        if (q_order_cmp(q, sql_row(got, i), sql_row(want, from + i)) != 0)
            return q_wrong(q, "a row out of order:", sql_row(got, i));
    return NULL;
}

static bool q_storage_error(int rc)
{
    return rc == DN_E_IO || rc == DN_E_NOSPC;
}

const char *sqlm_query(const struct sqlm_table *t, struct rng *r, dendro_conn *conn, bool faulty)
{
    struct query q = {.t = t, .r = r};
    struct sql_rows got;
    struct sql_rows want = {0};
    struct dendro_error err;
    const char *wrong = NULL;
    bool *hit = mem_calloc(NULL, t->rows.count + 1, sizeof *hit);
    bool fits = true;
    int rc;

    DN_ASSERT(hit);
    q_random(&q);
    want.cols = q.items_count;
    for (size_t i = 0; i < t->rows.count; i++)
        hit[i] = q_where_true(&q.where, sql_row(&t->rows, i));
    if (q.grouped)
        fits = q_eval_grouped(&q, hit, &want);
    else
        q_eval_plain(&q, hit, &want);
    rc = sql_query(conn, (const char *)q.sql.data, &got, &err);
    if (rc < 0 && (!faulty || !q_storage_error(rc)) && (fits || rc != DN_E_OUT_OF_RANGE))
        wrong = q_wrong(&q, err.message, NULL);
    if (rc == 0 && (fits || q.limit != 0)) /* nothing is summed up for LIMIT 0 */
        wrong = fits ? q_compare_rows(&q, &got, &want)
                     : q_wrong(&q, "no error although a sum does not fit", NULL);
    sql_rows_done(&got);
    sql_rows_done(&want);
    mem_free(hit);
    q_done(&q);
    return wrong;
}

/* ---- the whole table ---- */

/* Rows in the order of the local key; only tables without a series promise it for a whole scan. */
static const struct sql_value *q_out_of_order(const struct sqlm_table *t,
                                              const struct sql_rows *got)
{
    for (size_t i = 1; i < got->count; i++) {
        for (uint32_t k = 0; k < t->key_count; k++) {
            int c = sql_value_cmp(&sql_row(got, i - 1)[t->key[k]], &sql_row(got, i)[t->key[k]]);
            if (t->desc[k])
                c = -c;
            if (c > 0)
                return sql_row(got, i);
            if (c < 0)
                break;
        }
    }
    return NULL;
}

const char *sqlm_compare(const struct sqlm_table *t, const struct sql_rows *rows, dendro_conn *conn)
{
    struct query q = {.t = t, .items_count = t->cols_count};
    struct dendro_error err;
    struct sql_rows got;
    const struct sql_value *odd = NULL;
    const char *wrong = NULL;
    char text[160];

    buf_init(&q.sql, NULL);
    buf_printf(&q.sql, "SELECT * FROM %s", t->name);
    buf_u8(&q.sql, 0);
    if (sql_query(conn, (const char *)q.sql.data, &got, &err) < 0) {
        wrong = q_wrong(&q, err.message, NULL);
        buf_done(&q.sql);
        return wrong;
    }
    if (got.count != rows->count) {
        (void)snprintf(text, sizeof text, "%zu rows instead of %zu", got.count, rows->count);
        wrong = q_wrong(&q, text, NULL);
    }
    if (!wrong)
        odd = q_not_in(&got, rows);
    if (odd)
        wrong = q_wrong(&q, "a row that should not be there:", odd);
    if (!wrong && t->series_count == 0 && t->form != SQLM_NONE) {
        odd = q_out_of_order(t, &got);
        if (odd)
            wrong = q_wrong(&q, "a row out of the key's order:", odd);
    }
    sql_rows_done(&got);
    buf_done(&q.sql);
    return wrong;
}
