/* SPDX-License-Identifier: Apache-2.0
 *
 * join_spill.c: parts and passes. See join_spill.h. */
#include "exec/join_spill.h"

#include "exec/value.h"

#include <string.h>

#define SPILL_BLOCKS    64u /* that fit into a share */
#define SPILL_BLOCK_MIN (4u * 1024)
#define SPILL_BLOCK_MAX (256u * 1024)
#define SPILL_ROW_BYTES 40u /* of a row in the table beside its values */
#define SPILL_HASH_BITS 64u
#define SPILL_PART_BITS 5u /* the table itself takes the low bits */

_Static_assert(1u << SPILL_PART_BITS == EXEC_JOIN_PARTS, "bits of a part's number");

static int spill_open(struct exec_join_spill *s,
                      struct exec_spill *spill,
                      const enum type_id *types,
                      uint32_t cols_count,
                      struct dn_err *err)
{
    size_t block = s->op->share / SPILL_BLOCKS;
    const struct exec_spill_options options = {.volume = s->op->ctx->volume,
                                               .cancel = s->op->ctx->cancel,
                                               .owner = &s->op->mem,
                                               .types = types,
                                               .cols_count = cols_count,
                                               .parts_count = s->parts_count,
                                               .block_bytes =
                                                   block < SPILL_BLOCK_MIN   ? SPILL_BLOCK_MIN
                                                   : block > SPILL_BLOCK_MAX ? SPILL_BLOCK_MAX
                                                                             : (uint32_t)block,
                                               .batch_rows = VEC_ROWS_MAX};

    return exec_spill_open(spill, &options, err);
}

int exec_join_spill_start(struct exec_join_spill *s,
                          struct op *op,
                          struct exec_join_table *t,
                          struct dn_err *err)
{
    const struct plan_join *join = op->node->join;
    struct vec *cols;
    uint32_t count;
    int rc;

    s->op = op;
    s->parts_count = join->keys_count && !exec_join_maybes(join) ? EXEC_JOIN_PARTS : 1;
    s->by_hash = s->parts_count > 1;
    s->levels = mem_calloc(&op->mem, s->parts_count, 1);
    if (!s->levels)
        return DN_FAIL_NOMEM(err);
    arena_reset(&t->batch);
    rc = spill_open(s, &s->right, t->rows.types, t->rows.cols_count, err);
    for (uint32_t at = 0; at < t->rows.count && rc == 0; at += count) {
        struct batch in;

        arena_reset(&t->batch);
        cols = arena_calloc(&t->batch, t->rows.cols_count, sizeof *cols);
        if (!cols)
            return DN_FAIL_NOMEM(err);
        rc = exec_rows_view(&t->rows, at, VEC_ROWS_MAX, &t->batch, cols, &count, err);
        in = (struct batch){
            .count = count, .cols_count = t->rows.cols_count, .cols = cols, .sel_count = count};
        if (rc == 0)
            rc = exec_join_spill_right(s, &in, t->hashes + at, err);
    }
    exec_join_table_clear(t);
    return rc;
}

void exec_join_spill_close(struct exec_join_spill *s)
{
    exec_spill_reader_close(&s->right_reader);
    exec_spill_reader_close(&s->left_reader);
    exec_spill_close(&s->right);
    exec_spill_close(&s->left);
    mem_free(s->hits);
    mem_free(s->levels);
    s->hits = NULL;
    s->levels = NULL;
    s->op = NULL;
}

/* ---- putting aside ---- */

/* By bits of their hashes that no division before has looked at. */
static void spill_number(struct exec_join_spill *s,
                         const struct batch *in,
                         const uint64_t *hashes,
                         uint32_t level)
{
    uint32_t shift = SPILL_HASH_BITS - (level + 1) * SPILL_PART_BITS;

    for (uint32_t i = 0; i < in->sel_count; i++)
        s->part_of[i] = (uint8_t)(hashes[i] >> shift & (EXEC_JOIN_PARTS - 1));
}

static int spill_scatter(struct exec_join_spill *s,
                         struct exec_spill *to,
                         const struct batch *in,
                         const uint64_t *hashes,
                         struct dn_err *err)
{
    spill_number(s, in, hashes, 0);
    if (s->parts_count == 1)
        memset(s->part_of, 0, in->sel_count);
    return exec_spill_scatter(to, in, s->part_of, err);
}

int exec_join_spill_right(struct exec_join_spill *s,
                          const struct batch *in,
                          const uint64_t *hashes,
                          struct dn_err *err)
{
    return in->sel_count ? spill_scatter(s, &s->right, in, hashes, err) : 0;
}

int exec_join_spill_left(struct exec_join_spill *s,
                         const struct batch *in,
                         const struct vec *keys,
                         struct arena *scratch,
                         struct dn_err *err)
{
    const struct plan_node *left = s->op->node->input;
    uint64_t *hashes = arena_alloc_array(scratch, in->sel_count, sizeof *hashes);
    enum type_id *types;
    int rc = 0;

    if (!hashes)
        return DN_FAIL_NOMEM(err);
    if (!exec_spill_is_open(&s->left)) {
        types = exec_types(left, scratch);
        if (!types)
            return DN_FAIL_NOMEM(err);
        rc = spill_open(s, &s->left, types, left->cols_count, err);
    }
    if (rc == 0)
        rc = exec_rows_hash(keys, s->op->node->join->keys_count, in, scratch, hashes, err);
    return rc < 0 ? rc : spill_scatter(s, &s->left, in, hashes, err);
}

int exec_join_spill_seal(struct exec_join_spill *s, struct dn_err *err)
{
    struct exec_spill *spill = exec_spill_is_open(&s->left) ? &s->left : &s->right;
    int rc = exec_spill_seal_all(spill, err);

    s->op->spilled = s->left.bytes + s->right.bytes;
    return rc;
}

/* ---- passes ---- */

static uint64_t spill_left_rows(const struct exec_join_spill *s)
{
    return exec_spill_is_open(&s->left) ? s->left.parts[s->part].rows : 0;
}

/* Right rows of the part, as many as there is memory for, at least some. */
static int spill_load(struct exec_join_spill *s, struct exec_join_table *t, struct dn_err *err)
{
    struct batch in;
    int rc;

    exec_join_table_clear(t);
    s->more = true;
    do {
        rc = exec_spill_reader_next(&s->right_reader, &in, err);
        if (rc == DN_EOF)
            s->more = false;
        else if (rc == 0)
            rc = exec_join_table_restore(t, &in, err);
    } while (rc == 0 && !exec_over(s->op, mem_owner_used(&s->op->mem), 1));
    return rc < 0 ? rc : exec_join_table_finish(t, err);
}

/* ---- dividing ---- */

/* How much memory the right rows of the part take, about. */
static size_t spill_part_bytes(const struct exec_join_spill *s)
{
    const struct exec_spill_part *p = &s->right.parts[s->part];
    size_t bytes = p->rows * SPILL_ROW_BYTES;

    for (uint32_t i = 0; i < p->blocks_count; i++)
        bytes += p->blocks[i].len;
    return bytes;
}

static bool spill_divides(const struct exec_join_spill *s)
{
    return s->by_hash && spill_left_rows(s) && s->right.parts[s->part].rows > 1 &&
           s->levels[s->part] < EXEC_JOIN_LEVELS && spill_part_bytes(s) > s->op->share / 2;
}

/* More parts of both sides, of the next level; as many of one as of the other. */
static int spill_more_parts(struct exec_join_spill *s, struct dn_err *err)
{
    uint8_t level = (uint8_t)(s->levels[s->part] + 1);
    uint32_t count = s->parts_count + EXEC_JOIN_PARTS;
    uint8_t *levels = mem_realloc(&s->op->mem, s->levels, count);
    uint32_t part;
    int rc = 0;

    if (!levels)
        return DN_FAIL_NOMEM(err);
    s->levels = levels;
    for (uint32_t i = s->parts_count; i < count && rc == 0; i++) {
        levels[i] = level;
        rc = exec_spill_add(&s->right, &part, err);
        if (rc == 0)
            rc = exec_spill_add(&s->left, &part, err);
    }
    s->parts_count = count;
    return rc;
}

/* The keys of rows that were put aside: right ones have them, those of the left are computed. */
static int spill_keys(struct exec_join_spill *s,
                      const struct exec_join_table *t,
                      const struct batch *in,
                      struct eval *ev,
                      struct vec *keys,
                      struct dn_err *err)
{
    const struct plan_join *join = s->op->node->join;
    int rc = 0;

    for (uint32_t k = 0; k < join->keys_count && rc == 0; k++) {
        if (t)
            keys[k] = in->cols[t->key_cols[k]];
        else
            rc = expr_eval(join->keys[k].left, ev, in, &keys[k], err);
    }
    return rc;
}

/* The rows of the part at hand into the last parts; t is NULL for the left side. */
static int spill_divide_side(struct exec_join_spill *s,
                             struct exec_spill *spill,
                             const struct exec_join_table *t,
                             struct dn_err *err)
{
    uint32_t count = s->op->node->join->keys_count;
    uint32_t first = s->parts_count - EXEC_JOIN_PARTS;
    struct exec_spill_reader reader = {0};
    struct arena batch, run;
    struct eval ev;
    struct batch in;
    int rc;

    arena_init(&batch, &s->op->mem);
    arena_init(&run, &s->op->mem);
    ev = exec_eval(s->op, &batch, &run);
    rc = exec_spill_reader_open(&reader, spill, s->part, &s->op->mem, err);
    while (rc == 0) {
        struct vec *keys;
        uint64_t *hashes;

        rc = exec_check_cancel(s->op->ctx, err);
        if (rc == 0)
            rc = exec_spill_reader_next(&reader, &in, err);
        if (rc != 0)
            break;
        arena_reset(&batch);
        keys = arena_calloc(&batch, count, sizeof *keys);
        hashes = arena_alloc_array(&batch, in.sel_count, sizeof *hashes);
        rc = keys && hashes ? spill_keys(s, t, &in, &ev, keys, err) : DN_FAIL_NOMEM(err);
        if (rc == 0)
            rc = exec_rows_hash(keys, count, &in, &batch, hashes, err);
        if (rc < 0)
            break;
        spill_number(s, &in, hashes, s->levels[s->part] + 1u);
        rc = exec_spill_scatter_from(spill, first, EXEC_JOIN_PARTS, &in, s->part_of, err);
    }
    exec_spill_reader_close(&reader);
    arena_done(&batch);
    arena_done(&run);
    for (uint32_t i = first; i < s->parts_count && rc == DN_EOF; i++) {
        int sealed = exec_spill_seal(spill, i, err);

        if (sealed < 0)
            rc = sealed;
    }
    return rc == DN_EOF ? 0 : rc;
}

/* Where most rows have the same hash nothing is won by dividing them again. */
static void spill_settle(struct exec_join_spill *s)
{
    uint64_t rows = s->right.parts[s->part].rows;

    for (uint32_t i = s->parts_count - EXEC_JOIN_PARTS; i < s->parts_count; i++)
        if (s->right.parts[i].rows > rows / 2)
            s->levels[i] = EXEC_JOIN_LEVELS;
}

/* The part at hand is divided, and done with. */
static int spill_divide(struct exec_join_spill *s, struct exec_join_table *t, struct dn_err *err)
{
    int rc;

    exec_join_table_clear(t);
    rc = spill_more_parts(s, err);
    if (rc == 0)
        rc = spill_divide_side(s, &s->right, t, err);
    if (rc == 0)
        rc = spill_divide_side(s, &s->left, NULL, err);
    if (rc < 0)
        return rc;
    spill_settle(s);
    s->op->spilled = s->left.bytes + s->right.bytes;
    s->levels[s->part] = EXEC_JOIN_LEVELS + 1;
    return 0;
}

/* The last part is done. */
static void spill_drop(struct exec_join_spill *s)
{
    exec_spill_drop(&s->right);
    if (exec_spill_is_open(&s->left))
        exec_spill_drop(&s->left);
    s->parts_count--;
}

/* The next part, from the last to the first: so that those of a division come before others are
 * divided. Its number is not looked at before it is open. */
static int spill_part(struct exec_join_spill *s, struct exec_join_table *t, struct dn_err *err)
{
    int rc = 0;

    if (s->part_open) {
        s->part_open = false;
        exec_spill_reader_close(&s->right_reader);
        spill_drop(s);
    }
    mem_free(s->hits);
    s->hits = NULL;
    s->passes = false;
    while (rc == 0 && s->parts_count > 0) {
        s->part = s->parts_count - 1;
        if (s->levels[s->part] > EXEC_JOIN_LEVELS) {
            spill_drop(s);
            continue;
        }
        if (!spill_divides(s))
            break;
        rc = spill_divide(s, t, err);
    }
    if (rc < 0)
        return rc;
    if (s->parts_count == 0)
        return DN_EOF;
    s->part_open = true;
    return exec_spill_reader_open(&s->right_reader, &s->right, s->part, &s->op->mem, err);
}

/* Several passes: what they find about left rows is kept between them. */
static int spill_remember(struct exec_join_spill *s, struct dn_err *err)
{
    if (!s->more || s->passes)
        return 0;
    s->passes = true;
    if (s->op->node->join->kind == PLAN_JOIN_INNER)
        return 0;
    s->hits = mem_calloc(&s->op->mem, spill_left_rows(s), 1);
    return s->hits ? 0 : DN_FAIL_NOMEM(err);
}

int exec_join_spill_pass(struct exec_join_spill *s, struct exec_join_table *t, struct dn_err *err)
{
    int rc;

    exec_spill_reader_close(&s->left_reader);
    s->left_at = 0;
    rc = s->more ? 0 : spill_part(s, t, err);
    if (rc == 0)
        rc = spill_load(s, t, err);
    if (rc == 0)
        rc = spill_remember(s, err);
    if (rc != 0 || !spill_left_rows(s))
        return rc;
    return exec_spill_reader_open(&s->left_reader, &s->left, s->part, &s->op->mem, err);
}

int exec_join_spill_next(struct exec_join_spill *s, struct batch *ret, struct dn_err *err)
{
    return spill_left_rows(s) ? exec_spill_reader_next(&s->left_reader, ret, err) : DN_EOF;
}

void exec_join_spill_recall(const struct exec_join_spill *s, struct exec_joiner *j)
{
    if (s->hits)
        memcpy(j->hits, s->hits + s->left_at, j->left.count);
}

void exec_join_spill_note(struct exec_join_spill *s, struct exec_joiner *j)
{
    if (s->hits)
        memcpy(s->hits + s->left_at, j->hits, j->left.count);
    s->left_at += j->left.count;
    j->rest_done = j->rest_done || s->more;
}
