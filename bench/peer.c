/* SPDX-License-Identifier: Apache-2.0
 *
 * peer.c: what all peers share: results, CSV files, libraries. See peer.h. */
#include "peer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CELLS_FIRST 4096u
#define TEXT_FIRST  65536u

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

static size_t line_end(const struct csv *csv, size_t from)
{
    const char *end = memchr(csv->bytes + from, '\n', csv->len - from);

    return end ? (size_t)(end - csv->bytes) : csv->len;
}

int csv_open(struct csv *csv, const char *path, struct peer_error *err)
{
    struct stat st;
    void *map = MAP_FAILED;
    size_t end;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    memset(csv, 0, sizeof *csv);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return peer_fail(err, NULL, "cannot read the CSV file");
    csv->bytes = map;
    csv->len = (size_t)st.st_size;
    end = line_end(csv, 0);
    csv->cols = 1;
    for (size_t i = 0; i < end; i++)
        csv->cols += csv->bytes[i] == ',';
    csv->pos = end + 1;
    return 0;
}

bool csv_next(struct csv *csv, struct csv_cell *cells)
{
    size_t end, at = csv->pos;

    if (at >= csv->len)
        return false;
    end = line_end(csv, at);
    for (size_t c = 0; c < csv->cols; c++) {
        const char *comma = at < end ? memchr(csv->bytes + at, ',', end - at) : NULL;
        size_t stop = comma ? (size_t)(comma - csv->bytes) : end;

        cells[c] = (struct csv_cell){csv->bytes + at, stop - at};
        at = stop < end ? stop + 1 : end;
    }
    csv->pos = end + 1;
    return true;
}

void csv_close(struct csv *csv)
{
    union {
        const char *in;
        void *out;
    } map = {csv->bytes};

    if (map.out)
        munmap(map.out, csv->len);
    csv->bytes = NULL;
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
