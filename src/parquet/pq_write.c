/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_write.c: rows are gathered until they are a row group; then each column becomes a chunk:
 * texts and floating point numbers by a dictionary where few of them are different, integers and
 * times by their differences, all else plain. Every column may be NULL. */
#include "parquet/pq_encode.h"
#include "parquet/thrift.h"

#include "base/hash.h"
#include "vec/numeric.h"

#include <math.h>
#include <string.h>

#define GROUP_ROWS  122880u             /* as many other programs write */
#define GROUP_BYTES (32u * 1024 * 1024) /* of values in memory */
#define PAGE_ROWS   20480u
#define DICT_MAX    (1u << 14) /* entries */
#define DICT_SLOTS  (DICT_MAX * 2)
#define DICT_BYTES  (1u << 20)
#define STAT_BYTES  64u /* longer texts are no bounds */
#define PAGE_BYTES  (1u << 30)

/* How a type is written. */
struct pq_form {
    enum pq_phys phys;
    uint32_t width;
    int16_t converted; /* -1: none */
    enum pq_logical logical;
    int unit;
    int bits;
};

struct pq_chunk_out {
    uint64_t dict_at; /* 0: none */
    uint64_t data_at;
    uint64_t bytes;
    uint64_t unpacked;
    uint64_t nulls;
    bool dict;
    bool bounds;
    struct vstr min; /* in the writer's footer arena */
    struct vstr max;
};

struct pq_group_out {
    struct pq_group_out *next;
    uint64_t rows;
    uint64_t bytes;
    struct pq_chunk_out *chunks;
};

struct pq_write_col {
    const char *name;
    struct type_mods mods;
    enum type_id type;
    struct pq_form form;
    struct colbuf rows;
};

struct pq_writer {
    struct pq_output out;
    struct mem_owner *owner; /* borrowed */
    struct arena arena;      /* names, what the footer needs */
    struct arena strings;    /* of the rows */
    struct arena scratch;    /* of a chunk */
    struct pq_write_col *cols;
    uint32_t cols_count;
    size_t bytes; /* about what the rows take */
    uint64_t at;  /* in the file */
    uint64_t rows_all;
    struct pq_group_out *groups;
    struct pq_group_out **groups_end;
    uint32_t groups_count;
    struct buf page;   /* unpacked */
    struct buf packed; /* head and page */
};

/* ---- types ---- */

static bool form_numeric(const struct type_mods *mods, struct pq_form *ret)
{
    int32_t digits = mods ? mods->v[0] : 0;

    if (!mods || mods->count < 1 || digits < 1 || digits > (int32_t)VNUMERIC_DIGITS ||
        mods->v[1] < 0 || mods->v[1] > digits)
        return false;
    *ret = (struct pq_form){.phys = digits <= 9    ? PQ_INT32
                                    : digits <= 18 ? PQ_INT64
                                                   : PQ_FIXED,
                            .width = digits > 18 ? 16 : 0,
                            .converted = 5,
                            .logical = PQ_L_DECIMAL};
    return true;
}

static bool form_of(enum type_id type, const struct type_mods *mods, struct pq_form *ret)
{
    static const struct {
        enum type_id type;
        struct pq_form form;
    } forms[] = {
        {TYPE_BOOLEAN, {PQ_BOOLEAN, 0, -1, PQ_L_NONE, 0, 0}},
        {TYPE_SMALLINT, {PQ_INT32, 0, 16, PQ_L_INTEGER, 0, 16}},
        {TYPE_INTEGER, {PQ_INT32, 0, -1, PQ_L_NONE, 0, 0}},
        {TYPE_BIGINT, {PQ_INT64, 0, -1, PQ_L_NONE, 0, 0}},
        {TYPE_REAL, {PQ_FLOAT, 0, -1, PQ_L_NONE, 0, 0}},
        {TYPE_DOUBLE, {PQ_DOUBLE, 0, -1, PQ_L_NONE, 0, 0}},
        {TYPE_VARCHAR, {PQ_BYTE_ARRAY, 0, 0, PQ_L_STRING, 0, 0}},
        {TYPE_BPCHAR, {PQ_BYTE_ARRAY, 0, 0, PQ_L_STRING, 0, 0}},
        {TYPE_NAME, {PQ_BYTE_ARRAY, 0, 0, PQ_L_STRING, 0, 0}},
        {TYPE_BLOB, {PQ_BYTE_ARRAY, 0, -1, PQ_L_NONE, 0, 0}},
        {TYPE_TIMESTAMP, {PQ_INT64, 0, 9, PQ_L_TIMESTAMP, 3, 1}},
        {TYPE_TIMESTAMP_US, {PQ_INT64, 0, 10, PQ_L_TIMESTAMP, 6, 1}},
        {TYPE_TIMESTAMP_NS, {PQ_INT64, 0, -1, PQ_L_TIMESTAMP, 9, 1}},
        {TYPE_TIMESTAMPTZ, {PQ_INT64, 0, 10, PQ_L_TIMESTAMP, 6, 1}},
        {TYPE_TIMESTAMP_LOCAL, {PQ_INT64, 0, -1, PQ_L_TIMESTAMP, 6, 0}},
        {TYPE_DATE, {PQ_INT32, 0, 6, PQ_L_DATE, 0, 0}},
        {TYPE_TIME, {PQ_INT64, 0, -1, PQ_L_TIME, 6, 0}},
        {TYPE_UUID, {PQ_FIXED, 16, -1, PQ_L_UUID, 0, 0}},
    };

    if (type == TYPE_NUMERIC)
        return form_numeric(mods, ret);
    for (size_t i = 0; i < DN_ARRAY_SIZE(forms); i++) {
        if (forms[i].type != type)
            continue;
        *ret = forms[i].form;
        return true;
    }
    return false;
}

bool pq_writable(enum type_id type, const struct type_mods *mods)
{
    struct pq_form form;

    return form_of(type, mods, &form);
}

/* ---- beginning ---- */

static int writer_put(struct pq_writer *w, const void *bytes, size_t len, struct dn_err *err)
{
    w->at += len;
    return w->out.write(w->out.arg, bytes, len, err);
}

int pq_writer_new(const struct pq_output *out,
                  const struct pq_column *columns,
                  uint32_t count,
                  struct mem_owner *owner,
                  struct pq_writer **ret,
                  struct dn_err *err)
{
    struct pq_writer *w = mem_calloc(owner, 1, sizeof(*w));
    int rc = 0;

    *ret = NULL;
    if (!w)
        return DN_FAIL_NOMEM(err);
    w->out = *out;
    w->owner = owner;
    w->groups_end = &w->groups;
    arena_init(&w->arena, owner);
    arena_init(&w->strings, owner);
    arena_init(&w->scratch, owner);
    buf_init(&w->page, owner);
    buf_init(&w->packed, owner);
    w->cols = mem_calloc(owner, (size_t)count + 1, sizeof(*w->cols));
    for (uint32_t i = 0; w->cols && i < count; i++) {
        struct pq_write_col *c = &w->cols[i];

        colbuf_init(&c->rows, columns[i].type, owner, &w->strings);
        w->cols_count++;
        c->type = columns[i].type;
        c->mods = columns[i].mods;
        c->name = arena_strdup(&w->arena, columns[i].name);
        if (!form_of(c->type, &c->mods, &c->form))
            rc = DN_FAIL(err, DN_E_UNSUPPORTED, "column \"%s\" cannot be Parquet", columns[i].name);
        else if (!c->name)
            rc = DN_FAIL_NOMEM(err);
        if (rc < 0)
            break;
    }
    if (rc == 0 && !w->cols)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = writer_put(w, PQ_MAGIC, PQ_MAGIC_LEN, err);
    if (rc < 0) {
        pq_writer_free(w);
        return rc;
    }
    *ret = w;
    return 0;
}

void pq_writer_free(struct pq_writer *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->cols_count; i++)
        colbuf_done(&w->cols[i].rows);
    mem_free(w->cols);
    buf_done(&w->page);
    buf_done(&w->packed);
    arena_done(&w->arena);
    arena_done(&w->strings);
    arena_done(&w->scratch);
    mem_free(w);
}

/* ---- plain values ---- */

/* Integers, and what is stored as one. */
static int64_t plain_int(const struct pq_write_col *c, const struct vec *v, uint32_t row)
{
    if (v->type == TYPE_NUMERIC)
        return (int64_t)((const struct vnumeric *)v->data)[row].lo;
    (void)c;
    return vec_i64(v, row);
}

static void
plain_put(const struct pq_write_col *c, const struct vec *v, uint32_t row, struct buf *b)
{
    uint8_t bytes[16];
    struct vstr s;

    switch (c->form.phys) {
    case PQ_INT32:
        buf_u32(b, (uint32_t)plain_int(c, v, row));
        break;
    case PQ_INT64:
        buf_u64(b, (uint64_t)plain_int(c, v, row));
        break;
    case PQ_FLOAT:
        buf_append(b, (const float *)v->data + row, 4);
        break;
    case PQ_DOUBLE:
        buf_append(b, (const double *)v->data + row, 8);
        break;
    case PQ_BYTE_ARRAY:
        s = vec_str(v, row);
        buf_u32(b, s.len);
        buf_append(b, s.ptr, s.len);
        break;
    case PQ_FIXED:
        if (v->type == TYPE_NUMERIC) {
            const struct vnumeric *n = (const struct vnumeric *)v->data + row;

            be_put64(bytes, (uint64_t)n->hi);
            be_put64(bytes + 8, n->lo);
            buf_append(b, bytes, sizeof bytes);
        } else {
            buf_append(b, vec_str(v, row).ptr, c->form.width);
        }
        break;
    case PQ_BOOLEAN: /* in bits: chunk_bools */
    case PQ_INT96:
        break;
    }
}

/* ---- dictionaries ---- */

struct pq_dict {
    uint32_t *slots; /* code + 1; 0: empty */
    uint32_t *rows;  /* by code: a row that has the value */
    uint32_t count;
    uint32_t *codes; /* by row */
    size_t bytes;
};

static const void *dict_bytes(const struct vec *v, uint32_t row, uint32_t *len)
{
    if (type_is_string(v->type)) {
        *len = vec_str(v, row).len;
        return vec_str(v, row).ptr;
    }
    *len = phys_size(type_phys(v->type));
    return (const char *)v->data + (size_t)row * *len;
}

/* 1: the value is in, 0: there are too many. */
static bool dict_add(struct pq_dict *d, const struct vec *v, uint32_t row)
{
    uint32_t len;
    const void *p = dict_bytes(v, row, &len);
    uint32_t slot = (uint32_t)dn_hash64(p, len, 0) & (DICT_SLOTS - 1);

    for (; d->slots[slot]; slot = (slot + 1) & (DICT_SLOTS - 1)) {
        uint32_t other_len;
        const void *other = dict_bytes(v, d->rows[d->slots[slot] - 1], &other_len);

        if (other_len == len && (len == 0 || memcmp(p, other, len) == 0)) {
            d->codes[row] = d->slots[slot] - 1;
            return true;
        }
    }
    d->bytes += len + sizeof(uint32_t);
    if (d->count == DICT_MAX || d->bytes > DICT_BYTES)
        return false;
    d->codes[row] = d->count;
    d->rows[d->count] = row;
    d->slots[slot] = ++d->count;
    return true;
}

/* Is a dictionary worth while? *ret: it, or NULL. */
static int
dict_make(struct pq_writer *w, const struct vec *v, struct pq_dict **ret, struct dn_err *err)
{
    struct pq_dict *d = arena_calloc(&w->scratch, 1, sizeof(*d));
    bool few = true;

    *ret = NULL;
    if (!d)
        return DN_FAIL_NOMEM(err);
    d->slots = arena_calloc(&w->scratch, DICT_SLOTS, sizeof(*d->slots));
    d->rows = arena_calloc(&w->scratch, DICT_MAX, sizeof(*d->rows));
    d->codes = arena_calloc(&w->scratch, (size_t)v->count + 1, sizeof(*d->codes));
    if (!d->slots || !d->rows || !d->codes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; few && i < v->count; i++)
        few = vec_is_null(v, i) || dict_add(d, v, i);
    if (few && d->count <= v->count / 2)
        *ret = d;
    return 0;
}

/* ---- chunks ---- */

struct pq_chunk_job {
    struct pq_writer *w;
    struct pq_write_col *c;
    struct vec v; /* all rows */
    struct pq_dict *dict;
    struct pq_chunk_out *to;
};

/* Puts the page that is in w->page behind its head. */
static int page_write(struct pq_chunk_job *j,
                      enum pq_page_type type,
                      uint32_t values,
                      enum pq_encoding encoding,
                      struct dn_err *err)
{
    struct pq_writer *w = j->w;
    struct thrift_out o = {.b = &w->packed};
    struct buf body;
    size_t head;
    int rc;

    if (w->page.failed)
        return DN_FAIL_NOMEM(err);
    if (w->page.len > PAGE_BYTES)
        return DN_FAIL(
            err, DN_E_TOO_LONG, "column \"%s\": the values of a page are too long", j->c->name);
    buf_init(&body, w->owner);
    rc = pq_pack(w->out.codec, w->page.data, w->page.len, &body, err);
    buf_reset(&w->packed);
    if (rc == 0) {
        thrift_begin(&o);
        thrift_put_int(&o, 1, THRIFT_I32, type);
        thrift_put_int(&o, 2, THRIFT_I32, (int64_t)w->page.len);
        thrift_put_int(&o, 3, THRIFT_I32, (int64_t)body.len);
        thrift_put_struct(&o, type == PQ_PAGE_DICT ? 7 : 5);
        thrift_put_int(&o, 1, THRIFT_I32, values);
        thrift_put_int(&o, 2, THRIFT_I32, encoding);
        if (type == PQ_PAGE_DATA) {
            thrift_put_int(&o, 3, THRIFT_I32, PQ_RLE);
            thrift_put_int(&o, 4, THRIFT_I32, PQ_RLE);
        }
        thrift_end(&o);
        thrift_end(&o);
        head = w->packed.len;
        buf_append(&w->packed, body.data, body.len);
        if (w->packed.failed)
            rc = DN_FAIL_NOMEM(err);
        j->to->bytes += w->packed.len;
        j->to->unpacked += head + w->page.len;
    }
    buf_done(&body);
    if (rc == 0)
        rc = writer_put(w, w->packed.data, w->packed.len, err);
    buf_reset(&w->page);
    return rc;
}

static int chunk_dict(struct pq_chunk_job *j, struct dn_err *err)
{
    j->to->dict = true;
    j->to->dict_at = j->w->at;
    for (uint32_t i = 0; i < j->dict->count; i++)
        plain_put(j->c, &j->v, j->dict->rows[i], &j->w->page);
    return page_write(j, PQ_PAGE_DICT, j->dict->count, PQ_PLAIN, err);
}

/* Which values of the page are not NULL: their rows; returns how many. */
static int
page_levels(struct pq_chunk_job *j, uint32_t from, uint32_t n, uint32_t *rows, struct dn_err *err)
{
    uint32_t *levels = arena_alloc_array(&j->w->scratch, n, sizeof(*levels));
    struct buf *b = &j->w->page;
    size_t at = b->len;
    uint32_t k = 0;

    if (!levels)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++) {
        levels[i] = !vec_is_null(&j->v, from + i);
        if (levels[i])
            rows[k++] = from + i;
    }
    buf_u32(b, 0);
    pq_put_rle(b, levels, n, 1);
    if (!b->failed)
        le_put32(b->data + at, (uint32_t)(b->len - at - 4));
    return (int)k;
}

static void page_bools(struct buf *b, const struct vec *v, const uint32_t *rows, uint32_t k)
{
    for (uint32_t i = 0; i < k; i += 8) {
        uint8_t byte = 0;

        for (uint32_t n = 0; n < 8 && i + n < k; n++)
            byte = (uint8_t)(byte | (vec_i64(v, rows[i + n]) != 0) << n);
        buf_u8(b, byte);
    }
}

/* The values of a page; how they are encoded. */
static int page_values(struct pq_chunk_job *j,
                       const uint32_t *rows,
                       uint32_t k,
                       enum pq_encoding *ret,
                       struct dn_err *err)
{
    struct buf *b = &j->w->page;
    bool ints = j->c->form.phys == PQ_INT32 || j->c->form.phys == PQ_INT64;
    void *room = arena_alloc_array(&j->w->scratch, (size_t)k + 1, sizeof(int64_t));

    if (!room)
        return DN_FAIL_NOMEM(err);
    if (j->dict) {
        uint32_t *codes = room;

        for (uint32_t i = 0; i < k; i++)
            codes[i] = j->dict->codes[rows[i]];
        *ret = PQ_RLE_DICTIONARY;
        buf_u8(b, (uint8_t)pq_width(j->dict->count ? j->dict->count - 1 : 0));
        pq_put_rle(b, codes, k, pq_width(j->dict->count ? j->dict->count - 1 : 0));
    } else if (ints) {
        int64_t *values = room;

        for (uint32_t i = 0; i < k; i++)
            values[i] = plain_int(j->c, &j->v, rows[i]);
        *ret = PQ_DELTA_BINARY_PACKED;
        pq_put_delta(b, values, k, j->c->form.phys == PQ_INT64);
    } else {
        *ret = PQ_PLAIN;
        if (j->c->form.phys == PQ_BOOLEAN)
            page_bools(b, &j->v, rows, k);
        for (uint32_t i = 0; j->c->form.phys != PQ_BOOLEAN && i < k; i++)
            plain_put(j->c, &j->v, rows[i], b);
    }
    return 0;
}

static int chunk_pages(struct pq_chunk_job *j, struct dn_err *err)
{
    uint32_t *rows = arena_alloc_array(&j->w->scratch, PAGE_ROWS, sizeof(*rows));
    int rc = rows ? 0 : DN_FAIL_NOMEM(err);

    j->to->data_at = j->w->at;
    for (uint32_t from = 0; rc == 0 && from < j->v.count; from += PAGE_ROWS) {
        uint32_t n = j->v.count - from < PAGE_ROWS ? j->v.count - from : PAGE_ROWS;
        enum pq_encoding encoding = PQ_PLAIN;
        int k = page_levels(j, from, n, rows, err);

        if (k < 0)
            return k;
        j->to->nulls += n - (uint32_t)k;
        rc = page_values(j, rows, (uint32_t)k, &encoding, err);
        if (rc == 0)
            rc = page_write(j, PQ_PAGE_DATA, n, encoding, err);
    }
    return rc;
}

/* ---- bounds ---- */

static int bounds_put(struct pq_chunk_job *j, uint32_t row, struct vstr *ret, struct dn_err *err)
{
    struct buf b;
    size_t skip = j->c->form.phys == PQ_BYTE_ARRAY ? 4 : 0;
    char *bytes;

    buf_init(&b, j->w->owner);
    plain_put(j->c, &j->v, row, &b);
    bytes = b.failed ? NULL : arena_dup(&j->w->arena, b.data + skip, b.len - skip);
    *ret = (struct vstr){bytes, (uint32_t)(b.len - skip)};
    buf_done(&b);
    return bytes ? 0 : DN_FAIL_NOMEM(err);
}

/* The least and the greatest value. Zero and NaN of floating point numbers have rules of their own:
 * chunks with one of them get no bounds. */
static int chunk_bounds(struct pq_chunk_job *j, struct dn_err *err)
{
    const struct vec *v = &j->v;
    enum type_id type = j->c->type;
    uint32_t least = UINT32_MAX;
    uint32_t most = UINT32_MAX;
    struct datum low = {.type = type};
    struct datum high = {.type = type};
    int rc;

    if (type == TYPE_BOOLEAN || type == TYPE_UUID || j->c->form.phys == PQ_FIXED ||
        type == TYPE_BLOB)
        return 0;
    for (uint32_t i = 0; i < v->count; i++) {
        struct datum d;

        if (vec_is_null(v, i) || (j->dict && j->dict->rows[j->dict->codes[i]] != i))
            continue;
        d = vec_datum(v, i);
        if ((type_is_float(type) && (isnan(d.v.f64) || d.v.f64 == 0)) ||
            (type_is_string(type) && d.str.len > STAT_BYTES))
            return 0;
        if (least == UINT32_MAX || datum_cmp(&d, &low) < 0) {
            low = d;
            least = i;
        }
        if (most == UINT32_MAX || datum_cmp(&d, &high) > 0) {
            high = d;
            most = i;
        }
    }
    if (least == UINT32_MAX)
        return 0;
    j->to->bounds = true;
    rc = bounds_put(j, least, &j->to->min, err);
    return rc < 0 ? rc : bounds_put(j, most, &j->to->max, err);
}

static bool chunk_may_share(const struct pq_write_col *c)
{
    return c->form.phys == PQ_BYTE_ARRAY || c->form.phys == PQ_DOUBLE || c->form.phys == PQ_FLOAT;
}

static int chunk_write(struct pq_writer *w, uint32_t i, struct pq_chunk_out *to, struct dn_err *err)
{
    struct pq_chunk_job j = {.w = w, .c = &w->cols[i], .to = to};
    int rc = 0;

    j.v = colbuf_vec(&j.c->rows, 0, j.c->rows.count);
    if (chunk_may_share(j.c))
        rc = dict_make(w, &j.v, &j.dict, err);
    if (rc == 0)
        rc = chunk_bounds(&j, err);
    if (rc == 0 && j.dict)
        rc = chunk_dict(&j, err);
    if (rc == 0)
        rc = chunk_pages(&j, err);
    arena_reset(&w->scratch);
    return rc;
}

static int group_write(struct pq_writer *w, struct dn_err *err)
{
    struct pq_group_out *g = arena_calloc(&w->arena, 1, sizeof(*g));
    int rc = 0;

    if (!g)
        return DN_FAIL_NOMEM(err);
    g->chunks = arena_calloc(&w->arena, (size_t)w->cols_count + 1, sizeof(*g->chunks));
    if (!g->chunks)
        return DN_FAIL_NOMEM(err);
    g->rows = w->cols_count ? w->cols[0].rows.count : 0;
    for (uint32_t i = 0; rc == 0 && i < w->cols_count; i++) {
        rc = chunk_write(w, i, &g->chunks[i], err);
        g->bytes += g->chunks[i].unpacked;
        colbuf_reset(&w->cols[i].rows);
    }
    arena_reset(&w->strings);
    w->bytes = 0;
    *w->groups_end = g;
    w->groups_end = &g->next;
    w->groups_count++;
    w->rows_all += g->rows;
    return rc;
}

/* The decimals of the last rows, with as many digits behind the point as the column has. */
static int col_decimals(struct pq_write_col *c, uint32_t from, struct dn_err *err)
{
    struct vnumeric *values = c->rows.data;

    for (uint32_t i = from; i < c->rows.count; i++) {
        struct vnumeric v;
        int up;
        vnumeric_i128 coef;

        if (vec_bit(c->rows.nulls, i))
            continue;
        v = values[i].scale > c->mods.v[1] ? vnumeric_trim(values[i]) : values[i];
        up = c->mods.v[1] - v.scale;
        coef = vnumeric_coef(v);
        if (v.special || up < 0 || up > (int)VNUMERIC_DIGITS ||
            __builtin_mul_overflow(coef, (vnumeric_i128)vnumeric_pow10((unsigned)up), &coef) ||
            vnumeric_digits(vnumeric_abs(coef)) > (unsigned)c->mods.v[0])
            return DN_FAIL(err,
                           DN_E_OUT_OF_RANGE,
                           "column \"%s\": a value is no decimal of %d digits, %d of them behind "
                           "the point",
                           c->name,
                           c->mods.v[0],
                           c->mods.v[1]);
        values[i] = vnumeric_make(coef, c->mods.v[1]);
    }
    return 0;
}

int pq_write(struct pq_writer *w, const struct batch *b, struct dn_err *err)
{
    DN_ASSERT(b->cols_count == w->cols_count);
    for (uint32_t i = 0; i < b->cols_count; i++) {
        struct pq_write_col *c = &w->cols[i];
        const struct vec *v = &b->cols[i];
        uint32_t from = c->rows.count;
        int rc;

        if (!colbuf_append_vec(&c->rows, v, b->sel, b->sel_count))
            return DN_FAIL_NOMEM(err);
        rc = c->type == TYPE_NUMERIC ? col_decimals(c, from, err) : 0;
        if (rc < 0)
            return rc;
        w->bytes += (size_t)b->sel_count * phys_size(type_phys(c->type));
        for (uint32_t k = 0; type_is_string(c->type) && k < b->sel_count; k++) {
            uint32_t row = b->sel ? b->sel[k] : k;

            w->bytes += vec_is_null(v, row) ? 0 : vec_str(v, row).len;
        }
    }
    return w->cols_count > 0 && (w->cols[0].rows.count >= GROUP_ROWS || w->bytes >= GROUP_BYTES)
               ? group_write(w, err)
               : 0;
}

/* ---- footer ---- */

static void footer_logical(struct thrift_out *o, const struct pq_write_col *c)
{
    const struct pq_form *f = &c->form;

    if (f->logical == PQ_L_NONE)
        return;
    thrift_put_struct(o, 10);
    thrift_put_struct(o, (int16_t)f->logical);
    if (f->logical == PQ_L_DECIMAL) {
        thrift_put_int(o, 1, THRIFT_I32, c->mods.v[1]);
        thrift_put_int(o, 2, THRIFT_I32, c->mods.v[0]);
    } else if (f->logical == PQ_L_INTEGER) {
        thrift_put_int(o, 1, THRIFT_I8, f->bits);
        thrift_put_bool(o, 2, true);
    } else if (f->logical == PQ_L_TIME || f->logical == PQ_L_TIMESTAMP) {
        thrift_put_bool(o, 1, f->bits != 0);
        thrift_put_struct(o, 2);
        thrift_put_struct(o, (int16_t)(f->unit / 3));
        thrift_end(o);
        thrift_end(o);
    }
    thrift_end(o);
    thrift_end(o);
}

static void footer_schema(struct pq_writer *w, struct thrift_out *o)
{
    thrift_put_list(o, 2, THRIFT_STRUCT, w->cols_count + 1);
    thrift_begin(o);
    thrift_put_text(o, 4, "schema", 6);
    thrift_put_int(o, 5, THRIFT_I32, w->cols_count);
    thrift_end(o);
    for (uint32_t i = 0; i < w->cols_count; i++) {
        const struct pq_write_col *c = &w->cols[i];

        thrift_begin(o);
        thrift_put_int(o, 1, THRIFT_I32, c->form.phys);
        if (c->form.phys == PQ_FIXED)
            thrift_put_int(o, 2, THRIFT_I32, c->form.width);
        thrift_put_int(o, 3, THRIFT_I32, PQ_OPTIONAL);
        thrift_put_text(o, 4, c->name, strlen(c->name));
        if (c->form.converted >= 0)
            thrift_put_int(o, 6, THRIFT_I32, c->form.converted);
        if (c->form.logical == PQ_L_DECIMAL) {
            thrift_put_int(o, 7, THRIFT_I32, c->mods.v[1]);
            thrift_put_int(o, 8, THRIFT_I32, c->mods.v[0]);
        }
        footer_logical(o, c);
        thrift_end(o);
    }
}

static void footer_encodings(const struct pq_write_col *c, bool dict, struct thrift_out *o)
{
    bool ints = c->form.phys == PQ_INT32 || c->form.phys == PQ_INT64;

    thrift_put_list(o, 2, THRIFT_I32, dict ? 3 : 2);
    thrift_put_elem_int(o, PQ_RLE);
    thrift_put_elem_int(o, ints ? PQ_DELTA_BINARY_PACKED : PQ_PLAIN);
    if (dict)
        thrift_put_elem_int(o, PQ_RLE_DICTIONARY);
}

static void footer_chunk(struct pq_writer *w,
                         const struct pq_write_col *c,
                         const struct pq_chunk_out *chunk,
                         uint64_t rows,
                         struct thrift_out *o)
{
    thrift_begin(o);
    thrift_put_int(o, 2, THRIFT_I64, 0);
    thrift_put_struct(o, 3);
    thrift_put_int(o, 1, THRIFT_I32, c->form.phys);
    footer_encodings(c, chunk->dict, o);
    thrift_put_list(o, 3, THRIFT_BINARY, 1);
    thrift_put_elem_text(o, c->name, strlen(c->name));
    thrift_put_int(o, 4, THRIFT_I32, w->out.codec);
    thrift_put_int(o, 5, THRIFT_I64, (int64_t)rows);
    thrift_put_int(o, 6, THRIFT_I64, (int64_t)chunk->unpacked);
    thrift_put_int(o, 7, THRIFT_I64, (int64_t)chunk->bytes);
    thrift_put_int(o, 9, THRIFT_I64, (int64_t)chunk->data_at);
    if (chunk->dict)
        thrift_put_int(o, 11, THRIFT_I64, (int64_t)chunk->dict_at);
    thrift_put_struct(o, 12);
    thrift_put_int(o, 3, THRIFT_I64, (int64_t)chunk->nulls);
    if (chunk->bounds) {
        thrift_put_text(o, 5, chunk->max.ptr, chunk->max.len);
        thrift_put_text(o, 6, chunk->min.ptr, chunk->min.len);
    }
    thrift_end(o);
    thrift_end(o);
    thrift_end(o);
}

int pq_writer_end(struct pq_writer *w, struct dn_err *err)
{
    static const char by[] = "Dendro";
    struct thrift_out o = {.b = &w->packed};
    int rc = 0;

    if (w->cols_count > 0 && w->cols[0].rows.count > 0)
        rc = group_write(w, err);
    if (rc < 0)
        return rc;
    buf_reset(&w->packed);
    thrift_begin(&o);
    thrift_put_int(&o, 1, THRIFT_I32, 2);
    footer_schema(w, &o);
    thrift_put_int(&o, 3, THRIFT_I64, (int64_t)w->rows_all);
    thrift_put_list(&o, 4, THRIFT_STRUCT, w->groups_count);
    for (const struct pq_group_out *g = w->groups; g; g = g->next) {
        thrift_begin(&o);
        thrift_put_list(&o, 1, THRIFT_STRUCT, w->cols_count);
        for (uint32_t i = 0; i < w->cols_count; i++)
            footer_chunk(w, &w->cols[i], &g->chunks[i], g->rows, &o);
        thrift_put_int(&o, 2, THRIFT_I64, (int64_t)g->bytes);
        thrift_put_int(&o, 3, THRIFT_I64, (int64_t)g->rows);
        thrift_end(&o);
    }
    thrift_put_text(&o, 6, by, sizeof by - 1);
    thrift_put_list(&o, 7, THRIFT_STRUCT, w->cols_count);
    for (uint32_t i = 0; i < w->cols_count; i++) { /* bounds are in the order of the type */
        thrift_begin(&o);
        thrift_put_struct(&o, 1);
        thrift_end(&o);
        thrift_end(&o);
    }
    thrift_end(&o);
    buf_u32(&w->packed, (uint32_t)w->packed.len);
    buf_append(&w->packed, PQ_MAGIC, PQ_MAGIC_LEN);
    if (w->packed.failed)
        return DN_FAIL_NOMEM(err);
    return writer_put(w, w->packed.data, w->packed.len, err);
}
