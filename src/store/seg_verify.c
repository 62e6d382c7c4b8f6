/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_verify.c: reads a whole segment and proves it against itself:
 *
 *   V1  header, footer and trailer on the volume are still those that were opened;
 *   V2  every vector has its checksum and decodes;
 *   V3  zones of vectors and blocks are those of the values, bit for bit;
 *   V4  each run's slab and token are those of its key, its time range that of its rows;
 *   V5  keys ascend strictly from row to row;
 *   V6  sequences, operations, expiry and row ids are as block directory and meta data say;
 *   V7  a long run has its blocks for itself, a short one lies in one block.
 *
 * Memory: one group's bytes and one block's decoded columns. */
#include "base/hash.h"
#include "store/seg_reader.h"
#include "store/seg_zone.h"

struct seg_check {
    struct seg *s;
    struct arena arena;     /* one block's vectors */
    uint8_t *bytes;         /* owned: the group's extents */
    struct seg_zone *zones; /* owned: per column, of the block so far */
    struct datum *firsts;   /* owned: per column, of the block; strings are not looked at */
    struct datum *lasts;
    struct vec *vecs; /* owned: per store column, of the current vector */
    struct buf scratch;
    struct buf prefix; /* key of the last row, in two parts */
    struct buf prefix_next;
    struct buf rest;
    struct buf rest_next;
    uint32_t run;         /* of the next row */
    int64_t run_time_min; /* of the current run so far */
    int64_t run_time_max;
    struct seg_meta seen; /* what the rows add up to */
};

#define SEG_ULL(x) ((unsigned long long)(x))

/* ---- V1 ---- */

static int seg_verify_fixed(struct seg *s, struct dn_err *err)
{
    uint8_t header[SEG_HEADER_SIZE];
    uint8_t trailer[SEG_TRAILER_SIZE];
    struct volume_range ranges[3];
    struct seg_trailer t;
    uint32_t version;
    uint64_t size;
    uint8_t *footer;
    int rc = volume_size(s->volume, s->name, &size, err);

    if (rc < 0)
        return rc;
    DN_CHECK_DISK(size == s->meta.bytes,
                  err,
                  "%s: %llu bytes where %llu were",
                  s->name,
                  SEG_ULL(size),
                  SEG_ULL(s->meta.bytes));
    footer = mem_alloc(s->owner, (size_t)s->footer_len);
    if (!footer)
        return DN_FAIL_NOMEM(err);
    ranges[0] = (struct volume_range){.offset = 0, .len = sizeof header, .to = header};
    ranges[1] =
        (struct volume_range){.offset = s->footer_at, .len = (uint32_t)s->footer_len, .to = footer};
    ranges[2] = (struct volume_range){
        .offset = size - sizeof trailer, .len = sizeof trailer, .to = trailer};
    rc = volume_read(s->volume, s->name, ranges, 3, err);
    if (rc == 0)
        rc = seg_check_header(s, header, &version, err);
    if (rc == 0)
        rc = seg_check_trailer(s, trailer, size, &t, err);
    if (rc == 0 &&
        (t.footer_at != s->footer_at || memcmp(footer, s->footer, (size_t)s->footer_len) != 0))
        rc = DN_FAIL(err,
                     DN_E_CORRUPT,
                     "%s: the footer at offset %llu has changed",
                     s->name,
                     SEG_ULL(s->footer_at));
    mem_free(footer);
    return rc;
}

/* ---- V3 ---- */

static bool seg_same_datum(const struct datum *a, const struct datum *b)
{
    if (a->null || b->null)
        return a->null == b->null;
    return memcmp(&a->v, &b->v, sizeof a->v) == 0;
}

static bool seg_same_zone(const struct zone *have, const struct seg_zone *want)
{
    struct datum min = seg_zone_min(want);
    struct datum max = seg_zone_max(want);
    union vfixed sum = {.i64 = 0};
    bool has_sum = seg_zone_sum(want, &sum);

    if (have->rows != want->rows || have->nulls != want->nulls || have->absent != want->absent)
        return false;
    if (!type_is_fixed(want->type))
        return true;
    return have->has_range == want->has_range && seg_same_datum(&have->min, &min) &&
           seg_same_datum(&have->max, &max) && have->has_sum == has_sum &&
           (!has_sum || memcmp(&have->sum, &sum, sizeof sum) == 0);
}

static bool seg_same_bound(const struct datum *have, bool exact, const struct seg_bound *want)
{
    return exact == want->exact && have->str.len == want->len &&
           (want->len == 0 || memcmp(have->str.ptr, want->bytes, want->len) == 0);
}

static bool seg_same_wide(const struct datum *have, const struct datum *want)
{
    return seg_same_value(want->type, &have->iv, &want->iv);
}

static bool seg_same_strings(const struct zone *have, const struct seg_zone *want)
{
    struct seg_bound min;
    struct seg_bound max;

    if (!seg_zone_bounds(want, &min, &max))
        return !have->has_range;
    if (type_is_wide(want->type))
        return have->has_range && seg_same_wide(&have->min, &want->wide_min) &&
               seg_same_wide(&have->max, &want->wide_max);
    return have->has_range && seg_same_bound(&have->min, have->min_exact, &min) &&
           seg_same_bound(&have->max, have->max_exact, &max);
}

static int seg_verify_block_zones(struct seg_check *k, uint32_t block, struct dn_err *err)
{
    const struct seg *s = k->s;

    for (uint32_t i = 0; i < store_cols_count(s->table); i++) {
        struct zone have;
        int32_t col = s->col_of[i];
        bool fits;

        if (!seg_stored_block_zone(s, block, i, &have) ||
            s->cols[col].kinds[s->blocks[block].group] == SEG_KIND_CONST)
            continue;
        fits = seg_same_zone(&have, &k->zones[col]);
        if (fits && !type_is_fixed(k->zones[col].type))
            fits = seg_same_strings(&have, &k->zones[col]);
        else if (fits)
            fits = seg_same_datum(&have.first, &k->firsts[col]) &&
                   seg_same_datum(&have.last, &k->lasts[col]);
        DN_CHECK_DISK(fits,
                      err,
                      "%s: zone of block %u, column id %u is not that of its values",
                      s->name,
                      block,
                      s->cols[col].id);
    }
    return 0;
}

/* ---- V2: decoding one vector of all columns ---- */

/* The bytes of a vector of the group, which are checked. */
static int seg_verify_src(const struct seg_check *k,
                          const struct seg_vecref *v,
                          uint32_t group,
                          struct codec_src *ret,
                          struct dn_err *err)
{
    const uint8_t *p = k->bytes + (v->col->at[v->index] - k->s->groups[group].at);

    *ret = seg_vec_src(v, p);
    return seg_vec_check(k->s, v, p, err);
}

/* Decodes a vector, with those that it needs: its guide's, and that of its dictionary. */
static int seg_verify_vector(struct seg_check *k,
                             const struct seg_rows *rows,
                             const struct seg_vecref *ref,
                             struct vec *ret,
                             struct dn_err *err)
{
    const struct seg *s = k->s;
    uint32_t group = s->blocks[rows->block].group;
    struct codec_kin *kin = NULL;
    struct seg_vecref other;
    struct codec_src src;
    struct codec_src home;
    uint32_t guide;
    uint32_t back;
    int rc;

    rc = seg_verify_src(k, ref, group, &src, err);
    if (rc < 0)
        return rc;
    guide = codec_guide(&src);
    if (guide) {
        kin = arena_alloc(&k->arena, sizeof *kin);
        if (!kin)
            return DN_FAIL_NOMEM(err);
        rc = seg_vec_kin_of_runs(s, rows, guide, kin, err);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            rc = seg_vec_guide(s, rows, guide, &other, err);
            if (rc == 0)
                rc = seg_verify_src(k, &other, group, &home, err);
            if (rc == 0)
                rc = codec_kin_of_guide(&home, guide, kin, err);
            if (rc < 0)
                return rc;
        }
    }
    back = codec_back(&src);
    if (back) {
        rc = seg_vec_home(s, ref, group, back, &other, err);
        if (rc == 0)
            rc = seg_verify_src(k, &other, group, &home, err);
        if (rc < 0)
            return rc;
        src.home = &home;
    }
    src.kin = kin;
    return seg_vec_decode(s, ref, &src, &k->arena, ret, err);
}

static int seg_verify_column(struct seg_check *k,
                             const struct seg_rows *rows,
                             uint32_t col,
                             struct vec *ret,
                             struct dn_err *err)
{
    const struct seg *s = k->s;
    const struct seg_rcol *c = &s->cols[col];
    uint32_t g = s->blocks[rows->block].group;
    struct seg_vecref ref;
    struct seg_zone zone;
    struct zone have;
    struct vec v;
    uint32_t store_col;
    int rc;

    if (c->kinds[g] == SEG_KIND_CONST) {
        v = c->consts[g];
        v.count = rows->count;
    } else {
        ref = seg_vec_of(s, c, rows->block, rows->vector);
        rc = seg_verify_vector(k, rows, &ref, &v, err);
        if (rc < 0)
            return rc;
    }
    if (!vec_flatten(&k->arena, &v, NULL, rows->count, ret))
        return DN_FAIL_NOMEM(err);
    seg_zone_vec(ret, c->key, &zone);
    if (rows->vector == 0) {
        k->zones[col] = zone;
        k->firsts[col] = vec_datum(ret, 0);
    } else {
        seg_zone_merge(&k->zones[col], &zone);
    }
    k->lasts[col] = vec_datum(ret, rows->count - 1);
    store_col = store_col_by_id(s->table, c->id);
    if (c->kinds[g] == SEG_KIND_CONST || store_col == UINT32_MAX)
        return 0;
    DN_CHECK_DISK(seg_stored_vector_zone(s, rows->block, rows->vector, store_col, &have) &&
                      seg_same_zone(&have, &zone),
                  err,
                  "%s: zone of block %u, vector %u, column id %u is not that of its values",
                  s->name,
                  rows->block,
                  rows->vector,
                  c->id);
    return 0;
}

static int seg_verify_decode(struct seg_check *k, const struct seg_rows *rows, struct dn_err *err)
{
    const struct seg *s = k->s;
    const struct table *t = s->table;

    for (uint32_t i = 0; i < s->cols_count; i++) {
        uint32_t store_col = store_col_by_id(t, s->cols[i].id);
        struct vec v;
        int rc = seg_verify_column(k, rows, i, &v, err);

        if (rc < 0)
            return rc;
        DN_CHECK_DISK(s->cols[i].type != TYPE_BOOLEAN || k->zones[i].nulls == k->zones[i].rows ||
                          (k->zones[i].min.i64 >= 0 && k->zones[i].max.i64 <= 1),
                      err,
                      "%s: a BOOLEAN of column id %u, block %u is neither true nor false",
                      s->name,
                      s->cols[i].id,
                      rows->block);
        if (store_col != UINT32_MAX)
            k->vecs[store_col] = v;
    }
    for (uint32_t i = 0; i < t->series_count; i++)
        if (seg_series_vec(s, rows, i, &k->arena, &k->vecs[t->series[i]]) < 0)
            return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < t->rest_count; i++) /* what joined the key later */
        if (s->col_of[t->rest[i].col] < 0 &&
            !vec_make_const(
                &k->arena, &t->columns[t->rest[i].col].def, rows->count, &k->vecs[t->rest[i].col]))
            return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < t->rest_count; i++)
        DN_CHECK_DISK(!k->vecs[t->rest[i].col].nulls,
                      err,
                      "%s: NULL in key column %s, block %u",
                      s->name,
                      t->columns[t->rest[i].col].name,
                      rows->block);
    return 0;
}

/* ---- V4, V5: keys ---- */

static int seg_cmp_bytes(const struct buf *a, const struct buf *b)
{
    size_t n = a->len < b->len ? a->len : b->len;
    int order = n ? memcmp(a->data, b->data, n) : 0;

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static void seg_swap(struct buf *a, struct buf *b)
{
    struct buf t = *a;

    *a = *b;
    *b = t;
}

/* Row `i` of the vector is the first of run k->run. */
static int seg_verify_run(struct seg_check *k, uint32_t i, struct dn_err *err)
{
    const struct seg *s = k->s;
    int64_t token;

    buf_reset(&k->prefix_next);
    token = rows_key_prefix(s->table, k->vecs, i, &k->scratch, &k->prefix_next);
    if (k->prefix_next.failed)
        return DN_FAIL_NOMEM(err);
    DN_CHECK_DISK(token == s->runs.token[k->run] &&
                      rows_slab(s->table, k->vecs, i) == s->runs.slab[k->run],
                  err,
                  "%s: token or slab of run %u is not that of its key",
                  s->name,
                  k->run);
    DN_CHECK_DISK(k->run == 0 || seg_cmp_bytes(&k->prefix, &k->prefix_next) < 0,
                  err,
                  "%s: run %u is out of order",
                  s->name,
                  k->run);
    seg_swap(&k->prefix, &k->prefix_next);
    k->run_time_min = INT64_MAX;
    k->run_time_max = INT64_MIN;
    return 0;
}

static int seg_verify_run_end(struct seg_check *k, struct dn_err *err)
{
    const struct seg_runs *r = &k->s->runs;
    uint32_t first = r->first_row[k->run];
    uint32_t rows = r->first_row[k->run + 1] - first;
    uint32_t block = seg_block_of(k->s, first);
    const struct seg_block *b = &k->s->blocks[block];
    const struct seg_block *end = &k->s->blocks[seg_block_of(k->s, first + rows - 1)];

    DN_CHECK_DISK(!r->time_min || (r->time_min[k->run] == k->run_time_min &&
                                   r->time_max[k->run] == k->run_time_max),
                  err,
                  "%s: time range of run %u is not that of its rows",
                  k->s->name,
                  k->run);
    if (rows >= SEG_LONG_RUN) /* V7 */
        DN_CHECK_DISK(b->first_row == first && end->run_count == 1,
                      err,
                      "%s: long run %u shares a block",
                      k->s->name,
                      k->run);
    else
        DN_CHECK_DISK(b == end, err, "%s: short run %u lies in two blocks", k->s->name, k->run);
    k->run++;
    return 0;
}

static void seg_note_place(struct seg_check *k, uint32_t i)
{
    struct datum d = vec_datum(&k->vecs[k->s->table->rest[0].col], i);
    int64_t place = datum_place(&d);

    k->seen.token_min = place < k->seen.token_min ? place : k->seen.token_min;
    k->seen.token_max = place > k->seen.token_max ? place : k->seen.token_max;
}

static int seg_verify_keys(struct seg_check *k, const struct seg_rows *rows, struct dn_err *err)
{
    const struct seg *s = k->s;
    const struct table *t = s->table;
    int rc = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        bool first = rows->first + i == s->runs.first_row[k->run];

        if (first)
            rc = seg_verify_run(k, i, err);
        if (rc < 0)
            return rc;
        buf_reset(&k->rest_next);
        rows_key_rest(t, k->vecs, i, &k->rest_next);
        if (k->rest_next.failed)
            return DN_FAIL_NOMEM(err);
        DN_CHECK_DISK(first || seg_cmp_bytes(&k->rest, &k->rest_next) < 0,
                      err,
                      "%s: key of row %u does not follow that of the row before",
                      s->name,
                      rows->first + i);
        seg_swap(&k->rest, &k->rest_next);
        if (t->by_value)
            seg_note_place(k, i);
        DN_CHECK_DISK(rows_slab(t, k->vecs, i) == s->runs.slab[k->run],
                      err,
                      "%s: row %u is not of the slab of run %u",
                      s->name,
                      rows->first + i,
                      k->run);
        if (t->time_col >= 0 && !vec_is_null(&k->vecs[t->time_col], i)) {
            int64_t time = vec_i64(&k->vecs[t->time_col], i);

            k->run_time_min = time < k->run_time_min ? time : k->run_time_min;
            k->run_time_max = time > k->run_time_max ? time : k->run_time_max;
        }
        if (rows->first + i + 1 == s->runs.first_row[k->run + 1])
            rc = seg_verify_run_end(k, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- V6 ---- */

static int seg_verify_hidden(struct seg_check *k, const struct seg_rows *rows, struct dn_err *err)
{
    const struct table *t = k->s->table;
    const struct vec *hidden = &k->vecs[t->columns_count];

    DN_CHECK_DISK(!hidden[HIDDEN_SEQ].nulls && !hidden[HIDDEN_OP].nulls &&
                      !hidden[HIDDEN_ROWID].nulls,
                  err,
                  "%s: row without sequence, operation or row id in block %u",
                  k->s->name,
                  rows->block);
    for (uint32_t i = 0; i < rows->count; i++) {
        int64_t seq = vec_i64(&hidden[HIDDEN_SEQ], i);
        int64_t op = vec_i64(&hidden[HIDDEN_OP], i);
        int64_t rowid = vec_i64(&hidden[HIDDEN_ROWID], i);

        DN_CHECK_DISK(op >= 0 && op < ROW_OP_MAX && seq >= 0 && rowid >= 0,
                      err,
                      "%s: row %u has sequence %lld, operation %lld, row id %lld",
                      k->s->name,
                      rows->first + i,
                      (long long)seq,
                      (long long)op,
                      (long long)rowid);
        k->seen.has_patch |= op == ROW_PATCH;
        k->seen.has_delete |= op == ROW_DELETE;
        k->seen.has_expiry |= !vec_is_null(&hidden[HIDDEN_EXPIRY], i);
        if (t->form == KEY_NONE && (uint64_t)rowid > k->seen.rowid_max)
            k->seen.rowid_max = (uint64_t)rowid;
    }
    return 0;
}

static int seg_verify_block_seqs(struct seg_check *k, uint32_t block, struct dn_err *err)
{
    const struct seg *s = k->s;
    const struct seg_block *b = &s->blocks[block];
    const struct seg_zone *z = &k->zones[s->col_of[s->table->columns_count + HIDDEN_SEQ]];

    DN_CHECK_DISK((uint64_t)z->min.i64 == b->seq_min && (uint64_t)z->max.i64 == b->seq_max,
                  err,
                  "%s: sequence range of block %u is not that of its rows",
                  s->name,
                  block);
    k->seen.seq_min = b->seq_min < k->seen.seq_min ? b->seq_min : k->seen.seq_min;
    k->seen.seq_max = b->seq_max > k->seen.seq_max ? b->seq_max : k->seen.seq_max;
    return 0;
}

static int seg_verify_meta(const struct seg_check *k, struct dn_err *err)
{
    const struct seg_meta *m = &k->s->meta;
    const struct seg_meta *n = &k->seen;

    DN_CHECK_DISK(m->seq_min == n->seq_min && m->seq_max == n->seq_max &&
                      m->rowid_max == n->rowid_max && m->has_patch == n->has_patch &&
                      m->has_delete == n->has_delete && m->has_expiry == n->has_expiry,
                  err,
                  "%s: sequences, row ids or flags of the meta data are not those of the rows",
                  k->s->name);
    DN_CHECK_DISK(!k->s->table->by_value ||
                      (m->token_min == n->token_min && m->token_max == n->token_max),
                  err,
                  "%s: places of the meta data are not those of the rows",
                  k->s->name);
    return 0;
}

/* ---- all of it ---- */

static int seg_verify_group(struct seg_check *k, uint32_t g, struct dn_err *err)
{
    const struct seg *s = k->s;
    const struct seg_group *group = &s->groups[g];
    struct volume_range range = {.offset = group->at, .len = group->len};
    int rc;

    mem_free(k->bytes);
    k->bytes = mem_alloc(s->owner, group->len);
    if (!k->bytes)
        return DN_FAIL_NOMEM(err);
    range.to = k->bytes;
    rc = group->len ? volume_read(s->volume, s->name, &range, 1, err) : 0;
    for (uint32_t b = group->block_first; b < group->block_first + group->block_count && rc == 0;
         b++) {
        arena_reset(&k->arena);
        for (uint32_t v = 0; v < s->blocks[b].vectors && rc == 0; v++) {
            struct seg_rows rows = seg_rows_of(s, b, v);

            rc = seg_verify_decode(k, &rows, err);
            if (rc == 0)
                rc = seg_verify_hidden(k, &rows, err);
            if (rc == 0)
                rc = seg_verify_keys(k, &rows, err);
        }
        if (rc == 0)
            rc = seg_verify_block_zones(k, b, err);
        if (rc == 0)
            rc = seg_verify_block_seqs(k, b, err);
    }
    return rc;
}

int seg_verify(struct seg *s, struct dn_err *err)
{
    struct seg_check k = {
        .s = s, .seen = {.seq_min = UINT64_MAX, .token_min = INT64_MAX, .token_max = INT64_MIN}};
    int rc = seg_verify_fixed(s, err);

    if (rc < 0)
        return rc;
    arena_init(&k.arena, s->owner);
    buf_init(&k.scratch, s->owner);
    buf_init(&k.prefix, s->owner);
    buf_init(&k.prefix_next, s->owner);
    buf_init(&k.rest, s->owner);
    buf_init(&k.rest_next, s->owner);
    k.zones = mem_calloc(s->owner, s->cols_count, sizeof *k.zones);
    k.firsts = mem_calloc(s->owner, s->cols_count, sizeof *k.firsts);
    k.lasts = mem_calloc(s->owner, s->cols_count, sizeof *k.lasts);
    k.vecs = mem_calloc(s->owner, store_cols_count(s->table), sizeof *k.vecs);
    if (!k.zones || !k.firsts || !k.lasts || !k.vecs)
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t g = 0; g < s->groups_count && rc == 0; g++)
        rc = seg_verify_group(&k, g, err);
    if (rc == 0)
        rc = seg_verify_meta(&k, err);
    mem_free(k.bytes);
    mem_free(k.zones);
    mem_free(k.firsts);
    mem_free(k.lasts);
    mem_free(k.vecs);
    arena_done(&k.arena);
    buf_done(&k.scratch);
    buf_done(&k.prefix);
    buf_done(&k.prefix_next);
    buf_done(&k.rest);
    buf_done(&k.rest_next);
    return rc;
}
