/* SPDX-License-Identifier: Apache-2.0
 *
 * source_keys.c: rows of a scan that have no partner in a join above are left out here, before
 * other columns of them are decoded, and before groups are made of them. Looking a row up costs as
 * much as the join itself, so that it must leave out rows: where most of some thousand pass, the
 * next ones are not asked; then it is tried again. */
#include "exec/exec_int.h"
#include "exec/join_table.h"
#include "exec/source.h"

#define KEYS_TRY  4096u  /* rows that are looked up before it is decided whether that pays */
#define KEYS_REST 65536u /* rows that are not, if it does not */

/* Does it pay, as far as the rows tell? */
static bool reader_keys_pay(struct exec_reader *r)
{
    if (r->keys_rest > r->unit.rows) {
        r->keys_rest -= r->unit.rows;
        return false;
    }
    r->keys_rest = 0;
    if (r->keys_rows < KEYS_TRY)
        return true;
    if (r->keys_passed > r->keys_rows / 2)
        r->keys_rest = KEYS_REST;
    r->keys_rows = r->keys_passed = 0;
    return r->keys_rest == 0;
}

/* The keys of the unit, if all its rows have the same. */
static int
unit_keys(struct exec_reader *r, const struct exec_prune *p, struct vec **ret, struct dn_err *err)
{
    uint32_t count = p->table->node->join->keys_count;
    struct vec *keys = arena_calloc(&r->batch, count, sizeof *keys);

    *ret = NULL;
    if (!keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < count; k++) {
        struct datum d;

        if (!scan_unit_const(r->r, p->cols[k], &d))
            return 0;
        if (d.null) /* as its row says */
            return 0;
        if (!vec_make_const(&r->batch, &d, 1, &keys[k]))
            return DN_FAIL_NOMEM(err);
    }
    *ret = keys;
    return 0;
}

int exec_reader_unit_keys(struct exec_reader *r, bool *ret, struct dn_err *err)
{
    const struct exec_source *s = r->source;

    *ret = true;
    r->keys_asked = false;
    if (s->keys_count == 0 || !reader_keys_pay(r))
        return 0;
    for (uint32_t i = 0; i < s->keys_count && *ret; i++) {
        const struct batch one = {.count = 1, .sel_count = 1};
        uint32_t id = EXEC_NO_ROW;
        struct exec_join_look look = {.scratch = &r->batch};
        struct vec *keys;
        bool all;
        int rc = unit_keys(r, s->keys[i], &keys, err);

        if (rc == 0 && keys)
            rc = exec_join_find(s->keys[i]->table, keys, &one, &look, &id, &all, err);
        if (rc < 0)
            return rc;
        *ret = !keys || id != EXEC_NO_ROW;
        r->keys_asked = r->keys_asked || !keys;
    }
    return 0;
}

/* The selected rows that were found, into `to`; how many. `to` may be the selection. */
static uint32_t keys_pass(const uint32_t *ids, const struct batch *in, uint16_t *to)
{
    const uint16_t *sel = in->sel;
    uint32_t rows = in->sel_count;
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows; i++) {
        to[n] = sel ? sel[i] : (uint16_t)i; /* n <= i: what is still to be read stays */
        n += ids[i] != EXEC_NO_ROW;
    }
    return n;
}

/* Rows that the table of one join has. */
static int reader_keys(struct exec_reader *r,
                       const struct exec_prune *p,
                       struct exec_join_look *look,
                       struct batch *batch,
                       struct dn_err *err)
{
    uint32_t count = p->table->node->join->keys_count;
    struct vec *keys = arena_alloc_array(&r->batch, count, sizeof *keys);
    uint32_t *ids = arena_alloc_array(&r->batch, batch->sel_count, sizeof *ids);
    uint32_t n = 0;
    bool one;
    int rc = 0;

    if (!keys || !ids)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < count && rc == 0; k++) /* one by one: two may be the same */
        rc = exec_reader_fetch(r, &p->cols[k], 1, batch, err);
    for (uint32_t k = 0; k < count && rc == 0; k++)
        keys[k] = batch->cols[p->cols[k]];
    if (rc == 0)
        rc = exec_join_find(p->table, keys, batch, look, ids, &one, err);
    if (rc < 0)
        return rc;
    if (one)
        n = ids[0] != EXEC_NO_ROW ? batch->sel_count : 0;
    else
        n = keys_pass(ids, batch, r->sel);
    if (n < batch->sel_count) {
        batch->sel = r->sel;
        batch->sel_count = n;
    }
    return 0;
}

static int reader_looks(struct exec_reader *r, struct dn_err *err)
{
    uint32_t count = r->source->keys_count;

    if (r->looks)
        return 0;
    r->looks = arena_calloc(&r->run, count, sizeof *r->looks);
    if (!r->looks)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        r->looks[i].scratch = &r->batch;
        r->looks[i].known = arena_alloc_array(&r->run, VEC_ROWS_MAX, sizeof(uint32_t));
        if (!r->looks[i].known)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

int exec_reader_keys(struct exec_reader *r, struct batch *batch, struct dn_err *err)
{
    const struct exec_source *s = r->source;
    uint32_t rows = batch->sel_count;
    int rc = reader_looks(r, err);

    for (uint32_t i = 0; i < s->keys_count && rc == 0 && batch->sel_count; i++)
        rc = reader_keys(r, s->keys[i], &r->looks[i], batch, err);
    r->keys_rows += rows;
    r->keys_passed += batch->sel_count;
    return rc;
}
