/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_sorted.c: rows in any order to the segments. They are sorted as places in their parts
 * (shard_load_sort.h); each task then has a stretch of the order, copies its rows out of the parts
 * some thousand at a time, and gives them to a segment writer. Versions of one row that a patch is
 * among are folded into one. */
#include "store/fold.h"
#include "store/shard_int.h"
#include "store/shard_load_sort.h"

#include <string.h>

#define SORTED_ROWS 2048u /* gathered at a time */

/* A column as the parts have it. */
struct sorted_col {
    const uint8_t **data;  /* owned: by part; NULL: not all of them are FLAT */
    struct load_dict dict; /* of a few texts */
    bool nulls;            /* some part has NULLs in it … */
    bool absent;           /* … or does not give it */
};

struct load_sorted {
    struct load_sort sort;
    const struct table *t;    /* borrowed */
    struct load_batch *batch; /* borrowed */
    struct mem_owner *owner;  /* borrowed */
    struct sorted_col *cols;  /* owned */
    bool ops;                 /* parts differ in the operation … */
    bool expiries;            /* … or their rows in when they expire */
    uint32_t *stretches;      /* owned: first row of each, and the end */
};

/* What one task has. */
struct sorted_out {
    const struct load_sorted *sd;
    struct vec *vecs;  /* owned: a batch for the sink */
    void **data;       /* owned: SORTED_ROWS values of each column */
    uint64_t **nulls;  /* owned: of the columns that have some */
    uint64_t **absent; /* owned: the same */
    struct fold fold;
    bool folds; /* fold is there */
    struct load_slab slab;
    int64_t seq;
    int16_t op;
    int64_t expiry;
};

/* ---- the parts ---- */

static const struct shard_load_part *sorted_part(const struct load_sorted *sd,
                                                 const struct load_row *r)
{
    return &sd->batch->parts[r->part & ~LOAD_ROW_OLDER];
}

static int64_t sorted_expiry(const struct load_sorted *sd, const struct load_row *r)
{
    const struct shard_load_part *part = sorted_part(sd, r);

    return part->expiries ? part->expiries[r->row] : part->expiry_ns;
}

static int64_t sorted_rowid(const struct load_sorted *sd, const struct load_row *r)
{
    if (sd->t->form != KEY_NONE)
        return 0;
    return (int64_t)(sd->batch->rowid_base + sd->sort.firsts[r->part & ~LOAD_ROW_OLDER] + r->row);
}

static int sorted_look(struct load_sorted *sd, struct dn_err *err)
{
    const struct load_batch *b = sd->batch;
    uint16_t count = sd->t->columns_count;

    sd->cols = mem_calloc(sd->owner, count + 1u, sizeof *sd->cols);
    if (!sd->cols)
        return DN_FAIL_NOMEM(err);
    for (size_t p = 0; p < b->parts_count; p++) {
        sd->ops = sd->ops || b->parts[p].op != b->parts[0].op;
        sd->expiries =
            sd->expiries || b->parts[p].expiries || b->parts[p].expiry_ns != b->parts[0].expiry_ns;
    }
    for (uint16_t i = 0; i < count; i++) {
        struct sorted_col *c = &sd->cols[i];
        bool flat = true;

        for (size_t p = 0; p < b->parts_count; p++) {
            const struct vec *v = &b->parts[p].cols[i];

            flat = flat && v->form == VEC_FLAT;
            c->nulls = c->nulls || v->nulls;
            c->absent = c->absent || v->absent;
        }
        if (!flat) {
            int rc = shard_load_dict_make(&c->dict, b, i, sd->owner, err);

            if (rc < 0)
                return rc;
            continue;
        }
        c->data = mem_alloc_array(sd->owner, b->parts_count, sizeof *c->data);
        if (!c->data)
            return DN_FAIL_NOMEM(err);
        for (size_t p = 0; p < b->parts_count; p++)
            c->data[p] = b->parts[p].cols[i].data;
    }
    return DN_OK;
}

/* ---- gathering ---- */

/* Values of a column that all parts have FLAT. */
static void sorted_gather_flat(
    const uint8_t *const *from, const struct load_row *rows, uint32_t n, uint32_t size, void *to)
{
    switch (size) {
    case 8:
        for (uint32_t i = 0; i < n; i++)
            ((uint64_t *)to)[i] = ((const uint64_t *)(const void *)from[rows[i].part])[rows[i].row];
        break;
    case sizeof(struct vstr):
        for (uint32_t i = 0; i < n; i++)
            ((struct vstr *)to)[i] =
                ((const struct vstr *)(const void *)from[rows[i].part])[rows[i].row];
        break;
    default:
        for (uint32_t i = 0; i < n; i++)
            memcpy((uint8_t *)to + (size_t)i * size,
                   from[rows[i].part] + (size_t)rows[i].row * size,
                   size);
        break;
    }
}

static void sorted_gather_bits(const struct load_sorted *sd,
                               const struct load_row *rows,
                               uint32_t n,
                               uint32_t col,
                               struct sorted_out *o)
{
    uint64_t *nulls = o->nulls[col];
    uint64_t *absent = o->absent[col];

    if (nulls)
        memset(nulls, 0, VEC_BITMAP_WORDS(n) * sizeof *nulls);
    if (absent)
        memset(absent, 0, VEC_BITMAP_WORDS(n) * sizeof *absent);
    for (uint32_t i = 0; (nulls || absent) && i < n; i++) {
        const struct vec *v = &sd->batch->parts[rows[i].part].cols[col];
        uint32_t at = v->form == VEC_CONST ? 0 : rows[i].row;

        if (vec_bit(v->nulls, at))
            vec_bit_set(nulls, i);
        if (vec_bit(v->absent, at))
            vec_bit_set(absent, i);
    }
}

static void sorted_gather_codes(const struct load_dict *d,
                                const struct load_row *rows,
                                uint32_t n,
                                uint16_t *to)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint16_t *codes = d->codes[rows[i].part];

        to[i] = d->maps[rows[i].part][codes ? codes[rows[i].row] : 0];
    }
}

static void
sorted_gather_col(struct sorted_out *o, const struct load_row *rows, uint32_t n, uint32_t col)
{
    const struct load_sorted *sd = o->sd;
    const struct sorted_col *c = &sd->cols[col];
    enum type_id type = sd->t->columns[col].type;
    uint32_t size = phys_size(type_phys(type));

    sorted_gather_bits(sd, rows, n, col, o);
    if (c->dict.count > 0) {
        sorted_gather_codes(&c->dict, rows, n, o->data[col]);
        o->vecs[col] = (struct vec){.type = type,
                                    .form = VEC_DICT,
                                    .count = n,
                                    .dict_count = c->dict.count,
                                    .data = c->dict.entries,
                                    .codes = o->data[col],
                                    .nulls = o->nulls[col]};
        return;
    }
    if (c->data)
        sorted_gather_flat(c->data, rows, n, size, o->data[col]);
    for (uint32_t i = 0; !c->data && i < n; i++) {
        const struct vec *v = &sd->batch->parts[rows[i].part].cols[col];

        memcpy((uint8_t *)o->data[col] + (size_t)i * size,
               (const uint8_t *)v->data + (size_t)vec_at(v, rows[i].row) * size,
               size);
    }
    o->vecs[col] = (struct vec){.type = type,
                                .count = n,
                                .data = o->data[col],
                                .nulls = o->nulls[col],
                                .absent = o->absent[col]};
}

/* The hidden columns; those that differ among the rows are FLAT. */
static void sorted_gather_hidden(struct sorted_out *o, const struct load_row *rows, uint32_t n)
{
    static const uint64_t one_null = 1;
    static const int64_t zero = 0;
    const struct load_sorted *sd = o->sd;
    uint32_t at = sd->t->columns_count;
    const void *data[HIDDEN_MAX] = {[HIDDEN_SEQ] = &o->seq,
                                    [HIDDEN_OP] = &o->op,
                                    [HIDDEN_EXPIRY] = &o->expiry,
                                    [HIDDEN_ROWID] = &zero};

    o->op = (int16_t)sorted_part(sd, &rows[0])->op;
    o->expiry = sorted_expiry(sd, &rows[0]);
    for (uint32_t k = 0; k < HIDDEN_MAX; k++)
        o->vecs[at + k] = (struct vec){.type = store_col_type(sd->t, at + k),
                                       .form = o->data[at + k] ? VEC_FLAT : VEC_CONST,
                                       .count = n,
                                       .data = o->data[at + k] ? o->data[at + k] : data[k]};
    o->vecs[at + HIDDEN_EXPIRY].nulls = o->expiry == ROW_NEVER ? &one_null : NULL;
    if (sd->expiries) {
        memset(o->nulls[at + HIDDEN_EXPIRY], 0, VEC_BITMAP_WORDS(n) * sizeof **o->nulls);
        o->vecs[at + HIDDEN_EXPIRY].nulls = o->nulls[at + HIDDEN_EXPIRY];
    }
    for (uint32_t i = 0; sd->expiries && i < n; i++) {
        int64_t expiry = sorted_expiry(sd, &rows[i]);

        ((int64_t *)o->data[at + HIDDEN_EXPIRY])[i] = expiry;
        if (expiry == ROW_NEVER)
            vec_bit_set(o->nulls[at + HIDDEN_EXPIRY], i);
    }
    for (uint32_t i = 0; sd->ops && i < n; i++)
        ((int16_t *)o->data[at + HIDDEN_OP])[i] = (int16_t)sorted_part(sd, &rows[i])->op;
    for (uint32_t i = 0; sd->t->form == KEY_NONE && i < n; i++)
        ((int64_t *)o->data[at + HIDDEN_ROWID])[i] = sorted_rowid(sd, &rows[i]);
}

static int sorted_add(struct sorted_out *o,
                      const struct load_row *rows,
                      uint32_t n,
                      struct seg_sink *sink,
                      struct dn_err *err)
{
    for (uint32_t col = 0; col < o->sd->t->columns_count; col++)
        sorted_gather_col(o, rows, n, col);
    sorted_gather_hidden(o, rows, n);
    return seg_sink_add(sink, o->vecs, n, err);
}

/* ---- versions ---- */

static struct datum
sorted_value(const void *source, uint32_t row, uint32_t store_col, bool *ret_absent)
{
    const struct load_sorted *sd = source;
    const struct load_row *r = &sd->sort.rows[row];
    const struct shard_load_part *part = sorted_part(sd, r);
    struct datum d = {.type = store_col_type(sd->t, store_col)};

    *ret_absent = false;
    if (store_col < sd->t->columns_count) {
        const struct vec *v = &part->cols[store_col];

        *ret_absent = vec_bit(v->absent, v->form == VEC_CONST ? 0 : r->row);
        return vec_datum(v, r->row);
    }
    switch ((enum hidden_col)(store_col - sd->t->columns_count)) {
    case HIDDEN_SEQ:
        d.v.i64 = (int64_t)sd->batch->seq;
        break;
    case HIDDEN_OP:
        d.v.i64 = part->op;
        break;
    case HIDDEN_EXPIRY:
        d.v.i64 = sorted_expiry(sd, r);
        d.null = d.v.i64 == ROW_NEVER;
        break;
    case HIDDEN_ROWID:
        d.v.i64 = sorted_rowid(sd, r);
        break;
    case HIDDEN_MAX:
        break;
    }
    return d;
}

/* The versions of one row, [from, to), become one. */
static int sorted_fold(
    struct sorted_out *o, uint32_t from, uint32_t to, struct seg_sink *sink, struct dn_err *err)
{
    const struct load_sorted *sd = o->sd;
    int rc;

    if (!o->folds && !fold_init(&o->fold, sd->t, NULL, 0, sd->owner))
        return DN_FAIL_NOMEM(err);
    o->folds = true;
    fold_begin(&o->fold);
    for (uint32_t i = to; i-- > from;)
        if (!fold_version(&o->fold, sorted_part(sd, &sd->sort.rows[i])->op, sorted_value, sd, i))
            break;
    if (!fold_end(&o->fold, false))
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < o->fold.cols_count; c++)
        o->vecs[c] = colbuf_vec(&o->fold.cols[c], 0, fold_rows(&o->fold));
    rc = seg_sink_add(sink, o->vecs, fold_rows(&o->fold), err);
    fold_reset(&o->fold);
    return rc;
}

/* ---- out ---- */

static int64_t sorted_slab(struct sorted_out *o, const struct load_row *r)
{
    const struct load_sort *ls = &o->sd->sort;

    if (ls->slabs_count == 0)
        return shard_load_slab_of(&o->slab, ls->t, load_row_cols(ls, r), r->row);
    return ls->slabs[ls->slab_bits ? r->head >> (64 - ls->slab_bits) : 0];
}

/* How many rows from `from` on go together: of one slab, none of which has older versions. */
static uint32_t sorted_together(struct sorted_out *o, uint32_t from, uint32_t end)
{
    const struct load_row *rows = o->sd->sort.rows;
    bool one = o->sd->t->time_col < 0 || o->sd->sort.slabs_count == 1;
    int64_t slab = sorted_slab(o, &rows[from]);
    uint32_t at = from + 1;

    end = end - from < SORTED_ROWS ? end : from + SORTED_ROWS;
    for (; at < end; at++) {
        if (!one && sorted_slab(o, &rows[at]) != slab)
            break;
        if (rows[at].part & LOAD_ROW_OLDER)
            return at - 1 - from;
    }
    return at - from;
}

static int sorted_write_rows(
    struct sorted_out *o, uint32_t from, uint32_t end, struct seg_sink *sink, struct dn_err *err)
{
    const struct load_row *rows = o->sd->sort.rows;
    int rc = DN_OK;

    while (rc == DN_OK && from < end) {
        uint32_t to = from + 1;
        uint32_t n;

        while (to < end && rows[to].part & LOAD_ROW_OLDER)
            to++;
        n = to - from > 1 ? 0 : sorted_together(o, from, end);
        rc = seg_sink_slab(sink, sorted_slab(o, &rows[from]), err);
        if (rc == DN_OK && n == 0)
            rc = sorted_fold(o, from, to, sink, err);
        else if (rc == DN_OK)
            rc = sorted_add(o, rows + from, n, sink, err);
        from = n == 0 ? to : from + n;
    }
    return rc < 0 ? rc : seg_sink_finish(sink, err);
}

/* Values of a hidden column: NULL, all rows have the same one. */
static bool sorted_hidden_flat(const struct load_sorted *sd, uint32_t hidden)
{
    return hidden == HIDDEN_ROWID    ? sd->t->form == KEY_NONE
           : hidden == HIDDEN_OP     ? sd->ops
           : hidden == HIDDEN_EXPIRY ? sd->expiries
                                     : false;
}

/* Room for the values of one column. */
static bool sorted_room(struct sorted_out *o, uint32_t col)
{
    const struct load_sorted *sd = o->sd;
    bool hidden = col >= sd->t->columns_count;
    bool flat = !hidden || sorted_hidden_flat(sd, col - sd->t->columns_count);
    bool nulls = hidden ? flat && col - sd->t->columns_count == HIDDEN_EXPIRY : sd->cols[col].nulls;
    bool absent = !hidden && sd->cols[col].absent;

    if (flat)
        o->data[col] = mem_alloc_array(
            sd->owner, SORTED_ROWS, phys_size(type_phys(store_col_type(sd->t, col))));
    if (nulls)
        o->nulls[col] = mem_calloc(sd->owner, VEC_BITMAP_WORDS(SORTED_ROWS), sizeof **o->nulls);
    if (absent)
        o->absent[col] = mem_calloc(sd->owner, VEC_BITMAP_WORDS(SORTED_ROWS), sizeof **o->absent);
    return (!flat || o->data[col]) && (!nulls || o->nulls[col]) && (!absent || o->absent[col]);
}

static bool sorted_out_init(struct sorted_out *o, const struct load_sorted *sd)
{
    uint32_t count = store_cols_count(sd->t);
    bool ok;

    *o = (struct sorted_out){.sd = sd, .seq = (int64_t)sd->batch->seq};
    shard_load_slab_init(&o->slab, sd->t);
    o->vecs = mem_calloc(sd->owner, count, sizeof *o->vecs);
    o->data = mem_calloc(sd->owner, count, sizeof *o->data);
    o->nulls = mem_calloc(sd->owner, count, sizeof *o->nulls);
    o->absent = mem_calloc(sd->owner, count, sizeof *o->absent);
    ok = o->vecs && o->data && o->nulls && o->absent;
    for (uint32_t col = 0; ok && col < count; col++)
        ok = sorted_room(o, col);
    return ok;
}

static void sorted_out_done(struct sorted_out *o)
{
    for (uint32_t col = 0; col < store_cols_count(o->sd->t); col++) {
        if (o->data)
            mem_free(o->data[col]);
        if (o->nulls)
            mem_free(o->nulls[col]);
        if (o->absent)
            mem_free(o->absent[col]);
    }
    mem_free(o->vecs);
    mem_free(o->data);
    mem_free(o->nulls);
    mem_free(o->absent);
    if (o->folds)
        fold_done(&o->fold);
}

static int sorted_write(void *arg, uint32_t number, struct seg_sink *sink, struct dn_err *err)
{
    const struct load_sorted *sd = arg;
    struct sorted_out o;
    int rc = sorted_out_init(&o, sd) ? DN_OK : DN_FAIL_NOMEM(err);

    if (rc == DN_OK)
        rc = sorted_write_rows(&o, sd->stretches[number], sd->stretches[number + 1], sink, err);
    sorted_out_done(&o);
    return rc;
}

/* Cuts the rows into at most `count` stretches; a series of a slab stays in one, and the versions
 * of a row. Returns how many there are. */
static uint32_t sorted_cut(struct load_sorted *sd, uint32_t count)
{
    const struct load_row *rows = sd->sort.rows;
    uint32_t total = sd->sort.count;
    uint32_t n = 0;
    uint32_t at = 0;

    sd->stretches[0] = 0;
    while (at < total && n < count) {
        uint32_t want = (uint32_t)((uint64_t)total * (n + 1) / count);

        at = want > at ? want : at + 1;
        while (at < total && (sd->t->series_count ? rows[at].head == rows[at - 1].head
                                                  : (rows[at].part & LOAD_ROW_OLDER) != 0))
            at++;
        sd->stretches[++n] = at;
    }
    return n;
}

int shard_load_sorted(struct shard *s,
                      const struct table *t,
                      struct load_batch *batch,
                      struct seg_sink *sink,
                      struct dn_err *err)
{
    struct load_sorted sd = {.t = t, .batch = batch, .owner = &s->owner};
    uint32_t count = shard_load_stretches(batch, s);
    int rc;

    rc = shard_load_sort_init(&sd.sort, s, t, batch, sink->cancel, err);
    if (rc == DN_OK)
        rc = shard_load_sort_run(&sd.sort, err);
    if (rc == DN_OK)
        rc = sorted_look(&sd, err);
    if (rc == DN_OK) {
        sd.stretches = mem_calloc(sd.owner, count + 1u, sizeof *sd.stretches);
        rc = sd.stretches ? DN_OK : DN_FAIL_NOMEM(err);
    }
    if (rc == DN_OK)
        rc = shard_load_write_stretches(sink, sorted_cut(&sd, count), sorted_write, &sd, err);
    for (uint16_t i = 0; sd.cols && i < t->columns_count; i++) {
        mem_free(sd.cols[i].data);
        shard_load_dict_done(&sd.cols[i].dict);
    }
    mem_free(sd.cols);
    mem_free(sd.stretches);
    shard_load_sort_done(&sd.sort);
    return rc;
}
