/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_runs.c: runs in scratch, and their merge: a heap of the runs by the key each has next. A
 * batch of the result is a list of places in the batches of the runs, gathered column by column; it
 * ends where a run has to read on, because the strings it refers to go then. */
#include "exec/sort_runs.h"

#include <string.h>

#define RUNS_BATCH_ROWS 256u /* of a run in memory */
#define RUNS_BLOCK_MIN  (16u * 1024)
#define RUNS_BLOCK_MAX  (256u * 1024)
#define RUNS_BLOCKS     32u  /* blocks that fit into the memory, if they can be of a good size */
#define RUNS_MERGE_MAX  128u /* merged at once */

struct exec_sort_head {
    struct exec_spill_reader reader;
    struct batch batch;
    uint32_t row;    /* the next one */
    uint64_t prefix; /* of its key, as in struct exec_sort_item */
    struct vstr key;
};

int exec_sort_runs_init(struct exec_sort_runs *r,
                        const struct exec_sort_runs_options *options,
                        struct dn_err *err)
{
    uint32_t cols = options->cols_count + 1;

    *r = (struct exec_sort_runs){.volume = options->volume,
                                 .owner = options->owner,
                                 .cols_count = cols,
                                 .memory = options->memory,
                                 .check = options->check,
                                 .check_arg = options->check_arg};
    arena_init(&r->batch, r->owner);
    r->types = mem_alloc_array(r->owner, cols, sizeof *r->types);
    r->out = mem_calloc(r->owner, cols, sizeof *r->out);
    r->picks = mem_alloc_array(r->owner, VEC_ROWS_MAX, sizeof *r->picks);
    if (!r->types || !r->out || !r->picks)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c + 1 < cols; c++)
        r->types[c] = options->types[c];
    r->types[cols - 1] = TYPE_BLOB;
    return 0;
}

static void runs_close_heads(struct exec_sort_runs *r)
{
    for (uint32_t i = 0; r->heads && i < r->heads_count; i++)
        exec_spill_reader_close(&r->heads[i].reader);
    mem_free(r->heads);
    mem_free(r->heap);
    r->heads = NULL;
    r->heap = NULL;
    r->heads_count = 0;
    r->heap_count = 0;
}

void exec_sort_runs_done(struct exec_sort_runs *r)
{
    runs_close_heads(r);
    exec_spill_close(&r->spill);
    arena_done(&r->batch);
    mem_free(r->types);
    mem_free(r->out);
    mem_free(r->picks);
    *r = (struct exec_sort_runs){.memory = 0};
}

static int runs_open_spill(struct exec_sort_runs *r, struct exec_spill *s, struct dn_err *err)
{
    size_t block = r->memory / RUNS_BLOCKS;
    const struct exec_spill_options options = {.volume = r->volume,
                                               .owner = r->owner,
                                               .types = r->types,
                                               .cols_count = r->cols_count,
                                               .block_bytes =
                                                   block < RUNS_BLOCK_MIN   ? RUNS_BLOCK_MIN
                                                   : block > RUNS_BLOCK_MAX ? RUNS_BLOCK_MAX
                                                                            : (uint32_t)block,
                                               .batch_rows = RUNS_BATCH_ROWS};

    return exec_spill_open(s, &options, err);
}

static int runs_check(const struct exec_sort_runs *r, struct dn_err *err)
{
    return r->check ? r->check(r->check_arg, err) : 0;
}

/* ---- runs ---- */

static int runs_add_batch(struct exec_sort_runs *r,
                          const struct exec_sort_rows *rows,
                          uint32_t first,
                          uint32_t count,
                          struct dn_err *err)
{
    struct vstr *keys;
    int rc = runs_check(r, err);

    if (rc < 0)
        return rc;
    arena_reset(&r->batch);
    keys = arena_alloc_array(&r->batch, count, sizeof *keys);
    if (!keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        size_t len;

        keys[i].ptr = (const char *)exec_sort_key(rows, rows->items[first + i].row, &len);
        if (len > UINT32_MAX)
            return DN_FAIL(err, DN_E_TOO_LONG, "a sort key of %zu bytes is too long", len);
        keys[i].len = (uint32_t)len;
    }
    rc = exec_sort_batch(rows, first, count, &r->batch, r->out, err);
    if (rc < 0)
        return rc;
    r->out[r->cols_count - 1] =
        (struct vec){.type = TYPE_BLOB, .form = VEC_FLAT, .count = count, .data = keys};
    return exec_spill_write(&r->spill, r->spill.parts_count - 1, r->out, NULL, count, err);
}

int exec_sort_runs_add(struct exec_sort_runs *r,
                       const struct exec_sort_rows *rows,
                       uint32_t count,
                       struct dn_err *err)
{
    uint64_t before = r->spill.bytes;
    uint32_t part;
    int rc = 0;

    DN_ASSERT(rows->items && count <= rows->count && rows->cols_count + 1 == r->cols_count);
    if (!exec_spill_is_open(&r->spill))
        rc = runs_open_spill(r, &r->spill, err);
    if (rc == 0)
        rc = exec_spill_add(&r->spill, &part, err);
    for (uint32_t at = 0; at < count && rc == 0; at += VEC_ROWS_MAX)
        rc =
            runs_add_batch(r, rows, at, count - at < VEC_ROWS_MAX ? count - at : VEC_ROWS_MAX, err);
    if (rc == 0)
        rc = exec_spill_seal(&r->spill, part, err);
    r->bytes += r->spill.bytes - before;
    return rc;
}

/* ---- merging ---- */

static void head_key(struct exec_sort_head *h)
{
    const struct vec *keys = &h->batch.cols[h->batch.cols_count - 1];
    uint8_t bytes[8] = {0};

    h->key = ((const struct vstr *)keys->data)[h->row];
    if (h->key.len)
        memcpy(bytes, h->key.ptr, h->key.len < 8 ? h->key.len : 8);
    h->prefix = be_get64(bytes);
}

/* Does run a come before run b? Of equals the earlier run. */
static bool runs_before(const struct exec_sort_runs *r, uint32_t a, uint32_t b)
{
    const struct exec_sort_head *x = &r->heads[a];
    const struct exec_sort_head *y = &r->heads[b];
    int c;

    if (x->prefix != y->prefix)
        return x->prefix < y->prefix;
    c = vstr_cmp(x->key, y->key);
    return c ? c < 0 : a < b;
}

static void runs_sift(struct exec_sort_runs *r, uint32_t at)
{
    uint32_t x = r->heap[at];

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= r->heap_count)
            break;
        if (child + 1 < r->heap_count && runs_before(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (runs_before(r, x, r->heap[child]))
            break;
        r->heap[at] = r->heap[child];
        at = child;
    }
    r->heap[at] = x;
}

/* Opens readers of parts [first, first + count). */
static int
runs_open_heads(struct exec_sort_runs *r, uint32_t first, uint32_t count, struct dn_err *err)
{
    int rc = 0;

    runs_close_heads(r);
    r->heads = mem_calloc(r->owner, count, sizeof *r->heads);
    r->heap = mem_alloc_array(r->owner, count, sizeof *r->heap);
    if (!r->heads || !r->heap)
        return DN_FAIL_NOMEM(err);
    r->heads_count = count;
    r->dry = false;
    for (uint32_t i = 0; i < count; i++) {
        struct exec_sort_head *h = &r->heads[i];

        rc = exec_spill_reader_open(&h->reader, &r->spill, first + i, r->owner, err);
        if (rc == 0)
            rc = exec_spill_reader_next(&h->reader, &h->batch, err);
        if (rc == DN_EOF)
            continue;
        if (rc < 0)
            return rc;
        head_key(h);
        r->heap[r->heap_count++] = i;
    }
    for (uint32_t i = r->heap_count / 2; i > 0; i--)
        runs_sift(r, i - 1);
    return 0;
}

/* The least run has given all of its batch. */
static int runs_read_on(struct exec_sort_runs *r, struct dn_err *err)
{
    struct exec_sort_head *h = &r->heads[r->heap[0]];
    int rc = exec_spill_reader_next(&h->reader, &h->batch, err);

    if (rc < 0)
        return rc;
    if (rc == DN_EOF) {
        exec_spill_reader_close(&h->reader);
        r->heap[0] = r->heap[--r->heap_count];
    } else {
        h->row = 0;
        head_key(h);
    }
    if (r->heap_count)
        runs_sift(r, 0);
    r->dry = false;
    return 0;
}

static int runs_gather(struct exec_sort_runs *r, uint32_t col, uint32_t count, struct dn_err *err)
{
    size_t size = phys_size(type_phys(r->types[col]));
    char *data = arena_alloc_array(&r->batch, count, size);
    uint64_t *nulls = NULL;

    if (!data)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct exec_sort_pick p = r->picks[i];
        const struct vec *v = &r->heads[p.run].batch.cols[col];

        if (size == 8)
            memcpy(data + i * size, (const char *)v->data + p.row * size, 8);
        else
            memcpy(data + i * size, (const char *)v->data + p.row * size, size);
        if (vec_bit(v->nulls, p.row)) {
            if (!nulls)
                nulls = arena_calloc(&r->batch, VEC_BITMAP_WORDS(count), sizeof *nulls);
            if (!nulls)
                return DN_FAIL_NOMEM(err);
            vec_bit_set(nulls, i);
        }
    }
    r->out[col] = (struct vec){
        .type = r->types[col], .form = VEC_FLAT, .count = count, .data = data, .nulls = nulls};
    return 0;
}

int exec_sort_runs_next(struct exec_sort_runs *r, struct batch *ret, struct dn_err *err)
{
    uint32_t count = 0;
    int rc = runs_check(r, err);

    if (rc == 0 && r->dry)
        rc = runs_read_on(r, err);
    if (rc < 0)
        return rc;
    if (r->heap_count == 0)
        return DN_EOF;
    while (count < VEC_ROWS_MAX && !r->dry) {
        struct exec_sort_head *h = &r->heads[r->heap[0]];

        r->picks[count++] = (struct exec_sort_pick){.run = r->heap[0], .row = h->row++};
        if (h->row == h->batch.count) {
            r->dry = true;
        } else {
            head_key(h);
            runs_sift(r, 0);
        }
    }
    arena_reset(&r->batch);
    for (uint32_t c = 0; c < r->cols_count && rc == 0; c++)
        rc = runs_gather(r, c, count, err);
    *ret = (struct batch){
        .count = count, .cols_count = r->cols_count, .cols = r->out, .sel_count = count};
    return rc;
}

/* Runs that the memory allows to merge at once. */
static uint32_t runs_merge_count(const struct exec_sort_runs *r)
{
    size_t n = r->memory / exec_spill_reader_bytes(&r->spill);

    return n < 2 ? 2 : n > RUNS_MERGE_MAX ? RUNS_MERGE_MAX : (uint32_t)n;
}

/* All runs, so many at a time, into longer ones; a new file takes the place of the old. */
static int runs_pass(struct exec_sort_runs *r, uint32_t at_once, struct dn_err *err)
{
    struct exec_spill next = {.file = NULL};
    int rc = runs_open_spill(r, &next, err);

    for (uint32_t at = 0; at < r->spill.parts_count && rc == 0; at += at_once) {
        uint32_t count = r->spill.parts_count - at;
        struct batch rows;
        uint32_t part;

        rc = exec_spill_add(&next, &part, err);
        if (rc == 0)
            rc = runs_open_heads(r, at, count < at_once ? count : at_once, err);
        while (rc == 0) {
            rc = exec_sort_runs_next(r, &rows, err);
            if (rc == 0)
                rc = exec_spill_write(&next, part, rows.cols, NULL, rows.count, err);
        }
        if (rc == DN_EOF)
            rc = exec_spill_seal(&next, part, err);
    }
    runs_close_heads(r);
    r->bytes += next.bytes;
    if (rc < 0) {
        exec_spill_close(&next);
        return rc;
    }
    exec_spill_close(&r->spill);
    r->spill = next;
    return 0;
}

int exec_sort_runs_start(struct exec_sort_runs *r, struct dn_err *err)
{
    uint32_t at_once = runs_merge_count(r);
    int rc = 0;

    while (r->spill.parts_count > at_once && rc == 0)
        rc = runs_pass(r, at_once, err);
    return rc < 0 ? rc : runs_open_heads(r, 0, r->spill.parts_count, err);
}
