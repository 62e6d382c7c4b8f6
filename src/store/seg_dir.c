/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_dir.c: directories of an open segment: its runs and blocks. */
#include "store/seg_reader.h"

const struct seg_meta *seg_get_meta(const struct seg *s)
{
    return &s->meta;
}

const struct seg_runs *seg_get_runs(const struct seg *s)
{
    return &s->runs;
}

const struct seg_block *seg_get_blocks(const struct seg *s, uint32_t *ret_count)
{
    if (ret_count)
        *ret_count = s->blocks_count;
    return s->blocks;
}

struct datum seg_run_value(const struct seg *s, uint32_t run, uint32_t series_index)
{
    DN_ASSERT(run < s->runs.count && series_index < s->table->series_count);
    return vec_datum(&s->run_series[series_index][run / SEG_VECTOR_ROWS], run % SEG_VECTOR_ROWS);
}

static int
seg_run_cmp_key(const struct seg *s, uint32_t run, int64_t token, const struct datum *series)
{
    if (s->runs.token[run] != token)
        return s->runs.token[run] < token ? -1 : 1;
    for (uint32_t i = 0; i < s->table->series_count; i++) {
        struct datum d = seg_run_value(s, run, i);
        int order = datum_cmp(&d, &series[i]);

        if (order != 0)
            return order;
    }
    return 0;
}

uint32_t seg_run_find(
    const struct seg *s, uint32_t from, uint32_t to, int64_t token, const struct datum *series)
{
    DN_ASSERT(from <= to && to <= s->runs.count);
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;

        if (seg_run_cmp_key(s, mid, token, series) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return to;
}

/* Runs of a block are of similar length as a rule, so the search begins where the run would be
 * then, and goes from there in growing steps: half a table of a million runs is not in any cache.
 */
uint32_t seg_run_of(const struct seg_runs *runs, const struct seg_block *b, uint32_t row)
{
    uint32_t low = b->run_first; /* its first row is at or before row, that of high is not */
    uint32_t high = b->run_first + b->run_count;
    uint32_t guess = low + (uint32_t)((uint64_t)(row - b->first_row) * b->run_count / b->rows);
    uint32_t step = 1;

    DN_ASSERT(row >= b->first_row && row - b->first_row < b->rows);
    if (runs->first_row[guess] <= row) {
        low = guess;
        for (; high - low > step && runs->first_row[low + step] <= row; step *= 2)
            low += step;
        high = high - low > step ? low + step : high;
    } else {
        high = guess;
        for (; high - low > step && runs->first_row[high - step] > row; step *= 2)
            high -= step;
        low = high - low > step ? high - step : low;
    }
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;

        if (runs->first_row[mid] <= row)
            low = mid;
        else
            high = mid;
    }
    return low;
}

uint32_t seg_block_of(const struct seg *s, uint32_t row)
{
    uint32_t low = 0;
    uint32_t high = s->blocks_count;

    DN_ASSERT(row < s->meta.rows);
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;

        if (s->blocks[mid].first_row <= row)
            low = mid;
        else
            high = mid;
    }
    return low;
}
