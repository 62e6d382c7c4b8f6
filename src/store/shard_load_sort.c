/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_sort.c: see the header.
 *
 *   1. the slabs of the batch are numbered, if the order of the key does not imply theirs
 *   2. the words of all rows, in tasks
 *   3. rows go to buckets by the first bits of their heads, in place
 *   4. each bucket is sorted by words and, where these do not tell, by keys; older versions leave;
 *      tasks take one bucket after the other
 *   5. the buckets close up */
#include "store/shard_load_sort.h"
#include "store/shard_int.h"

#include "vec/normkey.h"

#include <string.h>

#define SORT_BUCKETS   2048u
#define SORT_TASKS     16u
#define SORT_TASK_ROWS 8192u /* fewer are not worth a task */
#define SORT_FEW       12u   /* rows that are put in order one by one */
#define SORT_SIGN64    0x8000000000000000u

/* ---- tasks ---- */

struct sort_task {
    struct load_sort *ls;
    uint32_t from; /* rows of the batch */
    uint32_t to;
    void (*work)(struct sort_task *task);
    struct sched_task *task;
    int rc;
    struct dn_err why;
};

static void sort_task_run(void *arg)
{
    struct sort_task *task = arg;

    task->work(task);
}

/* Several tasks do the work, each for a share of the batch's rows. */
static int sort_tasks(struct load_sort *ls, void (*work)(struct sort_task *), struct dn_err *err)
{
    struct sort_task tasks[SORT_TASKS];
    uint32_t total = ls->firsts[ls->batch->parts_count];
    uint32_t cores = sched_cores(ls->s->sched);
    uint32_t most = ls->batch->task_rows ? ls->batch->task_rows : SORT_TASK_ROWS;
    uint32_t count = total / most;
    int rc = DN_OK;

    count = count < 1 ? 1 : count;
    count = count < cores ? count : cores;
    count = count < SORT_TASKS ? count : SORT_TASKS;
    for (uint32_t i = 0; i < count; i++) {
        tasks[i] = (struct sort_task){.ls = ls,
                                      .from = (uint32_t)((uint64_t)total * i / count),
                                      .to = (uint32_t)((uint64_t)total * (i + 1) / count),
                                      .work = work};
        if (i + 1 == count || /* this task itself */
            sched_spawn(ls->s->sched, "load sort", sort_task_run, &tasks[i], &tasks[i].task, NULL) <
                0) {
            tasks[i].task = NULL;
            work(&tasks[i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tasks[i].task)
            sched_join(tasks[i].task);
        if (tasks[i].rc < 0 && rc == DN_OK) {
            rc = tasks[i].rc;
            if (err)
                *err = tasks[i].why;
        }
    }
    return rc;
}

/* ---- slabs ---- */

/* Physical order: backwards if the time goes down. */
static bool sort_slab_before(const struct table *t, int64_t a, int64_t b)
{
    return t->time_desc ? a > b : a < b;
}

/* Place of a slab, or where it belongs. */
static uint32_t sort_slab_find(const struct load_sort *ls, int64_t slab)
{
    uint32_t lo = 0;
    uint32_t hi = ls->slabs_count;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (sort_slab_before(ls->t, ls->slabs[mid], slab))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool sort_slab_add(struct load_sort *ls, int64_t slab, uint32_t *cap)
{
    uint32_t at = sort_slab_find(ls, slab);

    if (at < ls->slabs_count && ls->slabs[at] == slab)
        return true;
    if (ls->slabs_count == *cap) {
        uint32_t want = *cap ? *cap * 2 : 16;
        int64_t *grown = mem_realloc(&ls->s->owner, ls->slabs, (size_t)want * sizeof *grown);

        if (!grown)
            return false;
        ls->slabs = grown;
        *cap = want;
    }
    memmove(ls->slabs + at + 1, ls->slabs + at, (ls->slabs_count - at) * sizeof *ls->slabs);
    ls->slabs[at] = slab;
    ls->slabs_count++;
    return true;
}

static int sort_find_slabs(struct load_sort *ls, struct dn_err *err)
{
    const struct load_batch *b = ls->batch;
    struct load_slab slab;
    uint32_t cap = 0;

    if (shard_load_slab_implied(ls->t))
        return DN_OK;
    shard_load_slab_init(&slab, ls->t);
    for (size_t p = 0; p < b->parts_count; p++) {
        for (uint32_t row = 0; row < b->parts[p].rows; row++) {
            int64_t before = slab.slab;
            bool any = ls->slabs_count > 0;

            if (shard_load_slab_of(&slab, ls->t, b->parts[p].cols, row) == before && any)
                continue;
            if (!sort_slab_add(ls, slab.slab, &cap))
                return DN_FAIL_NOMEM(err);
        }
    }
    while (ls->slabs_count > (uint64_t)1 << ls->slab_bits)
        ls->slab_bits++;
    return DN_OK;
}

/* ---- words ---- */

/* Bytes of a normalized value; 0: they differ, or tell not all of it. */
static uint32_t sort_fixed_bytes(enum type_id type)
{
    switch (type_phys(type)) {
    case PHYS_I8:
        return 1;
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
    case PHYS_F64:
        return 8;
    case PHYS_F32:
        return 4;
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return 0;
}

/* Are the words all of the key behind the series? */
static bool sort_is_exact(const struct load_sort *ls)
{
    const struct table *t = ls->t;
    uint32_t bytes = 0;

    if (t->form == KEY_NONE)
        return true;
    for (uint16_t i = 0; i < t->rest_count; i++) {
        uint32_t one = sort_fixed_bytes(t->columns[t->rest[i].col].type);

        bytes += one ? one : 17;
    }
    if (t->series_count > 0)
        return bytes <= 8;
    return bytes <= 16 && ls->slab_bits == 0;
}

struct sort_words {
    struct load_sort *ls;
    struct datum *series; /* owned: values of one */
    struct buf scratch;   /* of the token */
    struct buf key;       /* normalized rest */
    struct load_slab slab;
    uint32_t slab_number;
    bool slab_known;
};

/* The first 16 bytes of the normalized rest of the key; zeros behind its end. */
static void
sort_rest_bytes(struct sort_words *w, const struct vec *cols, uint32_t row, uint64_t ret[2])
{
    const struct table *t = w->ls->t;
    uint8_t bytes[16] = {0};

    buf_reset(&w->key);
    for (uint16_t i = 0; i < t->rest_count && w->key.len < sizeof bytes; i++)
        normkey_append_vec(&w->key, &cols[t->rest[i].col], row, t->rest[i].desc);
    if (w->key.len > 0)
        memcpy(bytes, w->key.data, w->key.len < sizeof bytes ? w->key.len : sizeof bytes);
    ret[0] = be_get64(bytes);
    ret[1] = be_get64(bytes + 8);
}

/* The same of a key that is one number or time. */
static uint64_t sort_rest_i64(const struct table *t, const struct vec *cols, uint32_t row)
{
    const struct vec *v = &cols[t->rest[0].col];
    uint64_t x = (uint64_t)((const int64_t *)v->data)[vec_at(v, row)] ^ SORT_SIGN64;

    return t->rest[0].desc ? ~x : x;
}

static int64_t sort_token(struct sort_words *w, const struct vec *cols, uint32_t row)
{
    const struct table *t = w->ls->t;

    for (uint16_t i = 0; i < t->series_count; i++)
        w->series[i] = vec_datum(&cols[t->series[i]], row);
    return table_series_token(t, w->series, &w->scratch);
}

/* The number of the row's slab goes before the words. */
static void
sort_put_slab(struct sort_words *w, const struct vec *cols, uint32_t row, struct load_row *r)
{
    const struct load_sort *ls = w->ls;
    int64_t before = w->slab.slab;
    int64_t slab = shard_load_slab_of(&w->slab, ls->t, cols, row);

    if (!w->slab_known || slab != before)
        w->slab_number = sort_slab_find(ls, slab);
    w->slab_known = true;
    if (ls->t->series_count == 0)
        r->tail = r->tail >> ls->slab_bits | r->head << (64 - ls->slab_bits);
    r->head = r->head >> ls->slab_bits | (uint64_t)w->slab_number << (64 - ls->slab_bits);
}

static void
sort_part_words(struct sort_words *w, uint32_t number, uint32_t from, uint32_t to, bool one)
{
    const struct load_sort *ls = w->ls;
    const struct table *t = ls->t;
    const struct vec *cols = ls->batch->parts[number].cols;
    struct load_row *r = &ls->rows[ls->firsts[number] + from];
    uint64_t rest[2] = {0, 0};
    uint64_t token = 0;

    for (uint32_t row = from; row < to; row++, r++) {
        if (one)
            rest[0] = sort_rest_i64(t, cols, row);
        else if (t->form == KEY_NONE)
            rest[0] = ls->firsts[number] + row;
        else
            sort_rest_bytes(w, cols, row, rest);
        *r = (struct load_row){.head = rest[0], .tail = rest[1], .part = number, .row = row};
        if (t->series_count > 0) {
            if (row == from || !shard_load_same_series(t, cols, row - 1, cols, row))
                token = (uint64_t)sort_token(w, cols, row) ^ SORT_SIGN64;
            r->tail = r->head;
            r->head = token;
        }
        if (ls->slab_bits > 0)
            sort_put_slab(w, cols, row, r);
    }
}

static bool sort_words_init(struct sort_words *w, struct load_sort *ls)
{
    struct mem_owner *owner = &ls->s->owner;

    *w = (struct sort_words){.ls = ls};
    buf_init(&w->scratch, owner);
    buf_init(&w->key, owner);
    shard_load_slab_init(&w->slab, ls->t);
    w->series = mem_alloc_array(owner, ls->t->series_count + 1u, sizeof *w->series);
    return w->series != NULL;
}

static void sort_words_done(struct sort_words *w)
{
    mem_free(w->series);
    buf_done(&w->scratch);
    buf_done(&w->key);
}

static void sort_words_task(struct sort_task *task)
{
    struct load_sort *ls = task->ls;
    const struct table *t = ls->t;
    struct sort_words w;
    bool one = t->form != KEY_NONE && t->rest_count == 1 &&
               type_phys(t->columns[t->rest[0].col].type) == PHYS_I64;
    uint32_t part = 0;

    task->rc = sort_words_init(&w, ls) ? DN_OK : DN_FAIL_NOMEM(&task->why);
    for (uint32_t at = task->from; at < task->to && task->rc == DN_OK;) {
        uint32_t end;

        while (ls->firsts[part + 1] <= at)
            part++;
        end = ls->firsts[part + 1] < task->to ? ls->firsts[part + 1] : task->to;
        sort_part_words(&w, part, at - ls->firsts[part], end - ls->firsts[part], one);
        if (w.scratch.failed || w.key.failed)
            task->rc = DN_FAIL_NOMEM(&task->why);
        else
            task->rc = shard_check_cancel(ls->cancel, &task->why);
        at = end;
    }
    sort_words_done(&w);
}

/* ---- buckets ---- */

/* Rows change places until each is in its bucket. */
static void sort_scatter(struct load_sort *ls)
{
    uint64_t min = UINT64_MAX;
    uint64_t max = 0;
    unsigned shift = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < ls->count; i++) {
        min = ls->rows[i].head < min ? ls->rows[i].head : min;
        max = ls->rows[i].head > max ? ls->rows[i].head : max;
    }
    while ((max - min) >> shift >= SORT_BUCKETS)
        shift++;
    for (uint32_t i = 0; i < ls->count; i++)
        ls->ends[(ls->rows[i].head - min) >> shift]++;
    for (uint32_t b = 0; b < SORT_BUCKETS; b++) {
        uint32_t rows = ls->ends[b];

        ls->starts[b] = ls->ends[b] = at;
        at += rows;
    }
    ls->starts[SORT_BUCKETS] = at;
    for (uint32_t b = 0; b < SORT_BUCKETS; b++) {
        while (ls->ends[b] < ls->starts[b + 1]) {
            struct load_row row = ls->rows[ls->ends[b]];
            uint64_t to = (row.head - min) >> shift;

            while (to != b) {
                struct load_row *place = &ls->rows[ls->ends[to]++];
                struct load_row next = *place;

                *place = row;
                row = next;
                to = (row.head - min) >> shift;
            }
            ls->rows[ls->ends[b]++] = row;
        }
    }
}

/* ---- order ---- */

/* Called with values of its own by every task. */
typedef int (*sort_cmp)(struct sort_words *w, const struct load_row *a, const struct load_row *b);

static inline int sort_cmp_number(const struct load_row *a, const struct load_row *b)
{
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static inline int
sort_cmp_words(struct sort_words *w, const struct load_row *a, const struct load_row *b)
{
    (void)w;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    if (a->tail != b->tail)
        return a->tail < b->tail ? -1 : 1;
    return sort_cmp_number(a, b);
}

/* Rows of one head by their whole keys. The head may lack bits of the token. */
static inline int
sort_cmp_keys(struct sort_words *w, const struct load_row *a, const struct load_row *b)
{
    const struct load_sort *ls = w->ls;
    const struct vec *x = load_row_cols(ls, a);
    const struct vec *y = load_row_cols(ls, b);
    int c = shard_load_cmp_series(ls->t, x, a->row, y, b->row);

    if (c != 0 && ls->slab_bits > 0) {
        int64_t token = sort_token(w, x, a->row);
        int64_t other = sort_token(w, y, b->row);

        c = token < other ? -1 : token > other ? 1 : c;
    }
    if (c == 0)
        c = shard_load_cmp_rest(ls->t, x, a->row, y, b->row);
    return c != 0 ? c : sort_cmp_number(a, b);
}

/* Merge sort; spare holds as many rows. */
static inline void sort_merge(
    struct sort_words *w, struct load_row *a, struct load_row *spare, uint32_t n, sort_cmp cmp)
{
    for (uint32_t lo = 0; lo < n; lo += SORT_FEW) {
        uint32_t hi = n - lo < SORT_FEW ? n : lo + SORT_FEW;

        for (uint32_t i = lo + 1; i < hi; i++) {
            struct load_row row = a[i];
            uint32_t k = i;

            for (; k > lo && cmp(w, &row, &a[k - 1]) < 0; k--)
                a[k] = a[k - 1];
            a[k] = row;
        }
    }
    for (uint64_t width = SORT_FEW; width < n; width *= 2) {
        for (uint64_t lo = 0; lo + width < n; lo += 2 * width) {
            uint32_t mid = (uint32_t)(lo + width);
            uint32_t hi = (uint32_t)(lo + 2 * width < n ? lo + 2 * width : n);
            uint32_t i = 0;
            uint32_t j = mid;

            if (cmp(w, &a[mid - 1], &a[mid]) < 0)
                continue;
            memcpy(spare, a + lo, (size_t)width * sizeof *a);
            for (uint32_t k = (uint32_t)lo; i < width; k++)
                a[k] = j < hi && cmp(w, &a[j], &spare[i]) < 0 ? a[j++] : spare[i++];
        }
    }
}

static void
sort_by_words(struct sort_words *w, struct load_row *a, struct load_row *spare, uint32_t n)
{
    sort_merge(w, a, spare, n, sort_cmp_words);
}

static void
sort_by_keys(struct sort_words *w, struct load_row *a, struct load_row *spare, uint32_t n)
{
    sort_merge(w, a, spare, n, sort_cmp_keys);
}

static bool
sort_same_series(const struct load_sort *ls, const struct load_row *a, const struct load_row *b)
{
    return shard_load_same_series(
        ls->t, load_row_cols(ls, a), a->row, load_row_cols(ls, b), b->row);
}

/* Rows that are sorted by words: what these do not tell. */
static void
sort_settle(struct sort_words *w, struct load_row *a, struct load_row *spare, uint32_t n)
{
    const struct load_sort *ls = w->ls;
    uint32_t end;

    for (uint32_t i = 0; i < n; i = end) {
        bool mixed = false;

        for (end = i + 1; end < n && a[end].head == a[i].head; end++)
            mixed = mixed || !sort_same_series(ls, &a[end - 1], &a[end]);
        if (mixed) {
            sort_by_keys(w, a + i, spare, end - i);
            continue;
        }
        for (uint32_t k = i, stop; !ls->exact && k < end; k = stop) {
            for (stop = k + 1; stop < end && a[stop].tail == a[k].tail;)
                stop++;
            if (stop - k > 1)
                sort_by_keys(w, a + k, spare, stop - k);
        }
    }
}

/* Neighbours in order: are they versions of one row? */
static bool
sort_same_key(const struct load_sort *ls, const struct load_row *a, const struct load_row *b)
{
    if (a->head != b->head || a->tail != b->tail || !sort_same_series(ls, a, b))
        return false;
    return ls->exact || shard_load_cmp_rest(
                            ls->t, load_row_cols(ls, a), a->row, load_row_cols(ls, b), b->row) == 0;
}

/* Versions older than a put leave; the others of a key are marked. Returns how many rows stay. */
static uint32_t sort_leave_out(const struct load_sort *ls, struct load_row *a, uint32_t n)
{
    uint32_t keep = 0;
    uint32_t end;

    for (uint32_t i = 0; i < n; i = end) {
        uint32_t from = i;

        for (end = i + 1; end < n && sort_same_key(ls, &a[end - 1], &a[end]); end++)
            if (ls->batch->parts[a[end].part].op != ROW_PATCH)
                from = end;
        for (uint32_t k = from; k < end; k++) {
            a[keep] = a[k];
            a[keep++].part |= k > from ? LOAD_ROW_OLDER : 0;
        }
    }
    return keep;
}

static int sort_bucket(struct sort_words *w, uint32_t b, struct load_row **spare, uint32_t *cap)
{
    struct load_sort *ls = w->ls;
    struct load_row *a = ls->rows + ls->starts[b];
    uint32_t n = ls->starts[b + 1] - ls->starts[b];

    if (n > *cap) {
        mem_free(*spare);
        *cap = 0;
        *spare = mem_alloc_array(&ls->s->owner, n, sizeof **spare);
        if (!*spare)
            return DN_E_NOMEM;
        *cap = n;
    }
    sort_by_words(w, a, *spare, n);
    if (ls->t->form == KEY_NONE) {
        ls->ends[b] = ls->starts[b] + n;
        return DN_OK;
    }
    sort_settle(w, a, *spare, n);
    ls->ends[b] = ls->starts[b] + sort_leave_out(ls, a, n);
    return w->scratch.failed ? DN_E_NOMEM : DN_OK;
}

static void sort_buckets_task(struct sort_task *task)
{
    struct load_sort *ls = task->ls;
    struct sort_words w;
    struct load_row *spare = NULL;
    uint32_t cap = 0;
    uint32_t b;

    task->rc = sort_words_init(&w, ls) ? DN_OK : DN_FAIL_NOMEM(&task->why);
    while (task->rc == DN_OK && (b = atomic_fetch_add(&ls->next, 1)) < SORT_BUCKETS) {
        task->rc = shard_check_cancel(ls->cancel, &task->why);
        if (task->rc == DN_OK && sort_bucket(&w, b, &spare, &cap) < 0)
            task->rc = DN_FAIL_NOMEM(&task->why);
    }
    mem_free(spare);
    sort_words_done(&w);
}

/* ---- the whole ---- */

static void sort_close_up(struct load_sort *ls)
{
    uint32_t keep = 0;

    for (uint32_t b = 0; b < SORT_BUCKETS; b++) {
        uint32_t n = ls->ends[b] - ls->starts[b];

        if (keep != ls->starts[b])
            memmove(ls->rows + keep, ls->rows + ls->starts[b], (size_t)n * sizeof *ls->rows);
        keep += n;
    }
    ls->count = keep;
}

int shard_load_sort_init(struct load_sort *ls,
                         struct shard *s,
                         const struct table *t,
                         const struct load_batch *batch,
                         const atomic_bool *cancel,
                         struct dn_err *err)
{
    struct mem_owner *owner = &s->owner;
    uint32_t at = 0;

    *ls = (struct load_sort){.s = s, .t = t, .batch = batch, .cancel = cancel};
    ls->firsts = mem_alloc_array(owner, batch->parts_count + 1, sizeof *ls->firsts);
    ls->starts = mem_calloc(owner, SORT_BUCKETS + 1, sizeof *ls->starts);
    ls->ends = mem_calloc(owner, SORT_BUCKETS, sizeof *ls->ends);
    ls->rows = mem_alloc_array(owner, batch->rows, sizeof *ls->rows);
    if (!ls->firsts || !ls->starts || !ls->ends || !ls->rows)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < batch->parts_count; i++) {
        ls->firsts[i] = at;
        at += batch->parts[i].rows;
    }
    ls->firsts[batch->parts_count] = at;
    ls->count = at;
    return DN_OK;
}

int shard_load_sort_run(struct load_sort *ls, struct dn_err *err)
{
    int rc = sort_find_slabs(ls, err);

    ls->exact = sort_is_exact(ls);
    if (rc == DN_OK)
        rc = sort_tasks(ls, sort_words_task, err);
    if (rc < 0)
        return rc;
    sort_scatter(ls);
    atomic_init(&ls->next, 0);
    rc = sort_tasks(ls, sort_buckets_task, err);
    if (rc == DN_OK)
        sort_close_up(ls);
    return rc;
}

void shard_load_sort_done(struct load_sort *ls)
{
    mem_free(ls->rows);
    mem_free(ls->slabs);
    mem_free(ls->firsts);
    mem_free(ls->starts);
    mem_free(ls->ends);
    *ls = (struct load_sort){.count = 0};
}
