/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: chunks of columns, and vectors made of rows here and there without copying more than
 * codes and NULL bits. */
#include "exec/rows.h"

#include <string.h>

#define ROWS_MAX (UINT32_MAX - VEC_ROWS_MAX) /* numbers end before EXEC_NO_ROW */

static const uint64_t rows_null_bit = 1;

int exec_rows_init(struct exec_rows *r,
                   const enum type_id *types,
                   uint32_t cols_count,
                   bool stable,
                   struct mem_owner *owner,
                   struct dn_err *err)
{
    *r = (struct exec_rows){.owner = owner, .stable = stable};
    arena_init(&r->strings, owner);
    r->types = mem_alloc_array(owner, cols_count, sizeof *types);
    r->nulls = mem_calloc(owner, cols_count, sizeof *r->nulls);
    if (!r->types || !r->nulls)
        return DN_FAIL_NOMEM(err);
    if (cols_count)
        memcpy(r->types, types, cols_count * sizeof *types);
    r->cols_count = cols_count;
    return 0;
}

static void rows_free_chunks(struct exec_rows *r, uint32_t keep)
{
    while (r->chunks_count > keep) {
        struct colbuf *cols = r->chunks[--r->chunks_count];

        for (uint32_t c = 0; c < r->cols_count; c++)
            colbuf_done(&cols[c]);
        mem_free(cols);
    }
}

void exec_rows_done(struct exec_rows *r)
{
    rows_free_chunks(r, 0);
    mem_free(r->chunks);
    mem_free(r->types);
    mem_free(r->nulls);
    arena_done(&r->strings);
    memset(r, 0, sizeof *r);
}

void exec_rows_reset(struct exec_rows *r)
{
    rows_free_chunks(r, 1);
    for (uint32_t c = 0; c < r->cols_count; c++) {
        r->nulls[c] = false;
        if (r->chunks_count)
            colbuf_reset(&r->chunks[0][c]);
    }
    arena_reset(&r->strings);
    r->count = 0;
    r->dicts = 0;
}

void exec_rows_complete(struct exec_rows *r)
{
    r->dicts = vec_dict_ids(r->cols_count);
}

/* ---- adding ---- */

static int rows_new_chunk(struct exec_rows *r, struct dn_err *err)
{
    struct colbuf *cols;

    if (r->chunks_count == r->chunks_cap) {
        uint32_t cap = r->chunks_cap ? r->chunks_cap * 2 : 4;
        struct colbuf **chunks = mem_realloc(r->owner, r->chunks, cap * sizeof(struct colbuf *));

        if (!chunks)
            return DN_FAIL_NOMEM(err);
        r->chunks = chunks;
        r->chunks_cap = cap;
    }
    cols = mem_calloc(r->owner, r->cols_count, sizeof *cols);
    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < r->cols_count; c++)
        colbuf_init(&cols[c], r->types[c], r->owner, &r->strings);
    r->chunks[r->chunks_count++] = cols;
    if (!r->stable && r->chunks_count == 1)
        return 0;
    for (uint32_t c = 0; c < r->cols_count; c++)
        if (!colbuf_reserve(&cols[c], VEC_ROWS_MAX))
            return DN_FAIL_NOMEM(err);
    return 0;
}

int exec_rows_add(struct exec_rows *r,
                  const struct vec *cols,
                  const uint16_t *sel,
                  uint32_t count,
                  struct dn_err *err)
{
    uint16_t all[VEC_ROWS_MAX];
    uint32_t done = 0;

    if (r->count > ROWS_MAX - count)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u rows would have to be kept", ROWS_MAX);
    r->dicts = 0;
    while (done < count) {
        uint32_t used = r->count % VEC_ROWS_MAX;
        uint32_t n = count - done < VEC_ROWS_MAX - used ? count - done : VEC_ROWS_MAX - used;
        const uint16_t *rows = sel ? sel + done : NULL;
        struct colbuf *to;

        if (r->count / VEC_ROWS_MAX == r->chunks_count) {
            int rc = rows_new_chunk(r, err);

            if (rc < 0)
                return rc;
        }
        if (!sel && done) {
            for (uint32_t i = 0; i < n; i++)
                all[i] = (uint16_t)(done + i);
            rows = all;
        }
        to = r->chunks[r->chunks_count - 1];
        for (uint32_t c = 0; c < r->cols_count; c++) {
            if (!colbuf_append_vec(&to[c], &cols[c], rows, n))
                return DN_FAIL_NOMEM(err);
            r->nulls[c] |= to[c].nulls != NULL;
        }
        r->count += n;
        done += n;
    }
    return 0;
}

/* ---- reading ---- */

int exec_rows_view(const struct exec_rows *r,
                   uint32_t first,
                   uint32_t max,
                   struct arena *arena,
                   struct vec *ret,
                   uint32_t *ret_count,
                   struct dn_err *err)
{
    uint32_t at = first % VEC_ROWS_MAX;
    uint32_t count = r->count - first;

    if (count > VEC_ROWS_MAX - at)
        count = VEC_ROWS_MAX - at;
    if (count > max)
        count = max;
    for (uint32_t c = 0; c < r->cols_count; c++) {
        struct vec whole = colbuf_vec(exec_rows_col(r, c, first), 0, at + count);

        if (at == 0)
            ret[c] = whole;
        else if (!vec_slice(arena, &whole, at, count, &ret[c]))
            return DN_FAIL_NOMEM(err);
    }
    *ret_count = count;
    return 0;
}

static struct vec rows_null_vec(enum type_id type, uint32_t count)
{
    static const struct vstr none[2] = {{"", 0}, {"", 0}}; /* as long as the longest value */

    return (struct vec){
        .type = type, .form = VEC_CONST, .count = count, .data = none, .nulls = &rows_null_bit};
}

void exec_nulls(const enum type_id *types, uint32_t cols_count, uint32_t count, struct vec *ret)
{
    for (uint32_t c = 0; c < cols_count; c++)
        ret[c] = rows_null_vec(types[c], count);
}

void exec_rows_const(
    const struct exec_rows *r, uint32_t row, uint32_t count, uint32_t cols_count, struct vec *ret)
{
    uint32_t at = row % VEC_ROWS_MAX;

    for (uint32_t c = 0; c < cols_count; c++) {
        const struct colbuf *b = row == EXEC_NO_ROW ? NULL : exec_rows_col(r, c, row);

        if (!b || vec_bit(b->nulls, at))
            ret[c] = rows_null_vec(r->types[c], count);
        else
            ret[c] = (struct vec){.type = r->types[c],
                                  .form = VEC_CONST,
                                  .count = count,
                                  .data = (const char *)b->data +
                                          (size_t)at * phys_size(type_phys(r->types[c]))};
    }
}

/* Bits of the rows that are NULL or no row at all. */
static int rows_gather_nulls(const struct exec_rows *r,
                             const uint32_t *rows,
                             uint32_t count,
                             uint32_t col,
                             struct arena *arena,
                             const uint64_t **ret,
                             struct dn_err *err)
{
    uint64_t *bits = arena_calloc(arena, VEC_BITMAP_WORDS(count), sizeof *bits);

    if (!bits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i] == EXEC_NO_ROW || exec_rows_is_null(r, col, rows[i]))
            vec_bit_set(bits, i);
    *ret = bits;
    return 0;
}

/* The size is a constant where it is called: each becomes its own loop. */
static inline void rows_copy(const struct exec_rows *r,
                             const uint32_t *rows,
                             uint32_t count,
                             uint32_t col,
                             size_t size,
                             char *to)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i] != EXEC_NO_ROW)
            memcpy(to + i * size,
                   (const char *)exec_rows_col(r, col, rows[i])->data +
                       rows[i] % VEC_ROWS_MAX * size,
                   size);
}

static int rows_gather_flat(const struct exec_rows *r,
                            const uint32_t *rows,
                            uint32_t count,
                            uint32_t col,
                            struct arena *arena,
                            struct vec *ret,
                            struct dn_err *err)
{
    size_t size = phys_size(type_phys(r->types[col]));
    char *data = arena_alloc_array(arena, count, size);

    if (!data)
        return DN_FAIL_NOMEM(err);
    if (type_phys(r->types[col]) == PHYS_STR)
        for (uint32_t i = 0; i < count; i++)
            ((struct vstr *)(void *)data)[i] = (struct vstr){"", 0};
    else
        memset(data, 0, count * size);
    if (size == 8)
        rows_copy(r, rows, count, col, 8, data);
    else if (size == 16)
        rows_copy(r, rows, count, col, 16, data);
    else if (size == 4)
        rows_copy(r, rows, count, col, 4, data);
    else
        rows_copy(r, rows, count, col, size, data);
    *ret = (struct vec){.type = r->types[col], .form = VEC_FLAT, .count = count, .data = data};
    return 0;
}

/* All rows lie in one chunk: codes are row numbers. */
static int rows_gather_codes(const struct exec_rows *r,
                             const uint32_t *rows,
                             uint32_t count,
                             uint32_t cols_count,
                             struct arena *arena,
                             struct vec *ret,
                             struct dn_err *err)
{
    uint16_t *codes = arena_alloc_array(arena, count, sizeof *codes);

    if (!codes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        codes[i] = rows[i] == EXEC_NO_ROW ? 0 : (uint16_t)rows[i];
    for (uint32_t c = 0; c < cols_count; c++)
        ret[c] = (struct vec){.type = r->types[c],
                              .form = VEC_DICT,
                              .count = count,
                              .dict_count = r->count,
                              .dict_id = r->dicts ? r->dicts + c : 0,
                              .data = r->chunks[0][c].data,
                              .codes = codes};
    return 0;
}

int exec_rows_gather(const struct exec_rows *r,
                     const uint32_t *rows,
                     uint32_t count,
                     uint32_t cols_count,
                     struct arena *arena,
                     struct vec *ret,
                     struct dn_err *err)
{
    bool missing = false;
    bool same = true;
    int rc = 0;

    for (uint32_t i = 0; i < count; i++) {
        missing |= rows[i] == EXEC_NO_ROW;
        same &= rows[i] == rows[0];
    }
    if (same && count) {
        exec_rows_const(r, rows[0], count, cols_count, ret);
        return 0;
    }
    if (r->chunks_count == 1)
        rc = rows_gather_codes(r, rows, count, cols_count, arena, ret, err);
    for (uint32_t c = 0; c < cols_count && rc == 0; c++) {
        if (r->chunks_count != 1)
            rc = rows_gather_flat(r, rows, count, c, arena, &ret[c], err);
        if (rc == 0 && (missing || r->nulls[c]))
            rc = rows_gather_nulls(r, rows, count, c, arena, &ret[c].nulls, err);
    }
    return rc;
}

/* ---- vectors of somebody else's rows ---- */

static int pick_nulls(const struct vec *v,
                      const uint16_t *rows,
                      uint32_t count,
                      struct arena *arena,
                      const uint64_t **ret,
                      struct dn_err *err)
{
    uint64_t *bits = arena_calloc(arena, VEC_BITMAP_WORDS(count), sizeof *bits);

    if (!bits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        if (vec_bit(v->nulls, rows[i]))
            vec_bit_set(bits, i);
    *ret = bits;
    return 0;
}

/* Codes of the rows; those of a FLAT vector are the row numbers. */
static int pick_codes(const struct vec *v,
                      const uint16_t *rows,
                      uint32_t count,
                      struct arena *arena,
                      const uint16_t **ret,
                      struct dn_err *err)
{
    uint16_t *codes = arena_alloc_array(arena, count, sizeof *codes);

    if (!codes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        codes[i] = v->form == VEC_DICT ? v->codes[rows[i]] : rows[i];
    *ret = codes;
    return 0;
}

int exec_pick(const struct vec *cols,
              uint32_t cols_count,
              const uint16_t *rows,
              uint32_t count,
              struct arena *arena,
              struct vec *ret,
              struct dn_err *err)
{
    const uint16_t *flat = NULL; /* all FLAT columns share them */
    int rc = 0;

    for (uint32_t c = 0; c < cols_count && rc == 0; c++) {
        const struct vec *v = &cols[c];

        ret[c] = *v;
        ret[c].count = count;
        ret[c].absent = NULL;
        if (v->form == VEC_CONST)
            continue;
        ret[c].form = VEC_DICT;
        ret[c].codes = flat;
        if (v->form == VEC_FLAT) {
            ret[c].dict_count = v->count;
            ret[c].dict_id = 0;
        }
        if (v->form == VEC_DICT || !flat)
            rc = pick_codes(v, rows, count, arena, &ret[c].codes, err);
        if (v->form == VEC_FLAT)
            flat = ret[c].codes;
        if (rc == 0 && v->nulls)
            rc = pick_nulls(v, rows, count, arena, &ret[c].nulls, err);
    }
    return rc;
}

void exec_pick_const(
    const struct vec *cols, uint32_t cols_count, uint32_t row, uint32_t count, struct vec *ret)
{
    for (uint32_t c = 0; c < cols_count; c++) {
        const struct vec *v = &cols[c];

        if (vec_is_null(v, row))
            ret[c] = rows_null_vec(v->type, count);
        else
            ret[c] = (struct vec){.type = v->type,
                                  .form = VEC_CONST,
                                  .count = count,
                                  .data = (const char *)v->data +
                                          (size_t)vec_at(v, row) * phys_size(type_phys(v->type))};
    }
}
