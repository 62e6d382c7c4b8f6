/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_series.c: vectors of series columns, which are stored once for each run. */
#include "store/seg_reader.h"

#define SEG_CODES_STEP 16u /* codes of a run that are written at once */

/* The runs of rows [first, first + count) as codes from 0 on; NULL: out of memory. */
static uint16_t *seg_run_codes(
    const struct seg *s, uint32_t run, uint32_t first, uint32_t count, struct arena *arena)
{
    uint16_t *codes = arena_alloc_array(arena, (size_t)count + SEG_CODES_STEP, sizeof *codes);
    uint32_t row = 0;

    for (uint16_t code = 0; codes && row < count; code++) {
        uint32_t end = s->runs.first_row[run + code + 1] - first;

        end = end < count ? end : count;
        for (uint32_t at = row; at < end; at += SEG_CODES_STEP)
            for (uint32_t i = 0; i < SEG_CODES_STEP; i++) /* what is too much is written over */
                codes[at + i] = code;
        row = end;
    }
    return codes;
}

/* The values of runs [run, run + count) of a series column, which has no NULLs. */
static void
seg_run_values(const struct seg *s, uint32_t run, uint32_t count, uint32_t series_index, void *to)
{
    uint16_t rows[SEG_VECTOR_ROWS];
    char *at = to;

    while (count > 0) {
        const struct vec *v = &s->run_series[series_index][run / SEG_VECTOR_ROWS];
        size_t size = phys_size(type_phys(v->type));
        uint32_t first = run % SEG_VECTOR_ROWS;
        uint32_t n = SEG_VECTOR_ROWS - first < count ? SEG_VECTOR_ROWS - first : count;

        for (uint32_t i = 0; i < n && v->form != VEC_FLAT; i++)
            rows[i] = (uint16_t)(first + i);
        if (v->form == VEC_FLAT)
            memcpy(at, (const char *)v->data + first * size, n * size);
        else
            vec_gather(v, rows, n, at);
        at += n * size;
        run += n;
        count -= n;
    }
}

int seg_series_vec(const struct seg *s,
                   const struct seg_rows *rows,
                   uint32_t series_index,
                   struct arena *arena,
                   struct vec *ret)
{
    const struct seg_block *b = &s->blocks[rows->block];
    uint32_t run = seg_run_of(&s->runs, b, rows->first);
    uint32_t last = seg_run_of(&s->runs, b, rows->first + rows->count - 1);
    struct datum d = seg_run_value(s, run, series_index);
    uint32_t n = last - run + 1;
    void *data;

    if (n == 1)
        return vec_make_const(arena, &d, rows->count, ret) ? 0 : DN_E_NOMEM;
    *ret = (struct vec){.type = d.type, .form = VEC_DICT, .count = rows->count, .dict_count = n};
    ret->codes = seg_run_codes(s, run, rows->first, rows->count, arena);
    data = arena_alloc_array(arena, n, phys_size(type_phys(d.type)));
    if (!ret->codes || !data)
        return DN_E_NOMEM;
    seg_run_values(s, run, n, series_index, data);
    ret->data = data;
    return 0;
}
