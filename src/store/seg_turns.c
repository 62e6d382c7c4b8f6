/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_turns.c: vectors with rows of many series. Where these take turns (a table without a key,
 * with the time or a number first in it) one column, the guide, tells which rows belong together;
 * where they follow each other in short runs, the run table does. Columns are then written as
 * differences to the row before of the same series (codec/codec.h, struct codec_kin).
 *
 * Whether a column or the runs can guide is tried on the first vector of a block: a column is
 * written as a guide, all others are written with the guide and without, and what takes the fewest
 * bytes stays. That costs as much as some vectors of the block; it is done for the first block of a
 * segment and, while there is no guide, for later ones that lie further and further apart. A guide
 * that shortens no vector of a block is dropped; runs stay where those of a block are long. */
#include "codec/codec.h"
#include "store/seg_writer.h"

#define SEG_TURNS_ROWS     256u /* of a vector, at least: with fewer there is too little to gain */
#define SEG_TURNS_TRIES    4u   /* columns that are tried as guides */
#define SEG_TURNS_WAIT     4u   /* the next search comes so many times as many blocks later */
#define SEG_TURNS_MAX      256u /* … up to this */
/* Rows of a run, on the average, below which the runs of a vector may guide: longer ones are nearly
 * as small without, and read ten times as fast. */
#define SEG_TURNS_RUN_ROWS 32u

/* May values of this type name a series? */
static bool seg_turns_type(enum type_id type)
{
    return type == TYPE_VARCHAR || type == TYPE_NAME || type == TYPE_UUID || type == TYPE_ENUM ||
           type == TYPE_SMALLINT || type == TYPE_INTEGER || type == TYPE_BIGINT;
}

/* Rows after the first of a run of equal ones. */
static uint32_t seg_turns_same(const struct codec_kin *kin)
{
    uint32_t same = 0;

    for (uint32_t i = 1; i < kin->count; i++)
        same += kin->of[i] == i;
    return same;
}

static int seg_turns_try(struct seg_writer *w,
                         const struct seg_wcol *c,
                         uint32_t rows,
                         const struct codec_hint *hint,
                         size_t *bytes,
                         struct dn_err *err)
{
    struct vec v = seg_col_vec(c, 0, rows);
    struct buf b;
    unsigned codec;
    int rc;

    buf_init(&b, w->owner);
    arena_reset(&w->scratch);
    rc = codec_encode_hinted(&v, hint, &w->scratch, &b, &codec, err);
    *bytes += b.len;
    buf_done(&b);
    return rc;
}

/* A column that could guide. */
struct seg_turns_guide {
    uint32_t col;  /* in w->cols */
    uint32_t rank; /* the higher, the sooner it is tried */
    size_t bytes;  /* of its vector */
};

/* Bytes of one vector of all columns, with a guide (kin; NULL: without one), which may be a column
 * (guide). */
static int seg_turns_measure(struct seg_writer *w,
                             const struct seg_turns_guide *guide,
                             const struct codec_kin *kin,
                             uint32_t rows,
                             size_t *ret,
                             struct dn_err *err)
{
    struct codec_hint hint = {.kin = kin, .small = w->small};
    size_t bytes = guide ? guide->bytes : 0;

    for (uint32_t i = 0; i < w->cols_count; i++) {
        int rc;

        if (guide && i == guide->col)
            continue;
        rc = seg_turns_try(w, &w->cols[i], rows, &hint, &bytes, err);
        if (rc < 0)
            return rc;
    }
    *ret = bytes;
    return 0;
}

/* Puts the guide among the best so far, in order of their rank. */
static void
seg_turns_insert(struct seg_turns_guide *guides, uint32_t *count, struct seg_turns_guide g)
{
    uint32_t at = *count;

    while (at > 0 && guides[at - 1].rank < g.rank) {
        if (at < SEG_TURNS_TRIES)
            guides[at] = guides[at - 1];
        at--;
    }
    if (at < SEG_TURNS_TRIES)
        guides[at] = g;
    *count += *count < SEG_TURNS_TRIES;
}

/* The columns that could guide. Of those in the key, and of strings, the one of the most values
 * comes first; numbers, which may be measurements, behind them in the order of the table. */
static int seg_turns_list(struct seg_writer *w,
                          uint32_t rows,
                          struct seg_turns_guide *guides,
                          uint32_t *ret_count,
                          struct dn_err *err)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i + HIDDEN_MAX < w->cols_count; i++) {
        const struct seg_wcol *c = &w->cols[i];
        struct codec_hint hint = {.guide = c->id, .ret_kin = &w->kins[0], .small = w->small};
        struct seg_turns_guide g = {.col = i};
        int rc;

        if (!seg_turns_type(c->type))
            continue;
        rc = seg_turns_try(w, c, rows, &hint, &g.bytes, err);
        if (rc < 0)
            return rc;
        /* In runs, one of each value, rows are not taking turns. */
        if (w->kins[0].count == 0 ||
            w->kins[0].count - seg_turns_same(&w->kins[0]) < 2 * w->kins[0].seeds)
            continue;
        g.rank = w->kins[0].seeds + (type_is_string(c->type) ? 2 * VEC_ROWS_MAX : 0) +
                 (c->key ? 4 * VEC_ROWS_MAX : 0);
        if (!type_is_string(c->type) && !c->key)
            g.rank = VEC_ROWS_MAX - (i < VEC_ROWS_MAX ? i : VEC_ROWS_MAX);
        seg_turns_insert(guides, &count, g);
    }
    *ret_count = count;
    return 0;
}

/* The number of the first run that begins behind a row of the segment. */
static uint32_t seg_turns_run_behind(const struct seg_writer *w, uint64_t row)
{
    const int32_t *first = w->run_first.data;
    uint32_t low = 0;
    uint32_t high = w->run_first.count;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if ((uint64_t)first[mid] <= row)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Who is kin to whom in a vector of the block, of which `rows` are in the buffers, by its runs; a
 * count of 0 where these are long. */
static void
seg_turns_of_runs(const struct seg_writer *w, uint32_t number, uint32_t rows, struct codec_kin *ret)
{
    const struct table *t = w->table;
    const int32_t *first = w->run_first.data;
    uint64_t from = w->rows - w->block_rows + (uint64_t)number * SEG_VECTOR_ROWS;
    uint32_t left = rows - number * SEG_VECTOR_ROWS;
    uint32_t count = left < SEG_VECTOR_ROWS ? left : SEG_VECTOR_ROWS;
    uint16_t starts[SEG_VECTOR_ROWS];
    uint32_t n = 0;

    starts[n++] = 0;
    for (uint32_t run = seg_turns_run_behind(w, from);
         run < w->run_first.count && (uint64_t)first[run] < from + count;
         run++)
        starts[n++] = (uint16_t)((uint64_t)first[run] - from);
    ret->count = 0;
    if (n * SEG_TURNS_RUN_ROWS > count)
        codec_kin_from_starts(starts, n, count, t->columns[t->series[0]].id, ret);
}

/* Do the runs make it shorter than the best so far? */
static int seg_turns_try_runs(struct seg_writer *w, uint32_t rows, size_t *best, struct dn_err *err)
{
    size_t bytes = 0;
    int rc;

    seg_turns_of_runs(w, 0, rows, &w->kins[0]);
    if (w->kins[0].count == 0)
        return 0;
    rc = seg_turns_measure(w, NULL, &w->kins[0], rows, &bytes, err);
    if (rc < 0 || bytes >= *best)
        return rc;
    *best = bytes;
    w->guide_runs = true;
    return 0;
}

static int seg_turns_search(struct seg_writer *w, uint32_t rows, struct dn_err *err)
{
    struct seg_turns_guide guides[SEG_TURNS_TRIES];
    bool runs = w->table->series_count > 0 &&
                seg_turns_run_behind(w, w->rows - w->block_rows) < w->run_first.count;
    uint32_t count = 0;
    size_t best = 0;
    size_t bytes;
    int rc;

    if (!w->kins)
        w->kins = mem_alloc(w->owner, SEG_BLOCK_VECTORS * sizeof *w->kins);
    if (!w->kins)
        return DN_FAIL_NOMEM(err);
    rc = seg_turns_list(w, rows, guides, &count, err);
    if (rc == 0 && (count || runs))
        rc = seg_turns_measure(w, NULL, NULL, rows, &best, err);
    best -= best / 32; /* for less it is not worth the trouble of reading the guide */
    if (rc == 0 && runs)
        rc = seg_turns_try_runs(w, rows, &best, err);
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        const struct seg_wcol *c = &w->cols[guides[i].col];
        struct codec_hint hint = {.guide = c->id, .ret_kin = &w->kins[0], .small = w->small};
        size_t again = 0;

        rc = seg_turns_try(w, c, rows, &hint, &again, err);
        if (rc == 0)
            rc = seg_turns_measure(w, &guides[i], &w->kins[0], rows, &bytes, err);
        if (rc == 0 && bytes < best) {
            best = bytes;
            w->guide = &w->cols[guides[i].col];
            w->guide_runs = false;
        }
    }
    return rc;
}

int seg_turns_block(struct seg_writer *w, uint32_t rows, struct dn_err *err)
{
    int rc;

    if (w->guided == 0) {
        w->guide = NULL;
        w->guide_runs = false;
    }
    w->guided = 0;
    if (!w->guide && !w->guide_runs && rows >= SEG_TURNS_ROWS && w->guide_wait-- == 0) {
        rc = seg_turns_search(w, rows, err);
        if (rc < 0)
            return rc;
        w->guide_step = w->guide_step ? w->guide_step * SEG_TURNS_WAIT : SEG_TURNS_WAIT;
        w->guide_step = w->guide_step < SEG_TURNS_MAX ? w->guide_step : SEG_TURNS_MAX;
        w->guide_wait = w->guide_step;
    }
    if (w->guide_runs) {
        bool some = false;

        for (uint32_t i = 0; i * SEG_VECTOR_ROWS < rows; i++) {
            seg_turns_of_runs(w, i, rows, &w->kins[i]);
            some = some || w->kins[i].count;
        }
        w->guided = !some;
        return 0;
    }
    if (!w->guide)
        return 0;
    for (uint32_t i = 0; i < SEG_BLOCK_VECTORS; i++)
        w->kins[i].count = 0;
    return seg_col_block(w, w->guide, rows, err);
}

struct codec_hint
seg_turns_hint(const struct seg_writer *w, const struct seg_wcol *c, const struct seg_wvec *place)
{
    struct codec_hint hint = {.home = c->home, .small = w->small};
    struct codec_kin *kin;

    if ((!w->guide && !w->guide_runs) || place->block != w->group_blocks)
        return hint;
    kin = &w->kins[place->number];
    if (c == w->guide) {
        hint.guide = c->id;
        hint.ret_kin = kin;
    } else if (kin->count) {
        hint.kin = kin;
    }
    return hint;
}
