/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_runs.c: which series and slabs segments hold, for SHOW PARTITIONS. Directories of segments
 * say it; where a table is laid out by value its rows do. */
#include "store/scan_int.h"

#include "vec/normkey.h"

/* What one call shares. */
struct runs_list {
    const struct table *t;
    struct datum *series; /* owned: of the run at hand */
    scan_run_fn fn;
    void *arg;
    struct mem_owner *owner;
};

static int runs_of_directory(struct runs_list *l,
                             const struct segref *ref,
                             struct seg *seg,
                             struct dn_err *err)
{
    const struct seg_runs *runs = seg_get_runs(seg);
    int rc = DN_OK;

    for (uint32_t r = 0; rc == DN_OK && r < runs->count; r++) {
        struct scan_run run = {.segment = ref->meta.id,
                               .slab = runs->slab[r],
                               .token = runs->token[r],
                               .time_min = runs->time_min ? runs->time_min[r] : INT64_MIN,
                               .time_max = runs->time_max ? runs->time_max[r] : INT64_MAX,
                               .rows = runs->first_row[r + 1] - runs->first_row[r],
                               .series = l->series};
        for (uint16_t i = 0; i < l->t->series_count; i++)
            l->series[i] = seg_run_value(seg, r, i);
        rc = l->fn(l->arg, &run, err);
    }
    return rc;
}

/* Rows of a partition follow each other. */
struct runs_walk {
    struct runs_list *l;
    struct scan_run run; /* at hand; rows 0: none */
    struct arena values; /* of it */
    struct buf key;      /* of it, normalized */
    struct buf next;     /* of a row */
    struct buf token;    /* scratch */
};

static int runs_give(struct runs_walk *w, struct dn_err *err)
{
    return w->run.rows ? w->l->fn(w->l->arg, &w->run, err) : DN_OK;
}

static int
runs_add_row(struct runs_walk *w, const struct vec *cols, uint32_t row, struct dn_err *err)
{
    const struct table *t = w->l->t;
    struct buf swap;
    int rc;

    buf_reset(&w->next);
    for (uint16_t i = 0; i < t->partition_count; i++)
        normkey_append_vec(&w->next, &cols[i], row, false);
    if (w->next.failed)
        return DN_FAIL_NOMEM(err);
    if (w->run.rows && w->next.len == w->key.len &&
        memcmp(w->next.data, w->key.data, w->key.len) == 0) {
        w->run.rows++;
        return DN_OK;
    }
    rc = runs_give(w, err);
    if (rc < 0)
        return rc;
    swap = w->key;
    w->key = w->next;
    w->next = swap;
    arena_reset(&w->values);
    for (uint16_t i = 0; i < t->partition_count; i++) {
        struct datum d = vec_datum(&cols[i], row);
        if (!datum_copy(&w->values, &d, &w->l->series[i]))
            return DN_FAIL_NOMEM(err);
    }
    w->run.token = table_token(t, w->l->series, &w->token);
    w->run.rows = 1;
    return w->token.failed ? DN_FAIL_NOMEM(err) : DN_OK;
}

static int runs_of_vectors(struct runs_walk *w, struct seg *seg, struct dn_err *err)
{
    const struct table *t = w->l->t;
    uint32_t *cols = mem_alloc_array(w->l->owner, t->partition_count, sizeof *cols);
    struct vec *vecs = mem_calloc(w->l->owner, t->partition_count, sizeof *vecs);
    struct seg_pins pins;
    struct arena arena;
    uint32_t count;
    const struct seg_block *blocks = seg_get_blocks(seg, &count);
    int rc = cols && vecs ? DN_OK : DN_FAIL_NOMEM(err);

    seg_pins_init(&pins);
    arena_init(&arena, w->l->owner);
    for (uint16_t i = 0; rc == DN_OK && i < t->partition_count; i++)
        cols[i] = t->partition[i];
    for (uint32_t b = 0; rc == DN_OK && b < count; b++) {
        for (uint32_t v = 0; rc == DN_OK && v < blocks[b].vectors; v++) {
            struct seg_select select = {
                .block = b, .vector = v, .cols = cols, .cols_count = t->partition_count};
            uint32_t rows = blocks[b].rows - v * VEC_ROWS_MAX;
            arena_reset(&arena);
            seg_pins_release(&pins);
            rc = seg_fetch(seg, &select, &arena, &pins, vecs, err);
            for (uint32_t row = 0; rc == DN_OK && row < rows && row < VEC_ROWS_MAX; row++)
                rc = runs_add_row(w, vecs, row, err);
        }
    }
    seg_pins_done(&pins);
    arena_done(&arena);
    mem_free(cols);
    mem_free(vecs);
    return rc;
}

static int
runs_of_rows(struct runs_list *l, const struct segref *ref, struct seg *seg, struct dn_err *err)
{
    struct runs_walk w = {.l = l,
                          .run = {.segment = ref->meta.id,
                                  .time_min = INT64_MIN,
                                  .time_max = INT64_MAX,
                                  .series = l->series}};
    int rc;

    arena_init(&w.values, l->owner);
    buf_init(&w.key, l->owner);
    buf_init(&w.next, l->owner);
    buf_init(&w.token, l->owner);
    rc = runs_of_vectors(&w, seg, err);
    if (rc == DN_OK)
        rc = runs_give(&w, err);
    arena_done(&w.values);
    buf_done(&w.key);
    buf_done(&w.next);
    buf_done(&w.token);
    return rc;
}

int scan_segment_runs(
    struct snapshot *snap, const struct table *t, scan_run_fn fn, void *arg, struct dn_err *err)
{
    const struct version *v = snap->ver;
    struct runs_list l = {.t = t, .fn = fn, .arg = arg, .owner = &snap->shard->owner};
    struct seg *seg;
    int rc;

    l.series = mem_calloc(l.owner, t->partition_count, sizeof *l.series);
    rc = l.series ? DN_OK : DN_FAIL_NOMEM(err);
    for (size_t i = 0; rc == DN_OK && i < v->segs_count; i++) {
        if (v->segs[i]->meta.table_id != t->id)
            continue;
        rc = segref_open(v->segs[i], &seg, err);
        if (rc == DN_OK)
            rc = t->by_value ? runs_of_rows(&l, v->segs[i], seg, err)
                             : runs_of_directory(&l, v->segs[i], seg, err);
    }
    mem_free(l.series);
    return rc;
}
