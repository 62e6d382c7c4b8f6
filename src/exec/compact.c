/* SPDX-License-Identifier: Apache-2.0
 *
 * compact.c: see compact.h. */
#include "exec/compact.h"

#include "exec/exec_int.h"
#include "exec/slice.h"

#define COMPACT_FEW   128u /* rows of a batch that is put together with others */
#define COMPACT_PARTS 16u  /* part of the bytes of a slice that a small batch may have */

struct exec_compact {
    struct mem_owner mem; /* of the columns and their strings */
    struct colbuf *cols;  /* owned */
    uint32_t cols_count;
    uint32_t count; /* rows */
    struct arena strings;
    struct vec *out;    /* owned: the columns as vectors */
    struct batch later; /* a large batch that came behind small ones … */
    bool has_later;     /* … and is still to be handed on */
};

static int compact_open(struct op *op, struct dn_err *err)
{
    uint32_t count = op->node->cols_count;
    struct exec_compact *c = mem_calloc(&op->mem, 1, sizeof *c);

    if (!c)
        return DN_FAIL_NOMEM(err);
    op->compact = c;
    mem_owner_init(&c->mem, "small batches", &op->mem, 0);
    arena_init(&c->strings, &c->mem);
    c->cols = mem_calloc(&c->mem, (size_t)count + 1, sizeof *c->cols);
    c->out = mem_calloc(&c->mem, (size_t)count + 1, sizeof *c->out);
    if (!c->cols || !c->out)
        return DN_FAIL_NOMEM(err);
    c->cols_count = count;
    for (uint32_t i = 0; i < count; i++)
        colbuf_init(&c->cols[i], op->node->cols[i].type, &c->mem, &c->strings);
    return 0;
}

void exec_compact_close(struct op *op)
{
    struct exec_compact *c = op->compact;

    if (!c)
        return;
    for (uint32_t i = 0; i < c->cols_count; i++)
        colbuf_done(&c->cols[i]);
    mem_free(c->cols);
    mem_free(c->out);
    arena_done(&c->strings);
    mem_free(c);
    op->compact = NULL;
}

/* Is the batch one to be put together with others? Not if its strings are long. */
static bool compact_small(const struct op *op, const struct batch *in)
{
    size_t bytes = op->ctx->slice_bytes;

    return in->sel_count < COMPACT_FEW &&
           (!bytes ||
            exec_slice_rows(in, NULL, in->cols_count, bytes / COMPACT_PARTS + 1) == in->sel_count);
}

static bool compact_full(const struct op *op, const struct exec_compact *c)
{
    size_t bytes = op->ctx->slice_bytes;

    return c->count + COMPACT_FEW > VEC_ROWS_MAX || (bytes && mem_owner_used(&c->mem) > bytes);
}

static int compact_add(struct exec_compact *c, const struct batch *in, struct dn_err *err)
{
    DN_ASSERT(in->cols_count == c->cols_count);
    for (uint32_t i = 0; i < c->cols_count; i++)
        if (!colbuf_append_vec(&c->cols[i], &in->cols[i], in->sel, in->sel_count))
            return DN_FAIL_NOMEM(err);
    c->count += in->sel_count;
    return 0;
}

static void compact_hand_on(struct exec_compact *c, struct batch *ret)
{
    for (uint32_t i = 0; i < c->cols_count; i++)
        c->out[i] = colbuf_vec(&c->cols[i], 0, c->count);
    *ret = (struct batch){
        .count = c->count, .cols_count = c->cols_count, .cols = c->out, .sel_count = c->count};
}

int exec_compact_next(struct op *op, exec_compact_fn next, struct batch *ret, struct dn_err *err)
{
    struct exec_compact *c = op->compact;
    int rc;

    if (c && c->has_later) {
        c->has_later = false;
        *ret = c->later;
        return 0;
    }
    rc = next(op, ret, err);
    if (rc != 0 || !compact_small(op, ret))
        return rc;
    if (!c) {
        rc = compact_open(op, err);
        if (rc < 0)
            return rc;
        c = op->compact;
    }
    for (uint32_t i = 0; i < c->cols_count; i++)
        colbuf_reset(&c->cols[i]);
    arena_reset(&c->strings);
    c->count = 0;
    do {
        rc = compact_add(c, ret, err);
        if (rc == 0 && compact_full(op, c))
            break;
        if (rc == 0)
            rc = next(op, ret, err);
    } while (rc == 0 && compact_small(op, ret));
    if (rc < 0)
        return rc;
    c->has_later = rc == 0 && !compact_full(op, c);
    c->later = *ret;
    compact_hand_on(c, ret);
    return 0;
}

void exec_drain(struct op *op)
{
    for (; op && exec_fast(op->ctx); op = op->input) {
        op->drained = true;
        if (op->node->kind != PLAN_PROJECT && op->node->kind != PLAN_FILTER &&
            op->node->kind != PLAN_JOIN)
            return;
    }
}
