/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_finish.c: footer and trailer of a segment. seg_footer.c reads what is written here;
 * docs/format/segment.md says what it means. */
#include "base/hash.h"
#include "store/seg_array.h"
#include "store/seg_writer.h"

/* Place (from 0) of a store column in the key. */
static unsigned seg_dir_flags(const struct table *t, uint32_t store_col, uint16_t *ret_pos)
{
    *ret_pos = 0;
    for (uint16_t i = 0; i < t->series_count; i++)
        if (t->series[i] == store_col) {
            *ret_pos = i;
            return SEG_COL_SERIES;
        }
    for (uint16_t i = 0; i < t->rest_count; i++)
        if (t->rest[i].col == store_col) {
            *ret_pos = i;
            return SEG_COL_REST | (t->rest[i].desc ? SEG_COL_DESC : 0u);
        }
    return 0;
}

static void seg_put_meta(struct seg_writer *w, struct buf *b)
{
    const struct table *t = w->table;
    const struct seg_meta *m = &w->meta;
    uint32_t flags = 0;
    size_t at = b->len;

    flags |= m->has_patch ? SEG_FLAG_PATCH : 0u;
    flags |= m->has_delete ? SEG_FLAG_DELETE : 0u;
    flags |= m->has_expiry ? SEG_FLAG_EXPIRY : 0u;
    flags |= t->time_col >= 0 ? SEG_FLAG_TIME : 0u;
    flags |= t->time_desc ? SEG_FLAG_TIME_DESC : 0u;
    flags |= t->form == KEY_NONE ? SEG_FLAG_ROWID : 0u;
    flags |= w->runs_guided ? SEG_FLAG_RUN_GUIDE : 0u;
    buf_u64(b, m->rows);
    buf_u32(b, m->runs);
    buf_u32(b, m->blocks);
    buf_u32(b, w->groups);
    buf_u32(b, store_cols_count(t));
    buf_u32(b, flags);
    buf_u32(b, t->time_col >= 0 ? t->columns[t->time_col].id : 0);
    buf_u64(b, m->seq_min);
    buf_u64(b, m->seq_max);
    buf_u64(b, (uint64_t)m->slab_min);
    buf_u64(b, (uint64_t)m->slab_max);
    buf_u64(b, (uint64_t)m->time_min);
    buf_u64(b, (uint64_t)m->time_max);
    buf_u64(b, (uint64_t)m->token_min);
    buf_u64(b, (uint64_t)m->token_max);
    buf_u64(b, m->rowid_max);
    DN_ASSERT(b->failed || b->len - at == SEG_META_SIZE);
    for (uint32_t i = 0; i < store_cols_count(t); i++) {
        uint16_t pos;
        unsigned col_flags = seg_dir_flags(t, i, &pos);

        buf_u32(b, store_col_id(t, i));
        buf_u8(b, (uint8_t)store_col_type(t, i));
        buf_u8(b, (uint8_t)col_flags);
        buf_u16(b, pos);
    }
}

static int seg_put_arrays(struct seg_writer *w,
                          struct colbuf *const *arrays,
                          size_t count,
                          struct buf *b,
                          struct dn_err *err)
{
    for (size_t i = 0; i < count; i++) {
        int rc = seg_put_array(arrays[i], &w->scratch, b, err);

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int seg_put_directories(struct seg_writer *w, struct buf *b, struct dn_err *err)
{
    struct colbuf *fixed[] = {&w->d_group_blocks,
                              &w->d_rows,
                              &w->d_seq_min,
                              &w->d_seq_max,
                              &w->run_first,
                              &w->run_token,
                              &w->run_slab,
                              &w->run_time_min,
                              &w->run_time_max};
    int rc = seg_put_arrays(w, fixed, DN_ARRAY_SIZE(fixed), b, err);

    for (uint32_t i = 0; i < w->table->series_count && rc == 0; i++)
        rc = seg_put_array(&w->run_series[i], &w->scratch, b, err);
    return rc;
}

/* Arrays that do not fit the column's type are empty and leave no bytes. */
static int
seg_put_column(struct seg_writer *w, struct seg_wcol *c, struct buf *b, struct dn_err *err)
{
    struct colbuf *arrays[SEG_COL_ARRAYS];

    seg_col_arrays(c, arrays);
    buf_append(b, c->kinds.data, c->kinds.len);
    buf_append(b, c->consts.data, c->consts.len);
    return seg_put_arrays(w, arrays, DN_ARRAY_SIZE(arrays), b, err);
}

int seg_write_footer(struct seg_writer *w, struct dn_err *err)
{
    struct buf *b = &w->out;
    size_t at = b->len;
    size_t trailer;
    int rc;

    seg_put_meta(w, b);
    rc = seg_put_directories(w, b, err);
    for (uint32_t i = 0; i < w->cols_count && rc == 0; i++)
        rc = seg_put_column(w, &w->cols[i], b, err);
    if (rc < 0)
        return rc;
    if (b->failed)
        return DN_FAIL_NOMEM(err);
    trailer = b->len;
    if (trailer + SEG_TRAILER_SIZE > VOLUME_OBJECT_MAX)
        return DN_FAIL(
            err, DN_E_TOO_LONG, "a segment of %zu bytes is more than an object may have", trailer);
    buf_u64(b, at);
    buf_u64(b, trailer - at);
    buf_u64(b, trailer + SEG_TRAILER_SIZE);
    buf_u64(b, dn_checksum64(b->data + at, trailer - at));
    if (!b->failed)
        buf_u32(b, dn_checksum32(b->data + trailer, b->len - trailer));
    buf_u32(b, SEG_FORMAT);
    buf_append(b, SEG_TRAILER_MAGIC, SEG_MAGIC_SIZE);
    if (b->failed)
        return DN_FAIL_NOMEM(err);
    DN_ASSERT(b->len - trailer == SEG_TRAILER_SIZE);
    return 0;
}
