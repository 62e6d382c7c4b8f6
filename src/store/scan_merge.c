/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_merge.c: one run that several sources hold with overlapping keys, or that has patches,
 * deletes or repeated keys: row by row, newest version first. A segment holds a key once; a
 * memtable may hold it several times, one after another, oldest first. */
#include "store/scan_reader.h"

#include "vec/normkey.h"

#include <string.h>

#define MERGE_VERSIONS_FIRST 16u

struct row_iter {
    const struct scan_src *src;
    const struct vec *vecs; /* segments: what the reader decoded of it */
    uint32_t next;          /* rows left: row numbers, or places in the memtable's order; in reverse
                               they are taken from the end */
    uint32_t end;
    uint32_t vector_row; /* segments: the row inside the decoded vector */
    struct buf key;      /* rest of the local key of the row that comes next */
};

static inline uint32_t iter_at(const struct scan *s, const struct row_iter *it)
{
    return s->reverse ? it->end - 1 : it->next;
}

struct merge_version {
    struct row_iter *it;
    uint32_t row; /* inside the decoded vector, or memtable row */
    uint64_t seq;
    uint32_t rank; /* among equal sequences: later rows of a memtable are newer */
};

/* What fold asks for: a version's value. */
struct merge_source {
    const struct scan *s;
    const struct merge_version *v;
};

static int iter_load(struct scan_reader *r, struct row_iter *it, struct dn_err *err)
{
    const struct scan *s = r->s;
    const struct table *t = s->t;
    uint32_t at = iter_at(s, it);

    buf_reset(&it->key);
    if (it->next >= it->end)
        return DN_OK;
    if (it->src->m) {
        uint32_t row = it->src->order->order[at];
        for (uint16_t i = 0; i < t->rest_count; i++) {
            struct datum d = memtable_rest(it->src->m, row, t, i);
            normkey_append(&it->key, &d, t->rest[i].desc);
        }
        if (t->form == KEY_NONE) {
            struct datum d =
                memtable_datum(it->src->m, row, it->src->t->columns_count + HIDDEN_ROWID);
            normkey_append(&it->key, &d, false);
        }
    } else {
        uint32_t block = seg_block_of(it->src->seg, at);
        const struct seg_block *b = &seg_get_blocks(it->src->seg, NULL)[block];
        uint32_t vector = (at - b->first_row) / VEC_ROWS_MAX;
        int rc = scan_decode_all(r, it->src, block, vector, err);
        if (rc < 0)
            return rc;
        it->vecs = scan_cur_of(r, it->src)->vecs;
        it->vector_row = (at - b->first_row) % VEC_ROWS_MAX;
        for (uint16_t i = 0; i < t->rest_count; i++)
            normkey_append_vec(
                &it->key, &it->vecs[s->fetch_at[t->rest[i].col]], it->vector_row, t->rest[i].desc);
        if (t->form == KEY_NONE)
            normkey_append_vec(&it->key,
                               &it->vecs[s->fetch_at[t->columns_count + HIDDEN_ROWID]],
                               it->vector_row,
                               false);
    }
    if (it->key.failed)
        return DN_FAIL_NOMEM(err);
    return DN_OK;
}

static int iter_cmp(const struct row_iter *a, const struct row_iter *b)
{
    size_t n = a->key.len < b->key.len ? a->key.len : b->key.len;
    int c = n ? memcmp(a->key.data, b->key.data, n) : 0;

    if (c != 0)
        return c;
    return a->key.len < b->key.len ? -1 : a->key.len > b->key.len;
}

int scan_merge_begin(struct scan_reader *r, struct dn_err *err)
{
    const struct scan *s = r->s;

    if (!r->fold_ready) {
        if (!fold_init(&r->fold, s->t, s->fetch, s->fetch_count, r->owner))
            return DN_FAIL_NOMEM(err);
        r->fold_ready = true;
    }
    if (!r->iters) {
        r->iters = mem_calloc(r->owner, s->srcs_count, sizeof *r->iters);
        if (!r->iters)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < s->srcs_count; i++)
            buf_init(&r->iters[i].key, r->owner);
    }
    if (s->ranges_count) {
        const struct scan_member *m = &r->morsel.members[0];
        int rc = scan_range_run(r, m->src, m->run, err);
        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; i < r->morsel.members_count; i++) {
        const struct scan_member *m = &r->morsel.members[i];
        struct row_iter *it = &r->iters[i];
        int rc;
        it->src = m->src;
        it->next = m->first;
        it->end = m->end;
        rc = iter_load(r, it, err);
        if (rc < 0)
            return rc;
    }
    return DN_OK;
}

void scan_merge_done(struct scan_reader *r)
{
    for (uint32_t i = 0; r->iters && i < r->s->srcs_count; i++)
        buf_done(&r->iters[i].key);
    mem_free(r->iters);
    r->iters = NULL;
    if (r->fold_ready)
        fold_done(&r->fold);
    r->fold_ready = false;
}

static struct datum
merge_value(const void *source, uint32_t row, uint32_t store_col, bool *ret_absent)
{
    const struct merge_source *ms = source;
    const struct scan_src *src = ms->v->it->src;
    uint32_t at = ms->s->fetch_at[store_col];
    const struct vec *v;

    *ret_absent = false;
    if (src->m)
        return scan_mapped_value(ms->s, src, row, store_col, ret_absent);
    v = &ms->v->it->vecs[at];
    *ret_absent = vec_bit(v->absent, v->form == VEC_CONST ? 0 : row);
    return vec_datum(v, row);
}

/* Is the memtable's row next to this one, in the direction of the walk, of the same key? */
static bool iter_again(const struct scan *s, const struct row_iter *it, uint32_t at)
{
    const uint32_t *order = it->src->m ? it->src->order->order : NULL;

    if (!order || (s->reverse ? at == it->next : at + 1 == it->end))
        return false;
    return memtable_same_key(it->src->m, order[at], order[s->reverse ? at - 1 : at + 1]);
}

/* All versions of the key that comes next; the iterators stay where they are. */
static int merge_collect(struct scan_reader *r,
                         struct row_iter *min,
                         struct merge_version **list,
                         uint32_t *cap,
                         uint32_t *ret_count,
                         struct dn_err *err)
{
    const struct scan *s = r->s;
    uint32_t seq_at = s->fetch_at[s->t->columns_count + HIDDEN_SEQ];
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->morsel.members_count; i++) {
        struct row_iter *it = &r->iters[i];
        uint32_t k = iter_at(s, it);
        bool more = true;
        if (it->next >= it->end || (it != min && iter_cmp(it, min) != 0))
            continue;
        while (more) {
            uint32_t row = it->src->m ? it->src->order->order[k] : it->vector_row;
            if (count == *cap) {
                struct merge_version *grown =
                    mem_realloc(r->owner, *list, (size_t)(*cap * 2) * sizeof *grown);
                if (!grown)
                    return DN_FAIL_NOMEM(err);
                *list = grown;
                *cap *= 2;
            }
            (*list)[count] = (struct merge_version){.it = it, .row = row, .rank = k};
            (*list)[count].seq =
                (uint64_t)(it->src->m ? memtable_datum(
                                            it->src->m, row, it->src->t->columns_count + HIDDEN_SEQ)
                                            .v.i64
                                      : vec_i64(&it->vecs[seq_at], row));
            count++;
            more = iter_again(s, it, k);
            k = s->reverse ? k - 1 : k + 1;
        }
    }
    *ret_count = count;
    return DN_OK;
}

/* Newest first; few entries, mostly two. */
static void merge_sort_versions(struct merge_version *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct merge_version v = list[i];
        uint32_t k = i;
        while (k > 0 && (list[k - 1].seq < v.seq ||
                         (list[k - 1].seq == v.seq && list[k - 1].rank < v.rank))) {
            list[k] = list[k - 1];
            k--;
        }
        list[k] = v;
    }
}

static enum row_op merge_op(const struct scan *s, const struct merge_version *v)
{
    uint32_t col = s->t->columns_count + HIDDEN_OP;

    if (v->it->src->aged && scan_row_aged(s, v->it->src, v->it->vecs, v->row))
        return ROW_DELETE;
    if (v->it->src->m)
        return memtable_op(v->it->src->m, v->row);
    return (enum row_op)vec_i64(&v->it->vecs[s->fetch_at[col]], v->row);
}

/* The rest of the local key, the same in all versions. */
static struct datum merge_rest(const void *arg, uint16_t place)
{
    const struct merge_source *ms = arg;
    const struct row_iter *it = ms->v->it;

    if (it->src->m)
        return memtable_rest(it->src->m, ms->v->row, ms->s->t, place);
    return vec_datum(&it->vecs[ms->s->fetch_at[ms->s->t->rest[place].col]], ms->v->row);
}

static int
merge_row(struct scan_reader *r, struct merge_version *list, uint32_t count, struct dn_err *err)
{
    const struct scan *s = r->s;
    const struct merge_source any = {.s = s, .v = &list[0]};
    uint64_t horizon = s->ranges_count ? scan_range_horizon(r, merge_rest, &any) : 0;

    merge_sort_versions(list, count);
    r->stats.rows_merged += count;
    if (list[0].seq < horizon)
        return DN_OK;
    fold_begin(&r->fold);
    for (uint32_t i = 0; i < count; i++) {
        struct merge_source source = {.s = s, .v = &list[i]};
        enum row_op op = list[i].seq < horizon ? ROW_DELETE : merge_op(s, &list[i]);
        DN_CHECK_DISK(op < ROW_OP_MAX,
                      err,
                      "table \"%s\": a stored row has operation %d",
                      s->t->name,
                      (int)op);
        if (!fold_version(&r->fold, op, merge_value, &source, list[i].row))
            break;
    }
    if (!fold_end(&r->fold, s->final))
        return DN_FAIL_NOMEM(err);
    return DN_OK;
}

static int merge_advance(struct scan_reader *r,
                         const struct merge_version *list,
                         uint32_t count,
                         struct dn_err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (r->s->reverse)
            list[i].it->end--;
        else
            list[i].it->next++;
    }
    for (uint32_t i = 0; i < count; i++) {
        int rc = iter_load(r, list[i].it, err);
        if (rc < 0)
            return rc;
    }
    return DN_OK;
}

int scan_merge_next(struct scan_reader *r, struct dn_err *err)
{
    uint32_t cap = MERGE_VERSIONS_FIRST;
    struct merge_version *list = mem_alloc_array(r->owner, cap, sizeof *list);
    int rc = list ? DN_OK : DN_FAIL_NOMEM(err);

    fold_reset(&r->fold);
    while (rc == DN_OK && fold_rows(&r->fold) < VEC_ROWS_MAX) {
        struct row_iter *min = NULL;
        uint32_t count = 0;
        for (uint32_t i = 0; i < r->morsel.members_count; i++) {
            struct row_iter *it = &r->iters[i];
            if (it->next < it->end && (!min || (iter_cmp(it, min) < 0) != r->s->reverse))
                min = it;
        }
        if (!min) {
            rc = DN_EOF;
            break;
        }
        rc = merge_collect(r, min, &list, &cap, &count, err);
        if (rc == DN_OK)
            rc = merge_row(r, list, count, err);
        if (rc == DN_OK)
            rc = merge_advance(r, list, count, err);
    }
    mem_free(list);
    return rc;
}
