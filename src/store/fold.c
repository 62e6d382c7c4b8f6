/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fold.h"

#include <string.h>

/* The wanted columns, each once, and the operation. */
static void fold_note_want(struct fold *f, const uint32_t *want, uint32_t want_count)
{
    uint32_t op_col = f->t->columns_count + HIDDEN_OP;

    for (uint32_t i = 0; i < want_count; i++)
        f->set[want[i]] = true;
    f->set[op_col] = true;
    for (uint32_t c = 0; c < f->cols_count; c++)
        if (!want || f->set[c])
            f->want[f->want_count++] = c;
}

bool fold_init(struct fold *f,
               const struct table *t,
               const uint32_t *want,
               uint32_t want_count,
               struct mem_owner *owner)
{
    memset(f, 0, sizeof *f);
    f->t = t;
    f->owner = owner;
    f->cols_count = store_cols_count(t);
    arena_init(&f->strings, owner);
    f->cols = mem_calloc(owner, f->cols_count, sizeof *f->cols);
    f->want = mem_calloc(owner, f->cols_count, sizeof *f->want);
    f->set = mem_calloc(owner, f->cols_count, sizeof *f->set);
    f->row = mem_calloc(owner, f->cols_count, sizeof *f->row);
    f->absent = mem_calloc(owner, f->cols_count, sizeof *f->absent);
    if (!f->cols || !f->want || !f->set || !f->row || !f->absent) {
        fold_done(f);
        return false;
    }
    for (uint32_t c = 0; c < f->cols_count; c++)
        colbuf_init(&f->cols[c], store_col_type(t, c), owner, &f->strings);
    fold_note_want(f, want, want_count);
    return true;
}

void fold_done(struct fold *f)
{
    for (uint32_t c = 0; f->cols && c < f->cols_count; c++)
        colbuf_done(&f->cols[c]);
    mem_free(f->cols);
    mem_free(f->want);
    mem_free(f->set);
    mem_free(f->row);
    mem_free(f->absent);
    arena_done(&f->strings);
    memset(f, 0, sizeof *f);
}

void fold_reset(struct fold *f)
{
    for (uint32_t c = 0; c < f->cols_count; c++)
        colbuf_reset(&f->cols[c]);
    arena_reset(&f->strings);
    f->rows = 0;
}

void fold_begin(struct fold *f)
{
    memset(f->set, 0, f->cols_count * sizeof *f->set);
    f->op = ROW_PATCH;
    f->ended = false;
    f->open = false;
}

bool fold_version(
    struct fold *f, enum row_op op, fold_value_fn value, const void *source, uint32_t row)
{
    bool newest = !f->open;

    DN_ASSERT(!f->ended);
    f->open = true;
    if (op == ROW_DELETE && !newest) {
        f->op = ROW_PUT;
        f->ended = true;
        return false;
    }
    for (uint32_t i = 0; i < f->want_count; i++) {
        uint32_t c = f->want[i];
        bool absent = false;
        struct datum d;
        if (f->set[c])
            continue;
        d = value(source, row, c, &absent);
        f->row[c] = d;
        f->absent[c] = absent;
        f->set[c] = !absent;
    }
    if (op == ROW_PATCH)
        return true;
    f->op = op;
    f->ended = true;
    return false;
}

bool fold_end(struct fold *f, bool final)
{
    const struct table *t = f->t;
    uint32_t op_col = t->columns_count + HIDDEN_OP;

    DN_ASSERT(f->open);
    if (final && f->op == ROW_DELETE)
        return true;
    if (final)
        f->op = ROW_PUT; /* nothing older is left that a patch could fall back on */
    f->row[op_col] = (struct datum){.type = TYPE_SMALLINT, .v.i64 = f->op};
    f->absent[op_col] = false;
    for (uint32_t i = 0; i < f->want_count; i++) {
        uint32_t c = f->want[i];
        struct datum none = {.type = f->cols[c].type, .null = true};
        bool ok;
        if (f->absent[c] && !final && f->op == ROW_PATCH)
            ok = colbuf_append_absent(&f->cols[c]);
        else if (f->absent[c])
            ok = colbuf_append(&f->cols[c], t->columns[c].has_default ? &t->columns[c].def : &none);
        else
            ok = colbuf_append(&f->cols[c], &f->row[c]);
        if (!ok)
            return false;
    }
    f->rows++;
    return true;
}
