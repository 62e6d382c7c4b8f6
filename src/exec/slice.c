/* SPDX-License-Identifier: Apache-2.0
 *
 * slice.c: see slice.h. */
#include "exec/slice.h"

#include "exec/exec_int.h"

#define SLICE_PART  128u          /* of the limit */
#define SLICE_LEAST 16384u        /* bytes */
#define SLICE_SHORT 64u           /* rows of strings up to here are never cut: it would cost more */
#define PACE_FASTER 8u            /* times as many rows as in the last step, at most */
#define PACE_KEPT   (512u * 1024) /* bytes that an arena may keep though they are not used */

size_t exec_slice_bytes(const struct mem_owner *owner)
{
    size_t limit = SIZE_MAX;

    for (; owner; owner = owner->parent)
        if (owner->limit && owner->limit < limit)
            limit = owner->limit;
    if (limit == SIZE_MAX)
        return 0;
    return limit / SLICE_PART > SLICE_LEAST ? limit / SLICE_PART : SLICE_LEAST;
}

/* No less than slice_col_bytes(), by the longest entry of a dictionary; SIZE_MAX: not known. */
static size_t slice_col_most(const struct vec *v, const struct batch *in)
{
    const struct vstr *s = v->data;
    uint32_t longest = 0;

    if (type_phys(v->type) != PHYS_STR)
        return 0;
    if (v->form != VEC_DICT || v->dict_count > in->sel_count)
        return SIZE_MAX;
    for (uint32_t i = 0; i < v->dict_count; i++)
        longest = s[i].len > longest ? s[i].len : longest;
    return (size_t)longest * in->sel_count;
}

static size_t slice_col_bytes(const struct vec *v, const struct batch *in)
{
    const struct vstr *s = v->data;
    size_t bytes = 0;

    if (type_phys(v->type) != PHYS_STR || in->sel_count == 0)
        return 0;
    if (v->form == VEC_CONST)
        return vec_bit(v->nulls, 0) ? 0 : (size_t)s[0].len * in->sel_count;
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        if (!vec_bit(v->nulls, row))
            bytes += s[v->form == VEC_DICT ? v->codes[row] : row].len;
    }
    return bytes;
}

uint32_t
exec_slice_rows(const struct batch *in, const uint32_t *cols, uint32_t cols_count, size_t limit)
{
    size_t bytes = 0;
    size_t most = 0;
    size_t rows;

    if (limit == 0 || in->sel_count == 0)
        return in->sel_count;
    for (uint32_t i = 0; i < cols_count && most < SIZE_MAX; i++) {
        size_t col = slice_col_most(&in->cols[cols ? cols[i] : i], in);

        most = col < SIZE_MAX ? most + col : SIZE_MAX;
    }
    if (most <= limit || most / in->sel_count <= SLICE_SHORT)
        return in->sel_count;
    for (uint32_t i = 0; i < cols_count; i++)
        bytes += slice_col_bytes(&in->cols[cols ? cols[i] : i], in);
    if (bytes <= limit || bytes / in->sel_count <= SLICE_SHORT)
        return in->sel_count;
    rows = (size_t)((double)in->sel_count * (double)limit / (double)bytes);
    return rows > 0 ? (uint32_t)rows : 1;
}

struct batch exec_slice(const struct batch *in, uint32_t first, uint32_t count, uint16_t *all)
{
    struct batch out = *in;

    if (in->sel) {
        out.sel = in->sel + first;
    } else {
        for (uint32_t i = 0; i < count; i++)
            all[i] = (uint16_t)(first + i);
        out.sel = all;
    }
    out.sel_count = count;
    return out;
}

/* ---- pace ---- */

static bool pace_makes(const struct bexpr *e)
{
    if (e->kind == BEXPR_CALL && type_phys(e->type) == PHYS_STR)
        return true;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (pace_makes(e->args[i]))
            return true;
    return false;
}

void exec_pace_init(struct exec_pace *p, struct arena *arena, struct mem_owner *owner)
{
    *p = (struct exec_pace){.rows = 1};
    mem_owner_init(&p->mem, "batch", owner, 0);
    arena_init(arena, &p->mem);
}

void exec_pace_add(struct exec_pace *p, const struct bexpr *e, size_t slice_bytes)
{
    if (e && slice_bytes && !p->bytes && pace_makes(e))
        p->bytes = slice_bytes;
}

void exec_pace_begin(struct exec_pace *p, struct arena *arena)
{
    if (!p->bytes || p->rows >= VEC_ROWS_MAX) {
        arena_reset(arena);
        return;
    }
    arena_done(arena); /* what it would keep could not be told from what is made */
    arena_init(arena, &p->mem);
}

void exec_pace_end(struct exec_pace *p, uint32_t rows)
{
    size_t made = mem_owner_used(&p->mem);
    size_t each;
    size_t next = (size_t)rows * PACE_FASTER;

    if (!p->bytes || rows == 0)
        return;
    if (p->rows >= VEC_ROWS_MAX) {
        if (made > p->bytes + PACE_KEPT)
            p->rows = rows / 2 ? rows / 2 : 1;
        return;
    }
    if (rows == 1) { /* vectors as long as the batch are in it as well */
        if (!p->one || made < p->one / 2)
            p->rows = made / PACE_FASTER > p->bytes ? 2 : PACE_FASTER;
        p->one = made;
        return;
    }
    each = made > p->one ? (made - p->one) / (rows - 1) : 0;
    if (next < p->rows)
        next = p->rows; /* the batch was short */
    if (each && p->bytes / each < next)
        next = p->bytes / each;
    p->rows = next < 1 ? 1 : next > VEC_ROWS_MAX ? VEC_ROWS_MAX : (uint32_t)next;
}

int exec_pull_paced(struct op *input,
                    const struct exec_pace *p,
                    struct exec_held *held,
                    struct batch *ret,
                    struct dn_err *err)
{
    uint32_t left;
    int rc;

    if (!p->bytes)
        return exec_pull(input, ret, err);
    if (held->next == held->batch.sel_count) {
        held->next = held->batch.sel_count = 0;
        rc = exec_pull(input, &held->batch, err);
        if (rc != 0) {
            held->batch.sel_count = 0;
            return rc;
        }
    }
    left = held->batch.sel_count - held->next;
    held->rows = exec_pace_rows(p, left);
    if (held->rows == held->batch.sel_count)
        *ret = held->batch;
    else
        *ret = exec_slice(&held->batch, held->next, held->rows, held->all);
    held->next += held->rows;
    return 0;
}
