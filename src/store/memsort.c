/* SPDX-License-Identifier: Apache-2.0
 *
 * memsort.c: rows of a memtable in physical order, without comparing whole keys.
 *
 *   1. rank the series by (token, values): sort S series, not N rows
 *   2. bucket the rows by rank with a counting sort; inside a bucket they are in commit order
 *   3. sort each bucket by the rest of the local key; ingest in time order needs one pass to see
 *      that nothing is to be done
 *   4. if the rows span several slabs, a stable sort by slab over all
 *
 * In a table that is laid out by value there is nothing to rank: its rows are sorted by the key,
 * with a number (datum_place) for its first column in most comparisons.
 *
 * Equal keys stay in commit order, so the newest version of a row comes last. Versions behind a PUT
 * or a DELETE of the same key are left out: no reader of this many rows can see them. */
#include "store/memtable_int.h"

#include <string.h>

struct mem_sorter {
    struct memtable *m;
    const struct table *t;
    int fast_col; /* rest is one integer or time column: its index; else -1 */
    bool fast_desc;
    uint32_t *order;           /* being sorted */
    uint32_t *spare;           /* as long */
    int64_t *slabs;            /* per entry of order, NULL with one slab for all */
    const atomic_bool *cancel; /* NULL = never */
};

/* Looked at between stretches of a sort: shall it end? What is sorted then means nothing. */
static bool mem_canceled(const atomic_bool *cancel)
{
    return cancel && atomic_load_explicit(cancel, memory_order_relaxed);
}

static int64_t mem_rowid(const struct memtable *m, uint32_t row)
{
    const struct mem_chunk *c = mem_chunk_of(m, row);

    return c->rowid ? (int64_t)c->rowid[row - c->first_row] : 0;
}

static int mem_cmp_value(const struct memtable *m, uint32_t a, uint32_t b, uint32_t col)
{
    struct datum da = memtable_datum(m, a, col);
    struct datum db = memtable_datum(m, b, col);

    return datum_cmp(&da, &db);
}

/* Order of two rows of one series by the rest of the local key; 0 = the same key. */
static int mem_cmp_rest(const struct mem_sorter *s, uint32_t a, uint32_t b)
{
    const struct table *t = s->t;

    if (s->fast_col >= 0) {
        int64_t va = mem_i64(s->m, a, (uint32_t)s->fast_col);
        int64_t vb = mem_i64(s->m, b, (uint32_t)s->fast_col);
        int c = va < vb ? -1 : va > vb;
        return s->fast_desc ? -c : c;
    }
    if (t->form == KEY_NONE) {
        int64_t va = mem_rowid(s->m, a);
        int64_t vb = mem_rowid(s->m, b);
        return va < vb ? -1 : va > vb;
    }
    for (uint16_t i = 0; i < t->rest_count; i++) {
        int c = mem_cmp_value(s->m, a, b, t->rest[i].col);
        if (c != 0)
            return t->rest[i].desc ? -c : c;
    }
    return 0;
}

/* Stable merge sort of order[lo, hi) by the rest key. */
static void mem_sort_rest(struct mem_sorter *s, uint32_t lo, uint32_t hi)
{
    bool sorted = true;

    for (uint32_t i = lo + 1; sorted && i < hi; i++)
        sorted = mem_cmp_rest(s, s->order[i - 1], s->order[i]) <= 0;
    if (sorted)
        return;
    for (uint64_t width = 1; width < hi - lo && !mem_canceled(s->cancel); width *= 2) {
        for (uint64_t start = lo; start < hi; start += 2 * width) {
            uint32_t mid = (uint32_t)(start + width < hi ? start + width : hi);
            uint32_t end = (uint32_t)(start + 2 * width < hi ? start + 2 * width : hi);
            uint32_t i = (uint32_t)start;
            uint32_t j = mid;
            for (uint32_t k = (uint32_t)start; k < end; k++) {
                bool left = i < mid && (j >= end || mem_cmp_rest(s, s->order[i], s->order[j]) <= 0);
                s->spare[k] = s->order[left ? i++ : j++];
            }
        }
        memcpy(s->order + lo, s->spare + lo, (size_t)(hi - lo) * sizeof *s->order);
    }
}

static int64_t mem_slab_of(const struct mem_sorter *s, uint32_t row)
{
    const struct mem_chunk *c = mem_chunk_of(s->m, row);
    uint32_t col = (uint32_t)s->t->time_col;

    return table_slab(s->t, c->flags[col][row - c->first_row] ? 0 : mem_i64(s->m, row, col));
}

/* Stable merge sort of the whole order by slab; slabs[] moves along. */
static int mem_sort_slabs(struct mem_sorter *s, uint32_t count, struct dn_err *err)
{
    int64_t *spare_slabs;
    bool desc = s->t->time_desc;
    bool sorted = true;

    for (uint32_t i = 1; sorted && i < count; i++)
        sorted = desc ? s->slabs[i - 1] >= s->slabs[i] : s->slabs[i - 1] <= s->slabs[i];
    if (sorted)
        return DN_OK;
    spare_slabs = mem_alloc_array(s->m->owner, count, sizeof *spare_slabs);
    if (!spare_slabs)
        return DN_FAIL_NOMEM(err);
    for (uint64_t width = 1; width < count && !mem_canceled(s->cancel); width *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * width) {
            uint32_t mid = (uint32_t)(start + width < count ? start + width : count);
            uint32_t end = (uint32_t)(start + 2 * width < count ? start + 2 * width : count);
            uint32_t i = (uint32_t)start;
            uint32_t j = mid;
            for (uint32_t k = (uint32_t)start; k < end; k++) {
                bool left =
                    i < mid &&
                    (j >= end || (desc ? s->slabs[i] >= s->slabs[j] : s->slabs[i] <= s->slabs[j]));
                uint32_t from = left ? i++ : j++;
                s->spare[k] = s->order[from];
                spare_slabs[k] = s->slabs[from];
            }
        }
        memcpy(s->order, s->spare, (size_t)count * sizeof *s->order);
        memcpy(s->slabs, spare_slabs, (size_t)count * sizeof *s->slabs);
    }
    mem_free(spare_slabs);
    return DN_OK;
}

struct mem_ranked {
    int64_t token;
    const uint8_t *key; /* borrowed from the memtable's arena */
    uint32_t key_len;
    uint32_t head;
    uint32_t series;
    uint32_t rows;  /* at first staged ones too, then the visible ones */
    bool ascending; /* struct mem_series */
};

static int mem_ranked_cmp(const struct mem_ranked *a, const struct mem_ranked *b)
{
    uint32_t n = a->key_len < b->key_len ? a->key_len : b->key_len;
    int c;

    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    c = n ? memcmp(a->key, b->key, n) : 0;
    if (c != 0)
        return c;
    return a->key_len < b->key_len ? -1 : a->key_len > b->key_len;
}

static void mem_rank_sort(struct mem_ranked *list,
                          struct mem_ranked *spare,
                          uint32_t count,
                          const atomic_bool *cancel)
{
    for (uint64_t width = 1; width < count && !mem_canceled(cancel); width *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * width) {
            uint32_t mid = (uint32_t)(start + width < count ? start + width : count);
            uint32_t end = (uint32_t)(start + 2 * width < count ? start + 2 * width : count);
            uint32_t i = (uint32_t)start;
            uint32_t j = mid;
            for (uint32_t k = (uint32_t)start; k < end; k++) {
                bool left = i < mid && (j >= end || mem_ranked_cmp(&list[i], &list[j]) <= 0);
                spare[k] = list[left ? i++ : j++];
            }
        }
        memcpy(list, spare, (size_t)count * sizeof *list);
    }
}

/* The newest row of a series that is published, under the lock: the writer may take staged rows
 * back and give their places to other series, published ones stay (I1). */
static uint32_t mem_published_head(const struct memtable *m, uint32_t series)
{
    uint32_t published = memtable_rows(m);
    uint32_t row = m->series[series].head;

    while (row != UINT32_MAX && row >= published) {
        const struct mem_chunk *c = mem_chunk_of(m, row);
        row = c->prev[row - c->first_row];
    }
    return row;
}

/* Series to read, with their heads, copied under the lock because the arrays may move. */
static int mem_pick_series(struct memtable *m,
                           const struct mem_pick *pick,
                           struct mem_ranked **ret_list,
                           uint32_t *ret_count,
                           struct dn_err *err)
{
    const struct table *t = m->table;
    struct mem_ranked *list;
    uint32_t wanted;
    uint32_t count = 0;
    struct buf key;
    bool failed = false;

    sched_lock(m->lock);
    wanted = pick->series_count ? pick->series_count : m->series_count;
    list = mem_alloc_array(m->owner, wanted, sizeof *list);
    if (!list) {
        sched_unlock(m->lock);
        return DN_FAIL_NOMEM(err);
    }
    buf_init(&key, m->owner);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t id = i;
        if (pick->series_count) {
            buf_reset(&key);
            id = memtable_series_lookup(m, pick->series + (size_t)i * t->partition_count, &key);
            failed = failed || key.failed;
        }
        if (id == UINT32_MAX || (pick->timed && (m->series[id].time_max < pick->time_min ||
                                                 m->series[id].time_min > pick->time_max)))
            continue;
        list[count++] = (struct mem_ranked){.token = m->series[id].token,
                                            .key = m->series[id].key,
                                            .key_len = m->series[id].key_len,
                                            .head = mem_published_head(m, id),
                                            .rows = m->series[id].rows,
                                            .ascending = m->series[id].ascending,
                                            .series = id};
    }
    buf_done(&key);
    sched_unlock(m->lock);
    if (failed) {
        mem_free(list);
        return DN_FAIL_NOMEM(err);
    }
    *ret_list = list;
    *ret_count = count;
    return DN_OK;
}

/* The wanted rows of each ranked series below `limit`, oldest first, one series after another. */
static uint32_t mem_collect(const struct memtable *m,
                            const struct mem_pick *pick,
                            struct mem_ranked *list,
                            uint32_t count,
                            uint32_t limit,
                            uint32_t *order)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t start = total;
        for (uint32_t row = list[i].head; row != UINT32_MAX;) {
            const struct mem_chunk *c = mem_chunk_of(m, row);
            int64_t time = pick->timed ? mem_i64(m, row, (uint32_t)m->table->time_col) : 0;
            if (pick->timed && time < pick->time_min && list[i].ascending)
                break; /* those before it are earlier still */
            if (row < limit && (!pick->timed || (time >= pick->time_min && time <= pick->time_max)))
                order[total++] = row;
            row = c->prev[row - c->first_row];
        }
        list[i].rows = total - start;
        for (uint32_t a = start, b = total; a + 1 < b; a++) {
            uint32_t swap = order[a];
            order[a] = order[--b];
            order[b] = swap;
        }
    }
    return total;
}

/* A run for a row that is not of the last one's. NULL: out of memory. */
static struct mem_run *mem_add_run(const struct mem_sorter *s, struct mem_order *o, uint32_t *cap)
{
    if (o->runs_count == *cap) {
        uint32_t room = *cap ? *cap * 2 : 16;
        struct mem_run *grown = mem_realloc(s->m->owner, o->runs, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        o->runs = grown;
        *cap = room;
    }
    return &o->runs[o->runs_count++];
}

/* Where the versions of the key at `at` end; and the oldest of them that matters: what is older
 * than a PUT or a DELETE does not. */
static uint32_t
mem_key_end(const struct mem_sorter *s, const struct mem_order *o, uint32_t at, uint32_t *ret_from)
{
    const struct mem_chunk *c = mem_chunk_of(s->m, o->order[at]);
    uint32_t series = c->series[o->order[at] - c->first_row];
    uint32_t end = at + 1;

    *ret_from = at;
    for (; end < o->count; end++) {
        uint32_t row = o->order[end];
        c = mem_chunk_of(s->m, row);
        if (c->series[row - c->first_row] != series ||
            (s->slabs && s->slabs[end] != s->slabs[at]) ||
            mem_cmp_rest(s, o->order[end - 1], row) != 0)
            break;
        if (c->op[row - c->first_row] != ROW_PATCH)
            *ret_from = end;
    }
    return end;
}

/* Widens what is known of a run by one of its rows. */
static void
mem_note_row(const struct mem_sorter *s, struct mem_order *o, struct mem_run *run, uint32_t row)
{
    const struct mem_chunk *c = mem_chunk_of(s->m, row);
    int64_t rowid = mem_rowid(s->m, row);
    int64_t time = s->t->time_col >= 0 ? mem_i64(s->m, row, (uint32_t)s->t->time_col) : 0;

    run->plain = run->plain && c->op[row - c->first_row] == ROW_PUT;
    run->rowid_max = rowid > run->rowid_max ? rowid : run->rowid_max;
    run->rowid_min = rowid < run->rowid_min ? rowid : run->rowid_min;
    run->time_min = time < run->time_min ? time : run->time_min;
    run->time_max = time > run->time_max ? time : run->time_max;
    if (atomic_load_explicit(&c->expiry, memory_order_relaxed)) {
        int64_t expiry = memtable_expiry(s->m, row);
        if (expiry != ROW_NEVER && expiry < o->expiry_min)
            o->expiry_min = expiry;
    }
}

/* Finds the runs; versions that newer ones stand over leave the order. */
static int mem_make_runs(struct mem_sorter *s, struct mem_order *o, struct dn_err *err)
{
    uint32_t cap = 0;
    uint32_t keep = 0;
    uint32_t end;
    struct mem_run *run = NULL;

    for (uint32_t i = 0; i < o->count; i = end) {
        const struct mem_chunk *c = mem_chunk_of(s->m, o->order[i]);
        uint32_t series = s->t->by_value ? 0 : c->series[o->order[i] - c->first_row];
        int64_t slab = s->slabs ? s->slabs[i] : 0;
        uint32_t from;

        end = mem_key_end(s, o, i, &from);
        if (!run || run->series != series || run->slab != slab) {
            run = mem_add_run(s, o, &cap);
            if (!run)
                return DN_FAIL_NOMEM(err);
            *run = (struct mem_run){.slab = slab,
                                    .series = series,
                                    .first = keep,
                                    .time_min = INT64_MAX,
                                    .time_max = INT64_MIN,
                                    .rowid_min = INT64_MAX,
                                    .rowid_max = INT64_MIN,
                                    .plain = true};
        }
        run->count += end - from;
        run->plain = run->plain && end - from == 1;
        run->versions = end - from > run->versions ? end - from : run->versions;
        for (uint32_t k = from; k < end; k++) {
            mem_note_row(s, o, run, o->order[k]);
            o->order[keep++] = o->order[k];
        }
    }
    o->count = keep;
    return DN_OK;
}

/* Tokens by series number, from the ranked list. */
static void mem_set_tokens(struct mem_order *o, const struct mem_ranked *list, uint32_t count)
{
    /* Runs of one slab visit the series in rank order, so one walk per slab finds each. */
    uint32_t at = 0;

    for (uint32_t i = 0; i < o->runs_count; i++) {
        if (i > 0 && o->runs[i].slab != o->runs[i - 1].slab)
            at = 0;
        while (at < count && list[at].series != o->runs[i].series)
            at++;
        DN_ASSERT(at < count);
        o->runs[i].token = list[at].token;
    }
}

/* ---- tables laid out by value ---- */

struct mem_placed {
    int64_t place; /* of the first column of the key, turned round if it is descending */
    uint32_t row;
};

static bool
mem_placed_after(const struct mem_sorter *s, const struct mem_placed *a, const struct mem_placed *b)
{
    return a->place != b->place ? a->place > b->place : mem_cmp_rest(s, a->row, b->row) > 0;
}

/* Stable merge sort of the list, which is returned, or the spare. */
static struct mem_placed *mem_placed_sort(const struct mem_sorter *s,
                                          struct mem_placed *list,
                                          struct mem_placed *spare,
                                          uint32_t count)
{
    for (uint64_t width = 1; width < count && !mem_canceled(s->cancel); width *= 2) {
        struct mem_placed *swap = list;

        for (uint64_t start = 0; start < count; start += 2 * width) {
            uint32_t mid = (uint32_t)(start + width < count ? start + width : count);
            uint32_t end = (uint32_t)(start + 2 * width < count ? start + 2 * width : count);
            uint32_t i = (uint32_t)start;
            uint32_t j = mid;

            if (mid == end || !mem_placed_after(s, &list[mid - 1], &list[mid])) {
                memcpy(spare + start, list + start, (size_t)(end - start) * sizeof *list);
                continue;
            }
            for (uint32_t k = (uint32_t)start; k < end; k++) {
                bool right = i >= mid || (j < end && mem_placed_after(s, &list[i], &list[j]));
                spare[k] = list[right ? j++ : i++];
            }
        }
        list = spare;
        spare = swap;
    }
    return list;
}

/* Sorts all rows of the order by the key. */
static int mem_sort_values(struct mem_sorter *s, uint32_t count, struct dn_err *err)
{
    const struct key_part *first = &s->t->rest[0];
    struct mem_placed *list = mem_alloc_array(s->m->owner, 2 * (size_t)count, sizeof *list);
    struct mem_placed *in_order;

    if (!list)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct datum d = memtable_datum(s->m, s->order[i], first->col);
        int64_t place = datum_place(&d);

        list[i] = (struct mem_placed){.place = first->desc ? ~place : place, .row = s->order[i]};
    }
    in_order = mem_placed_sort(s, list, list + count, count);
    for (uint32_t i = 0; i < count; i++)
        s->order[i] = in_order[i].row;
    mem_free(list);
    return mem_canceled(s->cancel) ? DN_FAIL(err, DN_E_CANCELED, "the statement was canceled")
                                   : DN_OK;
}

static void mem_sorter_init(struct mem_sorter *s, struct memtable *m)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    s->t = m->table;
    s->fast_col = -1;
    if (s->t->form != KEY_NONE && s->t->rest_count == 1) {
        enum type_id type = s->t->columns[s->t->rest[0].col].type;
        if (type_is_int(type) || type_is_timestamp(type)) {
            s->fast_col = s->t->rest[0].col;
            s->fast_desc = s->t->rest[0].desc;
        }
    }
}

static int mem_build_order(struct memtable *m,
                           const struct mem_pick *pick,
                           struct mem_ranked *list,
                           uint32_t count,
                           const atomic_bool *cancel,
                           struct mem_order *o,
                           struct dn_err *err)
{
    struct mem_sorter s;
    struct mem_ranked *spare_list = mem_alloc_array(m->owner, count, sizeof *spare_list);
    uint32_t at = 0;
    size_t room = 0;
    int rc = DN_E_NOMEM;

    mem_sorter_init(&s, m);
    s.cancel = cancel;
    for (uint32_t i = 0; i < count; i++)
        room += list[i].rows;
    s.order = mem_alloc_array(m->owner, room, sizeof *s.order);
    s.spare = mem_alloc_array(m->owner, room, sizeof *s.spare);
    if (m->table->time_col >= 0)
        s.slabs = mem_alloc_array(m->owner, room, sizeof *s.slabs);
    o->order = s.order;
    if (!spare_list || !s.order || !s.spare || (m->table->time_col >= 0 && !s.slabs)) {
        rc = DN_FAIL_NOMEM(err);
        goto out;
    }
    mem_rank_sort(list, spare_list, count, cancel);
    o->count = mem_collect(m, pick, list, count, o->rows, s.order);
    for (uint32_t i = 0; i < count; i++) {
        mem_sort_rest(&s, at, at + list[i].rows);
        at += list[i].rows;
    }
    if (mem_canceled(cancel)) {
        rc = DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
        goto out;
    }
    for (uint32_t i = 0; s.slabs && i < o->count; i++)
        s.slabs[i] = mem_slab_of(&s, s.order[i]);
    if (s.slabs) {
        rc = mem_sort_slabs(&s, o->count, err);
        if (rc < 0)
            goto out;
    }
    if (mem_canceled(cancel)) {
        rc = DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
        goto out;
    }
    rc = mem_make_runs(&s, o, err);
    if (rc == DN_OK)
        mem_set_tokens(o, list, count);
out:
    mem_free(spare_list);
    mem_free(s.spare);
    mem_free(s.slabs);
    return rc;
}

/* The order of a table laid out by value: of the rows of the picked series, or of all. */
static int mem_build_values(struct memtable *m,
                            const struct mem_pick *pick,
                            struct mem_ranked *list,
                            uint32_t count,
                            const atomic_bool *cancel,
                            struct mem_order *o,
                            struct dn_err *err)
{
    struct mem_sorter s;
    size_t room = pick->series_count ? 0 : o->rows;
    int rc;

    mem_sorter_init(&s, m);
    s.cancel = cancel;
    for (uint32_t i = 0; i < count; i++)
        room += list[i].rows;
    s.order = mem_alloc_array(m->owner, room, sizeof *s.order);
    o->order = s.order;
    if (!s.order)
        return DN_FAIL_NOMEM(err);
    o->count = o->rows;
    if (pick->series_count)
        o->count = mem_collect(m, pick, list, count, o->rows, s.order);
    for (uint32_t row = 0; !pick->series_count && row < o->rows; row++)
        s.order[row] = row;
    rc = mem_sort_values(&s, o->count, err);
    return rc < 0 ? rc : mem_make_runs(&s, o, err);
}

static struct mem_order *mem_order_ref(struct mem_order *o)
{
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    return o;
}

void memtable_order_unref(struct mem_order *o)
{
    if (!o || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
        return;
    mem_free(o->order);
    mem_free(o->runs);
    mem_free(o);
}

int memtable_order(struct memtable *m,
                   uint32_t rows,
                   const struct mem_pick *pick,
                   const atomic_bool *cancel,
                   struct mem_order **ret,
                   struct dn_err *err)
{
    static const struct mem_pick all = {0};
    struct mem_order *o = NULL;
    struct mem_order *old = NULL;
    struct mem_ranked *list = NULL;
    uint32_t count = 0;
    int rc = DN_OK;

    pick = pick ? pick : &all;
    DN_ASSERT(!pick->timed || (pick->series_count > 0 && memtable_timed(m->table)));
    sched_lock(m->lock);
    if (pick->series_count == 0 && m->order && m->order->rows == rows)
        o = mem_order_ref(m->order);
    sched_unlock(m->lock);
    if (o) {
        *ret = o;
        return DN_OK;
    }
    if (pick->series_count || !m->table->by_value)
        rc = mem_pick_series(m, pick, &list, &count, err);
    if (rc < 0)
        return rc;
    o = mem_calloc(m->owner, 1, sizeof *o);
    if (!o) {
        mem_free(list);
        return DN_FAIL_NOMEM(err);
    }
    atomic_init(&o->refs, 1);
    o->rows = rows;
    o->expiry_min = INT64_MAX;
    rc = m->table->by_value ? mem_build_values(m, pick, list, count, cancel, o, err)
                            : mem_build_order(m, pick, list, count, cancel, o, err);
    mem_free(list);
    if (rc < 0) {
        memtable_order_unref(o);
        return rc;
    }
    if (pick->series_count == 0) {
        sched_lock(m->lock);
        if (!m->order || m->order->rows < rows) {
            old = m->order;
            m->order = mem_order_ref(o);
        }
        sched_unlock(m->lock);
        memtable_order_unref(old);
    }
    *ret = o;
    return DN_OK;
}
