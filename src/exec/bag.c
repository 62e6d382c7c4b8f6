/* SPDX-License-Identifier: Apache-2.0
 *
 * bag.c: see bag.h. */
#include "exec/bag.h"

#include "exec/value.h"

#include <string.h>

#define BAG_PART_BITS 5u
#define BAG_HASH_BITS 64u
#define BAG_BLOCKS    128u /* that fit into a share */
#define BAG_BLOCK_MAX (256u * 1024)

_Static_assert(1u << BAG_PART_BITS == EXEC_BAG_PARTS, "bits of a part's number");
_Static_assert(BAG_PART_BITS *EXEC_BAG_LEVELS <= BAG_HASH_BITS, "each level has its own bits");

static uint8_t bag_part(const struct exec_bag *b, uint64_t hash)
{
    return (uint8_t)(hash >> (BAG_HASH_BITS - BAG_PART_BITS * (b->level + 1)) &
                     (EXEC_BAG_PARTS - 1));
}

int exec_bag_init(struct exec_bag *b,
                  struct op *op,
                  const enum type_id *types,
                  uint32_t cols_count,
                  enum exec_bag_rule rule,
                  struct dn_err *err)
{
    b->op = op;
    b->cols_count = cols_count;
    b->rule = rule;
    mem_owner_init(&b->mem, "bag", &op->mem, 0);
    arena_init(&b->batch, &op->mem);
    b->types = mem_alloc_array(&op->mem, (size_t)cols_count + 1, sizeof *b->types);
    b->cols = mem_calloc(&op->mem, (size_t)cols_count + 1, sizeof *b->cols);
    if (!b->types || !b->cols)
        return DN_FAIL_NOMEM(err);
    if (cols_count)
        memcpy(b->types, types, cols_count * sizeof *types);
    b->types[cols_count] = TYPE_BIGINT;
    return exec_groups_init(&b->rows, b->types, cols_count, &b->mem, err);
}

/* The part at hand is done with. */
static void bag_close_part(struct exec_bag *b)
{
    if (b->reading)
        exec_spill_reader_close(&b->reader);
    b->reading = false;
    if (b->child) {
        b->spilled += b->child->spilled;
        exec_bag_done(b->child);
        mem_free(b->child);
        b->child = NULL;
    }
}

void exec_bag_done(struct exec_bag *b)
{
    bag_close_part(b);
    exec_groups_done(&b->rows);
    exec_spill_close(&b->aside);
    exec_spill_close(&b->asked);
    arena_done(&b->batch);
    mem_free(b->counts);
    mem_free(b->types);
    mem_free(b->cols);
    b->counts = NULL;
    b->types = NULL;
    b->cols = NULL;
}

/* ---- in memory ---- */

static int bag_counts_grow(struct exec_bag *b, struct dn_err *err)
{
    uint32_t cap = b->counts_cap ? b->counts_cap : 64;
    uint64_t *counts;

    while (cap < b->rows.count)
        cap *= 2;
    if (cap > b->counts_cap) {
        counts = mem_realloc(&b->mem, b->counts, cap * sizeof *counts);
        if (!counts)
            return DN_FAIL_NOMEM(err);
        memset(counts + b->counts_cap, 0, (cap - b->counts_cap) * sizeof *counts);
        b->counts = counts;
        b->counts_cap = cap;
    }
    return 0;
}

/* numbers: of each row of the batch; NULL: one each. */
static int
bag_put(struct exec_bag *b, const struct batch *in, const struct vec *numbers, struct dn_err *err)
{
    bool one;
    int rc;

    arena_reset(&b->batch);
    rc = exec_groups_find(&b->rows, in->cols, in, &b->batch, b->ids, &one, err);
    if (rc == 0)
        rc = bag_counts_grow(b, err);
    for (uint32_t i = 0; i < in->sel_count && rc == 0; i++)
        b->counts[b->ids[one ? 0 : i]] +=
            numbers ? (uint64_t)vec_i64(numbers, in->sel ? in->sel[i] : i) : 1;
    return rc;
}

/* Is the row of number `id` a row of the result? */
static bool bag_answer(struct exec_bag *b, uint32_t id)
{
    bool there = id != EXEC_GROUPS_NO_ID && b->counts[id] > 0;

    if (there && b->rule == EXEC_BAG_ONCE)
        b->counts[id] = 0;
    else if (there)
        b->counts[id]--;
    return there == (b->rule == EXEC_BAG_ONCE || b->rule == EXEC_BAG_ONE_EACH);
}

static int bag_ask(struct exec_bag *b, struct batch *in, struct dn_err *err)
{
    uint32_t n = 0;
    bool one;
    int rc;

    arena_reset(&b->batch);
    if (b->rule == EXEC_BAG_NEW) {
        rc = exec_groups_new(&b->rows, in, &b->batch, b->ids, b->sel, &n, err);
    } else {
        rc = exec_groups_look(&b->rows, in->cols, in, &b->batch, b->ids, &one, err);
        for (uint32_t i = 0; i < in->sel_count && rc == 0; i++)
            if (bag_answer(b, b->ids[one ? 0 : i]))
                b->sel[n++] = in->sel ? in->sel[i] : (uint16_t)i;
    }
    in->sel = b->sel;
    in->sel_count = n;
    return rc;
}

/* ---- in parts ---- */

static int
bag_open_spill(struct exec_bag *b, struct exec_spill *s, uint32_t cols_count, struct dn_err *err)
{
    size_t block = b->op->share / BAG_BLOCKS;
    const struct exec_spill_options options = {
        .volume = b->op->ctx->volume,
        .cancel = b->op->ctx->cancel,
        .owner = &b->op->mem,
        .types = b->types,
        .cols_count = cols_count,
        .parts_count = EXEC_BAG_PARTS,
        .block_bytes = block > BAG_BLOCK_MAX ? BAG_BLOCK_MAX : (uint32_t)block,
        .batch_rows = VEC_ROWS_MAX};

    return exec_spill_open(s, &options, err);
}

/* Rows to the parts of their hashes. */
static int
bag_scatter(struct exec_bag *b, struct exec_spill *to, const struct batch *in, struct dn_err *err)
{
    uint64_t before = to->bytes;
    uint64_t *hashes;
    int rc;

    arena_reset(&b->batch);
    hashes = arena_alloc_array(&b->batch, in->sel_count, sizeof *hashes);
    if (!hashes)
        return DN_FAIL_NOMEM(err);
    rc = exec_rows_hash(in->cols, b->cols_count, in, &b->batch, hashes, err);
    for (uint32_t i = 0; i < in->sel_count && rc == 0; i++)
        b->part_of[i] = bag_part(b, hashes[i]);
    if (rc == 0)
        rc = exec_spill_scatter(to, in, b->part_of, err);
    b->spilled += to->bytes - before;
    return rc;
}

/* The same for rows of the bag, with their numbers. */
static int bag_put_aside(struct exec_bag *b,
                         const struct batch *in,
                         const struct vec *numbers,
                         struct dn_err *err)
{
    static const int64_t one = 1;
    struct batch with = *in;

    if (b->cols_count)
        memcpy(b->cols, in->cols, b->cols_count * sizeof *b->cols);
    b->cols[b->cols_count] =
        numbers ? *numbers
                : (struct vec){
                      .type = TYPE_BIGINT, .form = VEC_CONST, .count = in->count, .data = &one};
    with.cols = b->cols;
    with.cols_count = b->cols_count + 1;
    return bag_scatter(b, &b->aside, &with, err);
}

/* All rows of the bag go to scratch. */
static int bag_divide(struct exec_bag *b, struct dn_err *err)
{
    int rc = bag_open_spill(b, &b->aside, b->cols_count + 1, err);
    struct vec *cols = NULL;

    if (rc == 0)
        rc = bag_open_spill(b, &b->asked, b->cols_count, err);
    if (rc == 0) {
        cols = mem_calloc(&b->op->mem, (size_t)b->cols_count + 1, sizeof *cols);
        rc = cols ? bag_counts_grow(b, err) : DN_FAIL_NOMEM(err);
    }
    for (uint32_t at = 0, n; at < b->rows.count && rc == 0; at += n) {
        struct batch in = {.cols = cols, .cols_count = b->cols_count};
        struct vec numbers;

        n = b->rows.count - at < VEC_ROWS_MAX ? b->rows.count - at : VEC_ROWS_MAX;
        in.count = in.sel_count = n;
        for (uint32_t c = 0; c < b->cols_count; c++)
            cols[c] = colbuf_vec(&b->rows.keys[c], at, n);
        numbers =
            (struct vec){.type = TYPE_BIGINT, .form = VEC_FLAT, .count = n, .data = b->counts + at};
        rc = bag_put_aside(b, &in, &numbers, err);
        if (rc == 0)
            rc = exec_check_cancel(b->op->ctx, err);
    }
    mem_free(cols);
    exec_groups_done(&b->rows);
    mem_free(b->counts);
    b->counts = NULL;
    b->counts_cap = 0;
    return rc;
}

static bool bag_over(const struct exec_bag *b)
{
    return b->level + 1 < EXEC_BAG_LEVELS && b->rows.count > 1 &&
           exec_over_share(&b->mem, b->op->share, mem_owner_used(&b->mem), 1);
}

static int
bag_add(struct exec_bag *b, const struct batch *in, const struct vec *numbers, struct dn_err *err)
{
    int rc;

    if (exec_spill_is_open(&b->aside))
        return bag_put_aside(b, in, numbers, err);
    rc = bag_put(b, in, numbers, err);
    return rc == 0 && bag_over(b) ? bag_divide(b, err) : rc;
}

int exec_bag_add(struct exec_bag *b, const struct batch *in, struct dn_err *err)
{
    return bag_add(b, in, NULL, err);
}

int exec_bag_take(struct exec_bag *b, struct batch *in, struct dn_err *err)
{
    int rc;

    if (exec_spill_is_open(&b->aside)) {
        rc = bag_scatter(b, &b->asked, in, err);
        in->sel_count = 0;
        return rc;
    }
    rc = bag_ask(b, in, err);
    /* What is returned is in `in`: the bag itself may go. */
    return rc == 0 && b->rule == EXEC_BAG_NEW && bag_over(b) ? bag_divide(b, err) : rc;
}

/* ---- what is left to say ---- */

/* The next part as a bag of its own. */
static int bag_open_part(struct exec_bag *b, struct dn_err *err)
{
    struct exec_spill_reader reader = {.s = NULL};
    struct batch in;
    int rc;

    b->child = mem_calloc(&b->op->mem, 1, sizeof *b->child);
    if (!b->child)
        return DN_FAIL_NOMEM(err);
    b->child->level = b->level + 1;
    rc = exec_bag_init(b->child, b->op, b->types, b->cols_count, b->rule, err);
    if (rc == 0)
        rc = exec_spill_seal(&b->aside, b->part, err);
    if (rc == 0)
        rc = exec_spill_seal(&b->asked, b->part, err);
    if (rc == 0)
        rc = exec_spill_reader_open(&reader, &b->aside, b->part, &b->op->mem, err);
    while (rc == 0) {
        rc = exec_spill_reader_next(&reader, &in, err);
        if (rc == 0) {
            in.cols_count--;
            rc = bag_add(b->child, &in, &in.cols[b->cols_count], err);
        }
        if (rc == 0)
            rc = exec_check_cancel(b->op->ctx, err);
    }
    exec_spill_reader_close(&reader);
    if (rc != DN_EOF)
        return rc;
    rc = exec_spill_reader_open(&b->reader, &b->asked, b->part, &b->op->mem, err);
    b->reading = true;
    return rc;
}

/* Rows of the result of the part at hand; DN_EOF: no more. */
static int bag_part_next(struct exec_bag *b, struct batch *ret, struct dn_err *err)
{
    int rc;

    if (b->reading) {
        rc = exec_spill_reader_next(&b->reader, ret, err);
        if (rc != DN_EOF)
            return rc < 0 ? rc : exec_bag_take(b->child, ret, err);
        exec_spill_reader_close(&b->reader);
        b->reading = false;
    }
    return exec_bag_rest(b->child, ret, err);
}

/* Nothing is asked any more; the parts stay if it will be again. */
static int bag_rest_end(struct exec_bag *b, struct dn_err *err)
{
    int rc;

    b->part = 0;
    exec_spill_close(&b->asked);
    if (!b->again)
        return DN_EOF;
    rc = bag_open_spill(b, &b->asked, b->cols_count, err);
    return rc < 0 ? rc : DN_EOF;
}

int exec_bag_rest(struct exec_bag *b, struct batch *ret, struct dn_err *err)
{
    int rc = 0;

    if (!exec_spill_is_open(&b->asked))
        return DN_EOF;
    if (b->part == 0 && !b->child) {
        rc = exec_spill_seal_all(&b->aside, err); /* what waits in memory goes out */
        if (rc == 0)
            rc = exec_spill_seal_all(&b->asked, err);
    }
    while (rc == 0) {
        if (b->part == EXEC_BAG_PARTS)
            return bag_rest_end(b, err);
        if (!b->child && b->asked.parts[b->part].rows == 0) {
            b->part++;
            continue;
        }
        if (!b->child)
            rc = bag_open_part(b, err);
        if (rc == 0)
            rc = bag_part_next(b, ret, err);
        if (rc == 0 && ret->sel_count && b->again)
            rc = bag_put_aside(b, ret, NULL, err);
        if (rc == 0 && ret->sel_count)
            return 0;
        if (rc == DN_EOF) {
            bag_close_part(b);
            b->part++;
            rc = 0;
        }
        if (rc == 0)
            rc = exec_check_cancel(b->op->ctx, err);
    }
    return rc;
}
