/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_read.c: row group after row group, and in each the wanted columns side by side: a page of each
 * at a time. A batch may go over the end of a page: pages that it has strings of stay until the
 * next batch (I1). */
#include "parquet/pq_decode.h"
#include "parquet/thrift.h"

#include <string.h>
#include <zlib.h>

#define READ_WINDOW (64u * 1024) /* bytes read ahead of a page's head */
#define READ_FOOT   (PQ_MAGIC_LEN + 4u)

/* Bytes of a page, unpacked. */
struct pq_bytes {
    struct pq_bytes *next;
    size_t len;
    uint8_t data[];
};

struct pq_read_col {
    const struct pq_field *field; /* borrowed */
    uint64_t at;                  /* in the file: the next page of the chunk */
    uint64_t end;
    uint64_t left; /* values of the chunk in pages to come */
    int32_t codec;
    uint8_t *window; /* owned: READ_WINDOW bytes of the file from window_at on */
    uint64_t window_at;
    size_t window_len;
    struct pq_bytes *page; /* owned */
    uint32_t page_left;    /* values, NULL or not */
    bool levels;           /* the page says which values are NULL */
    struct pq_rle defined;
    struct pq_values values;
    struct buf keep;            /* of values */
    struct pq_bytes *dict_page; /* owned */
    void *dict;                 /* owned: as shown */
    uint32_t dict_count;
    char *out; /* of the batch: its values and NULL bits, in the reader's arena */
    uint64_t *out_nulls;
    bool any_null;
};

struct pq_reader {
    struct mem_owner *owner; /* borrowed */
    struct pq_input in;
    struct pq_meta meta;
    struct pq_read_col *cols; /* owned */
    struct vec *vecs;         /* owned */
    uint32_t cols_count;
    bool wanted;
    uint32_t group;      /* the next */
    uint64_t group_left; /* rows of the one at hand */
    uint64_t bytes;
    struct arena arena;       /* of one batch */
    struct pq_bytes *retired; /* owned: pages that the batch may point into (I1) */
};

struct pq_page {
    int64_t type;
    int64_t size; /* unpacked */
    int64_t packed;
    int64_t values;
    int64_t encoding;
    int64_t level_encoding;
    int64_t levels_len; /* version 2: definition levels */
    int64_t repeats_len;
    bool is_packed;
    bool has_crc;
    uint32_t crc;
};

/* ---- opening ---- */

static int read_at(struct pq_reader *r, uint64_t at, void *to, size_t len, struct dn_err *err)
{
    int rc;

    if (at > r->in.size || len > r->in.size - at)
        return DN_FAIL(err, DN_E_BAD_COPY, "the Parquet file ends before its data");
    rc = r->in.read(r->in.arg, at, to, len, err);
    if (rc == 0)
        r->bytes += len;
    return rc;
}

static int read_footer(struct pq_reader *r, struct dn_err *err)
{
    uint8_t foot[READ_FOOT];
    uint8_t *bytes;
    uint32_t len;
    int rc;

    if (r->in.size < PQ_MAGIC_LEN + READ_FOOT)
        return DN_FAIL(err, DN_E_BAD_COPY, "the file is too short to be Parquet");
    rc = read_at(r, r->in.size - READ_FOOT, foot, sizeof foot, err);
    if (rc < 0)
        return rc;
    if (memcmp(foot + 4, "PARE", PQ_MAGIC_LEN) == 0)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "the Parquet file is encrypted");
    if (memcmp(foot + 4, PQ_MAGIC, PQ_MAGIC_LEN) != 0)
        return DN_FAIL(err, DN_E_BAD_COPY, "the file is not Parquet, or is cut off");
    len = le_get32(foot);
    if (len > r->in.size - PQ_MAGIC_LEN - READ_FOOT)
        return DN_FAIL(err, DN_E_BAD_COPY, "the footer of the Parquet file is damaged");
    bytes = arena_alloc(&r->meta.arena, len);
    if (!bytes)
        return DN_FAIL_NOMEM(err);
    rc = read_at(r, r->in.size - READ_FOOT - len, bytes, len, err);
    return rc < 0 ? rc : pq_meta_read(bytes, len, r->in.size, &r->meta, err);
}

int pq_open(const struct pq_input *in,
            struct mem_owner *owner,
            struct pq_reader **ret,
            struct dn_err *err)
{
    struct pq_reader *r = mem_calloc(owner, 1, sizeof(*r));
    int rc;

    *ret = NULL;
    if (!r) {
        if (in->close)
            in->close(in->arg);
        return DN_FAIL_NOMEM(err);
    }
    r->in = *in;
    r->owner = owner;
    arena_init(&r->meta.arena, owner);
    arena_init(&r->arena, owner);
    rc = read_footer(r, err);
    if (rc < 0) {
        pq_close(r);
        return rc;
    }
    *ret = r;
    return 0;
}

static void bytes_free(struct pq_bytes *b)
{
    while (b) {
        struct pq_bytes *next = b->next;

        mem_free(b);
        b = next;
    }
}

static void col_clear(struct pq_read_col *c)
{
    mem_free(c->dict);
    bytes_free(c->dict_page);
    bytes_free(c->page);
    c->dict = NULL;
    c->dict_page = NULL;
    c->page = NULL;
    c->dict_count = 0;
    c->page_left = 0;
}

void pq_close(struct pq_reader *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->cols_count; i++) {
        col_clear(&r->cols[i]);
        buf_done(&r->cols[i].keep);
        mem_free(r->cols[i].window);
    }
    bytes_free(r->retired);
    mem_free(r->cols);
    mem_free(r->vecs);
    arena_done(&r->arena);
    arena_done(&r->meta.arena);
    if (r->in.close)
        r->in.close(r->in.arg);
    mem_free(r);
}

uint32_t pq_columns(const struct pq_reader *r, const struct pq_column **ret)
{
    *ret = r->meta.shown;
    return r->meta.fields_count;
}

uint64_t pq_rows(const struct pq_reader *r)
{
    return r->meta.rows;
}

uint64_t pq_bytes(const struct pq_reader *r)
{
    return r->bytes;
}

int pq_want(struct pq_reader *r, const uint32_t *columns, uint32_t count, struct dn_err *err)
{
    DN_ASSERT(!r->wanted);
    r->wanted = true;
    r->cols = mem_calloc(r->owner, (size_t)count + 1, sizeof(*r->cols));
    r->vecs = mem_calloc(r->owner, (size_t)count + 1, sizeof(*r->vecs));
    if (!r->cols || !r->vecs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct pq_field *f;

        DN_ASSERT(columns[i] < r->meta.fields_count);
        f = &r->meta.fields[columns[i]];
        if (f->shown.refused) {
            int rc = DN_FAIL(err,
                             DN_E_UNSUPPORTED,
                             "column \"%s\" of the Parquet file cannot be read: %s",
                             f->shown.name,
                             f->shown.refused);

            dn_err_hint(err,
                        "Name the columns you want: SELECT … FROM the file reads those alone.");
            return rc;
        }
        r->cols[i].field = f;
        buf_init(&r->cols[i].keep, r->owner);
        r->cols[i].window = mem_alloc(r->owner, READ_WINDOW);
        r->cols_count = i + 1;
        if (!r->cols[i].window)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int want_all(struct pq_reader *r, struct dn_err *err)
{
    uint32_t count = r->meta.fields_count;
    uint32_t *all = arena_alloc_array(&r->meta.arena, (size_t)count + 1, sizeof(*all));

    if (!all)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        all[i] = i;
    return pq_want(r, all, count, err);
}

/* ---- row groups ---- */

static int group_begin(struct pq_reader *r, struct dn_err *err)
{
    const struct pq_chunk *chunks = r->meta.chunks + (size_t)r->group * r->meta.leaves;
    const struct pq_group *g = &r->meta.groups[r->group];

    for (uint32_t i = 0; i < r->cols_count; i++) {
        struct pq_read_col *c = &r->cols[i];
        const struct pq_chunk *chunk = &chunks[c->field->leaf];

        col_clear(c);
        if (!chunk->there || chunk->phys != (int32_t)c->field->phys || chunk->values != g->rows)
            return DN_FAIL(err,
                           DN_E_BAD_COPY,
                           "column \"%s\": the footer of the Parquet file is damaged",
                           c->field->shown.name);
        if (pq_codec_refusal(chunk->codec))
            return DN_FAIL(err,
                           DN_E_UNSUPPORTED,
                           "column \"%s\" is packed by %s, which Dendro does not read",
                           c->field->shown.name,
                           pq_codec_refusal(chunk->codec));
        c->at = chunk->at;
        c->end = chunk->at + chunk->bytes;
        c->left = chunk->values;
        c->codec = chunk->codec;
        c->window_len = 0;
    }
    r->group_left = g->rows;
    r->group++;
    return 0;
}

/* ---- pages ---- */

/* Of the three kinds of data pages' heads. */
static void page_detail(struct rd *in, struct pq_page *p, int64_t kind)
{
    struct thrift_field f = {.id = 0};

    while (thrift_next(in, &f)) {
        if (f.id == 1)
            p->values = thrift_int(in, &f);
        else if ((kind == PQ_PAGE_DATA2 && f.id == 4) || (kind != PQ_PAGE_DATA2 && f.id == 2))
            p->encoding = thrift_int(in, &f);
        else if (kind == PQ_PAGE_DATA && f.id == 3)
            p->level_encoding = thrift_int(in, &f);
        else if (kind == PQ_PAGE_DATA2 && f.id == 5)
            p->levels_len = thrift_int(in, &f);
        else if (kind == PQ_PAGE_DATA2 && f.id == 6)
            p->repeats_len = thrift_int(in, &f);
        else if (kind == PQ_PAGE_DATA2 && f.id == 7)
            p->is_packed = thrift_bool(in, &f);
        else
            thrift_skip(in, &f);
    }
}

static void page_head(struct rd *in, struct pq_page *p)
{
    struct thrift_field f = {.id = 0};

    *p = (struct pq_page){.type = -1, .encoding = -1, .level_encoding = PQ_RLE, .is_packed = true};
    while (thrift_next(in, &f)) {
        if (f.id == 1) {
            p->type = thrift_int(in, &f);
        } else if (f.id == 2) {
            p->size = thrift_int(in, &f);
        } else if (f.id == 3) {
            p->packed = thrift_int(in, &f);
        } else if (f.id == 4) {
            p->crc = (uint32_t)thrift_int(in, &f);
            p->has_crc = true;
        } else if ((f.id == 5 || f.id == 7 || f.id == 8) && thrift_is_struct(in, &f)) {
            page_detail(in, p, f.id == 5 ? PQ_PAGE_DATA : f.id == 7 ? PQ_PAGE_DICT : PQ_PAGE_DATA2);
        } else {
            thrift_skip(in, &f);
        }
    }
    if (p->size < 0 || p->size > PQ_PAGE_MAX || p->packed < 0 || p->packed > PQ_PAGE_MAX ||
        p->values < 0 || p->values > PQ_VALUES_MAX || p->levels_len < 0 ||
        p->levels_len > PQ_PAGE_MAX || p->repeats_len < 0 || p->repeats_len > PQ_PAGE_MAX)
        in->bad = true;
}

/* Fills the window with what follows, at least `want` bytes where the chunk has them. */
static int window_fill(struct pq_reader *r, struct pq_read_col *c, size_t want, struct dn_err *err)
{
    uint64_t left = c->end - c->at;
    size_t n = left < READ_WINDOW ? (size_t)left : READ_WINDOW;
    int rc;

    if (c->window_len > 0 && c->at >= c->window_at &&
        c->at - c->window_at + (want < n ? want : n) <= c->window_len)
        return 0;
    c->window_len = 0;
    rc = read_at(r, c->at, c->window, n, err);
    if (rc < 0)
        return rc;
    c->window_at = c->at;
    c->window_len = n;
    return 0;
}

static int
page_take_head(struct pq_reader *r, struct pq_read_col *c, struct pq_page *p, struct dn_err *err)
{
    struct rd in;
    size_t skip;
    int rc;

    for (size_t want = 256;; want = READ_WINDOW) {
        rc = window_fill(r, c, want, err);
        if (rc < 0)
            return rc;
        skip = (size_t)(c->at - c->window_at);
        in = rd_make(c->window + skip, c->window_len - skip);
        page_head(&in, p);
        if (!in.bad)
            break;
        if (want == READ_WINDOW)
            return DN_FAIL(err, DN_E_BAD_COPY, "a page's head is damaged");
    }
    c->at = c->window_at + (uint64_t)(in.p - c->window);
    if ((uint64_t)p->packed > c->end - c->at)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page is longer than its column");
    return 0;
}

static struct pq_bytes *bytes_new(struct pq_reader *r, size_t len)
{
    struct pq_bytes *b = mem_alloc(r->owner, sizeof(*b) + len);

    if (b) {
        b->next = NULL;
        b->len = len;
    }
    return b;
}

/* The bytes of a page as they lie in the file: from the window if they are there. */
static int page_take_bytes(struct pq_reader *r,
                           struct pq_read_col *c,
                           const struct pq_page *p,
                           struct pq_bytes **ret,
                           struct dn_err *err)
{
    struct pq_bytes *b = bytes_new(r, (size_t)p->packed);
    uint64_t have = c->window_at + c->window_len;
    int rc = 0;

    *ret = b;
    if (!b)
        return DN_FAIL_NOMEM(err);
    if (have >= c->at + (uint64_t)p->packed)
        memcpy(b->data, c->window + (c->at - c->window_at), b->len);
    else
        rc = read_at(r, c->at, b->data, b->len, err);
    if (rc < 0)
        return rc;
    c->at += (uint64_t)p->packed;
    if (p->has_crc && crc32(0, b->data, (uInt)b->len) != p->crc)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page does not fit its checksum");
    return 0;
}

/* Unpacks what is behind the first `plain` bytes, which are never packed. */
static int page_unpack(struct pq_reader *r,
                       const struct pq_read_col *c,
                       const struct pq_page *p,
                       size_t plain,
                       struct pq_bytes **page,
                       struct dn_err *err)
{
    struct pq_bytes *from = *page;
    struct pq_packed job;
    struct pq_bytes *to;
    int rc;

    if (plain > from->len || plain > (size_t)p->size)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page is damaged");
    if (!p->is_packed || c->codec == PQ_UNCOMPRESSED)
        return from->len == (size_t)p->size ? 0 : DN_FAIL(err, DN_E_BAD_COPY, "a page is damaged");
    to = bytes_new(r, (size_t)p->size);
    if (!to)
        return DN_FAIL_NOMEM(err);
    memcpy(to->data, from->data, plain);
    job = (struct pq_packed){.codec = c->codec,
                             .from = from->data + plain,
                             .len = from->len - plain,
                             .to = to->data + plain,
                             .size = (size_t)p->size - plain};
    rc = job.size == 0 && job.len == 0 ? 0 : pq_unpack(&job, r->owner, err);
    bytes_free(from);
    *page = to;
    return rc;
}

static int
dict_read(struct pq_reader *r, struct pq_read_col *c, const struct pq_page *p, struct dn_err *err)
{
    uint32_t n = (uint32_t)p->values;
    uint32_t raw_size = pq_raw_size(c->field);
    struct pq_values v;
    const char *bad;
    void *raw;
    int rc;

    if (c->dict || (p->encoding != PQ_PLAIN && p->encoding != PQ_PLAIN_DICTIONARY))
        return DN_FAIL(err, DN_E_BAD_COPY, "a dictionary is damaged");
    /* Each entry has bytes of its own, but empty ones of a FIXED that cannot be. */
    if (c->field->phys != PQ_BOOLEAN && n > c->dict_page->len)
        return DN_FAIL(err, DN_E_BAD_COPY, "a dictionary is damaged");
    bad = pq_values_begin(&v, c->field, PQ_PLAIN, c->dict_page->data, c->dict_page->len);
    DN_ASSERT(!bad);
    c->dict = mem_alloc_array(r->owner, (size_t)n + 1, pq_shown_size(c->field));
    raw = mem_alloc_array(r->owner, (size_t)n + 1, raw_size);
    rc = c->dict && raw ? pq_values_take(&v, n, &r->arena, raw) : DN_E_NOMEM;
    if (rc == 0) {
        bad = pq_convert(c->field, raw, n, c->dict);
        c->dict_count = n;
    }
    mem_free(raw);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (rc != 0)
        return DN_FAIL(err, DN_E_BAD_COPY, "a dictionary is damaged");
    return bad ? DN_FAIL(err, DN_E_BAD_COPY, "%s", bad) : 0;
}

/* The levels of a page, and where its values begin. */
static int
data_levels(struct pq_read_col *c, const struct pq_page *p, size_t *at, struct dn_err *err)
{
    const struct pq_bytes *page = c->page;
    uint32_t len;

    c->levels = c->field->optional;
    if (p->type == PQ_PAGE_DATA2) {
        *at = (size_t)(p->levels_len + p->repeats_len);
        len = (uint32_t)p->levels_len;
        if (c->levels)
            (void)pq_rle_begin(&c->defined, page->data + p->repeats_len, len, 1);
        return 0;
    }
    *at = 0;
    if (!c->levels)
        return 0;
    if (p->level_encoding != PQ_RLE)
        return DN_FAIL(
            err, DN_E_UNSUPPORTED, "a page has the encoding BIT_PACKED, which is out of use");
    if (page->len < 4)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page is damaged");
    len = le_get32(page->data);
    if (len > page->len - 4)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page is damaged");
    (void)pq_rle_begin(&c->defined, page->data + 4, len, 1);
    *at = 4 + (size_t)len;
    return 0;
}

static int data_begin(struct pq_read_col *c, const struct pq_page *p, struct dn_err *err)
{
    const struct pq_bytes *page = c->page;
    const char *bad;
    size_t at;
    int rc;

    if ((uint64_t)p->values > c->left)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page has more values than its column");
    rc = data_levels(c, p, &at, err);
    if (rc < 0)
        return rc;
    if (p->encoding < 0 || p->encoding > PQ_BYTE_STREAM_SPLIT)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "a page has an encoding that is not known");
    bad = pq_values_begin(
        &c->values, c->field, (enum pq_encoding)p->encoding, page->data + at, page->len - at);
    if (bad)
        return DN_FAIL(err, DN_E_BAD_COPY, "there is %s", bad);
    c->values.keep = &c->keep;
    c->page_left = (uint32_t)p->values;
    c->left -= (uint64_t)p->values;
    return 0;
}

/* The next page with values in it. */
static int page_next(struct pq_reader *r, struct pq_read_col *c, struct dn_err *err)
{
    struct pq_page p;
    struct pq_bytes *page;
    size_t plain;
    int rc;

    if (c->page) { /* I1 */
        c->page->next = r->retired;
        r->retired = c->page;
        c->page = NULL;
    }
    while (c->page_left == 0) {
        if (c->at >= c->end)
            return DN_FAIL(err, DN_E_BAD_COPY, "there are fewer values than rows");
        rc = page_take_head(r, c, &p, err);
        if (rc < 0)
            return rc;
        if (p.type != PQ_PAGE_DATA && p.type != PQ_PAGE_DATA2 && p.type != PQ_PAGE_DICT) {
            c->at += (uint64_t)p.packed;
            continue;
        }
        page = NULL;
        rc = page_take_bytes(r, c, &p, &page, err);
        plain = p.type == PQ_PAGE_DATA2 ? (size_t)(p.levels_len + p.repeats_len) : 0;
        if (rc == 0)
            rc = page_unpack(r, c, &p, plain, &page, err);
        if (rc < 0) {
            bytes_free(page);
            return rc;
        }
        bytes_free(p.type == PQ_PAGE_DICT ? c->dict_page : c->page);
        if (p.type == PQ_PAGE_DICT) {
            c->dict_page = page;
            rc = dict_read(r, c, &p, err);
        } else {
            c->page = page;
            rc = data_begin(c, &p, err);
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- values ---- */

/* Values by their numbers in the dictionary. */
static int take_dict(struct pq_reader *r, struct pq_read_col *c, uint32_t n, void *to)
{
    uint32_t size = pq_shown_size(c->field);
    uint32_t *codes = arena_alloc_array(&r->arena, (size_t)n + 1, sizeof(*codes));

    if (!codes)
        return DN_E_NOMEM;
    if (n > 0 && (!c->dict || !pq_rle_take(&c->values.rle, n, codes)))
        return 1;
    for (uint32_t i = 0; i < n; i++)
        if (codes[i] >= c->dict_count)
            return 1;
    if (size == sizeof(struct vstr)) {
        for (uint32_t i = 0; i < n; i++)
            ((struct vstr *)to)[i] = ((const struct vstr *)c->dict)[codes[i]];
    } else if (size == 8) {
        for (uint32_t i = 0; i < n; i++)
            ((uint64_t *)to)[i] = ((const uint64_t *)c->dict)[codes[i]];
    } else {
        for (uint32_t i = 0; i < n; i++)
            memcpy((char *)to + (size_t)i * size,
                   (const char *)c->dict + (size_t)codes[i] * size,
                   size);
    }
    return 0;
}

/* n values that are not NULL. 1: damaged; *bad: one of them is wrong. */
static int
take_values(struct pq_reader *r, struct pq_read_col *c, uint32_t n, void *to, const char **bad)
{
    const struct pq_field *f = c->field;
    void *raw = to;
    int rc;

    if (c->values.encoding == PQ_RLE_DICTIONARY || c->values.encoding == PQ_PLAIN_DICTIONARY)
        return take_dict(r, c, n, to);
    if (f->convert != PQ_AS_IS && f->convert != PQ_TO_UTF8) {
        raw = arena_alloc_array(&r->arena, (size_t)n + 1, pq_raw_size(f));
        if (!raw)
            return DN_E_NOMEM;
    }
    rc = pq_values_take(&c->values, n, &r->arena, raw);
    if (rc == 0)
        *bad = pq_convert(f, raw, n, to);
    return rc;
}

/* Moves k values apart to the rows that are not NULL, from the last on. */
static void spread(char *to, const uint32_t *defined, uint32_t n, uint32_t k, uint32_t size)
{
    for (uint32_t i = n; i-- > 0;) {
        if (defined[i]) {
            k--;
            if (k != i)
                memcpy(to + (size_t)i * size, to + (size_t)k * size, size);
        } else {
            memset(to + (size_t)i * size, 0, size);
        }
    }
}

/* n rows of the page, into rows [at, …) of the vector. */
static int
take_rows(struct pq_reader *r, struct pq_read_col *c, struct vec *v, uint32_t n, struct dn_err *err)
{
    uint32_t size = pq_shown_size(c->field);
    char *to = c->out + (size_t)v->count * size;
    uint32_t defined[PQ_BATCH_ROWS];
    const char *bad = NULL;
    uint32_t k = n;
    int rc = 0;

    if (c->levels) {
        if (!pq_rle_take(&c->defined, n, defined))
            rc = 1;
        k = 0;
        for (uint32_t i = 0; rc == 0 && i < n; i++) {
            if (defined[i] > 1)
                rc = 1;
            k += defined[i] == 1;
        }
    }
    if (rc == 0)
        rc = take_values(r, c, k, to, &bad);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (rc != 0)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page is damaged");
    if (bad)
        return DN_FAIL(err, DN_E_BAD_COPY, "%s", bad);
    if (k < n) {
        c->any_null = true;
        spread(to, defined, n, k, size);
        for (uint32_t i = 0; i < n; i++) {
            if (defined[i])
                continue;
            vec_bit_set(c->out_nulls, v->count + i);
            if (type_is_string(c->field->shown.type))
                ((struct vstr *)(void *)to)[i].ptr = "";
        }
    }
    v->count += n;
    c->page_left -= n;
    return 0;
}

static int take_column(struct pq_reader *r, uint32_t i, uint32_t rows, struct dn_err *err)
{
    struct pq_read_col *c = &r->cols[i];
    struct vec *v = &r->vecs[i];
    int rc = 0;

    *v = (struct vec){.type = c->field->shown.type, .form = VEC_FLAT};
    c->out = arena_alloc_array(&r->arena, rows, pq_shown_size(c->field));
    c->out_nulls = arena_calloc(&r->arena, VEC_BITMAP_WORDS(rows), sizeof(uint64_t));
    c->any_null = false;
    if (!c->out || !c->out_nulls)
        return DN_FAIL_NOMEM(err);
    while (rc == 0 && v->count < rows) {
        uint32_t n = rows - v->count;

        if (c->page_left == 0)
            rc = page_next(r, c, err);
        if (rc == 0)
            rc = take_rows(r, c, v, n < c->page_left ? n : c->page_left, err);
    }
    v->data = c->out;
    v->nulls = c->any_null ? c->out_nulls : NULL;
    if (rc < 0 && rc != DN_E_NOMEM)
        dn_err_prefix(err, "column \"%s\" of the Parquet file", c->field->shown.name);
    return rc;
}

int pq_next(struct pq_reader *r, struct batch *ret, struct dn_err *err)
{
    uint32_t rows;
    int rc = r->wanted ? 0 : want_all(r, err);

    if (rc < 0)
        return rc;
    while (r->group_left == 0) {
        if (r->group == r->meta.groups_count)
            return DN_EOF;
        rc = group_begin(r, err);
        if (rc < 0)
            return rc;
    }
    arena_reset(&r->arena);
    bytes_free(r->retired);
    r->retired = NULL;
    rows = r->group_left < PQ_BATCH_ROWS ? (uint32_t)r->group_left : PQ_BATCH_ROWS;
    for (uint32_t i = 0; i < r->cols_count; i++) {
        rc = take_column(r, i, rows, err);
        if (rc < 0)
            return rc;
    }
    r->group_left -= rows;
    *ret = (struct batch){
        .count = rows, .cols_count = r->cols_count, .cols = r->vecs, .sel_count = rows};
    return 0;
}
