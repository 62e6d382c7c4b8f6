/* SPDX-License-Identifier: Apache-2.0
 *
 * slice.c: see slice.h. */
#include "exec/slice.h"

#define SLICE_PART  128u   /* of the limit */
#define SLICE_LEAST 16384u /* bytes */
#define SLICE_SHORT 64u    /* rows of strings up to here are never cut: it would cost more */

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
    size_t rows;

    if (limit == 0)
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
