/* SPDX-License-Identifier: Apache-2.0
 *
 * peer.c: what all peers share: results, CSV files, libraries. See peer.h. */
#include "peer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CELLS_FIRST 4096u
#define TEXT_FIRST  65536u
#define CSV_BUFFER  (1u << 20)

int peer_fail(struct peer_error *err, const char *code, const char *text)
{
    snprintf(err->code, sizeof err->code, "%s", code ? code : "");
    snprintf(err->text, sizeof err->text, "%s", text ? text : "unknown error");
    return -1;
}

/* ---- results ---- */

static void *grow(void *old, size_t count, size_t size)
{
    void *p = realloc(old, count * size);

    if (!p) {
        fprintf(stderr, "qbench: out of memory\n");
        exit(1);
    }
    return p;
}

void result_begin(struct result *r, size_t cols)
{
    r->cols = cols;
    r->cells = 0;
    r->text_len = 0;
}

void result_name(struct result *r, size_t col, const char *name)
{
    if (col < RESULT_COLS_MAX)
        snprintf(r->names[col], RESULT_NAME_MAX, "%s", name ? name : "");
}

void result_grow_cells(struct result *r, size_t more)
{
    size_t cap = r->cells_cap ? r->cells_cap : CELLS_FIRST;

    while (cap - r->cells < more)
        cap += cap / 2;
    r->values = grow(r->values, cap, sizeof *r->values);
    r->kinds = grow(r->kinds, cap, sizeof *r->kinds);
    r->cells_cap = cap;
}

void result_grow_text(struct result *r, size_t more)
{
    size_t cap = r->text_cap ? r->text_cap : TEXT_FIRST;

    while (cap - r->text_len < more)
        cap += cap / 2;
    r->text = grow(r->text, cap, 1);
    r->text_cap = cap;
}

size_t result_rows(const struct result *r)
{
    return r->cols ? r->cells / r->cols : 0;
}

size_t result_memory(const struct result *r)
{
    return r->cells_cap * (sizeof *r->values + sizeof *r->kinds) + r->text_cap;
}

static void write_text(FILE *f, const char *text, size_t len)
{
    putc('s', f);
    for (size_t i = 0; i < len; i++) {
        switch (text[i]) {
        case '\t':
            fputs("\\t", f);
            break;
        case '\n':
            fputs("\\n", f);
            break;
        case '\\':
            fputs("\\\\", f);
            break;
        default:
            putc(text[i], f);
        }
    }
}

static void write_cell(FILE *f, const struct result *r, size_t cell)
{
    uint64_t v = r->values[cell];
    double d;

    switch ((enum cell_kind)r->kinds[cell]) {
    case CELL_NULL:
        putc('n', f);
        break;
    case CELL_INT:
        fprintf(f, "i%" PRId64, (int64_t)v);
        break;
    case CELL_TIME:
        fprintf(f, "t%" PRId64, (int64_t)v);
        break;
    case CELL_DOUBLE:
        memcpy(&d, &v, sizeof d);
        fprintf(f, "d%.17g", d);
        break;
    case CELL_TEXT:
        write_text(f, r->text + (v >> TEXT_LEN_BITS), v & ((1u << TEXT_LEN_BITS) - 1));
        break;
    }
}

int result_write(const struct result *r, const char *path)
{
    FILE *f = fopen(path, "w");
    bool bad;

    if (!f)
        return -1;
    for (size_t c = 0; c < r->cols && c < RESULT_COLS_MAX; c++)
        fprintf(f, "%s%s", c ? "\t" : "", r->names[c]);
    putc('\n', f);
    for (size_t i = 0; i < r->cells; i++) {
        write_cell(f, r, i);
        putc(i % r->cols == r->cols - 1 ? '\n' : '\t', f);
    }
    bad = ferror(f) != 0;
    return fclose(f) != 0 || bad ? -1 : 0;
}

void result_free(struct result *r)
{
    free(r->values);
    free(r->kinds);
    free(r->text);
    memset(r, 0, sizeof *r);
}

/* ---- CSV ---- */

/* Reads more behind what is left; false at the end of the file. A file that cannot be read ends the
 * program: half a load must not look like a whole one. */
static bool csv_fill(struct csv *csv)
{
    ssize_t n;

    memmove(csv->buf, csv->buf + csv->pos, csv->len - csv->pos);
    csv->len -= csv->pos;
    csv->pos = 0;
    if (csv->len == csv->cap) {
        csv->cap = csv->cap ? csv->cap * 2 : CSV_BUFFER;
        csv->buf = grow(csv->buf, csv->cap, 1);
    }
    n = read(csv->fd, csv->buf + csv->len, csv->cap - csv->len);
    if (n < 0) {
        perror("qbench: reading CSV");
        exit(1);
    }
    csv->len += (size_t)n;
    return n > 0;
}

/* The next line, without its end; NULL at the end of the file. */
static const char *csv_line(struct csv *csv, size_t *ret_len)
{
    size_t seen = 0;
    const char *line;

    for (;;) {
        size_t left = csv->len - csv->pos;
        const char *end =
            left > seen ? memchr(csv->buf + csv->pos + seen, '\n', left - seen) : NULL;

        if (end) {
            line = csv->buf + csv->pos;
            *ret_len = (size_t)(end - line);
            csv->pos += *ret_len + 1;
            return line;
        }
        seen = left;
        if (!csv_fill(csv))
            break;
    }
    if (csv->len == 0)
        return NULL;
    line = csv->buf;
    *ret_len = csv->len;
    csv->pos = csv->len;
    return line;
}

int csv_open(struct csv *csv, const char *path, struct peer_error *err)
{
    const char *names;
    size_t len = 0;

    memset(csv, 0, sizeof *csv);
    csv->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (csv->fd < 0)
        return peer_fail(err, NULL, "cannot read the CSV file");
    csv->cap = CSV_BUFFER;
    csv->buf = grow(NULL, csv->cap, 1);
    names = csv_line(csv, &len);
    csv->cols = 1;
    for (size_t i = 0; names && i < len; i++)
        csv->cols += names[i] == ',';
    return 0;
}

bool csv_next(struct csv *csv, struct csv_cell *cells)
{
    size_t len = 0;
    const char *line = csv_line(csv, &len), *end;

    if (!line)
        return false;
    end = line + len;
    for (size_t c = 0; c < csv->cols; c++) {
        const char *comma = line < end ? memchr(line, ',', (size_t)(end - line)) : NULL;
        const char *stop = comma ? comma : end;

        cells[c] = (struct csv_cell){line, (size_t)(stop - line)};
        line = stop < end ? stop + 1 : end;
    }
    return true;
}

void csv_close(struct csv *csv)
{
    close(csv->fd);
    free(csv->buf);
    csv->buf = NULL;
}

/* ---- libraries ---- */

int library_load(const char *lib,
                 const char *prefix,
                 const struct symbol *symbols,
                 size_t count,
                 void *table,
                 struct peer_error *err)
{
    void *handle = dlopen(lib, RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return peer_fail(err, NULL, dlerror());
    for (size_t i = 0; i < count; i++) {
        char name[128];
        void *symbol;

        snprintf(name, sizeof name, "%s%s", prefix, symbols[i].name);
        symbol = dlsym(handle, name);
        if (!symbol)
            return peer_fail(err, NULL, dlerror());
        memcpy((char *)table + symbols[i].offset, &symbol, sizeof symbol);
    }
    return 0;
}
