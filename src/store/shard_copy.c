/* SPDX-License-Identifier: Apache-2.0 */
#include "store/shard_copy.h"

#include "store/shard_load.h"

#include <string.h>

#define COPY_PART_ROWS   16384u
#define COPY_BATCH_BYTES (32u * 1024 * 1024)

struct scan_pred shard_slabs_pred(const struct table *t,
                                  const struct shard_slab_range *ranges,
                                  uint32_t count,
                                  struct interval *set)
{
    const struct datum d = {.type = t->columns[t->time_col].type};

    for (uint32_t i = 0; i < count; i++) {
        int64_t slab = table_slab(t, ranges[i].last);

        set[i] = (struct interval){.lo = d, .hi = d};
        set[i].has_lo = set[i].lo_incl = ranges[i].first != INT64_MIN;
        set[i].lo.v.i64 = ranges[i].first;
        set[i].has_hi = set[i].hi_incl = ranges[i].last != INT64_MAX;
        /* `last` may be just before a slab that is not in the range. */
        set[i].hi.v.i64 = slab == ranges[i].last ? table_slab_end(t, slab) - 1 : ranges[i].last;
    }
    return (struct scan_pred){.col = (uint16_t)t->time_col, .set = set, .set_count = count};
}

/* Rows on their way; frees itself when the load needs them no more. */
struct copy_part {
    struct mem_owner *owner;
    struct arena strings;
    struct colbuf *cols; /* owned: of the target's columns, and when the rows expire */
    struct vec *vecs;    /* owned */
    uint16_t count;
};

static void copy_part_free(void *arg)
{
    struct copy_part *p = arg;

    if (!p)
        return;
    for (uint16_t i = 0; p->cols && i <= p->count; i++)
        colbuf_done(&p->cols[i]);
    mem_free(p->cols);
    mem_free(p->vecs);
    arena_done(&p->strings);
    mem_free(p);
}

static struct copy_part *copy_part_new(const struct shard_copy *c)
{
    struct copy_part *p = mem_calloc(c->owner, 1, sizeof *p);

    if (!p)
        return NULL;
    p->owner = c->owner;
    arena_init(&p->strings, c->owner);
    p->count = c->to_table->columns_count;
    p->cols = mem_calloc(c->owner, (size_t)p->count + 1, sizeof *p->cols);
    p->vecs = mem_calloc(c->owner, p->count, sizeof *p->vecs);
    if (!p->cols || !p->vecs) {
        copy_part_free(p);
        return NULL;
    }
    for (uint16_t i = 0; i < p->count; i++)
        colbuf_init(&p->cols[i], c->to_table->columns[i].type, c->owner, &p->strings);
    colbuf_init(&p->cols[p->count], TYPE_BIGINT, c->owner, &p->strings);
    return p;
}

struct copier {
    const struct shard_copy *c;
    struct shard_load *load;
    struct copy_part *part; /* owned; being filled, NULL = none */
    uint64_t rows;
};

static int copier_hand_in(struct copier *k, struct dn_err *err)
{
    struct copy_part *p = k->part;
    struct shard_load_part part = {
        .op = ROW_PUT, .expiry_ns = ROW_FOREVER, .release = copy_part_free, .arg = p};
    struct vec expiry;
    int rc;

    if (!p)
        return DN_OK;
    expiry = colbuf_vec(&p->cols[p->count], 0, p->cols[0].count);
    rc = rows_expiries(&expiry, &p->strings, &part.expiries, err);
    if (rc < 0)
        return rc;
    k->part = NULL;
    part.rows = p->cols[0].count;
    part.cols = p->vecs;
    for (uint16_t i = 0; i < p->count; i++) {
        p->vecs[i] = colbuf_vec(&p->cols[i], 0, part.rows);
        part.bytes += (size_t)p->cols[i].cap * sizeof(struct vstr);
    }
    k->rows += part.rows;
    return shard_load_add(k->load, &part, err);
}

static bool copy_wanted(const struct shard_copy *c, int64_t time)
{
    int64_t slab = table_slab(c->from_table, time);

    for (uint32_t i = 0; i < c->ranges_count; i++)
        if (slab >= c->ranges[i].first && slab <= c->ranges[i].last)
            return true;
    return false;
}

/* The rows of a batch that are of the slabs, to the part. */
static int copier_batch(struct copier *k, const struct batch *b, struct dn_err *err)
{
    const struct shard_copy *c = k->c;
    uint16_t rows[VEC_ROWS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < b->sel_count; i++) {
        uint16_t row = b->sel ? b->sel[i] : (uint16_t)i;
        if (copy_wanted(c, vec_i64(&b->cols[c->from_table->time_col], row)))
            rows[count++] = row;
    }
    if (count == 0)
        return DN_OK;
    if (!k->part)
        k->part = copy_part_new(c);
    if (!k->part)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < k->part->count; i++)
        if (!colbuf_append_vec(&k->part->cols[i], &b->cols[c->map[i]], rows, count))
            return DN_FAIL_NOMEM(err);
    if (!colbuf_append_vec(
            &k->part->cols[k->part->count], &b->cols[c->from_table->columns_count], rows, count))
        return DN_FAIL_NOMEM(err);
    return k->part->cols[0].count >= COPY_PART_ROWS ? copier_hand_in(k, err) : DN_OK;
}

static int copier_scan(struct copier *k, struct dn_err *err)
{
    const struct shard_copy *c = k->c;
    uint32_t columns = c->from_table->columns_count;
    uint16_t *cols = mem_calloc(c->owner, (size_t)columns + 1, sizeof *cols);
    struct interval *set = mem_calloc(c->owner, c->ranges_count, sizeof *set);
    struct scan_spec spec = {.table = c->from_table,
                             .cols = cols,
                             .cols_count = columns + 1,
                             .preds_count = 1,
                             .owner = c->owner,
                             .moves = true,
                             .cancel = c->cancel};
    struct scan_pred pred;
    struct scan *scan = NULL;
    struct batch b;
    int rc = cols && set ? DN_OK : DN_FAIL_NOMEM(err);

    if (rc == DN_OK) {
        for (uint16_t i = 0; i < columns; i++)
            cols[i] = i;
        cols[columns] = (uint16_t)(columns + HIDDEN_EXPIRY);
        pred = shard_slabs_pred(c->from_table, c->ranges, c->ranges_count, set);
        spec.preds = &pred;
        rc = scan_open(c->from, &spec, &scan, err);
    }
    while (rc == DN_OK && (rc = scan_next(scan, &b, err)) == DN_OK) {
        if (c->cancel && atomic_load(c->cancel))
            rc = DN_FAIL(err, DN_E_CANCELED, "canceled");
        else
            rc = copier_batch(k, &b, err);
    }
    scan_close(scan);
    mem_free(cols);
    mem_free(set);
    return rc == DN_EOF ? copier_hand_in(k, err) : rc;
}

int shard_copy_run(const struct shard_copy *c, uint64_t *ret_rows, struct dn_err *err)
{
    const struct shard_load_options options = {
        .batch_bytes = COPY_BATCH_BYTES, .whole = true, .cancel = c->cancel};
    struct copier k = {.c = c};
    int rc = shard_load_begin(c->to, c->to_table, &options, &k.load, err);

    if (rc == DN_OK)
        rc = copier_scan(&k, err);
    if (rc == DN_OK)
        rc = shard_load_end(k.load, err);
    copy_part_free(k.part);
    shard_load_free(k.load);
    if (rc == DN_OK)
        *ret_rows = k.rows;
    return rc;
}
