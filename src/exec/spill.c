/* SPDX-License-Identifier: Apache-2.0
 *
 * spill.c: see spill.h. The scratch file is read by the process that wrote it and by nobody else,
 * so values lie in it as they lie in memory:
 *
 *   block    checksum of the rest (8), part (4), bytes of the pages (4), pages
 *   page     rows (4), then for each column: 1 if it has NULLs (1), their bits, the values;
 *            of strings: lengths (4 each), then the bytes */
#include "exec/spill.h"

#include "base/hash.h"

#include <inttypes.h>

#define SPILL_HEAD        16u /* bytes before the pages of a block */
#define SPILL_PAGE_SHARE  4u  /* pages of a block at least, so that blocks are nearly full */
#define SPILL_BLOCK_LEAST 4096u
#define SPILL_STR_LEN     4u /* bytes of a string's length */

/* How values of a type are kept: true: length and bytes; false: the value itself. Whoever adds a
 * physical form that has pointers in it writes them out here. */
static bool spill_is_str(enum type_id type)
{
    return type_phys(type) == PHYS_STR;
}

/* ---- life ---- */

static int spill_parts_grow(struct exec_spill *s, uint32_t count, struct dn_err *err)
{
    uint32_t cap = s->parts_cap ? s->parts_cap : 8;
    struct exec_spill_part *parts;

    while (cap < count)
        cap *= 2;
    if (cap > s->parts_cap) {
        parts = mem_realloc(s->owner, s->parts, cap * sizeof *parts);
        if (!parts)
            return DN_FAIL_NOMEM(err);
        s->parts = parts;
        s->parts_cap = cap;
    }
    for (; s->parts_count < count; s->parts_count++) {
        s->parts[s->parts_count] = (struct exec_spill_part){.rows = 0};
        buf_init(&s->parts[s->parts_count].pending, s->owner);
    }
    return 0;
}

int exec_spill_open(struct exec_spill *s,
                    const struct exec_spill_options *options,
                    struct dn_err *err)
{
    int rc;

    DN_ASSERT(options->batch_rows > 0 && options->batch_rows <= VEC_ROWS_MAX);
    *s = (struct exec_spill){.owner = options->owner,
                             .cancel = options->cancel,
                             .cols_count = options->cols_count,
                             .block_bytes = options->block_bytes < SPILL_BLOCK_LEAST
                                                ? SPILL_BLOCK_LEAST
                                                : options->block_bytes,
                             .batch_rows = options->batch_rows,
                             .by_hand = options->by_hand};
    s->types = mem_dup(s->owner, options->types, s->cols_count * sizeof *s->types);
    if (!s->types)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < s->cols_count; c++) {
        s->strings |= spill_is_str(s->types[c]);
        s->fixed_bytes +=
            spill_is_str(s->types[c]) ? SPILL_STR_LEN : phys_size(type_phys(s->types[c]));
    }
    rc = spill_parts_grow(s, options->parts_count, err);
    if (rc == 0)
        rc = volume_scratch_open(options->volume, &s->file, err);
    return rc;
}

void exec_spill_close(struct exec_spill *s)
{
    for (uint32_t i = 0; i < s->parts_count; i++) {
        buf_done(&s->parts[i].pending);
        mem_free(s->parts[i].blocks);
    }
    mem_free(s->parts);
    mem_free(s->types);
    volume_scratch_close(s->file);
    *s = (struct exec_spill){.file = NULL};
}

int exec_spill_add(struct exec_spill *s, uint32_t *ret_part, struct dn_err *err)
{
    *ret_part = s->parts_count;
    return spill_parts_grow(s, s->parts_count + 1, err);
}

/* ---- writing ---- */

static int spill_flush(struct exec_spill *s, uint32_t part, struct dn_err *err)
{
    struct exec_spill_part *p = &s->parts[part];
    struct exec_spill_block *blocks;
    uint64_t offset;
    int rc;

    if (p->pending.len == 0)
        return 0;
    if (p->blocks_count == p->blocks_cap) {
        uint32_t cap = p->blocks_cap ? p->blocks_cap * 2 : 8;

        blocks = mem_realloc(s->owner, p->blocks, cap * sizeof *blocks);
        if (!blocks)
            return DN_FAIL_NOMEM(err);
        p->blocks = blocks;
        p->blocks_cap = cap;
    }
    le_put32(p->pending.data + 8, part);
    le_put32(p->pending.data + 12, (uint32_t)(p->pending.len - SPILL_HEAD));
    le_put64(p->pending.data, dn_checksum64(p->pending.data + 8, p->pending.len - 8));
    rc = volume_scratch_append(s->file, p->pending.data, p->pending.len, &offset, err);
    if (rc == DN_E_NOSPC)
        dn_err_hint(err,
                    "The statement puts aside what memory_limit does not allow it to keep: free "
                    "space on the disk, raise the limit, or let it read less.");
    if (rc < 0)
        return rc;
    p->blocks[p->blocks_count++] =
        (struct exec_spill_block){.offset = offset, .len = (uint32_t)p->pending.len};
    s->bytes += p->pending.len;
    if (s->block_largest < p->pending.len)
        s->block_largest = (uint32_t)p->pending.len;
    buf_reset(&p->pending);
    return 0;
}

static void spill_put_strings(struct buf *b, const struct vec *v, const uint16_t *rows, uint32_t n)
{
    uint8_t *lens = buf_extend(b, (size_t)n * SPILL_STR_LEN);
    size_t at = lens ? (size_t)(lens - b->data) : 0;

    for (uint32_t i = 0; i < n && !b->failed; i++) {
        uint32_t row = rows ? rows[i] : i;
        struct vstr str = {.len = 0};

        if (!vec_is_null(v, row))
            str = vec_str(v, row);
        le_put32(b->data + at + (size_t)i * SPILL_STR_LEN, str.len);
        if (str.len)
            buf_append(b, str.ptr, str.len); /* moves data, not `at` */
    }
}

static void spill_put_col(struct buf *b, const struct vec *v, const uint16_t *rows, uint32_t n)
{
    uint8_t *to;

    buf_u8(b, v->nulls != NULL);
    if (v->nulls) {
        to = buf_extend(b, (n + 7) / 8);
        if (!to)
            return;
        memset(to, 0, (n + 7) / 8);
        for (uint32_t i = 0; i < n; i++)
            if (vec_is_null(v, rows ? rows[i] : i))
                to[i / 8] |= (uint8_t)(1u << i % 8);
    }
    if (spill_is_str(v->type)) {
        spill_put_strings(b, v, rows, n);
        return;
    }
    to = buf_extend(b, (size_t)n * phys_size(type_phys(v->type)));
    if (to && v->form == VEC_FLAT && !rows)
        memcpy(to, v->data, (size_t)n * phys_size(type_phys(v->type)));
    else if (to)
        for (uint32_t i = 0; i < n; i++) { /* `to` need not be aligned */
            size_t size = phys_size(type_phys(v->type));

            memcpy(
                to + i * size, (const char *)v->data + vec_at(v, rows ? rows[i] : i) * size, size);
        }
}

/* How many of the rows make a page. */
static uint32_t spill_page_rows(const struct exec_spill *s,
                                const struct vec *cols,
                                const uint16_t *rows,
                                uint32_t first,
                                uint32_t count)
{
    uint32_t most = s->batch_rows;
    uint64_t page = s->block_bytes / SPILL_PAGE_SHARE;
    uint64_t bytes = 0;

    if (most > count - first)
        most = count - first;
    if (s->by_hand)
        return most;
    for (uint32_t i = 0; i < most; i++) {
        uint32_t row = rows ? rows[first + i] : first + i;

        bytes += s->fixed_bytes;
        for (uint32_t c = 0; c < s->cols_count && s->strings; c++)
            if (spill_is_str(s->types[c]) && !vec_is_null(&cols[c], row))
                bytes += vec_str(&cols[c], row).len;
        if (bytes > page)
            return i ? i : 1;
    }
    return most;
}

/* FLAT vectors without a list of rows are shifted; others are reached through a list. */
static int spill_put_page(struct exec_spill *s,
                          uint32_t part,
                          const struct vec *cols,
                          const uint16_t *rows,
                          uint32_t count,
                          struct dn_err *err)
{
    struct buf *b = &s->parts[part].pending;
    int rc = dn_cancel_check(s->cancel, err); /* what puts aside puts all aside that it has */

    if (rc < 0)
        return rc;
    if (b->len == 0 && (!buf_reserve(b, s->block_bytes) || !buf_extend(b, SPILL_HEAD)))
        return DN_FAIL_NOMEM(err);
    buf_u32(b, count);
    for (uint32_t c = 0; c < s->cols_count; c++) {
        DN_ASSERT(cols[c].type == s->types[c]);
        spill_put_col(b, &cols[c], rows, count);
    }
    if (b->failed)
        return DN_FAIL_NOMEM(err);
    if (b->len > UINT32_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "a row of %zu bytes is too long to put aside", b->len);
    s->parts[part].rows += count;
    s->rows += count;
    if (s->by_hand || b->len < s->block_bytes - s->block_bytes / SPILL_PAGE_SHARE)
        return 0;
    return spill_flush(s, part, err);
}

int exec_spill_write(struct exec_spill *s,
                     uint32_t part,
                     const struct vec *cols,
                     const uint16_t *rows,
                     uint32_t count,
                     struct dn_err *err)
{
    uint16_t list[VEC_ROWS_MAX];
    int rc = 0;

    DN_ASSERT(part < s->parts_count && count <= VEC_ROWS_MAX);
    for (uint32_t at = 0, n; at < count && rc == 0; at += n) {
        n = spill_page_rows(s, cols, rows, at, count);
        if (!rows && n < count) {
            for (uint32_t i = 0; i < n; i++)
                list[i] = (uint16_t)(at + i);
            rc = spill_put_page(s, part, cols, list, n, err);
        } else {
            rc = spill_put_page(s, part, cols, rows ? rows + at : NULL, n, err);
        }
    }
    return rc;
}

void exec_spill_drop(struct exec_spill *s)
{
    struct exec_spill_part *p = &s->parts[--s->parts_count];

    buf_done(&p->pending);
    mem_free(p->blocks);
    *p = (struct exec_spill_part){0};
}

int exec_spill_scatter(struct exec_spill *s,
                       const struct batch *in,
                       const uint8_t *part_of,
                       struct dn_err *err)
{
    return exec_spill_scatter_from(s, 0, s->parts_count, in, part_of, err);
}

int exec_spill_scatter_from(struct exec_spill *s,
                            uint32_t first,
                            uint32_t count,
                            const struct batch *in,
                            const uint8_t *part_of,
                            struct dn_err *err)
{
    uint32_t start[EXEC_SPILL_PARTS_MAX + 1] = {0};
    uint32_t next[EXEC_SPILL_PARTS_MAX];
    uint16_t rows[VEC_ROWS_MAX];
    int rc = 0;

    DN_ASSERT(count <= EXEC_SPILL_PARTS_MAX && first + count <= s->parts_count);
    for (uint32_t i = 0; i < in->sel_count; i++)
        start[part_of[i] + 1]++;
    for (uint32_t p = 0; p < count; p++) {
        next[p] = start[p];
        start[p + 1] += start[p];
    }
    for (uint32_t i = 0; i < in->sel_count; i++)
        rows[next[part_of[i]]++] = in->sel ? in->sel[i] : (uint16_t)i;
    for (uint32_t p = 0; p < count && rc == 0; p++)
        if (start[p + 1] > start[p])
            rc = exec_spill_write(
                s, first + p, in->cols, rows + start[p], start[p + 1] - start[p], err);
    return rc;
}

int exec_spill_cut(struct exec_spill *s, uint32_t part, struct dn_err *err)
{
    DN_ASSERT(s->by_hand);
    return spill_flush(s, part, err);
}

int exec_spill_seal(struct exec_spill *s, uint32_t part, struct dn_err *err)
{
    int rc = spill_flush(s, part, err);

    buf_done(&s->parts[part].pending);
    return rc;
}

int exec_spill_seal_all(struct exec_spill *s, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t p = 0; p < s->parts_count && rc == 0; p++)
        rc = exec_spill_seal(s, p, err);
    return rc;
}

/* ---- reading ---- */

static size_t spill_value_size(enum type_id type)
{
    return phys_size(type_phys(type));
}

size_t exec_spill_reader_bytes(const struct exec_spill *s)
{
    size_t row = 0;

    for (uint32_t c = 0; c < s->cols_count; c++)
        row += spill_value_size(s->types[c]) + 1;
    if (s->block_largest > s->block_bytes)
        row += 2 * (size_t)s->block_largest / s->batch_rows; /* buffers grow by doubling */
    return s->block_bytes + row * s->batch_rows;
}

int exec_spill_reader_open(struct exec_spill_reader *r,
                           const struct exec_spill *s,
                           uint32_t part,
                           struct mem_owner *owner,
                           struct dn_err *err)
{
    *r = (struct exec_spill_reader){.s = s, .part = part, .owner = owner};
    DN_ASSERT(part < s->parts_count && s->parts[part].pending.len == 0);
    buf_init(&r->data, owner);
    arena_init(&r->arena, owner);
    r->cols = arena_calloc(&r->arena, s->cols_count, sizeof *r->cols);
    r->values = arena_calloc(&r->arena, s->cols_count, sizeof *r->values);
    r->nulls = arena_calloc(&r->arena, s->cols_count, sizeof *r->nulls);
    if (!r->cols || !r->values || !r->nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < s->cols_count; c++) {
        r->values[c] = arena_alloc_array(&r->arena, s->batch_rows, spill_value_size(s->types[c]));
        r->nulls[c] = arena_calloc(&r->arena, VEC_BITMAP_WORDS(s->batch_rows), sizeof *r->nulls[c]);
        if (!r->values[c] || !r->nulls[c])
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

void exec_spill_reader_close(struct exec_spill_reader *r)
{
    buf_done(&r->data);
    arena_done(&r->arena);
    *r = (struct exec_spill_reader){.s = NULL};
}

static int spill_damaged(const struct exec_spill_reader *r, const char *what, struct dn_err *err)
{
    const struct exec_spill_block *b = &r->s->parts[r->part].blocks[r->block - 1];

    return DN_FAIL(err,
                   DN_E_CORRUPT,
                   "scratch file: the block of %u bytes at offset %" PRIu64 " is damaged: %s",
                   b->len,
                   b->offset,
                   what);
}

static int spill_load(struct exec_spill_reader *r, struct dn_err *err)
{
    const struct exec_spill_part *part = &r->s->parts[r->part];
    const struct exec_spill_block *b;
    uint8_t *to;
    int rc;

    if (r->block == part->blocks_count)
        return DN_EOF;
    b = &part->blocks[r->block++];
    buf_reset(&r->data);
    to = buf_extend(&r->data, b->len);
    if (!to)
        return DN_FAIL_NOMEM(err);
    rc = volume_scratch_read(r->s->file, b->offset, to, b->len, err);
    if (rc < 0)
        return rc;
    if (le_get64(to) != dn_checksum64(to + 8, b->len - 8))
        return spill_damaged(r, "its checksum does not match", err);
    if (le_get32(to + 8) != r->part || le_get32(to + 12) != b->len - SPILL_HEAD)
        return spill_damaged(r, "it is another one", err);
    r->rd = rd_make(to + SPILL_HEAD, b->len - SPILL_HEAD);
    return 0;
}

/* Values of one column of a page, to rows at.. of the vector. */
static bool spill_get_col(struct exec_spill_reader *r, uint32_t c, uint32_t at, uint32_t rows)
{
    enum type_id type = r->s->types[c];
    size_t size = spill_value_size(type);
    struct vstr *strings = r->values[c];
    const uint8_t *p;

    if (rd_u8(&r->rd)) {
        p = rd_bytes(&r->rd, (rows + 7) / 8);
        if (!p)
            return false;
        for (uint32_t i = 0; i < rows; i++)
            if (p[i / 8] >> i % 8 & 1)
                vec_bit_set(r->nulls[c], at + i);
        r->cols[c].nulls = r->nulls[c];
    }
    if (!spill_is_str(type)) {
        p = rd_bytes(&r->rd, rows * size);
        if (p)
            memcpy((char *)r->values[c] + at * size, p, rows * size);
        return p != NULL;
    }
    p = rd_bytes(&r->rd, (size_t)rows * SPILL_STR_LEN);
    for (uint32_t i = 0; p && i < rows; i++) {
        uint32_t len = le_get32(p + (size_t)i * SPILL_STR_LEN);

        strings[at + i] = (struct vstr){.ptr = (const char *)rd_bytes(&r->rd, len), .len = len};
        if (r->rd.bad)
            return false;
    }
    return p != NULL;
}

void exec_spill_reader_seek(struct exec_spill_reader *r, uint32_t block)
{
    DN_ASSERT(block < r->s->parts[r->part].blocks_count);
    r->block = block;
    r->rd = rd_make(NULL, 0);
}

int exec_spill_reader_next(struct exec_spill_reader *r, struct batch *ret, struct dn_err *err)
{
    const struct exec_spill *s = r->s;
    uint32_t count = 0;
    int rc;

    if (rd_left(&r->rd) == 0) {
        rc = spill_load(r, err);
        if (rc != 0)
            return rc;
    }
    for (uint32_t c = 0; c < s->cols_count; c++) {
        memset(r->nulls[c], 0, VEC_BITMAP_WORDS(s->batch_rows) * sizeof *r->nulls[c]);
        r->cols[c] = (struct vec){.type = s->types[c], .form = VEC_FLAT, .data = r->values[c]};
    }
    while (rd_left(&r->rd) > 0) {
        struct rd start = r->rd;
        uint32_t rows = rd_u32(&r->rd);

        if (r->rd.bad || rows == 0 || rows > s->batch_rows)
            return spill_damaged(r, "a page has no sound number of rows", err);
        if (count + rows > s->batch_rows) {
            r->rd = start;
            break;
        }
        for (uint32_t c = 0; c < s->cols_count; c++)
            if (!spill_get_col(r, c, count, rows))
                return spill_damaged(r, "a page ends before its values", err);
        count += rows;
    }
    for (uint32_t c = 0; c < s->cols_count; c++)
        r->cols[c].count = count;
    *ret = (struct batch){
        .count = count, .cols_count = s->cols_count, .cols = r->cols, .sel_count = count};
    return 0;
}
