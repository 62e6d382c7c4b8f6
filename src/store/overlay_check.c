/* SPDX-License-Identifier: Apache-2.0
 *
 * overlay_check.c: both snapshots are read where the keys or ranges lie, and a digest is made of
 * the keys in question with the sequences of their newest versions. Equal digests mean that no row
 * was added, changed or deleted in between. Keys are known by their hashes: two of the same hash
 * could make a conflict out of none, never the other way round. */
#include "store/overlay_check.h"

#include "store/scan_int.h"
#include "store/shard_wait.h"
#include "vec/normkey.h"

#define CHECK_POINTS_MAX 64u /* values of a key column that are looked up one by one */

struct check {
    struct shard *s;
    const struct shard_batch *b;
    const struct table *t;
    const atomic_bool *cancel; /* NULL = never */
    struct arena arena;
    struct hidx index;
    uint64_t *hashes; /* in arena, by id */
    uint32_t hashes_count;
    struct range *copy;      /* reference; NULL: keys */
    struct range_on *range;  /* owned: the same */
    struct scan_pred *preds; /* in arena */
    uint32_t preds_count;
    uint16_t *cols; /* in arena: store columns that are read */
    uint32_t cols_count;
    struct buf key;
};

static bool check_same(const void *ctx, const void *key, uint32_t id)
{
    const struct check *c = ctx;

    return c->hashes[id] == *(const uint64_t *)key;
}

static uint64_t check_rehash(const void *ctx, uint32_t id)
{
    const struct check *c = ctx;

    return c->hashes[id];
}

/* Of the row's identity. */
static uint64_t check_hash(struct check *c, const struct vec *cols, int64_t rowid, uint32_t row)
{
    buf_reset(&c->key);
    if (c->t->form == KEY_NONE)
        buf_u64(&c->key, (uint64_t)rowid);
    for (uint16_t i = 0; i < c->t->local_count; i++)
        normkey_append_vec(&c->key, &cols[c->t->local[i].col], row, false);
    return c->key.failed ? 0 : dn_hash64(c->key.data, c->key.len, 0);
}

static int check_keys(struct check *c, struct dn_err *err)
{
    const struct shard_batch *b = c->b;

    c->hashes = arena_alloc_array(&c->arena, (size_t)b->rows + 1, sizeof *c->hashes);
    if (!c->hashes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < b->rows; row++) {
        int rc = row % VEC_ROWS_MAX == 0 ? shard_check_cancel(c->cancel, err) : DN_OK;
        uint64_t hash = check_hash(c, b->cols, b->rowids ? b->rowids[row] : 0, row);

        if (rc < 0)
            return rc;
        if (c->key.failed)
            return DN_FAIL_NOMEM(err);
        if (hidx_find(&c->index, hash, check_same, c, &hash) != UINT32_MAX)
            continue;
        c->hashes[c->hashes_count] = hash;
        if (!hidx_add(&c->index, hash, c->hashes_count, check_rehash, c))
            return DN_FAIL_NOMEM(err);
        c->hashes_count++;
    }
    return DN_OK;
}

/* ---- where to look ---- */

static void check_pred(struct check *c, uint16_t col, struct interval *set, uint32_t count)
{
    c->preds[c->preds_count++] = (struct scan_pred){.col = col, .set = set, .set_count = count};
}

/* A value into the ascending list of points; false: no room. */
static bool check_point(struct interval *set, uint32_t *count, const struct datum *d)
{
    uint32_t at = *count;

    while (at > 0 && datum_cmp(d, &set[at - 1].lo) < 0)
        at--;
    if (at > 0 && datum_cmp(d, &set[at - 1].lo) == 0)
        return true;
    if (*count == CHECK_POINTS_MAX)
        return false;
    for (uint32_t i = *count; i > at; i--)
        set[i] = set[i - 1];
    set[at] = (struct interval){
        .has_lo = true, .lo_incl = true, .has_hi = true, .hi_incl = true, .lo = *d, .hi = *d};
    ++*count;
    return true;
}

/* Some values of a key column, or all from the least to the greatest. */
static int check_column(struct check *c, uint16_t col, struct dn_err *err)
{
    const struct vec *v = &c->b->cols[col];
    struct interval *set = arena_calloc(&c->arena, CHECK_POINTS_MAX, sizeof *set);
    struct interval all = {.has_lo = true, .lo_incl = true, .has_hi = true, .hi_incl = true};
    uint32_t count = 0;
    bool points = true;

    if (!set)
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < c->b->rows; row++) {
        struct datum d = vec_datum(v, row);

        all.lo = row == 0 || datum_cmp(&d, &all.lo) < 0 ? d : all.lo;
        all.hi = row == 0 || datum_cmp(&d, &all.hi) > 0 ? d : all.hi;
        points = points && check_point(set, &count, &d);
    }
    if (!points) {
        set[0] = all;
        count = 1;
    }
    check_pred(c, col, set, count);
    return DN_OK;
}

static int check_range(struct check *c, struct dn_err *err)
{
    struct range_list list = {.v = &c->copy, .count = 1};
    uint32_t count;
    int rc;

    c->copy = range_new(&c->s->owner, c->b->range, c->t->id, UINT64_MAX);
    rc = c->copy ? range_resolve(c->t, &list, &c->s->owner, &c->range, &count, err)
                 : DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == DN_OK && i < c->copy->bounds_count; i++) {
        struct range_bound *b = &c->copy->bounds[i];

        check_pred(c, (uint16_t)table_column_by_id(c->t, b->col_id), &b->iv, 1);
    }
    return rc;
}

static int check_prepare(struct check *c, struct dn_err *err)
{
    const struct table *t = c->t;
    int rc = DN_OK;

    c->preds = arena_calloc(&c->arena, (size_t)t->columns_count + 1, sizeof *c->preds);
    c->cols = arena_calloc(&c->arena, (size_t)t->local_count + 3, sizeof *c->cols);
    if (!c->preds || !c->cols)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->local_count; i++)
        c->cols[c->cols_count++] = t->local[i].col;
    if (t->time_col >= 0 && t->columns[t->time_col].key_pos == 0)
        c->cols[c->cols_count++] = (uint16_t)t->time_col;
    c->cols[c->cols_count++] = (uint16_t)(t->columns_count + HIDDEN_SEQ);
    if (t->form == KEY_NONE)
        c->cols[c->cols_count++] = (uint16_t)(t->columns_count + HIDDEN_ROWID);
    if (c->b->op == ROW_RANGE)
        return check_range(c, err);
    rc = check_keys(c, err);
    for (uint16_t i = 0; rc == DN_OK && i < t->local_count; i++)
        rc = check_column(c, t->local[i].col, err);
    return rc;
}

/* ---- digests ---- */

static int check_batch(struct check *c, const struct batch *b, uint64_t *digest, struct dn_err *err)
{
    const struct table *t = c->t;
    struct vec *cols = arena_calloc(&c->arena, store_cols_count(t), sizeof *cols);

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->cols_count; i++)
        cols[c->cols[i]] = b->cols[i];
    for (uint32_t k = 0; k < b->sel_count; k++) {
        uint32_t row = b->sel ? b->sel[k] : k;
        int64_t rowid =
            t->form == KEY_NONE ? vec_i64(&cols[t->columns_count + HIDDEN_ROWID], row) : 0;
        uint64_t seq = (uint64_t)vec_i64(&cols[t->columns_count + HIDDEN_SEQ], row);
        uint64_t hash = check_hash(c, cols, rowid, row);

        if (c->key.failed)
            return DN_FAIL_NOMEM(err);
        if (c->range ? shard_range_hits(c->range, t, cols, row)
                     : hidx_find(&c->index, hash, check_same, c, &hash) != UINT32_MAX)
            *digest += dn_mix64(hash ^ dn_mix64(seq));
    }
    return DN_OK;
}

static int
check_digest(struct check *c, struct snapshot *snap, uint64_t *ret_digest, struct dn_err *err)
{
    const struct scan_spec spec = {.table = c->t,
                                   .cols = c->cols,
                                   .cols_count = c->cols_count,
                                   .preds = c->preds,
                                   .preds_count = c->preds_count,
                                   .cancel = c->cancel,
                                   .owner = &c->s->owner};
    struct scan *scan;
    struct batch b;
    int rc = scan_open(snap, &spec, &scan, err);

    *ret_digest = 0;
    if (rc < 0)
        return rc;
    while (rc == DN_OK && (rc = scan_next(scan, &b, err)) == DN_OK) {
        rc = shard_check_cancel(c->cancel, err);
        if (rc == DN_OK)
            rc = check_batch(c, &b, ret_digest, err);
    }
    scan_close(scan);
    return rc == DN_EOF ? DN_OK : rc;
}

static int check_one(struct shard *s,
                     struct snapshot *base,
                     struct snapshot *now,
                     const struct table *t,
                     const struct shard_batch *b,
                     const atomic_bool *cancel,
                     struct dn_err *err)
{
    struct check c = {.s = s, .b = b, .t = t, .cancel = cancel};
    uint64_t before = 0;
    uint64_t after = 0;
    int rc;

    arena_init(&c.arena, &s->owner);
    hidx_init(&c.index, &s->owner);
    buf_init(&c.key, &s->owner);
    rc = check_prepare(&c, err);
    if (rc == DN_OK)
        rc = check_digest(&c, base, &before, err);
    if (rc == DN_OK)
        rc = check_digest(&c, now, &after, err);
    if (rc == DN_OK && before != after)
        rc = DN_FAIL(err,
                     DN_E_CONFLICT,
                     "rows of table \"%s\" were changed by another session meanwhile",
                     b->table->name);
    mem_free(c.range);
    range_unref(c.copy);
    buf_done(&c.key);
    hidx_done(&c.index);
    arena_done(&c.arena);
    return rc;
}

/* Both snapshots read the table with the same definition. */
static int check_definition(const struct snapshot *now, const struct table *t, struct dn_err *err)
{
    for (size_t i = 0; i < now->ver->segs_count; i++)
        if (now->ver->segs[i]->meta.table_id == t->id &&
            now->ver->segs[i]->table->version != t->version)
            return DN_FAIL(err,
                           DN_E_TABLE_CHANGED,
                           "table \"%s\" was altered by another session meanwhile",
                           t->name);
    return DN_OK;
}

int overlay_check(struct shard *s,
                  struct snapshot *base,
                  const struct catalog *cat,
                  struct shard_batch *batches,
                  size_t count,
                  const atomic_bool *cancel,
                  struct dn_err *err)
{
    struct snapshot *now = shard_snapshot(s);
    int rc = now ? DN_OK : DN_FAIL_NOMEM(err);

    if (now)
        now->now_ns = base->now_ns; /* a row that expired meanwhile is not one that was changed */
    for (size_t i = 0; rc == DN_OK && i < count; i++) {
        const struct table *t =
            batches[i].check_seq ? catalog_table_by_id(cat, batches[i].table->id) : NULL;

        if (!t) /* not to be checked, or new */
            continue;
        rc = check_definition(now, t, err);
        if (rc == DN_OK)
            rc = check_one(s, base, now, t, &batches[i], cancel, err);
    }
    for (size_t i = 0; rc == DN_OK && i < count; i++)
        if (batches[i].check_seq)
            batches[i].check_seq = now->seq;
    snapshot_free(now);
    return rc;
}
