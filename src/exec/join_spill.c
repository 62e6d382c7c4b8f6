/* SPDX-License-Identifier: Apache-2.0
 *
 * join_spill.c: parts and passes. See join_spill.h. */
#include "exec/join_spill.h"

#include "exec/value.h"

#include <string.h>

#define SPILL_BLOCKS    64u /* that fit into a share */
#define SPILL_BLOCK_MIN (4u * 1024)
#define SPILL_BLOCK_MAX (256u * 1024)
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
    s->hits = NULL;
    s->op = NULL;
}

/* ---- putting aside ---- */

static int spill_scatter(struct exec_join_spill *s,
                         struct exec_spill *to,
                         const struct batch *in,
                         const uint64_t *hashes,
                         struct dn_err *err)
{
    for (uint32_t i = 0; i < in->sel_count; i++)
        s->part_of[i] =
            s->parts_count == 1 ? 0 : (uint8_t)(hashes[i] >> (SPILL_HASH_BITS - SPILL_PART_BITS));
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

/* The next part; its number is not looked at before it is open. */
static int spill_part(struct exec_join_spill *s, struct dn_err *err)
{
    if (s->part_open) {
        s->part_open = false;
        exec_spill_reader_close(&s->right_reader);
        s->part++;
    }
    mem_free(s->hits);
    s->hits = NULL;
    s->passes = false;
    if (s->part == s->parts_count)
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
    rc = s->more ? 0 : spill_part(s, err);
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
