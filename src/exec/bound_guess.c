/* SPDX-License-Identifier: Apache-2.0
 *
 * bound_guess.c: a bound before the first row is read. Where many series end at the same time,
 * those that come first in the order of the further keys are anywhere among them; a scan that
 * learns the bound from rows decodes many that a better one drops. So its blocks are gone through
 * once before, by their zones alone: a block whose first key has an exact end, and whose further
 * keys are constants, has a row with just these keys. The N-th of such keys is a bound: N rows do
 * not come behind it. */
#include "exec/bound.h"

#include "exec/exec_int.h"
#include "exec/source.h"

#include <string.h>

#define GUESS_KEEP_MAX   64u /* rows wanted; for more it is not worth it */
#define GUESS_BLOCKS_PER 4u  /* blocks for each of them, at least */

struct bound_guess {
    const struct exec_source *source;
    struct arena arena;                        /* texts of keys */
    struct datum (*keys)[EXEC_BOUND_KEYS_MAX]; /* the best so far, in order */
    uint32_t count;
    uint32_t keep;
};

/* < 0: a comes before b. */
static int guess_cmp(const struct exec_bound *b, const struct datum *x, const struct datum *y)
{
    int c = 0;

    for (uint32_t k = 0; k < b->keys_count && c == 0; k++) {
        c = datum_cmp(&x[k], &y[k]);
        c = b->keys[k].desc ? -c : c;
    }
    return c;
}

/* The keys of some row of the unit that comes first by its first key; false: not known. */
static bool guess_unit(const struct bound_guess *g, struct scan_reader *r, struct datum *keys)
{
    const struct exec_bound *b = &g->source->bound;
    bool desc = b->keys[0].desc;
    struct zone z;

    if (!scan_unit_zone(r, b->keys[0].col, &z) || z.nulls || !z.has_range ||
        !(desc ? z.max_exact : z.min_exact))
        return false;
    keys[0] = desc ? z.max : z.min;
    for (uint32_t k = 1; k < b->keys_count; k++)
        if (!scan_unit_const(r, b->keys[k].col, &keys[k]) || keys[k].null)
            return false;
    return true;
}

/* Keeps the first `keep` of all keys. */
static bool guess_add(struct bound_guess *g, const struct datum *keys)
{
    const struct exec_bound *b = &g->source->bound;
    uint32_t at = g->count;

    if (at == g->keep && guess_cmp(b, keys, g->keys[at - 1]) >= 0)
        return true;
    while (at > 0 && guess_cmp(b, keys, g->keys[at - 1]) < 0)
        at--;
    g->count += g->count < g->keep;
    memmove(g->keys + at + 1, g->keys + at, (g->count - 1 - at) * sizeof *g->keys);
    for (uint32_t k = 0; k < b->keys_count; k++)
        if (!datum_copy(&g->arena, &keys[k], &g->keys[at][k]))
            return false;
    return true;
}

/* Goes through the blocks. 1: rows would have to be merged, which is not for a guess. */
static int guess_blocks(struct bound_guess *g, struct scan *scan, bool reverse, struct dn_err *err)
{
    const struct scan_reader_options options = {.blocks = true, .owner = g->source->owner};
    struct datum keys[EXEC_BOUND_KEYS_MAX];
    struct scan_reader *r = NULL;
    struct scan_unit unit;
    int rc = scan_reader_new(scan, &options, &r, err);

    while (rc == 0) {
        rc = exec_check_cancel(g->source->ctx, err);
        if (rc == 0)
            rc = scan_unit_next(r, &unit, err);
        if (rc != 0)
            break;
        if (unit.kind == SCAN_ROWS && (unit.backward || !reverse))
            rc = 1;
        else if (unit.kind != SCAN_ROWS && unit.proven && guess_unit(g, r, keys) &&
                 !guess_add(g, keys))
            rc = DN_FAIL_NOMEM(err);
    }
    scan_reader_free(r);
    return rc == DN_EOF ? 0 : rc;
}

static bool guess_worth(const struct exec_source *s, uint32_t keep)
{
    struct scan_stats stats;

    if (s->bound.keys_count < 2 || !s->bound.strict || s->conds_count || s->keys_count ||
        keep > GUESS_KEEP_MAX)
        return false;
    scan_get_stats(s->scan, &stats);
    return stats.blocks_read >= (uint64_t)keep * GUESS_BLOCKS_PER;
}

int exec_bound_guess(struct exec_source *s, uint32_t keep, bool reverse, struct dn_err *err)
{
    const struct scan_spec spec = {.table = s->node->table,
                                   .cols = s->node->scan_cols,
                                   .cols_count = s->node->cols_count,
                                   .preds = s->preds.preds,
                                   .preds_count = s->preds.count,
                                   .owner = s->owner,
                                   .cancel = s->ctx->cancel};
    struct bound_guess g = {.source = s, .keep = keep};
    struct scan *scan = NULL;
    int rc;

    if (!guess_worth(s, keep))
        return 0;
    arena_init(&g.arena, s->owner);
    g.keys = arena_calloc(&g.arena, (size_t)keep + 1, sizeof *g.keys);
    rc = g.keys ? scan_open(s->ctx->snap, &spec, &scan, err) : DN_FAIL_NOMEM(err);
    if (rc == 0 && reverse)
        scan_reverse(scan);
    if (rc == 0)
        rc = guess_blocks(&g, scan, reverse, err);
    if (rc == 0 && g.count == keep) {
        rc = exec_bound_tighten(&s->bound, g.keys[keep - 1], err);
        s->bound.guess = true;
    }
    scan_close(scan);
    arena_done(&g.arena);
    return rc < 0 ? rc : 0;
}
