/* SPDX-License-Identifier: Apache-2.0
 *
 * source_narrow.c: conditions on columns that are stored as small integers, decided without
 * decoding these (func/narrow.h). Conditions that follow each other are put together as answers
 * row by row; a selection is made of them once. */
#include "codec/codec_narrow.h"
#include "exec/source.h"

#include <math.h>
#include <string.h>

#define NARROW_ROWS_MIN 128u   /* of a unit; fewer are not worth the effort */
#define NARROW_EXACT    0x1p52 /* integers that are DOUBLEs, too, with room to spare */

enum narrowed_state { NARROWED_OPEN, NARROWED_KNOWN, NARROWED_NOT };

struct narrowed_col {
    enum narrowed_state range_state;
    enum narrowed_state state;
    struct narrow_range range;
    struct narrow_col col;
};

/* What a reader knows of the unit at hand. */
struct exec_narrowed {
    uint64_t unit; /* which it is, counted from 1 */
    struct narrowed_col *cols;
    uint64_t *units; /* per column: the unit that its entry is of */
    bool some;       /* there are answers */
    struct narrow_room room;
    int8_t answers[VEC_ROWS_MAX];
    int8_t one[VEC_ROWS_MAX];
};

static struct narrowed_col *narrowed_col(struct exec_narrowed *n, uint32_t col)
{
    if (n->units[col] != n->unit) {
        n->units[col] = n->unit;
        n->cols[col].range_state = NARROWED_OPEN;
        n->cols[col].state = NARROWED_OPEN;
    }
    return &n->cols[col];
}

static double narrowed_bound(const struct datum *d)
{
    return type_is_float(d->type) ? d->v.f64 : (double)d->v.i64;
}

static bool narrowed_range(void *arg, uint32_t col, struct narrow_range *ret)
{
    struct exec_reader *r = arg;
    struct narrowed_col *c = narrowed_col(r->narrowed, col);
    struct zone z;

    if (c->range_state == NARROWED_OPEN) {
        c->range_state = NARROWED_NOT;
        if (scan_unit_bounds(r->r, col, &z) && z.has_range && z.min_exact && z.max_exact) {
            c->range = (struct narrow_range){.min = narrowed_bound(&z.min),
                                             .max = narrowed_bound(&z.max),
                                             .nulls = z.nulls != 0};
            if (fabs(c->range.min) <= NARROW_EXACT && fabs(c->range.max) <= NARROW_EXACT)
                c->range_state = NARROWED_KNOWN;
        }
    }
    *ret = c->range;
    return c->range_state == NARROWED_KNOWN;
}

static int narrowed_load(void *arg, uint32_t col, struct narrow_col *ret, struct dn_err *err)
{
    struct exec_reader *r = arg;
    struct narrowed_col *c = narrowed_col(r->narrowed, col); /* its range was asked for */
    const double bounds[2] = {c->range.min, c->range.max};

    if (c->state == NARROWED_OPEN) {
        struct codec_narrow n;
        int rc = scan_unit_narrow(r->r, col, bounds, &n, err);

        if (rc < 0)
            return rc;
        c->state = rc == 0 ? NARROWED_KNOWN : NARROWED_NOT;
        if (rc == 0)
            c->col = (struct narrow_col){.values = n.values,
                                         .nulls = n.nulls,
                                         .exponent = n.exponent,
                                         .lo = n.lo,
                                         .hi = n.hi};
    }
    *ret = c->col;
    return c->state == NARROWED_KNOWN ? 0 : DN_NOT_FOUND;
}

static bool narrowed_open(struct exec_reader *r)
{
    uint32_t cols = r->source->node->cols_count;

    r->narrowed = arena_calloc(&r->run, 1, sizeof *r->narrowed);
    if (!r->narrowed)
        return false;
    r->narrowed->cols = arena_calloc(&r->run, cols, sizeof *r->narrowed->cols);
    r->narrowed->units = arena_calloc(&r->run, cols, sizeof *r->narrowed->units);
    return r->narrowed->cols && r->narrowed->units;
}

void exec_reader_narrow_begin(struct exec_reader *r)
{
    if (!r->narrowed)
        return;
    r->narrowed->unit++;
    r->narrowed->some = false;
    r->narrowed->room.form = NULL;
}

int exec_reader_narrow(struct exec_reader *r,
                       const struct exec_cond *c,
                       bool *ret_some,
                       struct dn_err *err)
{
    const struct narrow_source source = {.range = narrowed_range, .load = narrowed_load, .arg = r};
    uint32_t count = r->unit.rows;
    struct exec_narrowed *n;
    int rc;

    *ret_some = true;
    if (!c->narrow || r->unit.kind != SCAN_VECTOR || count < NARROW_ROWS_MIN)
        return DN_NOT_FOUND;
    if (!r->narrowed) {
        if (!narrowed_open(r))
            return DN_FAIL_NOMEM(err);
        exec_reader_narrow_begin(r);
    }
    n = r->narrowed;
    rc = narrow_answer(
        c->narrow, &source, count, &r->batch, &n->room, n->some ? n->one : n->answers, err);
    if (rc != 0)
        return rc;
    if (n->some)
        *ret_some = narrow_keep(n->answers, n->one, count);
    else
        *ret_some = memchr(n->answers, 1, count) != NULL;
    n->some = true;
    return 0;
}

void exec_reader_narrow_done(struct exec_reader *r, struct batch *batch)
{
    struct exec_narrowed *n = r->narrowed;
    uint32_t count;

    if (!n || !n->some)
        return;
    n->some = false;
    count = expr_pick(n->answers, batch->count, r->sel);
    if (count < batch->count) {
        batch->sel = r->sel;
        batch->sel_count = count;
    }
}
