/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_writer.c: a segment writer's beginning, end and size; seg_write.c does the work. */
#include "store/seg_writer.h"

#include "base/hash.h"

static void seg_writer_init_arrays(struct seg_writer *w)
{
    const struct table *t = w->table;
    struct mem_owner *owner = w->owner;

    arena_init(&w->scratch, owner);
    arena_init(&w->run_strings, owner);
    buf_init(&w->out, owner);
    buf_init(&w->prefix, owner);
    buf_init(&w->prefix_next, owner);
    buf_init(&w->token_scratch, owner);
#ifdef DN_DEBUG
    buf_init(&w->rest, owner);
    buf_init(&w->rest_next, owner);
#endif
    colbuf_init(&w->run_first, TYPE_INTEGER, owner, NULL);
    colbuf_init(&w->run_token, TYPE_BIGINT, owner, NULL);
    colbuf_init(&w->run_slab, TYPE_BIGINT, owner, NULL);
    colbuf_init(&w->run_time_min, TYPE_BIGINT, owner, NULL);
    colbuf_init(&w->run_time_max, TYPE_BIGINT, owner, NULL);
    for (uint32_t i = 0; i < t->series_count; i++)
        colbuf_init(&w->run_series[i], t->columns[t->series[i]].type, owner, &w->run_strings);
    colbuf_init(&w->d_group_blocks, TYPE_INTEGER, owner, NULL);
    colbuf_init(&w->d_rows, TYPE_INTEGER, owner, NULL);
    colbuf_init(&w->d_seq_min, TYPE_BIGINT, owner, NULL);
    colbuf_init(&w->d_seq_max, TYPE_BIGINT, owner, NULL);
}

static bool seg_in_series(const struct table *t, uint32_t store_col)
{
    for (uint32_t i = 0; i < t->series_count; i++)
        if (t->series[i] == store_col)
            return true;
    return false;
}

static void seg_put_header(struct seg_writer *w)
{
    size_t at = w->out.len;

    buf_append(&w->out, SEG_HEADER_MAGIC, SEG_MAGIC_SIZE);
    buf_u32(&w->out, SEG_FORMAT);
    buf_u32(&w->out, w->table->version);
    buf_u64(&w->out, w->table->id);
    buf_u64(&w->out, w->id);
    if (!w->out.failed)
        buf_u64(&w->out, dn_checksum64(w->out.data + at, w->out.len - at));
    DN_ASSERT(w->out.failed || w->out.len - at == SEG_HEADER_SIZE);
}

struct seg_writer *seg_writer_new(struct mem_owner *owner, const struct table *t, uint64_t id)
{
    struct seg_writer *w = mem_calloc(owner, 1, sizeof *w);

    if (!w)
        return NULL;
    w->owner = owner;
    w->table = table_ref(t);
    w->id = id;
    w->small = table_compresses(t);
    w->cols_count = store_cols_count(t) - t->series_count;
    w->run_series = mem_calloc(owner, t->series_count, sizeof *w->run_series);
    w->cols = mem_calloc(owner, w->cols_count, sizeof *w->cols);
    if (!w->cols || !w->run_series) {
        seg_writer_free(w);
        return NULL;
    }
    seg_writer_init_arrays(w);
    for (uint32_t i = 0, k = 0; i < store_cols_count(t); i++)
        if (!seg_in_series(t, i)) {
            seg_col_init(&w->cols[k], w, i);
            w->row_size += w->cols[k].size;
            k++;
        }
    w->meta = (struct seg_meta){.id = id,
                                .table_id = t->id,
                                .table_version = t->version,
                                .seq_min = UINT64_MAX,
                                .slab_min = INT64_MAX,
                                .slab_max = INT64_MIN,
                                .time_min = INT64_MAX,
                                .time_max = INT64_MIN,
                                .token_min = INT64_MAX,
                                .token_max = INT64_MIN};
    seg_put_header(w);
    if (w->out.failed) {
        seg_writer_free(w);
        return NULL;
    }
    return w;
}

void seg_writer_free(struct seg_writer *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; w->cols && i < w->cols_count; i++)
        seg_col_done(&w->cols[i]);
    for (uint32_t i = 0; w->run_series && i < w->table->series_count; i++)
        colbuf_done(&w->run_series[i]);
    colbuf_done(&w->run_first);
    colbuf_done(&w->run_token);
    colbuf_done(&w->run_slab);
    colbuf_done(&w->run_time_min);
    colbuf_done(&w->run_time_max);
    colbuf_done(&w->d_group_blocks);
    colbuf_done(&w->d_rows);
    colbuf_done(&w->d_seq_min);
    colbuf_done(&w->d_seq_max);
    mem_free(w->cols);
    mem_free(w->kins);
    mem_free(w->run_series);
    arena_done(&w->scratch);
    arena_done(&w->run_strings);
    buf_done(&w->out);
    buf_done(&w->prefix);
    buf_done(&w->prefix_next);
    buf_done(&w->token_scratch);
#ifdef DN_DEBUG
    buf_done(&w->rest);
    buf_done(&w->rest_next);
#endif
    table_unref(w->table);
    mem_free(w);
}

uint64_t seg_writer_rows(const struct seg_writer *w)
{
    return w->rows;
}

size_t seg_writer_bytes(const struct seg_writer *w)
{
    const struct table *t = w->table;
    size_t bytes = w->out.len;

    for (uint32_t i = 0; i < w->cols_count; i++)
        bytes += w->cols[i].enc.len;
    bytes += (size_t)w->block_rows * w->row_size / 4;
    /* footer: about 20 bytes of a run and 12 of a vector, before its values */
    bytes += (size_t)w->run_first.count * (20 + 8 * (size_t)t->series_count);
    bytes += (size_t)(w->rows / SEG_VECTOR_ROWS + 1) * w->cols_count * 12;
    return bytes;
}

bool seg_writer_full(const struct seg_writer *w)
{
    uint64_t cells = (uint64_t)w->run_first.count * (SEG_RUN_ARRAYS + w->table->series_count);

    return seg_writer_bytes(w) >= SEG_BYTES_TARGET || w->rows >= SEG_ROWS_TARGET ||
           cells >= SEG_RUN_CELLS_MAX / 8;
}
