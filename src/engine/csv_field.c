/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_field.h"

#include "engine/csv.h"

#include "base/text.h"

#define CSV_NAMES_MAX 4096u /* of which a table has less */

bool csv_field_quoted(
    struct csv_scan *s, size_t at, struct arena *arena, uint64_t *lines, struct csv_field *ret)
{
    const char *text = s->text;
    size_t start = at + 1;
    size_t doubled = 0;
    size_t end;

    ret->quoted = true;
    (void)csv_scan_next(s); /* the quote itself */
    for (;;) {
        end = csv_scan_next(s);
        if (end == s->len) {
            ret->trouble = "a quote is not closed";
            ret->text = text + start;
            ret->len = end - start;
            ret->next = end;
            ret->last = true;
            return true;
        }
        if (text[end] == '\n')
            ++*lines;
        if (text[end] != s->quote)
            continue;
        if (end + 1 < s->len && text[end + 1] == s->quote) {
            (void)csv_scan_next(s);
            doubled++;
            continue;
        }
        break;
    }
    ret->text = text + start;
    ret->len = end - start;
    if (doubled) {
        char *to = arena_alloc(arena, ret->len - doubled + 1);
        size_t n = 0;

        if (!to)
            return false;
        for (size_t i = start; i < end; i++) {
            to[n++] = text[i];
            i += text[i] == s->quote;
        }
        ret->text = to;
        ret->len = n;
    }
    ret->next = csv_scan_next(s);
    end++;
    if (end < ret->next && !(text[end] == '\r' && end + 1 == ret->next &&
                             (ret->next == s->len || text[ret->next] == '\n')))
        ret->trouble = "there is text behind the closing quote";
    return true;
}

void csv_field_end(struct csv_scan *s, uint64_t *lines, struct csv_field *ret)
{
    bool inside = false;

    while (ret->next < s->len && s->text[ret->next] == s->quote) {
        /* A quote where none belongs: on to the delimiter behind it. */
        inside = !inside;
        ret->next = csv_scan_next(s);
        while (inside && ret->next < s->len && s->text[ret->next] != s->quote) {
            *lines += s->text[ret->next] == '\n';
            ret->next = csv_scan_next(s);
        }
    }
    ret->last = ret->next >= s->len || s->text[ret->next] == '\n';
    ret->next++;
}

int csv_cells(const struct csv_format *f,
              const char *text,
              size_t len,
              struct arena *arena,
              struct csv_cells *ret,
              struct dn_err *err)
{
    struct csv_field field = {.next = 0};
    struct csv_scan scan;
    uint64_t lines = 1;
    uint32_t cap = 16;
    bool last = false;

    if (len == 0)
        return DN_EOF;
    *ret = (struct csv_cells){.cells = arena_alloc_array(arena, cap, sizeof(*ret->cells))};
    csv_scan_init(&scan, text, len, f->delimiter, f->quote);
    while (!last) {
        if (ret->count == cap) {
            struct csv_cell *more = arena_alloc_array(arena, (size_t)cap * 2, sizeof(*more));

            if (more)
                memcpy(more, ret->cells, cap * sizeof(*more));
            ret->cells = more;
            cap *= 2;
        }
        if (!ret->cells || !csv_field_next(&scan, field.next, arena, &lines, &field))
            return DN_FAIL_NOMEM(err);
        if (field.trouble)
            return DN_FAIL(err, DN_E_BAD_TEXT, "%s", field.trouble);
        if (field.len > CSV_CELL_MAX)
            return DN_FAIL(err, DN_E_TOO_LONG, "a cell is longer than %u bytes", CSV_CELL_MAX);
        ret->cells[ret->count++] = (struct csv_cell){
            .text = {.ptr = field.text, .len = (uint32_t)field.len}, .quoted = field.quoted};
        last = field.last;
    }
    ret->record_len = field.next < len ? field.next : len;
    ret->lines = (uint32_t)lines;
    return 0;
}

int csv_format_check(const struct csv_format *f, struct dn_err *err)
{
    static const char bad[] = "\r\n"; /* and the NUL behind them */

    if (memchr(bad, f->delimiter, sizeof bad) || (f->delimiter & 0x80))
        return DN_FAIL(
            err, DN_E_INVALID_PARAM, "the delimiter must be one ASCII character that ends no line");
    if (memchr(bad, f->quote, sizeof bad) || (f->quote & 0x80))
        return DN_FAIL(
            err, DN_E_INVALID_PARAM, "the quote must be one ASCII character that ends no line");
    if (f->delimiter == f->quote)
        return DN_FAIL(err, DN_E_INVALID_PARAM, "delimiter and quote must not be the same");
    if (f->null_text.len > 0 && (memchr(f->null_text.ptr, f->delimiter, f->null_text.len) ||
                                 memchr(f->null_text.ptr, f->quote, f->null_text.len) ||
                                 memchr(f->null_text.ptr, '\n', f->null_text.len) ||
                                 memchr(f->null_text.ptr, '\r', f->null_text.len)))
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "the text for NULL must not hold the delimiter, the quote or a line's end");
    return 0;
}

struct vstr csv_header_trim(struct vstr s)
{
    while (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
        s.ptr++;
        s.len--;
    }
    while (s.len > 0 && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
        s.len--;
    return s;
}

static bool csv_name_taken(const struct spec_name *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (text_same_fold(names[i].s, strlen(names[i].s), name, strlen(name)))
            return true;
    return false;
}

int csv_header_names(const struct csv_cells *header,
                     struct arena *arena,
                     struct spec_name **ret,
                     struct dn_err *err)
{
    struct spec_name *names;

    if (header->count > CSV_NAMES_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_LONG,
                       "the first line has %u cells; no table has so many columns",
                       header->count);
    names = arena_calloc(arena, header->count, sizeof(*names));
    if (!names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < header->count; i++) {
        struct vstr cell = csv_header_trim(header->cells[i].text);
        const char *name = cell.len > 0 ? arena_strndup(arena, cell.ptr, cell.len)
                                        : arena_printf(arena, "column%u", i + 1);

        names[i].s = name;
        for (unsigned n = 2; names[i].s && csv_name_taken(names, i, names[i].s); n++)
            names[i].s = arena_printf(arena, "%s_%u", name, n);
        if (!names[i].s)
            return DN_FAIL_NOMEM(err);
    }
    *ret = names;
    return 0;
}
