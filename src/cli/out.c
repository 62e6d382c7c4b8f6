/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/out.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

struct out_kind {
    const char *name;
    const char *ending; /* of files, beside the name */
    const struct out_ops *ops;
    const char *doc;
};

static const struct out_kind out_kinds[OUT_FORMAT_MAX] = {
#define DN_OUT(NAME, name, ending, ops, doc) [OUT_##NAME] = {name, ending, &(ops), doc},
#include "cli/out_list.h"
#undef DN_OUT
};

bool out_format_find(const char *name, enum out_format *ret)
{
    for (int i = 0; i < OUT_FORMAT_MAX; i++) {
        if (strcmp(out_kinds[i].name, name) == 0) {
            *ret = (enum out_format)i;
            return true;
        }
    }
    return false;
}

bool out_format_of_ending(const char *ending, enum out_format *ret)
{
    for (int i = 0; i < OUT_FORMAT_MAX; i++) {
        if (strcasecmp(out_kinds[i].name, ending) == 0 ||
            (out_kinds[i].ending[0] && strcasecmp(out_kinds[i].ending, ending) == 0)) {
            *ret = (enum out_format)i;
            return true;
        }
    }
    return false;
}

const char *out_format_name(enum out_format f)
{
    return out_kinds[f].name;
}

const char *out_format_doc(enum out_format f)
{
    return out_kinds[f].doc;
}

bool out_format_plain(enum out_format f)
{
    return f == OUT_CSV || f == OUT_TSV || f == OUT_JSON || f == OUT_JSONL;
}

void out_init(struct out *o, FILE *to, enum out_format format)
{
    memset(o, 0, sizeof *o);
    o->to = to;
    o->format = format;
    o->header = true;
    buf_init(&o->held, NULL);
    buf_init(&o->line, NULL);
}

static void out_drop_cols(struct out *o)
{
    for (int i = 0; i < o->cols_count; i++)
        mem_free(o->cols[i].name);
    mem_free(o->cols);
    o->cols = NULL;
    o->cols_count = 0;
}

void out_done(struct out *o)
{
    out_drop_cols(o);
    buf_done(&o->held);
    buf_done(&o->line);
}

void out_begin(struct out *o, struct backend *from)
{
    int count = backend_columns(from);

    out_drop_cols(o);
    o->rows = 0;
    o->held_rows = 0;
    o->streaming = false;
    o->upright = false;
    o->printed = 0;
    buf_reset(&o->held);
    buf_reset(&o->line);
    o->cols = mem_calloc(NULL, (size_t)count, sizeof *o->cols);
    if (!o->cols) {
        o->failed = true;
        return;
    }
    o->cols_count = count;
    for (int i = 0; i < count; i++) {
        o->cols[i].type = backend_type(from, i);
        o->cols[i].name = mem_strdup(NULL, backend_name(from, i));
        backend_type_name(from, i, o->cols[i].type_name, sizeof o->cols[i].type_name);
        if (!o->cols[i].name) {
            o->failed = true;
            return;
        }
    }
    out_kinds[o->format].ops->begin(o, from);
}

void out_row(struct out *o, struct backend *from)
{
    if (o->failed)
        return;
    out_kinds[o->format].ops->row(o, from);
    o->rows++;
}

/* A reader that leaves before the end must not take us with it. */
static void out_pipe_signal(bool ignore)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = ignore ? SIG_IGN : SIG_DFL;
    (void)sigaction(SIGPIPE, &act, NULL);
}

void out_end(struct out *o)
{
    if (o->failed && !o->pager)
        return;
    out_kinds[o->format].ops->end(o);
    if (o->pager) {
        (void)pclose(o->pager); /* the reader may have left early: no error */
        out_pipe_signal(false);
        o->pager = NULL;
        o->to = o->screen;
        o->failed = false;
    } else if (fflush(o->to) != 0) {
        o->failed = true;
    }
}

void out_page(struct out *o, uint64_t lines)
{
    const char *command = getenv("PAGER");

    if (o->page_lines == 0 || lines <= o->page_lines || o->pager)
        return;
    (void)fflush(o->to);
    out_pipe_signal(true);
    o->pager = popen(command && *command ? command : "less -SFRX", "we");
    if (!o->pager)
        return;
    o->screen = o->to;
    o->to = o->pager;
}

bool out_type_right(enum dendro_type t)
{
    return t == DENDRO_TYPE_SMALLINT || t == DENDRO_TYPE_INTEGER || t == DENDRO_TYPE_BIGINT ||
           t == DENDRO_TYPE_REAL || t == DENDRO_TYPE_DOUBLE || t == DENDRO_TYPE_NUMERIC;
}

bool out_type_bare(enum dendro_type t)
{
    return out_type_right(t) || t == DENDRO_TYPE_BOOLEAN;
}

void out_flush_line(struct out *o)
{
    if (o->line.failed ||
        (o->line.len > 0 && fwrite(o->line.data, 1, o->line.len, o->to) != o->line.len))
        o->failed = true;
    buf_reset(&o->line);
}

uint32_t out_visible(const char *text, size_t len, struct buf *b)
{
    uint32_t width = 0;
    size_t at = 0;

    while (at < len) {
        utf8proc_int32_t cp = 0;
        utf8proc_ssize_t n = utf8proc_iterate(
            (const utf8proc_uint8_t *)text + at, (utf8proc_ssize_t)(len - at), &cp);
        if (n <= 0) {
            buf_printf(b, "\\x%02x", (unsigned char)text[at]);
            width += 4;
            at++;
            continue;
        }
        if (cp == '\n' || cp == '\t' || cp == '\r') {
            buf_u8(b, '\\');
            buf_u8(b, (uint8_t)(cp == '\n' ? 'n' : cp == '\t' ? 't' : 'r'));
            width += 2;
        } else if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0)) {
            buf_printf(b, "\\x%02x", (unsigned)cp);
            width += 4;
        } else {
            int w = utf8proc_charwidth(cp);
            buf_append(b, text + at, (size_t)n);
            width += w > 0 ? (uint32_t)w : 0;
        }
        at += (size_t)n;
    }
    return width;
}
