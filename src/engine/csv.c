/* SPDX-License-Identifier: Apache-2.0
 *
 * csv.c: see the header. Cells are read as they are found; the value goes to the row's place in the
 * column's buffer at once. A row that turns out to be bad is written over by the next. Strings stay
 * where they are in the text; few different ones in a column share one place, so that whoever
 * copies them can tell equal ones by their address. */
#include "engine/csv.h"

#include "engine/csv_field.h"
#include "engine/csv_value.h"

#include "base/text.h"
#include "func/session.h"

#include <inttypes.h>

#define CSV_ROWS_FIRST   4096u /* room of fresh buffers */
#define CSV_ROWS_MAX     (1u << 30)
#define CSV_SHARE_SLOTS  256u /* different strings of a column that are remembered */
#define CSV_SHARE_LEN    64u  /* bytes; longer strings are not shared */
#define CSV_SHARE_TRIES  1024u
#define CSV_TIME_LEN     32u /* bytes of the time remembered */
#define CSV_EPOCH_DIGITS 19u

/* Strings seen before, by their first and last eight bytes. */
struct csv_share {
    uint32_t tries;
    uint32_t hits;
    struct {
        uint64_t head;
        uint64_t tail;
        const char *ptr; /* NULL: empty slot */
        uint32_t len;
    } slots[CSV_SHARE_SLOTS];
};

struct csv_col {
    uint16_t col; /* of the table */
    enum type_id type;
    bool not_null;
    bool not_zero;   /* the time that decides the quantum */
    bool key_string; /* its bytes count */
    size_t
        len_max; /* a text with more bytes may be too long: VARCHAR(n); SIZE_MAX: no parameters */
    struct colbuf buf;
    struct csv_share *share; /* owned; VARCHAR */
    char time_text[CSV_TIME_LEN];
    size_t time_len; /* 0: none remembered */
    int64_t time_value;
};

struct csv_run {
    struct csv_parser *p;
    struct csv_scan scan;
    bool ascii; /* the whole text, and no zero byte: no text in it needs a look */
    uint32_t cap;
    uint64_t key_bytes; /* of the row */
    uint64_t lines;     /* before the record */
    struct csv_bad *bad_last;
    bool row_bad;
    bool torn; /* quotes are in the wrong place: the number of cells means nothing */
};

/* ---- parsers ---- */

static bool csv_col_init(struct csv_col *c,
                         const struct intake_target *to,
                         uint16_t col,
                         struct mem_owner *owner)
{
    const struct table *t = to->table;
    const struct column *column = &t->columns[col];

    c->col = col;
    c->type = column->type;
    c->not_null = column->not_null;
    c->not_zero = t->time_col == (int)col && t->quantum_count > 0;
    c->key_string = column->key_pos > 0 && type_is_string(column->type);
    c->len_max = column->mods.count > 0 ? (size_t)column->mods.v[0] : SIZE_MAX;
    colbuf_init(&c->buf, c->type, owner, NULL);
    if (c->type == TYPE_VARCHAR)
        c->share = mem_calloc(owner, 1, sizeof(*c->share));
    return c->type != TYPE_VARCHAR || c->share;
}

/* How days and months are told apart. */
static bool csv_parser_session(struct csv_parser *p)
{
    const struct csv_layout *layout = p->layout;

    p->session = layout->to->session;
    if (layout->format.dates == 0)
        return true;
    p->own_session = mem_calloc(p->owner, 1, sizeof(*p->own_session));
    if (!p->own_session)
        return false;
    if (p->session)
        *p->own_session = *p->session;
    p->own_session->date_first = (enum date_first)(layout->format.dates - 1);
    p->session = p->own_session;
    return true;
}

struct csv_parser *csv_parser_new(const struct csv_layout *layout, struct mem_owner *owner)
{
    uint32_t n = layout->to->cols_count;
    struct csv_parser *p = mem_calloc(owner, 1, sizeof(*p));
    bool ok;

    if (!p)
        return NULL;
    p->layout = layout;
    p->owner = owner;
    arena_init(&p->arena, owner);
    p->cols = mem_calloc(owner, n, sizeof(*p->cols));
    ok = p->cols != NULL;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = csv_col_init(&p->cols[i], layout->to, layout->to->cols[i], owner);
    if (!ok || !csv_parser_session(p)) {
        csv_parser_free(p);
        return NULL;
    }
    return p;
}

void csv_parser_free(struct csv_parser *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; p->cols && i < p->layout->to->cols_count; i++) {
        colbuf_done(&p->cols[i].buf);
        mem_free(p->cols[i].share);
    }
    mem_free(p->cols);
    mem_free(p->own_session);
    arena_done(&p->arena);
    mem_free(p);
}

struct vec csv_parser_vec(const struct csv_parser *p, uint32_t i)
{
    return colbuf_vec(&p->cols[i].buf, 0, p->rows);
}

struct datum csv_parser_datum(const struct csv_parser *p, uint32_t i, uint32_t row)
{
    const struct colbuf *b = &p->cols[i].buf;
    struct vec v = {.type = b->type, .count = row + 1, .data = b->data, .nulls = b->nulls};

    return vec_datum(&v, row);
}

/* ---- bad rows ---- */

/* Out of memory is the only failure. */
static int csv_bad_row(struct csv_run *r,
                       const struct csv_col *c,
                       size_t start,
                       const struct dn_err *why,
                       struct dn_err *err)
{
    struct csv_parser *p = r->p;
    struct csv_bad *bad = arena_calloc(&p->arena, 1, sizeof(*bad));

    r->row_bad = true;
    if (!bad)
        return DN_FAIL_NOMEM(err);
    *bad = (struct csv_bad){.line = r->lines,
                            .record = r->scan.text + start,
                            .column = c ? p->layout->to->table->columns[c->col].name : NULL,
                            .code = why->code,
                            .reason = arena_strdup(&p->arena, why->text),
                            .hint = arena_strdup(&p->arena, why->hint)};
    if (!bad->reason || !bad->hint)
        return DN_FAIL_NOMEM(err);
    if (r->bad_last)
        r->bad_last->next = bad;
    else
        p->bad = bad;
    r->bad_last = bad;
    p->bad_count++;
    return 0;
}

/* ---- values ---- */

static int csv_null(struct csv_run *r, struct csv_col *c, struct dn_err *err)
{
    struct datum d = {.type = c->type, .null = true};
    uint64_t *nulls;

    if (c->not_null)
        return intake_check(r->p->layout->to->table, c->col, &d, err);
    nulls = colbuf_nulls(&c->buf);
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    vec_bit_set(nulls, r->p->rows);
    datum_store(&d, c->buf.data, r->p->rows);
    return 0;
}

/* A whole number in a time column; false: it is something else. */
static bool csv_epoch(const struct csv_format *f,
                      const struct csv_col *c,
                      const char *text,
                      size_t len,
                      struct datum *ret)
{
    bool negative = len > 0 && text[0] == '-';
    size_t digits = len - negative;
    int64_t v = 0;

    if (digits == 0 || digits > CSV_EPOCH_DIGITS)
        return false;
    if (f->epoch < 0 && !negative && (digits == 4 || digits == 8))
        return false;
    for (size_t i = negative; i < len; i++)
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(v, (int64_t)10, &v) ||
            __builtin_sub_overflow(v, (int64_t)(text[i] - '0'), &v)) /* downwards, as INT64_MIN */
            return false;
    if ((!negative && __builtin_sub_overflow((int64_t)0, v, &v)) ||
        (f->epoch == 0 && __builtin_mul_overflow(v, (int64_t)1000, &v)))
        return false;
    *ret = (struct datum){.type = f->epoch < 0    ? c->type
                                  : f->epoch == 9 ? TYPE_TIMESTAMP_NS
                                  : f->epoch == 6 ? TYPE_TIMESTAMP_US
                                                  : TYPE_TIMESTAMP,
                          .v = {.i64 = v}};
    return true;
}

/* Everything that is not written in the usual way, and what is wrong. */
static int
csv_slow(struct csv_run *r, struct csv_col *c, const struct csv_field *f, struct dn_err *err)
{
    const struct csv_layout *layout = r->p->layout;
    struct intake_value v = {
        .d = {.type = TYPE_VARCHAR, .str = {.ptr = f->text, .len = (uint32_t)f->len}},
        .untyped = true};
    struct datum d;
    int rc;

    if (type_is_timestamp(c->type) && csv_epoch(&layout->format, c, f->text, f->len, &d)) {
        v.d = d;
        v.untyped = false;
    }
    rc = intake_assign(layout->to->table, c->col, &v, r->p->session, &r->p->arena, &d, err);
    if (rc < 0)
        return rc;
    if (type_is_string(c->type) && d.str.len == 0)
        d.str.ptr = "";
    datum_store(&d, c->buf.data, r->p->rows);
    if (c->key_string)
        r->key_bytes += d.str.len;
    return 0;
}

static inline uint64_t csv_load64(const char *text)
{
    uint64_t v;

    memcpy(&v, text, sizeof v);
    return v;
}

/* The place of an equal string seen before, or of this one. Up to 8 bytes behind a short string
 * are read: they are there, see CSV_PAD. */
static inline const char *csv_shared(struct csv_share *share, const char *text, uint32_t len)
{
    uint64_t head;
    uint64_t tail;
    uint64_t hash;
    uint32_t slot;

    if (len > CSV_SHARE_LEN || (share->tries >= CSV_SHARE_TRIES && share->hits < share->tries / 2))
        return text;
    share->tries++;
    if (len >= 8) {
        head = csv_load64(text);
        tail = csv_load64(text + len - 8);
    } else {
        unsigned cut = 64 - 8 * len;

        head = csv_load64(text);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        head = head << cut;
#else
        head = head >> cut;
#endif
        tail = 0;
    }
    hash = (head ^ (tail << 23 | tail >> 41) ^ len) * 0x9e3779b97f4a7c15u;
    slot = (uint32_t)(hash >> 56);
    if (share->slots[slot].len == len && share->slots[slot].head == head &&
        share->slots[slot].tail == tail && share->slots[slot].ptr &&
        (len <= 16 || memcmp(share->slots[slot].ptr, text, len) == 0)) {
        share->hits++;
        return share->slots[slot].ptr;
    }
    share->slots[slot].head = head;
    share->slots[slot].tail = tail;
    share->slots[slot].len = len;
    share->slots[slot].ptr = text;
    return text;
}

static int csv_bad_utf8(struct dn_err *err)
{
    (void)DN_FAIL(err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
    dn_err_hint(err,
                "If it is written in another encoding, name it: COPY … (ENCODING 'LATIN1'), dendro "
                "import --encoding latin1.");
    return DN_E_BAD_ENCODING;
}

static int
csv_string(struct csv_run *r, struct csv_col *c, const struct csv_field *f, struct dn_err *err)
{
    struct vstr *to = (struct vstr *)c->buf.data + r->p->rows;
    bool inside = f->text >= r->scan.text && f->text < r->scan.text + r->scan.len;

    if (f->len > c->len_max)
        return csv_slow(r, c, f, err);
    if (!r->ascii && !text_value_valid(f->text, f->len))
        return csv_bad_utf8(err);
    if (f->len == 0)
        *to = (struct vstr){.ptr = "", .len = 0};
    else
        *to =
            (struct vstr){.ptr = inside ? csv_shared(c->share, f->text, (uint32_t)f->len) : f->text,
                          .len = (uint32_t)f->len};
    if (c->key_string)
        r->key_bytes += f->len;
    return 0;
}

static int
csv_time(struct csv_run *r, struct csv_col *c, const struct csv_field *f, struct dn_err *err)
{
    int64_t *to = (int64_t *)c->buf.data + r->p->rows;

    if (f->len > 0 && f->len == c->time_len && memcmp(f->text, c->time_text, c->time_len) == 0) {
        *to = c->time_value;
        return 0;
    }
    if (!csv_read_time(f->text, f->len, c->type, to) || (c->not_zero && *to == 0)) {
        int rc = csv_slow(r, c, f, err);

        if (rc < 0)
            return rc;
    }
    if (f->len > 0 && f->len <= sizeof c->time_text) {
        memcpy(c->time_text, f->text, f->len);
        c->time_len = f->len;
        c->time_value = *to;
    }
    return 0;
}

static int
csv_int(struct csv_run *r, struct csv_col *c, const struct csv_field *f, struct dn_err *err)
{
    uint32_t row = r->p->rows;
    int64_t v;

    if (!csv_read_int(f->text, f->len, &v))
        return csv_slow(r, c, f, err);
    if (c->type == TYPE_BIGINT)
        ((int64_t *)c->buf.data)[row] = v;
    else if (c->type == TYPE_INTEGER && v >= INT32_MIN && v <= INT32_MAX)
        ((int32_t *)c->buf.data)[row] = (int32_t)v;
    else if (c->type == TYPE_SMALLINT && v >= INT16_MIN && v <= INT16_MAX)
        ((int16_t *)c->buf.data)[row] = (int16_t)v;
    else
        return csv_slow(r, c, f, err);
    return 0;
}

static int
csv_value(struct csv_run *r, struct csv_col *c, const struct csv_field *f, struct dn_err *err)
{
    uint32_t row = r->p->rows;
    int64_t v;
    double real;

    switch ((int)c->type) {
    case TYPE_DOUBLE:
        if (csv_read_double(f->text, f->len, (double *)c->buf.data + row))
            return 0;
        break;
    case TYPE_VARCHAR:
        return csv_string(r, c, f, err);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_US:
    case TYPE_TIMESTAMP_NS:
        if (c->len_max != SIZE_MAX) /* TIMESTAMP(2): to be rounded */
            break;
        return csv_time(r, c, f, err);
    case TYPE_BIGINT:
    case TYPE_INTEGER:
    case TYPE_SMALLINT:
        return csv_int(r, c, f, err);
    case TYPE_REAL:
        if (csv_read_real(f->text, f->len, &real)) {
            ((float *)c->buf.data)[row] = (float)real;
            return 0;
        }
        break;
    case TYPE_BOOLEAN:
        if (csv_read_bool(f->text, f->len, &v)) {
            ((int8_t *)c->buf.data)[row] = (int8_t)v;
            return 0;
        }
        break;
    case TYPE_BLOB:
    case TYPE_INTERVAL:
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMETZ:
    case TYPE_BIT:
    case TYPE_VARBIT:
    case TYPE_TIMESTAMPTZ:
    case TYPE_UUID:
    case TYPE_NUMERIC:
    case TYPE_BPCHAR:
    default: /* no column has others */
        break;
    }
    return csv_slow(r, c, f, err);
}

/* ---- records ---- */

static bool csv_is_null(const struct csv_format *f, const struct csv_field *field)
{
    return !field->quoted && field->len == f->null_text.len &&
           (field->len == 0 || memcmp(field->text, f->null_text.ptr, field->len) == 0);
}

/* A number in a text with decimal commas. */
static int
csv_comma(struct csv_run *r, struct csv_col *c, const struct csv_field *f, struct dn_err *err)
{
    struct csv_field plain = *f;
    char *to = arena_alloc(&r->p->arena, f->len);

    if (!to)
        return DN_FAIL_NOMEM(err);
    plain.len = csv_read_comma(f->text, f->len, to);
    plain.text = to;
    if (plain.len == 0)
        return DN_FAIL(err,
                       DN_E_BAD_TEXT,
                       "\"%.*s\" is no number with a decimal comma",
                       f->len < 100 ? (int)f->len : 100,
                       f->text);
    return csv_value(r, c, &plain, err);
}

static int
csv_cell_put(struct csv_run *r, struct csv_col *c, const struct csv_field *f, struct dn_err *err)
{
    if (DN_UNLIKELY(f->trouble != NULL))
        return DN_FAIL(err, DN_E_BAD_TEXT, "%s", f->trouble);
    if (csv_is_null(&r->p->layout->format, f))
        return csv_null(r, c, err);
    if (DN_UNLIKELY(f->len > CSV_CELL_MAX))
        return DN_FAIL(
            err, DN_E_TOO_LONG, "a cell of %zu bytes is longer than %u", f->len, CSV_CELL_MAX);
    if (DN_UNLIKELY(r->p->layout->format.comma) && type_is_number(c->type) && f->len > 0)
        return csv_comma(r, c, f, err);
    return csv_value(r, c, f, err);
}

/* A row that is not kept leaves no NULL behind. */
static void csv_undo_row(struct csv_run *r)
{
    uint32_t row = r->p->rows;

    for (uint32_t i = 0; i < r->p->layout->to->cols_count; i++) {
        uint64_t *nulls = r->p->cols[i].buf.nulls;

        if (nulls)
            nulls[row >> 6] &= ~((uint64_t)1 << (row & 63));
    }
}

static bool csv_grow(struct csv_run *r)
{
    uint32_t cap = r->cap ? r->cap * 2 : CSV_ROWS_FIRST;

    if (cap > CSV_ROWS_MAX)
        return false;
    for (uint32_t i = 0; i < r->p->layout->to->cols_count; i++)
        if (!colbuf_reserve(&r->p->cols[i].buf, cap))
            return false;
    r->cap = cap;
    return true;
}

/* Is there nothing on the line? */
static bool csv_empty_line(const struct csv_scan *s, size_t at)
{
    at += s->text[at] == '\r';
    return at >= s->len || s->text[at] == '\n';
}

/* The cell number `field` of the record that begins at start. */
static int csv_record_cell(
    struct csv_run *r, size_t start, uint64_t field, const struct csv_field *f, struct dn_err *err)
{
    const struct csv_layout *layout = r->p->layout;
    uint32_t to = layout->fields[field];
    struct csv_col *c = to == CSV_SKIP ? NULL : &r->p->cols[to];
    struct dn_err why;
    int rc = 0;

    if (c)
        rc = csv_cell_put(r, c, f, &why);
    else if (f->trouble)
        rc = DN_FAIL(&why, DN_E_BAD_TEXT, "%s", f->trouble);
    if (DN_LIKELY(rc == 0))
        return 0;
    return rc == DN_E_NOMEM ? DN_FAIL_NOMEM(err) : csv_bad_row(r, c, start, &why, err);
}

/* Keeps the row, or not. end: behind the record. */
static int
csv_record_end(struct csv_run *r, size_t start, size_t end, uint64_t fields, struct dn_err *err)
{
    const struct csv_layout *layout = r->p->layout;
    struct dn_err why = {.code = 0};
    int rc;

    if (fields != layout->fields_count)
        DN_IGNORE(DN_FAIL(&why,
                          DN_E_ENTRY_COUNT,
                          "%" PRIu64 " values for %u columns",
                          fields,
                          layout->fields_count)); /* goes into the list */
    else if (r->key_bytes > INTAKE_KEY_BYTES_MAX)
        DN_IGNORE(DN_FAIL(&why,
                          DN_E_TOO_LONG,
                          "the key's text is longer than %u bytes",
                          INTAKE_KEY_BYTES_MAX)); /* goes into the list */
    else if (r->p->check && !r->row_bad &&
             r->p->check(r->p, r->p->rows, r->p->check_arg, &why) == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (DN_LIKELY(!why.code && !r->row_bad)) {
        r->p->rows++;
        return 0;
    }
    if (!r->row_bad) {
        rc = csv_bad_row(r, NULL, start, &why, err);
        if (rc < 0)
            return rc;
    } else if (why.code == DN_E_ENTRY_COUNT && !r->torn) {
        /* No wonder that a value did not fit. */
        r->bad_last->column = NULL;
        r->bad_last->code = why.code;
        r->bad_last->hint = "";
        r->bad_last->reason = arena_strdup(&r->p->arena, why.text);
        if (!r->bad_last->reason)
            return DN_FAIL_NOMEM(err);
    }
    while (end > start && (r->scan.text[end - 1] == '\n' || r->scan.text[end - 1] == '\r'))
        end--;
    r->bad_last->record_len = end - start;
    csv_undo_row(r);
    return 0;
}

/* One record from *at on. */
static int csv_record(struct csv_run *r, size_t *at, struct dn_err *err)
{
    const struct csv_layout *layout = r->p->layout;
    size_t start = *at;
    uint64_t lines = 1;
    uint64_t fields = 0;
    struct csv_field f;
    int rc;

    if (DN_UNLIKELY(layout->fields_count > 1 && csv_empty_line(&r->scan, start))) {
        *at = csv_scan_next(&r->scan) + 1;
        r->lines++;
        return 0;
    }
    r->key_bytes = layout->to->key_bytes;
    r->row_bad = false;
    r->torn = false;
    do {
        if (!csv_field_next(&r->scan, *at, &r->p->arena, &lines, &f))
            return DN_FAIL_NOMEM(err);
        *at = f.next;
        r->torn = r->torn || f.trouble;
        if (DN_LIKELY(fields < layout->fields_count && !r->row_bad)) {
            rc = csv_record_cell(r, start, fields, &f, err);
            if (rc < 0)
                return rc;
        }
        fields++;
    } while (!f.last);
    rc = csv_record_end(r, start, *at < r->scan.len ? *at : r->scan.len, fields, err);
    r->lines += lines;
    return rc;
}

static void csv_parser_reset(struct csv_parser *p)
{
    arena_reset(&p->arena);
    p->rows = 0;
    p->lines = 0;
    p->bad = NULL;
    p->bad_count = 0;
    for (uint32_t i = 0; i < p->layout->to->cols_count; i++) {
        struct csv_col *c = &p->cols[i];

        colbuf_reset(&c->buf);
        if (c->share)
            memset(c->share, 0, sizeof(*c->share));
        c->time_len = 0;
    }
}

int csv_parse(struct csv_parser *p, const char *text, size_t len, struct dn_err *err)
{
    struct csv_run r = {
        .p = p, .ascii = csv_ascii(text, len) && !memchr(text, '\0', len), .cap = UINT32_MAX};
    size_t at = 0;
    int rc = 0;

    csv_parser_reset(p);
    if (len == 0)
        return 0;
    for (uint32_t i = 0; i < p->layout->to->cols_count; i++)
        r.cap = p->cols[i].buf.cap < r.cap ? p->cols[i].buf.cap : r.cap;
    csv_scan_init(&r.scan, text, len, p->layout->format.delimiter, p->layout->format.quote);
    while (at < len && rc == 0 && (p->bad_count == 0 || p->layout->go_on)) {
        if (p->rows == r.cap && !csv_grow(&r))
            return DN_FAIL_NOMEM(err);
        rc = csv_record(&r, &at, err);
    }
    for (uint32_t i = 0; i < p->layout->to->cols_count; i++)
        p->cols[i].buf.count = p->rows;
    p->lines = r.lines;
    return rc;
}
