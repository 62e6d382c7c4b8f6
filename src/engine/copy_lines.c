/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_lines.c: the text and csv formats of COPY, as PostgreSQL 15 reads them, record by record.
 *
 * A record is a line; in csv a line feed between quotes belongs to it, in text one behind a
 * backslash. Lines end as the first one does: \n, \r\n or \r; other line ends are refused, since
 * they are a sign of damage. A line of nothing but \. is the end, whatever follows. */
#include "engine/copy.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define LINES_READ_BYTES (64u * 1024)

void copy_lines_init(struct copy_lines *l,
                     const struct stmt_copy *copy,
                     struct csv_source *source,
                     struct mem_owner *owner)
{
    *l = (struct copy_lines){.copy = copy, .source = source, .owner = owner};
    buf_init(&l->bytes, owner);
    buf_init(&l->text, owner);
}

void copy_lines_done(struct copy_lines *l)
{
    buf_done(&l->bytes);
    buf_done(&l->text);
    mem_free(l->fields);
    mem_free(l->ends);
}

/* More bytes behind those at hand; at their end l->eof is set. */
static int lines_fill(struct copy_lines *l, struct dn_err *err)
{
    size_t want = LINES_READ_BYTES;
    uint8_t *to;
    size_t n;
    int rc;

    if (l->at > 0) {
        memmove(l->bytes.data, l->bytes.data + l->at, l->bytes.len - l->at);
        l->bytes.len -= l->at;
        l->at = 0;
    }
    if (l->bytes.len > CSV_RECORD_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "a record is longer than %u bytes", CSV_RECORD_MAX);
    if (l->bytes.len > want)
        want = l->bytes.len; /* a long record is not looked through again and again */
    to = buf_extend(&l->bytes, want);
    if (!to)
        return DN_FAIL_NOMEM(err);
    rc = csv_source_read(l->source, to, want, &n, err);
    if (rc < 0)
        return rc;
    l->bytes.len -= want - n;
    l->eof = n < want;
    return 0;
}

static int lines_bad(struct dn_err *err, const char *what, const char *hint)
{
    int rc = DN_FAIL(err, DN_E_BAD_COPY, "%s", what);

    if (hint)
        dn_err_hint(err, "%s", hint);
    return rc;
}

/* ---- where a record ends ---- */

struct lines_end {
    size_t len;  /* of the record, without its end */
    size_t next; /* where the next one begins */
};

/* The end of line that begins at p: its length, 0 = none. The first one says how all are. */
static int
lines_eol(struct copy_lines *l, const char *p, size_t left, bool quoted, struct dn_err *err)
{
    bool csv = l->copy->kind == COPY_CSV;
    size_t n = p[0] == '\r' && left > 1 && p[1] == '\n' ? 2 : 1;

    if (p[0] != '\n' && p[0] != '\r')
        return 0;
    if (quoted)
        return 0;
    if (!l->eol[0]) {
        memcpy(l->eol, p, n);
        return (int)n;
    }
    if (strlen(l->eol) <= left && memcmp(l->eol, p, strlen(l->eol)) == 0)
        return (int)strlen(l->eol);
    if (p[0] == '\r')
        return lines_bad(err,
                         csv ? "unquoted carriage return found in data"
                             : "literal carriage return found in data",
                         csv ? "Use quoted CSV field to represent carriage return."
                             : "Use \"\\r\" to represent carriage return.");
    return lines_bad(err,
                     csv ? "unquoted newline found in data" : "literal newline found in data",
                     csv ? "Use quoted CSV field to represent newline."
                         : "Use \"\\n\" to represent newline.");
}

/* DN_NOT_FOUND: more bytes are needed. */
static int lines_find(struct copy_lines *l, struct lines_end *ret, struct dn_err *err)
{
    const char *text = l->bytes.data ? (const char *)l->bytes.data + l->at : "";
    size_t len = l->bytes.len - l->at;
    bool csv = l->copy->kind == COPY_CSV;
    char quote = l->copy->format.quote;
    char escape = l->copy->escape;
    bool in_quote = false;
    uint64_t lines = 1;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        int n;

        if (c == '\r' && i + 1 == len && !l->eof)
            return DN_NOT_FOUND; /* a \n may follow */
        n = lines_eol(l, text + i, len - i, in_quote, err);
        if (n < 0)
            return n;
        if (n > 0) {
            *ret = (struct lines_end){.len = i, .next = i + (size_t)n};
            l->lines += lines;
            return 0;
        }
        lines += c == '\n';
        if (!csv && c == '\\') {
            if (i + 1 < len)
                lines += text[i + 1] == '\n';
            i++; /* what follows is data, a line feed too */
        } else if (csv && in_quote && c == escape && escape != quote && i + 1 < len &&
                   (text[i + 1] == escape || text[i + 1] == quote)) {
            i++;
        } else if (csv && c == quote) {
            in_quote = !in_quote;
        }
    }
    if (!l->eof)
        return DN_NOT_FOUND;
    if (in_quote)
        return lines_bad(err, "unterminated CSV quoted field", NULL);
    *ret = (struct lines_end){.len = len, .next = len};
    l->lines += lines;
    return len > 0 ? 0 : DN_EOF;
}

/* ---- fields ---- */

static int lines_grow(struct copy_lines *l, struct dn_err *err)
{
    uint32_t cap = l->fields_cap ? l->fields_cap * 2 : 32;
    struct copy_field *fields = mem_realloc(l->owner, l->fields, cap * sizeof(*fields));
    size_t *ends;

    if (!fields)
        return DN_FAIL_NOMEM(err);
    l->fields = fields;
    ends = mem_realloc(l->owner, l->ends, cap * sizeof(*ends));
    if (!ends)
        return DN_FAIL_NOMEM(err);
    l->ends = ends;
    l->fields_cap = cap;
    return 0;
}

static int lines_end_field(struct copy_lines *l, bool null, struct dn_err *err)
{
    int rc = l->fields_count < l->fields_cap ? 0 : lines_grow(l, err);

    if (rc < 0)
        return rc;
    l->fields[l->fields_count].null = null;
    l->ends[l->fields_count++] = l->text.len;
    return 0;
}

static int lines_hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* What stands behind a backslash; returns how many bytes of it. */
static size_t lines_escape(struct copy_lines *l, const char *p, size_t left)
{
    static const char letters[] = "bfnrtv";
    static const char plain[] = "\b\f\n\r\t\v";
    const char *known = p[0] ? strchr(letters, p[0]) : NULL;
    unsigned v = 0;
    size_t n = 0;

    if (known) {
        buf_u8(&l->text, (uint8_t)plain[known - letters]);
        return 1;
    }
    while (n < 3 && n < left && p[n] >= '0' && p[n] <= '7')
        v = v * 8 + (unsigned)(p[n++] - '0');
    if (n > 0) {
        buf_u8(&l->text, (uint8_t)v);
        return n;
    }
    if (p[0] == 'x' && left > 1 && lines_hex(p[1]) >= 0) {
        for (n = 1; n < 3 && n < left && lines_hex(p[n]) >= 0; n++)
            v = v * 16 + (unsigned)lines_hex(p[n]);
        buf_u8(&l->text, (uint8_t)v);
        return n;
    }
    buf_u8(&l->text, (uint8_t)p[0]);
    return 1;
}

static bool lines_is_null(const struct copy_lines *l, const char *p, size_t len)
{
    const struct vstr *null = &l->copy->format.null_text;

    return len == null->len && (len == 0 || memcmp(p, null->ptr, len) == 0);
}

static int lines_text_fields(struct copy_lines *l, const char *p, size_t len, struct dn_err *err)
{
    size_t start = 0;
    size_t i = 0;
    int rc = 0;

    while (rc == 0) {
        if (i < len && p[i] == '\\' && i + 1 < len) {
            i += 1 + lines_escape(l, p + i + 1, len - i - 1);
            continue;
        }
        if (i < len && p[i] != l->copy->format.delimiter) {
            buf_u8(&l->text, (uint8_t)p[i++]);
            continue;
        }
        rc = lines_end_field(l, lines_is_null(l, p + start, i - start), err);
        if (i >= len)
            break;
        start = ++i;
    }
    return rc;
}

static int lines_csv_fields(struct copy_lines *l, const char *p, size_t len, struct dn_err *err)
{
    char quote = l->copy->format.quote;
    char escape = l->copy->escape;
    size_t i = 0;
    int rc = 0;

    while (rc == 0) {
        size_t from = l->text.len;
        uint32_t field = l->fields_count;
        bool quoted = false;
        bool in_quote = false;
        bool null;

        for (; i < len && (in_quote || p[i] != l->copy->format.delimiter); i++) {
            if (in_quote && p[i] == escape && i + 1 < len &&
                (p[i + 1] == escape || p[i + 1] == quote)) {
                buf_u8(&l->text, (uint8_t)p[++i]);
            } else if (p[i] == quote) {
                in_quote = !in_quote;
                quoted = true;
            } else {
                buf_u8(&l->text, (uint8_t)p[i]);
            }
        }
        if (l->text.failed)
            break;
        null = lines_is_null(
            l, l->text.data ? (const char *)l->text.data + from : "", l->text.len - from);
        if (quoted)
            null = null && field < l->flags_count && l->force_null && l->force_null[field];
        else if (field < l->flags_count && l->not_null && l->not_null[field])
            null = false;
        rc = lines_end_field(l, null, err);
        if (i >= len)
            break;
        i++;
    }
    return rc;
}

/* Is it the end of all data? < 0: something like it that is not. */
static int lines_is_last(const struct copy_lines *l, const char *p, size_t len, struct dn_err *err)
{
    if (len < 2 || p[0] != '\\' || p[1] != '.')
        return 0;
    if (len == 2)
        return 1;
    return l->copy->kind == COPY_TEXT ? lines_bad(err, "end-of-copy marker corrupt", NULL) : 0;
}

int copy_lines_next(struct copy_lines *l, struct dn_err *err)
{
    struct lines_end end;
    const char *p;
    size_t at = 0;
    int rc;

    l->line = l->lines + 1;
    while ((rc = lines_find(l, &end, err)) == DN_NOT_FOUND) {
        rc = lines_fill(l, err);
        if (rc < 0)
            return rc;
    }
    if (rc != 0)
        return rc;
    p = l->bytes.data ? (const char *)l->bytes.data + l->at : "";
    l->at += end.next;
    rc = lines_is_last(l, p, end.len, err);
    if (rc != 0)
        return rc < 0 ? rc : DN_EOF;
    buf_reset(&l->text);
    l->fields_count = 0;
    if (l->no_columns && end.len == 0)
        return 0;
    rc = l->copy->kind == COPY_CSV ? lines_csv_fields(l, p, end.len, err)
                                   : lines_text_fields(l, p, end.len, err);
    if (rc == 0 && l->text.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc < 0)
        return rc;
    if (!text_value_valid(l->text.len ? (const char *)l->text.data : "", l->text.len))
        return DN_FAIL(err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
    for (uint32_t i = 0; i < l->fields_count; i++) {
        l->fields[i].text = (struct vstr){.ptr = l->text.len ? (const char *)l->text.data + at : "",
                                          .len = (uint32_t)(l->ends[i] - at)};
        at = l->ends[i];
    }
    return 0;
}
