/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as CSV. The first byte picks delimiter, quote and the text for NULL; the rest is read
 * into columns of every type. Parsing it at once and record by record, cut where csv_split cuts,
 * must give the same rows and the same bad ones at the same lines. Then the guess looks at the
 * bytes as at a file, in any encoding. */
#include "fuzz.h"

#include "base/mem.h"
#include "engine/csv.h"
#include "engine/csv_guess.h"
#include "engine/csv_scan.h"
#include "engine/csv_source.h"
#include "func/text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum type_id type;
} fuzz_cols[] = {{"s", TYPE_VARCHAR},
                 {"i", TYPE_BIGINT},
                 {"d", TYPE_DOUBLE},
                 {"t", TYPE_TIMESTAMP},
                 {"b", TYPE_BOOLEAN},
                 {"r", TYPE_REAL},
                 {"x", TYPE_BLOB},
                 {"j", TYPE_SMALLINT},
                 {"n", TYPE_TIMESTAMP_NS}};

#define FUZZ_COLS (sizeof fuzz_cols / sizeof fuzz_cols[0])

static struct table *fuzz_table(void)
{
    static struct table *t;
    struct column_spec cols[FUZZ_COLS];
    struct key_elem_spec key = {.name = {.s = "s"}};
    struct table_spec spec = {.schema = {.s = "public"},
                              .name = {.s = "t"},
                              .columns = cols,
                              .columns_count = FUZZ_COLS,
                              .has_key = true,
                              .keys_count = 1,
                              .local = &key,
                              .local_count = 1};

    if (t)
        return t;
    memset(cols, 0, sizeof cols);
    for (size_t i = 0; i < FUZZ_COLS; i++) {
        cols[i].name.s = fuzz_cols[i].name;
        cols[i].type = fuzz_cols[i].type;
    }
    if (table_build(&spec, &t, NULL) < 0)
        abort();
    return t;
}

/* What was found, as text. */
static void fuzz_print(const struct csv_parser *p, uint64_t line, struct buf *rows, struct buf *bad)
{
    for (uint32_t row = 0; row < p->rows; row++) {
        fuzz_reached();
        for (uint32_t c = 0; c < p->layout->to->cols_count; c++) {
            struct vec v = csv_parser_vec(p, c);
            struct datum d = vec_datum(&v, row);

            buf_u8(rows, d.null ? '~' : '|');
            text_print(&d, rows);
        }
        buf_u8(rows, '\n');
    }
    for (const struct csv_bad *b = p->bad; b; b = b->next) {
        buf_printf(bad, "%llu ", (unsigned long long)(line + b->line));
        buf_puts(bad, b->column ? b->column : "-");
        buf_puts(bad, b->reason);
        buf_append(bad, b->record, b->record_len);
        buf_u8(bad, '\n');
    }
}

static void fuzz_both(const struct csv_layout *layout, const char *text, size_t len)
{
    struct csv_parser *p = csv_parser_new(layout, NULL);
    struct buf out[4];
    uint64_t line = 0;
    size_t at = 0;

    for (int i = 0; i < 4; i++)
        buf_init(&out[i], NULL);
    if (!p || csv_parse(p, text, len, NULL) < 0)
        abort();
    fuzz_print(p, 0, &out[0], &out[1]);
    while (at < len) {
        size_t n = 0;
        bool open;

        for (size_t end = at + 1; end <= len && n == 0; end++)
            n = text[end - 1] == '\n' ? csv_split(text + at, end - at, layout->format.quote, &open)
                                      : 0;
        n = n ? n : len - at;
        if (csv_parse(p, text + at, n, NULL) < 0)
            abort();
        fuzz_print(p, line, &out[2], &out[3]);
        line += p->lines;
        at += n;
    }
    for (int i = 0; i < 2; i++)
        if (out[i].len != out[i + 2].len ||
            (out[i].len && memcmp(out[i].data, out[i + 2].data, out[i].len) != 0))
            abort();
    for (int i = 0; i < 4; i++)
        buf_done(&out[i]);
    csv_parser_free(p);
}

struct fuzz_bytes {
    const uint8_t *data;
    size_t len;
};

static int fuzz_read(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    struct fuzz_bytes *b = arg;
    size_t n = b->len < len ? b->len : len;

    (void)err;
    if (n > 0)
        memcpy(to, b->data, n);
    b->data += n;
    b->len -= n;
    *ret_len = n;
    return 0;
}

/* A table for the bytes, or only how they are written; what is found must work as a format. */
static void fuzz_guess(const uint8_t *data, size_t len, const struct csv_format *format, bool table)
{
    struct fuzz_bytes bytes = {.data = data, .len = len};
    struct csv_guess_spec spec = {.table = table ? "t" : NULL,
                                  .format = *format,
                                  .header = CSV_GUESS_HEADER_AUTO,
                                  .bytes_max = len};
    struct csv_guess guess;
    int rc;

    if (csv_source_open(fuzz_read, &bytes, CSV_ENCODING_AUTO, NULL, &spec.source, NULL) < 0)
        return;
    csv_guess_init(&guess);
    rc = csv_guess(&spec, &guess, NULL);
    if (rc == 0 && table && guess.sql.len == 0)
        abort();
    if (rc == 0 && guess.format.delimiter && csv_format_check(&guess.format, NULL) < 0)
        abort();
    csv_guess_done(&guess);
    csv_source_close(spec.source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char delimiters[] = ",;\t|";
    static const char quotes[] = "\"'";
    static const char *const nulls[] = {"", "NA"};
    struct table *t = fuzz_table();
    uint32_t fields[FUZZ_COLS];
    struct intake_target target;
    struct csv_layout layout;
    struct arena arena;
    char *text;

    if (size < 1 || size > 20000)
        return 0;
    arena_init(&arena, NULL);
    if (intake_target_columns(&target, t, NULL, 0, &arena, NULL) < 0 ||
        intake_target_unlisted(&target, NULL) < 0)
        abort();
    for (uint32_t i = 0; i < FUZZ_COLS; i++)
        fields[i] = i;
    layout = (struct csv_layout){
        .to = &target,
        .format = {.delimiter = delimiters[data[0] & 3],
                   .quote = quotes[data[0] >> 2 & 1],
                   .null_text = {.ptr = nulls[data[0] >> 3 & 1],
                                 .len = (uint32_t)strlen(nulls[data[0] >> 3 & 1])},
                   .epoch = (data[0] >> 4 & 1) ? 3 * (data[0] >> 5 & 3) : -1},
        .fields = fields,
        .fields_count = (data[0] & 0x80) ? 2 : FUZZ_COLS,
        .go_on = true};
    if (layout.fields_count == 2) /* the others of the row keep what they had: give them NULLs */
        target.cols_count = 2;
    text = mem_alloc(NULL, size - 1 + CSV_PAD);
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    memset(text + size - 1, 0, CSV_PAD);
    fuzz_both(&layout, text, size - 1);
    fuzz_guess(data + 1, size - 1, &layout.format, true);
    layout.format.delimiter = layout.format.quote = '\0';
    fuzz_guess(data + 1, size - 1, &layout.format, (data[0] & 1) != 0);
    mem_free(text);
    arena_done(&arena);
    return 0;
}
