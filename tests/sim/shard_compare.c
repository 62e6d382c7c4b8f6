/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_compare.c: what a scan returns against the model. */
#include "shard_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_sorted {
    const struct model_row *row;
    struct buf key;
};

static int model_sorted_cmp(const void *a, const void *b)
{
    const struct model_sorted *x = a;
    const struct model_sorted *y = b;
    size_t n = x->key.len < y->key.len ? x->key.len : y->key.len;
    int c = memcmp(x->key.data, y->key.data, n);

    return c ? c : x->key.len < y->key.len ? -1 : x->key.len > y->key.len;
}

static void model_key(const struct table *t, const struct model_row *row, struct buf *key)
{
    struct vec vecs[MODEL_COLS_MAX + HIDDEN_MAX];
    struct arena arena;
    struct datum rowid = {.type = TYPE_BIGINT, .v.i64 = (int64_t)row->rowid};

    arena_init(&arena, NULL);
    memset(vecs, 0, sizeof vecs);
    for (uint32_t c = 0; c < t->columns_count; c++)
        DN_ASSERT(vec_make_const(&arena, &row->v[c], 1, &vecs[c]));
    DN_ASSERT(vec_make_const(&arena, &rowid, 1, &vecs[t->columns_count + HIDDEN_ROWID]));
    rows_key(t, vecs, 0, key);
    arena_done(&arena);
}

static bool
model_matches(const struct model_row *row, const struct scan_pred *preds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool hit = false;
        for (uint32_t k = 0; !hit && k < preds[i].set_count; k++)
            hit = model_in(&preds[i].set[k], &row->v[preds[i].col]);
        if (!hit)
            return false;
    }
    return true;
}

static bool model_same(const struct datum *a, const struct datum *b)
{
    if (a->null || b->null)
        return a->null && b->null;
    return datum_cmp(a, b) == 0;
}

/* Random constraints; strings are freed by the caller through the datums. */
static uint32_t model_random_preds(struct rng *r,
                                   const struct table *t,
                                   struct scan_pred *preds,
                                   struct interval *ivs)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < t->columns_count; c++) {
        struct interval *iv = &ivs[c];
        if (rng_below(r, 3))
            continue;
        memset(iv, 0, sizeof *iv);
        iv->lo = model_random_datum(r, t->columns[c].type, false);
        iv->hi = model_random_datum(r, t->columns[c].type, false);
        iv->has_lo = iv->lo_incl = true;
        iv->has_hi = iv->hi_incl = true;
        if (rng_below(r, 2)) {
            model_datum_free(&iv->hi);
            iv->hi = model_datum_copy(&iv->lo);
        } else if (datum_cmp(&iv->lo, &iv->hi) > 0) {
            struct datum swap = iv->lo;
            iv->lo = iv->hi;
            iv->hi = swap;
        }
        preds[count++] = (struct scan_pred){.col = (uint16_t)c, .set = iv, .set_count = 1};
    }
    return count;
}

static const char *model_check_batch(const struct model *m,
                                     const struct batch *b,
                                     const struct scan_pred *preds,
                                     uint32_t preds_count,
                                     const struct model_sorted *want,
                                     size_t want_count,
                                     size_t *at)
{
    static char text[300];

    for (uint32_t i = 0; i < b->sel_count; i++) {
        uint32_t row = b->sel ? b->sel[i] : i;
        struct model_row got = {.rowid = 0};
        for (uint32_t c = 0; c < m->t->columns_count; c++)
            got.v[c] = vec_datum(&b->cols[c], row);
        if (!model_matches(&got, preds, preds_count))
            continue;
        if (*at >= want_count) {
            (void)snprintf(text, sizeof text, "more than the %zu rows expected", want_count);
            return text;
        }
        for (uint32_t c = 0; c < m->t->columns_count; c++) {
            if (!model_same(&got.v[c], &want[*at].row->v[c])) {
                (void)snprintf(text,
                               sizeof text,
                               "row %zu of %zu, column %u differs (null %d/%d, i64 %lld/%lld)",
                               *at,
                               want_count,
                               c,
                               got.v[c].null,
                               want[*at].row->v[c].null,
                               (long long)got.v[c].v.i64,
                               (long long)want[*at].row->v[c].v.i64);
                return text;
            }
        }
        (*at)++;
    }
    return NULL;
}

static uint64_t model_row_hash(const struct datum *v, uint32_t count)
{
    uint64_t h = 0;

    for (uint32_t c = 0; c < count; c++) {
        uint64_t x = v[c].null ? 77 : type_is_fixed(v[c].type) ? (uint64_t)v[c].v.i64 : 5;
        for (uint32_t i = 0; !v[c].null && type_is_string(v[c].type) && i < v[c].str.len; i++)
            x = x * 31 + (uint8_t)v[c].str.ptr[i];
        h = (h ^ x) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* The same rows when they may come in any order. */
static const char *model_compare_any_order(struct snapshot *snap,
                                           const struct scan_spec *spec,
                                           const struct model_sorted *want,
                                           size_t want_count)
{
    static char text[400];
    struct scan *scan = NULL;
    struct batch b;
    struct dn_err err;
    uint64_t sum = 0;
    size_t count = 0;
    int rc = scan_open(snap, spec, &scan, &err);

    if (rc == DN_OK)
        rc = scan_any_order(scan, &err);
    for (size_t i = 0; i < want_count; i++)
        sum += model_row_hash(want[i].row->v, spec->cols_count);
    while (rc == DN_OK && (rc = scan_next(scan, &b, &err)) == DN_OK)
        for (uint32_t i = 0; i < b.sel_count; i++) {
            struct model_row got = {.rowid = 0};
            for (uint32_t c = 0; c < spec->cols_count; c++)
                got.v[c] = vec_datum(&b.cols[c], b.sel ? b.sel[i] : i);
            if (!model_matches(&got, spec->preds, spec->preds_count))
                continue;
            sum -= model_row_hash(got.v, spec->cols_count);
            count++;
        }
    scan_close(scan);
    if (rc == DN_EOF && count == want_count && sum == 0)
        return NULL;
    (void)snprintf(text,
                   sizeof text,
                   "in any order %zu rows of %zu, others than expected: %.300s",
                   count,
                   want_count,
                   rc < 0 ? err.text : "");
    return text;
}

const char *model_compare(const struct model *m, struct shard *s, struct rng *r)
{
    static char text[400];
    struct scan_pred preds[MODEL_COLS_MAX];
    struct interval ivs[MODEL_COLS_MAX];
    uint16_t cols[MODEL_COLS_MAX];
    uint32_t preds_count = r && rng_below(r, 2) ? model_random_preds(r, m->t, preds, ivs) : 0;
    struct model_sorted *want = mem_calloc(NULL, m->count, sizeof *want);
    struct snapshot *snap = shard_snapshot(s);
    struct scan_spec spec = {.table = m->t,
                             .cols = cols,
                             .cols_count = m->t->columns_count,
                             .preds = preds,
                             .preds_count = preds_count};
    struct scan *scan = NULL;
    struct batch b;
    struct dn_err err;
    const char *bad = NULL;
    size_t want_count = 0;
    size_t at = 0;
    int rc;

    DN_ASSERT(want && snap);
    for (uint32_t c = 0; c < m->t->columns_count; c++)
        cols[c] = (uint16_t)c;
    for (size_t i = 0; i < m->count; i++) {
        if (rows_expired(m->rows[i].expiry_ns, snapshot_now(snap)) ||
            !model_matches(&m->rows[i], preds, preds_count))
            continue;
        want[want_count].row = &m->rows[i];
        buf_init(&want[want_count].key, NULL);
        model_key(m->t, &m->rows[i], &want[want_count].key);
        want_count++;
    }
    qsort(want, want_count, sizeof *want, model_sorted_cmp);
    rc = scan_open(snap, &spec, &scan, &err);
    while (rc == DN_OK && !bad && (rc = scan_next(scan, &b, &err)) == DN_OK)
        bad = model_check_batch(m, &b, preds, preds_count, want, want_count, &at);
    if (rc < 0) {
        (void)snprintf(text, sizeof text, "scan failed: %.300s", err.text);
        bad = text;
    } else if (!bad && at < want_count) {
        (void)snprintf(
            text, sizeof text, "%zu rows of %zu (%u constraints)", at, want_count, preds_count);
        bad = text;
    }
    scan_close(scan);
    if (!bad && r && rng_below(r, 2))
        bad = model_compare_any_order(snap, &spec, want, want_count);
    snapshot_free(snap);
    for (size_t i = 0; i < want_count; i++)
        buf_done(&want[i].key);
    for (uint32_t i = 0; i < preds_count; i++) {
        model_datum_free(&ivs[preds[i].col].lo);
        model_datum_free(&ivs[preds[i].col].hi);
    }
    mem_free(want);
    return bad;
}
