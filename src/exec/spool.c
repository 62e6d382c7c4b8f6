/* SPDX-License-Identifier: Apache-2.0
 *
 * spool.c: chunks in memory and in scratch. See spool.h.
 *
 * I1  Chunks [0, aside) are in scratch, chunk n as block n of the only part.
 * I2  A chunk of those that has memory too is pinned.
 * I3  All chunks but the last are full. */
#include "exec/spool.h"

#include "exec/exec_int.h"

#include <string.h>

#define SPOOL_ROWS_MAX   (UINT32_MAX - VEC_ROWS_MAX) /* numbers end before EXEC_NO_ROW */
#define SPOOL_SMALL_ROWS 64u                         /* of a first chunk that may move */
#define SPOOL_LEAST_ROWS 32u
#define SPOOL_SHARE      4u            /* part of the share that a chunk may fill, … */
#define SPOOL_CHUNK      (256u * 1024) /* … but so many bytes in any case */

int exec_spool_init(struct exec_spool *s,
                    const struct exec_spool_options *options,
                    struct dn_err *err)
{
    *s = (struct exec_spool){.options = *options, .chunk_rows = VEC_ROWS_MAX};
    s->types = mem_alloc_array(options->owner, options->cols_count, sizeof *s->types);
    if (!s->types)
        return DN_FAIL_NOMEM(err);
    if (options->cols_count)
        memcpy(s->types, options->types, options->cols_count * sizeof *s->types);
    s->options.types = s->types;
    return 0;
}

static void spool_free_chunk(struct exec_spool *s, uint32_t n)
{
    struct exec_spool_chunk *k = s->chunks[n];

    s->chunks[n] = NULL;
    if (!k)
        return;
    for (uint32_t c = 0; c < s->options.cols_count && k->cols; c++)
        colbuf_done(&k->cols[c]);
    arena_done(&k->strings);
    exec_spill_reader_close(&k->reader);
    mem_free(k->cols);
    mem_free(k);
}

void exec_spool_reset(struct exec_spool *s)
{
    bool keep = s->aside == 0 && s->chunks_count > 0;

    while (s->chunks_count > keep)
        spool_free_chunk(s, --s->chunks_count);
    for (uint32_t c = 0; c < s->options.cols_count && keep; c++)
        colbuf_reset(&s->chunks[0]->cols[c]);
    if (keep)
        arena_reset(&s->chunks[0]->strings);
    exec_spill_close(&s->spill);
    s->aside = 0;
    s->count = 0;
}

void exec_spool_done(struct exec_spool *s)
{
    while (s->chunks_count > 0)
        spool_free_chunk(s, --s->chunks_count);
    exec_spill_close(&s->spill);
    mem_free(s->chunks);
    mem_free(s->types);
    *s = (struct exec_spool){.count = 0};
}

/* ---- to scratch ---- */

static int spool_open_spill(struct exec_spool *s, struct dn_err *err)
{
    const struct exec_spill_options options = {.volume = s->options.volume,
                                               .cancel = s->options.cancel,
                                               .owner = s->options.owner,
                                               .types = s->types,
                                               .cols_count = s->options.cols_count,
                                               .parts_count = 1,
                                               .batch_rows = s->chunk_rows,
                                               .by_hand = true};

    return exec_spill_is_open(&s->spill) ? 0 : exec_spill_open(&s->spill, &options, err);
}

static int spool_put_aside(struct exec_spool *s, uint32_t n, struct vec *cols, struct dn_err *err)
{
    struct exec_spool_chunk *k = s->chunks[n];
    int rc;

    DN_ASSERT(n == s->aside && k->cols[0].count == s->chunk_rows); /* I1, I3 */
    for (uint32_t c = 0; c < s->options.cols_count; c++)
        cols[c] = colbuf_vec(&k->cols[c], 0, s->chunk_rows);
    rc = exec_spill_write(&s->spill, 0, cols, NULL, s->chunk_rows, err);
    if (rc == 0)
        rc = exec_spill_cut(&s->spill, 0, err);
    if (rc < 0)
        return rc;
    s->aside++;
    k->aside = true;
    if (k->pins == 0)
        spool_free_chunk(s, n);
    return 0;
}

/* All full chunks that are in memory alone. */
static int spool_relieve(struct exec_spool *s, struct dn_err *err)
{
    uint32_t full = s->count / s->chunk_rows;
    uint64_t before = s->spill.bytes;
    struct vec *cols = NULL;
    int rc = 0;

    if (s->aside < full && s->options.cols_count) {
        cols = mem_alloc_array(s->options.owner, s->options.cols_count, sizeof *cols);
        rc = cols ? spool_open_spill(s, err) : DN_FAIL_NOMEM(err);
        while (rc == 0 && s->aside < full)
            rc = spool_put_aside(s, s->aside, cols, err);
    }
    mem_free(cols);
    s->spilled += s->spill.bytes - before;
    return rc;
}

/* ---- adding ---- */

static int spool_new_chunk(struct exec_spool *s, struct dn_err *err)
{
    struct exec_spool_chunk *k;
    bool small = !s->options.stable && s->chunks_count == 0;

    if (s->chunks_count == s->chunks_cap) {
        uint32_t cap = s->chunks_cap ? s->chunks_cap * 2 : 4;
        struct exec_spool_chunk **chunks =
            mem_realloc(s->options.owner, s->chunks, cap * sizeof(struct exec_spool_chunk *));

        if (!chunks)
            return DN_FAIL_NOMEM(err);
        s->chunks = chunks;
        s->chunks_cap = cap;
    }
    k = mem_calloc(s->options.owner, 1, sizeof *k);
    if (!k)
        return DN_FAIL_NOMEM(err);
    arena_init(&k->strings, s->options.owner);
    s->chunks[s->chunks_count++] = k;
    k->cols = mem_calloc(s->options.owner, s->options.cols_count, sizeof *k->cols);
    if (!k->cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < s->options.cols_count; c++)
        colbuf_init(&k->cols[c], s->types[c], s->options.owner, &k->strings);
    for (uint32_t c = 0; c < s->options.cols_count; c++)
        if (!colbuf_reserve(&k->cols[c],
                            small && s->chunk_rows > SPOOL_SMALL_ROWS ? SPOOL_SMALL_ROWS
                                                                      : s->chunk_rows))
            return DN_FAIL_NOMEM(err);
    return 0;
}

/* Rows as long as these: how many make a chunk? */
static void
spool_choose(struct exec_spool *s, const struct vec *cols, const uint16_t *sel, uint32_t count)
{
    size_t most = s->options.share / SPOOL_SHARE;
    size_t bytes = 0;

    if (most < SPOOL_CHUNK)
        most = SPOOL_CHUNK;
    if (!s->options.volume || !s->options.share || count == 0)
        return;
    for (uint32_t c = 0; c < s->options.cols_count; c++) {
        bytes += phys_size(type_phys(s->types[c])) * (size_t)count;
        for (uint32_t i = 0; type_phys(s->types[c]) == PHYS_STR && i < count; i++) {
            uint32_t row = sel ? sel[i] : i;

            bytes += vec_is_null(&cols[c], row) ? 0 : vec_str(&cols[c], row).len;
        }
    }
    while (s->chunk_rows > SPOOL_LEAST_ROWS && bytes / count * s->chunk_rows > most)
        s->chunk_rows /= 2;
}

int exec_spool_add(struct exec_spool *s,
                   const struct vec *cols,
                   const uint16_t *sel,
                   uint32_t count,
                   struct dn_err *err)
{
    uint16_t all[VEC_ROWS_MAX];
    uint32_t done = 0;

    if (s->count > SPOOL_ROWS_MAX - count)
        return DN_FAIL(
            err, DN_E_TOO_COMPLEX, "more than %u rows would have to be kept", SPOOL_ROWS_MAX);
    if (s->chunks_count == 0)
        spool_choose(s, cols, sel, count);
    while (done < count) {
        uint32_t used = s->count % s->chunk_rows;
        uint32_t n = count - done < s->chunk_rows - used ? count - done : s->chunk_rows - used;
        const uint16_t *rows = sel ? sel + done : NULL;
        struct colbuf *to;

        if (s->count / s->chunk_rows == s->chunks_count) {
            int rc = spool_new_chunk(s, err);

            if (rc < 0)
                return rc;
        }
        if (!sel && done) {
            for (uint32_t i = 0; i < n; i++)
                all[i] = (uint16_t)(done + i);
            rows = all;
        }
        to = s->chunks[s->chunks_count - 1]->cols;
        for (uint32_t c = 0; c < s->options.cols_count; c++)
            if (!colbuf_append_vec(&to[c], &cols[c], rows, n))
                return DN_FAIL_NOMEM(err);
        s->count += n;
        done += n;
    }
    if (!s->options.volume ||
        !exec_over_share(s->options.owner, s->options.share, mem_owner_used(s->options.owner), 1))
        return 0;
    return spool_relieve(s, err);
}

/* ---- cursors ---- */

int exec_spool_cursor_open(struct exec_spool_cursor *c, struct exec_spool *s, struct dn_err *err)
{
    *c = (struct exec_spool_cursor){.spool = s};
    c->cols = mem_calloc(s->options.owner, s->options.cols_count, sizeof *c->cols);
    return c->cols ? 0 : DN_FAIL_NOMEM(err);
}

void exec_spool_cursor_leave(struct exec_spool_cursor *c)
{
    struct exec_spool_chunk *k = c->pinned;

    if (k && --k->pins == 0 && k->aside)
        spool_free_chunk(c->spool, c->first / c->spool->chunk_rows);
    c->pinned = NULL;
    c->rows = 0;
}

void exec_spool_cursor_close(struct exec_spool_cursor *c)
{
    if (!c->spool)
        return;
    exec_spool_cursor_leave(c);
    mem_free(c->cols);
    *c = (struct exec_spool_cursor){.spool = NULL};
}

/* Chunk n from scratch; it is in s->chunks even after an error. */
static int spool_read(struct exec_spool *s, uint32_t n, struct dn_err *err)
{
    struct exec_spool_chunk *k = mem_calloc(s->options.owner, 1, sizeof *k);
    struct batch in;
    int rc;

    if (!k)
        return DN_FAIL_NOMEM(err);
    s->chunks[n] = k;
    k->aside = true;
    rc = exec_spill_reader_open(&k->reader, &s->spill, 0, s->options.owner, err);
    if (rc < 0)
        return rc;
    exec_spill_reader_seek(&k->reader, n);
    rc = exec_spill_reader_next(&k->reader, &in, err);
    if (rc != 0 || in.count != s->chunk_rows)
        return rc < 0 ? rc : DN_FAIL(err, DN_E_CORRUPT, "scratch file: chunk %u is not whole", n);
    k->read = in.cols;
    return 0;
}

int exec_spool_bring(struct exec_spool_cursor *c, uint32_t row, struct dn_err *err)
{
    struct exec_spool *s = c->spool;
    uint32_t n = row / s->chunk_rows;
    struct exec_spool_chunk *k = c->pinned;
    int rc = 0;

    DN_ASSERT(row < s->count);
    if (k && c->first != n * s->chunk_rows)
        exec_spool_cursor_leave(c);
    if (!s->chunks[n])
        rc = spool_read(s, n, err);
    if (rc < 0)
        return rc;
    k = s->chunks[n];
    k->pins += c->pinned == NULL;
    c->pinned = k;
    c->first = n * s->chunk_rows;
    c->rows = s->count - c->first < s->chunk_rows ? s->count - c->first : s->chunk_rows;
    for (uint32_t i = 0; i < s->options.cols_count; i++)
        c->cols[i] = k->cols ? colbuf_vec(&k->cols[i], 0, c->rows) : k->read[i];
    return 0;
}

int exec_spool_view(struct exec_spool_cursor *c,
                    uint32_t row,
                    uint32_t max,
                    struct arena *arena,
                    struct vec *ret,
                    uint32_t *ret_count,
                    struct dn_err *err)
{
    uint32_t at = row % c->spool->chunk_rows;
    uint32_t count;
    int rc = exec_spool_seek(c, row, err);

    if (rc < 0)
        return rc;
    count = c->rows - at < max ? c->rows - at : max;
    for (uint32_t i = 0; i < c->spool->options.cols_count; i++) {
        struct vec whole = c->cols[i];

        whole.count = at + count;
        if (at == 0)
            ret[i] = whole;
        else if (!vec_slice(arena, &whole, at, count, &ret[i]))
            return DN_FAIL_NOMEM(err);
    }
    *ret_count = count;
    return 0;
}
