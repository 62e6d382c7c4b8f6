/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_footer.c: the footer becomes flat arrays. Its bytes passed their checksum but are trusted no
 * further: every count is bounded before memory is taken for it, every range and order that the
 * rest of the reader relies on is checked here, once:
 *
 *   R1  block rows add up to the segment's, group block counts to the blocks;
 *   R2  runs begin at row 0, ascend in rows and in (slab, token, series), and span the ranges of
 * the meta data; R3  vectors fill the data area from header to footer without a gap, so none
 * overlaps another; R4  counts of a zone are at most its rows, and a range stands where there is a
 * value; R5  the key is the table's. */
#include "codec/codec.h"
#include "store/seg_reader.h"
#include "vec/widen.h"

void *seg_keep(struct seg *s, size_t count, size_t size)
{
    void *p = arena_alloc_array(&s->arena, count, size);

    if (p)
        s->charged += count * size;
    return p;
}

/* ---- meta data and column directory ---- */

struct seg_counts {
    uint32_t columns;
    uint32_t series;
    uint32_t rest;
    uint32_t time_id;
};

static int
seg_get_meta_data(struct seg *s, struct seg_parse *p, struct seg_counts *n, struct dn_err *err)
{
    struct seg_meta *m = &s->meta;
    struct rd *r = &p->rd;

    m->rows = rd_u64(r);
    m->runs = rd_u32(r);
    m->blocks = rd_u32(r);
    s->groups_count = rd_u32(r);
    n->columns = rd_u32(r);
    s->flags = rd_u32(r);
    n->time_id = rd_u32(r);
    m->seq_min = rd_u64(r);
    m->seq_max = rd_u64(r);
    m->slab_min = (int64_t)rd_u64(r);
    m->slab_max = (int64_t)rd_u64(r);
    m->time_min = (int64_t)rd_u64(r);
    m->time_max = (int64_t)rd_u64(r);
    m->token_min = (int64_t)rd_u64(r);
    m->token_max = (int64_t)rd_u64(r);
    m->rowid_max = rd_u64(r);
    m->has_patch = s->flags & SEG_FLAG_PATCH;
    m->has_delete = s->flags & SEG_FLAG_DELETE;
    m->has_expiry = s->flags & SEG_FLAG_EXPIRY;
    s->blocks_count = m->blocks;
    DN_CHECK_DISK(!r->bad, err, "%s: footer cut short", s->name);
    DN_CHECK_DISK((s->flags & ~(uint32_t)SEG_FLAGS_KNOWN) == 0,
                  err,
                  "%s: unknown flags %#x in the footer",
                  s->name,
                  s->flags);
    DN_CHECK_DISK(m->rows >= 1 && m->rows <= SEG_ROWS_MAX,
                  err,
                  "%s: footer says %llu rows",
                  s->name,
                  (unsigned long long)m->rows);
    DN_CHECK_DISK(m->runs >= 1 && m->runs <= m->rows,
                  err,
                  "%s: %u runs of %llu rows",
                  s->name,
                  m->runs,
                  (unsigned long long)m->rows);
    /* Blocks of under 1024 rows stand at most between those of long runs. */
    DN_CHECK_DISK(m->blocks >= 1 && m->blocks <= m->rows / (SEG_LONG_RUN / 2) + 2 &&
                      m->blocks <= m->rows && s->groups_count >= 1 && s->groups_count <= m->blocks,
                  err,
                  "%s: %u blocks in %u groups of %llu rows",
                  s->name,
                  m->blocks,
                  s->groups_count,
                  (unsigned long long)m->rows);
    DN_CHECK_DISK(n->columns >= HIDDEN_MAX && n->columns <= SEG_COLUMNS_MAX,
                  err,
                  "%s: %u columns",
                  s->name,
                  n->columns);
    DN_CHECK_DISK(m->seq_min <= m->seq_max, err, "%s: sequence range is empty", s->name);
    return 0;
}

/* Key of the segment against the table's, column by column. */
static int seg_check_key_part(
    struct seg *s, uint32_t store_col, unsigned flags, uint32_t pos, struct dn_err *err)
{
    const struct table *t = s->table;
    bool fits = false;

    if (flags & SEG_COL_SERIES)
        fits = flags == SEG_COL_SERIES && pos < t->series_count && t->series[pos] == store_col;
    else if (flags & SEG_COL_REST)
        fits = pos < t->rest_count && t->rest[pos].col == store_col &&
               t->rest[pos].desc == ((flags & SEG_COL_DESC) != 0);
    else
        fits = flags == 0 && pos == 0;
    DN_CHECK_DISK(fits,
                  err,
                  "%s: its key is not that of table %s.%s (column id %u)",
                  s->name,
                  t->schema,
                  t->name,
                  store_col_id(t, store_col));
    return 0;
}

static int
seg_get_column(struct seg *s, struct seg_parse *p, struct seg_counts *n, struct dn_err *err)
{
    const struct table *t = s->table;
    unsigned long long at = SEG_PARSE_AT(p);
    uint32_t id = rd_u32(&p->rd);
    unsigned type = rd_u8(&p->rd);
    unsigned flags = rd_u8(&p->rd);
    uint16_t pos = rd_u16(&p->rd);
    uint32_t store_col = store_col_by_id(t, id);
    enum type_id as = store_col == UINT32_MAX ? (enum type_id)type : store_col_type(t, store_col);
    struct seg_rcol *c = &s->cols[s->cols_count];
    int rc;

    DN_CHECK_DISK(!p->rd.bad, err, "%s: column directory cut short at offset %llu", s->name, at);
    DN_CHECK_DISK(type_storable(type),
                  err,
                  "%s: column id %u of unknown type %u at offset %llu",
                  s->name,
                  id,
                  type,
                  at);
    DN_CHECK_DISK((flags & ~(unsigned)SEG_COL_KNOWN) == 0,
                  err,
                  "%s: column id %u with unknown flags %#x at offset %llu",
                  s->name,
                  id,
                  flags,
                  at);
    if ((unsigned)TYPE_BASE(as) == type) /* the table says which ENUM it is */
        type = as;
    n->series += flags & SEG_COL_SERIES ? 1 : 0;
    n->rest += flags & SEG_COL_REST ? 1 : 0;
    if (store_col != UINT32_MAX) {
        DN_CHECK_DISK((type == as || (flags == 0 && type_widens((enum type_id)type, as))) &&
                          s->col_of[store_col] == SEG_COL_MISSING,
                      err,
                      "%s: column id %u at offset %llu is named twice or has another type than in "
                      "table %s.%s",
                      s->name,
                      id,
                      at,
                      t->schema,
                      t->name);
        rc = seg_check_key_part(s, store_col, flags, pos, err);
        if (rc < 0)
            return rc;
        s->col_of[store_col] = flags & SEG_COL_SERIES ? SEG_COL_IS_SERIES : (int32_t)s->cols_count;
    } else { /* dropped since: nobody asks for it, but its vectors are there */
        DN_CHECK_DISK(flags == 0, err, "%s: key column id %u is not in the table", s->name, id);
    }
    if (flags & SEG_COL_SERIES)
        return 0;
    *c = (struct seg_rcol){
        .id = id, .type = (enum type_id)type, .as = as, .key = flags & SEG_COL_REST};
    s->widens = s->widens || c->as != c->type;
    s->cols_count++;
    return 0;
}

static int
seg_get_columns(struct seg *s, struct seg_parse *p, struct seg_counts *n, struct dn_err *err)
{
    const struct table *t = s->table;
    uint32_t time_id = t->time_col >= 0 ? t->columns[t->time_col].id : 0;
    bool key = true;

    s->cols = seg_keep(s, n->columns, sizeof *s->cols);
    s->col_of = seg_keep(s, store_cols_count(t), sizeof *s->col_of);
    if (!s->cols || !s->col_of)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < store_cols_count(t); i++)
        s->col_of[i] = SEG_COL_MISSING;
    for (uint32_t i = 0; i < n->columns; i++) {
        int rc = seg_get_column(s, p, n, err);

        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; i < HIDDEN_MAX; i++)
        DN_CHECK_DISK(s->col_of[t->columns_count + i] >= 0,
                      err,
                      "%s: hidden column %u is missing",
                      s->name,
                      i);
    /* R5: columns were compared one by one, so equal counts make equal keys. Those that joined the
     * key since are behind the others. */
    for (uint32_t i = 0; i < t->rest_count; i++)
        key = key && (s->col_of[t->rest[i].col] >= 0) == (i < n->rest) &&
              (i < n->rest || t->columns[t->rest[i].col].has_default);
    DN_CHECK_DISK(key && n->series == t->series_count && n->rest <= t->rest_count &&
                      n->time_id == time_id && !(s->flags & SEG_FLAG_TIME) == (t->time_col < 0) &&
                      !(s->flags & SEG_FLAG_TIME_DESC) == !t->time_desc &&
                      !(s->flags & SEG_FLAG_ROWID) == (t->form != KEY_NONE),
                  err,
                  "%s: its key is not that of table %s.%s",
                  s->name,
                  t->schema,
                  t->name);
    return 0;
}

/* ---- blocks ---- */

static int seg_get_blocks_arrays(struct seg *s, struct seg_parse *p, struct dn_err *err)
{
    struct seg_range range = {.what = "blocks of a group", .min = 1, .max = SEG_GROUP_BLOCKS};
    uint32_t *counts = seg_keep(s, s->groups_count, sizeof *counts);
    uint32_t *rows = seg_keep(s, s->blocks_count, sizeof *rows);
    union vfixed *seqs = seg_keep(s, s->blocks_count, sizeof *seqs);
    int rc;

    s->groups = seg_keep(s, s->groups_count, sizeof *s->groups);
    s->blocks = seg_keep(s, s->blocks_count, sizeof *s->blocks);
    s->block_vec = seg_keep(s, s->blocks_count, sizeof *s->block_vec);
    if (!counts || !rows || !seqs || !s->groups || !s->blocks || !s->block_vec)
        return DN_FAIL_NOMEM(err);
    rc = seg_get_u32s(p, &range, TYPE_INTEGER, s->groups_count, counts, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < s->groups_count; i++)
        s->groups[i] = (struct seg_group){.block_count = counts[i]};
    range = (struct seg_range){.what = "rows of a block", .min = 1, .max = SEG_BLOCK_ROWS};
    rc = seg_get_u32s(p, &range, TYPE_INTEGER, s->blocks_count, rows, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < s->blocks_count; i++)
        s->blocks[i] = (struct seg_block){.rows = rows[i]};
    rc = seg_get_fixed(p, TYPE_BIGINT, s->blocks_count, seqs, NULL, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < s->blocks_count; i++)
        s->blocks[i].seq_min = (uint64_t)seqs[i].i64;
    rc = seg_get_fixed(p, TYPE_BIGINT, s->blocks_count, seqs, NULL, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < s->blocks_count; i++)
        s->blocks[i].seq_max = (uint64_t)seqs[i].i64;
    return 0;
}

static int seg_get_block_directory(struct seg *s, struct seg_parse *p, struct dn_err *err)
{
    uint64_t row = 0;
    uint32_t vec = 0;
    uint32_t block = 0;
    int rc = seg_get_blocks_arrays(s, p, err);

    if (rc < 0)
        return rc;
    for (uint32_t g = 0; g < s->groups_count; g++) {
        struct seg_group *group = &s->groups[g];
        uint64_t rows = 0;

        group->block_first = block;
        DN_CHECK_DISK(group->block_count <= s->blocks_count - block,
                      err,
                      "%s: groups of more blocks than there are",
                      s->name);
        for (uint32_t end = block + group->block_count; block < end; block++) {
            struct seg_block *b = &s->blocks[block];

            b->group = g;
            b->first_row = (uint32_t)row;
            b->vectors = (b->rows + SEG_VECTOR_ROWS - 1) / SEG_VECTOR_ROWS;
            s->block_vec[block] = vec;
            vec += b->vectors;
            row += b->rows;
            rows += b->rows;
            group->vecs += b->vectors;
            DN_CHECK_DISK(b->seq_min <= b->seq_max && b->seq_min >= s->meta.seq_min &&
                              b->seq_max <= s->meta.seq_max,
                          err,
                          "%s: sequences of block %u are not those of the segment",
                          s->name,
                          block);
        }
        DN_CHECK_DISK(rows <= SEG_GROUP_ROWS && row <= s->meta.rows,
                      err,
                      "%s: group %u has too many rows",
                      s->name,
                      g);
    }
    DN_CHECK_DISK(block == s->blocks_count && row == s->meta.rows, /* R1 */
                  err,
                  "%s: %u blocks hold %llu rows, the segment has %llu",
                  s->name,
                  block,
                  (unsigned long long)row,
                  (unsigned long long)s->meta.rows);
    return 0;
}

/* ---- runs ---- */

static int seg_get_i64s(
    struct seg *s, struct seg_parse *p, uint32_t n, const int64_t **ret, struct dn_err *err)
{
    union vfixed *x = seg_keep(s, n, sizeof *x);
    int rc;

    if (!x)
        return DN_FAIL_NOMEM(err);
    rc = seg_get_fixed(p, TYPE_BIGINT, n, x, NULL, err);
    if (rc < 0)
        return rc;
    *ret = &x->i64; /* a union of 8 bytes: the array is one of integers too */
    return 0;
}

static int seg_get_series(struct seg *s, struct seg_parse *p, struct dn_err *err)
{
    const struct table *t = s->table;
    uint32_t parts = (s->runs.count + SEG_VECTOR_ROWS - 1) / SEG_VECTOR_ROWS;

    s->run_series = seg_keep(s, t->series_count, sizeof *s->run_series);
    s->series_of = seg_keep(s, t->columns_count, sizeof *s->series_of);
    if (!s->run_series || !s->series_of)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < t->series_count; i++) {
        struct vec *vecs = seg_keep(s, parts, sizeof *vecs);

        if (!vecs)
            return DN_FAIL_NOMEM(err);
        s->series_of[t->series[i]] = (uint16_t)i;
        for (uint32_t k = 0; k < parts; k++) {
            uint32_t left = s->runs.count - k * SEG_VECTOR_ROWS;
            unsigned long long at = SEG_PARSE_AT(p);
            int rc = seg_get_encoded(p,
                                     t->columns[t->series[i]].type,
                                     left < SEG_VECTOR_ROWS ? left : SEG_VECTOR_ROWS,
                                     p->arena,
                                     &vecs[k],
                                     err);

            if (rc < 0)
                return rc;
            DN_CHECK_DISK(!vecs[k].nulls && !vecs[k].absent,
                          err,
                          "%s: NULL in a series at offset %llu",
                          s->name,
                          at);
        }
        s->run_series[i] = vecs;
    }
    return 0;
}

/* Physical order of two runs by (slab, token, series). */
static int seg_run_cmp(const struct seg *s, uint32_t a, uint32_t b)
{
    const struct seg_runs *r = &s->runs;
    int order;

    if (r->slab[a] != r->slab[b])
        return (r->slab[a] < r->slab[b]) == s->table->time_desc ? 1 : -1;
    if (r->token[a] != r->token[b])
        return r->token[a] < r->token[b] ? -1 : 1;
    for (uint32_t i = 0; i < s->table->series_count; i++) {
        struct datum x = seg_run_value(s, a, i);
        struct datum y = seg_run_value(s, b, i);

        order = datum_cmp(&x, &y);
        if (order != 0)
            return order;
    }
    return 0;
}

/* The ranges of the meta data are exactly those of the runs. */
static int seg_check_ranges(const struct seg *s, struct dn_err *err)
{
    const struct seg_runs *r = &s->runs;
    const struct seg_meta *m = &s->meta;
    int64_t slab[2] = {INT64_MAX, INT64_MIN};
    int64_t token[2] = {INT64_MAX, INT64_MIN};
    int64_t time[2] = {INT64_MAX, INT64_MIN};

    for (uint32_t i = 0; i < r->count; i++) {
        slab[0] = r->slab[i] < slab[0] ? r->slab[i] : slab[0];
        slab[1] = r->slab[i] > slab[1] ? r->slab[i] : slab[1];
        token[0] = r->token[i] < token[0] ? r->token[i] : token[0];
        token[1] = r->token[i] > token[1] ? r->token[i] : token[1];
        if (!r->time_min)
            continue;
        time[0] = r->time_min[i] < time[0] ? r->time_min[i] : time[0];
        time[1] = r->time_max[i] > time[1] ? r->time_max[i] : time[1];
    }
    if (!r->time_min) {
        time[0] = INT64_MIN;
        time[1] = INT64_MAX;
    }
    if (s->table->by_value) { /* they are places, which the rows have (seg_verify.c) */
        token[0] = m->token_min <= m->token_max ? m->token_min : m->token_max;
        token[1] = m->token_max;
    }
    DN_CHECK_DISK(slab[0] == m->slab_min && slab[1] == m->slab_max && token[0] == m->token_min &&
                      token[1] == m->token_max && time[0] == m->time_min && time[1] == m->time_max,
                  err,
                  "%s: slab, token or time range is not that of its runs",
                  s->name);
    return 0;
}

static int seg_check_runs(struct seg *s, struct dn_err *err)
{
    const struct seg_runs *r = &s->runs;
    uint32_t run = 0;

    DN_CHECK_DISK(
        r->first_row[0] == 0, err, "%s: run 0 begins at row %u", s->name, r->first_row[0]);
    for (uint32_t i = 0; i < r->count; i++) {
        DN_CHECK_DISK(r->first_row[i] < r->first_row[i + 1] &&
                          (i == 0 || seg_run_cmp(s, i - 1, i) < 0), /* R2 */
                      err,
                      "%s: run %u is out of order",
                      s->name,
                      i);
        DN_CHECK_DISK(!r->time_min || r->time_min[i] <= r->time_max[i] ||
                          (r->time_min[i] == INT64_MAX && r->time_max[i] == INT64_MIN),
                      err,
                      "%s: time range of run %u is empty",
                      s->name,
                      i);
        DN_CHECK_DISK(
            s->table->time_col >= 0 || r->slab[i] == 0, err, "%s: run %u has a slab", s->name, i);
        DN_CHECK_DISK(
            s->table->series_count || r->token[i] == 0, err, "%s: run %u has a token", s->name, i);
    }
    for (uint32_t i = 0; i < s->blocks_count; i++) {
        struct seg_block *b = &s->blocks[i];

        while (r->first_row[run + 1] <= b->first_row)
            run++;
        b->run_first = run;
        while (r->first_row[run + 1] < b->first_row + b->rows)
            run++;
        b->run_count = run - b->run_first + 1;
    }
    return seg_check_ranges(s, err);
}

/* Least and greatest value of each series column. */
static int seg_find_series_ranges(struct seg *s, struct dn_err *err)
{
    uint32_t parts = (s->runs.count + SEG_VECTOR_ROWS - 1) / SEG_VECTOR_ROWS;

    s->series_min = seg_keep(s, s->table->series_count, sizeof *s->series_min);
    s->series_max = seg_keep(s, s->table->series_count, sizeof *s->series_max);
    if (!s->series_min || !s->series_max)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s->table->series_count; i++) {
        struct datum *min = &s->series_min[i];
        struct datum *max = &s->series_max[i];

        *min = *max = vec_datum(&s->run_series[i][0], 0);
        for (uint32_t k = 0; k < parts; k++) {
            const struct vec *v = &s->run_series[i][k];
            struct vec entries = *v;
            if (v->form == VEC_DICT) { /* all its entries stand for a run, or for none */
                entries.form = VEC_FLAT;
                entries.count = v->dict_count;
            }
            for (uint32_t r = 0; r < (v->form == VEC_CONST ? 1 : entries.count); r++) {
                struct datum d = vec_datum(&entries, r);
                if (datum_cmp(&d, min) < 0)
                    *min = d;
                else if (datum_cmp(&d, max) > 0)
                    *max = d;
            }
        }
    }
    return 0;
}

static int seg_get_run_table(struct seg *s, struct seg_parse *p, struct dn_err *err)
{
    struct seg_range range = {
        .what = "first row of a run", .min = 0, .max = (int64_t)s->meta.rows - 1};
    uint32_t n = s->meta.runs;
    uint32_t *first_row;
    int rc;

    /* Each 1024 of an array take 3 bytes at the very least. */
    DN_CHECK_DISK((uint64_t)n * (SEG_RUN_ARRAYS + s->table->series_count) <= SEG_RUN_CELLS_MAX &&
                      n / SEG_VECTOR_ROWS * 9 <= s->footer_len,
                  err,
                  "%s: %u runs are more than a segment may have",
                  s->name,
                  n);
    first_row = seg_keep(s, (size_t)n + 1, sizeof *first_row);
    if (!first_row)
        return DN_FAIL_NOMEM(err);
    rc = seg_get_u32s(p, &range, TYPE_INTEGER, n, first_row, err);
    first_row[n] = (uint32_t)s->meta.rows;
    s->runs.first_row = first_row;
    s->runs.count = n;
    if (rc == 0)
        rc = seg_get_i64s(s, p, n, &s->runs.token, err);
    if (rc == 0)
        rc = seg_get_i64s(s, p, n, &s->runs.slab, err);
    if (rc == 0 && s->table->time_col >= 0)
        rc = seg_get_i64s(s, p, n, &s->runs.time_min, err);
    if (rc == 0 && s->table->time_col >= 0)
        rc = seg_get_i64s(s, p, n, &s->runs.time_max, err);
    if (rc == 0)
        rc = seg_get_series(s, p, err);
    if (rc == 0)
        rc = seg_check_runs(s, err);
    return rc < 0 ? rc : seg_find_series_ranges(s, err);
}

int seg_parse_footer(struct seg *s, struct dn_err *err)
{
    struct seg_counts counts = {0};
    struct seg_parse p = {.rd = rd_make(s->footer, (size_t)s->footer_len),
                          .start = s->footer,
                          .offset = s->footer_at,
                          .name = s->name,
                          .arena = &s->arena,
                          .data_len = s->footer_at - SEG_HEADER_SIZE};
    int rc;

    s->charged = sizeof *s + (size_t)s->footer_len;
    arena_init(&p.scratch, s->owner);
    rc = seg_get_meta_data(s, &p, &counts, err);
    if (rc == 0)
        rc = seg_get_columns(s, &p, &counts, err);
    if (rc == 0)
        rc = seg_get_block_directory(s, &p, err);
    if (rc == 0)
        rc = seg_get_run_table(s, &p, err);
    for (uint32_t i = 0; i < s->cols_count && rc == 0; i++)
        rc = seg_get_column_part(s, &s->cols[i], &p, err);
    arena_done(&p.scratch);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(
        rd_left(&p.rd) == 0, err, "%s: footer has %zu bytes too many", s->name, rd_left(&p.rd));
    return seg_place_vectors(s, err);
}
