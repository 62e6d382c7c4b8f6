/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_guess_int.h"

#include "engine/csv_scan.h"
#include "engine/csv_sniff.h"

#include "base/hash.h"
#include "base/text.h"
#include "func/session.h"
#include "func/text.h"
#include "parquet/parquet.h"

#include <inttypes.h>
#include <strings.h>

#define GUESS_CHUNK   (1024u * 1024)
#define GUESS_QUANTUM "1, 'd'"
#define GUESS_LATE    100u /* rows after which another type is a change of mind */

void csv_guess_init(struct csv_guess *g)
{
    *g = (struct csv_guess){.format = {.epoch = -1}};
    arena_init(&g->arena, NULL);
    buf_init(&g->sql, NULL);
    buf_init(&g->why, NULL);
}

void csv_guess_done(struct csv_guess *g)
{
    buf_done(&g->sql);
    buf_done(&g->why);
    arena_done(&g->arena);
}

/* ---- reading ---- */

static int guess_names(struct guess *g, const struct spec_name *names, struct dn_err *err)
{
    struct arena *arena = &g->ret->arena;

    g->cols = arena_calloc(arena, g->cols_count + 1, sizeof(*g->cols));
    g->scratch = arena_alloc_array(arena, GUESS_ROWS_MAX, sizeof(*g->scratch));
    if (!g->cols || !g->scratch)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];

        if (!text_value_valid(names[i].s, strlen(names[i].s)))
            return DN_FAIL(err, DN_E_BAD_ENCODING, "the header is not valid UTF-8");
        c->name = names[i].s;
        c->hashes = arena_alloc_array(arena, GUESS_ROWS_MAX, sizeof(*c->hashes));
        if (!c->hashes)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* The names that were given or that the first record has. */
static int guess_first(struct guess *g, struct dn_err *err)
{
    const struct csv_guess_spec *spec = g->spec;
    struct spec_name *names;
    int rc;

    if (spec->columns) {
        g->cols_count = spec->columns_count;
        return guess_names(g, spec->columns, err);
    }
    g->cols_count = g->first.count;
    rc = csv_header_names(&g->first, &g->ret->arena, &names, err);
    return rc == 0 ? guess_names(g, names, err) : rc;
}

static bool guess_is_null(const struct csv_format *f, const struct csv_cell *cell)
{
    return !cell->quoted && cell->text.len == f->null_text.len &&
           (cell->text.len == 0 || memcmp(cell->text.ptr, f->null_text.ptr, cell->text.len) == 0);
}

static int guess_row(struct guess *g,
                     const struct csv_cells *record,
                     uint64_t line,
                     struct arena *scratch,
                     struct dn_err *err)
{
    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];
        const struct csv_cell *cell = &record->cells[i];
        bool null = guess_is_null(&g->ret->format, cell);

        if (g->spec->table && g->sampled < GUESS_ROWS_MAX) {
            c->hashes[g->sampled] = dn_hash64(cell->text.ptr, cell->text.len, null);
            c->bytes += cell->text.len;
        }
        c->kinds.nulls += null;
        if (null)
            continue;
        g->ret->late = g->rows > 0;
        if (!text_value_valid(cell->text.ptr, cell->text.len))
            return DN_FAIL(err, DN_E_BAD_ENCODING, "line %" PRIu64 " is not valid UTF-8", line);
        if (!csv_kinds_add(&c->kinds, cell->text, line, &g->ret->arena, scratch))
            return DN_FAIL_NOMEM(err);
    }
    g->sampled += g->sampled < GUESS_ROWS_MAX;
    g->rows++;
    return 0;
}

/* The records of a text; the very first of all is kept. */
static int guess_records(
    struct guess *g, const char *text, size_t len, struct arena *scratch, struct dn_err *err)
{
    struct csv_cells record;
    size_t at = 0;
    int rc = 0;

    while (rc == 0 && at < len) {
        bool first = !g->cols;

        arena_reset(scratch);
        rc = csv_cells(
            &g->ret->format, text + at, len - at, first ? &g->ret->arena : scratch, &record, err);
        if (rc < 0) {
            if (rc != DN_E_NOMEM)
                dn_err_prefix(err, "line %" PRIu64, g->line);
            break;
        }
        at += record.record_len;
        if (first) {
            g->first = record;
            rc = guess_first(g, err);
        }
        if (rc == 0 && (!first || g->spec->header == CSV_GUESS_NO_HEADER) &&
            record.count == g->cols_count && /* others are found by the import */
            !(record.count == 1 && record.cells[0].text.len == 0 && !record.cells[0].quoted))
            rc = guess_row(g, &record, g->line, scratch, err);
        if (!first || g->ret->format.encoding != CSV_NDJSON) /* whose header is none of its lines */
            g->line += record.lines;
    }
    return rc;
}

/* Texts that are no table: an array of JSON, and a page that came instead of the file. */
static int guess_refuse(const char *text, size_t len, struct dn_err *err)
{
    static const char *const pages[] = {"<!doctype", "<html", "<?xml"};
    size_t at = strspn(text, " \t\r\n"); /* behind the text are zeros */

    for (size_t i = 0; i < DN_ARRAY_SIZE(pages); i++)
        if (strncasecmp(text + at, pages[i], strlen(pages[i])) == 0)
            return DN_FAIL(
                err, DN_E_BAD_TEXT, "the file is a page of HTML or XML, not rows of a table");
    if (at < len && text[at] == '[' && text[at + 1 + strspn(text + at + 1, " \t\r\n")] == '{') {
        (void)DN_FAIL(err, DN_E_BAD_TEXT, "the file is an array of JSON");
        dn_err_hint(err, "Lines of JSON objects are read; jq -c '.[]' makes them of an array.");
        return DN_E_BAD_TEXT;
    }
    return 0;
}

/* The first chunk, without a byte order mark. DN_EOF: there is nothing in it, and no table is
 * wanted. */
static int guess_begin(struct guess *g, char **text, size_t *len, struct dn_err *err)
{
    const struct csv_guess_spec *spec = g->spec;

    if (*len >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *len -= 3;
    }
    if (*len == 0)
        return spec->table ? DN_FAIL(err, DN_E_BAD_TEXT, "the file is empty") : DN_EOF;
    if (g->ret->format.encoding == CSV_NDJSON)
        g->ret->format.delimiter = ',', g->ret->format.quote = '"';
    else if (spec->table && guess_refuse(*text, *len, err) < 0)
        return DN_E_BAD_TEXT;
    csv_sniff(*text, *len, &g->ret->format);
    if (spec->header == CSV_GUESS_NO_HEADER && !spec->columns && spec->table)
        return DN_FAIL(
            err, DN_E_INVALID_PARAM, "without a header the columns need names: give them");
    return csv_format_check(&g->ret->format, err);
}

/* One chunk of whole records; rest: what the one before has left over, and this one leaves. */
static int guess_chunk(
    struct guess *g, struct buf *b, uint64_t *seen, struct arena *scratch, struct dn_err *err)
{
    bool first = *seen == 0;
    size_t want = g->spec->bytes_max < GUESS_CHUNK ? (size_t)g->spec->bytes_max : GUESS_CHUNK;
    char *text;
    size_t whole;
    size_t len;
    size_t n;
    bool open;
    int rc;

    if (!buf_reserve(b, want + CSV_PAD))
        return DN_FAIL_NOMEM(err);
    rc = csv_source_read(g->spec->source, b->data + b->len, want, &n, err);
    if (rc < 0)
        return rc;
    g->whole = n < want;
    b->len += n;
    *seen += n;
    memset(b->data + b->len, 0, CSV_PAD);
    text = (char *)b->data;
    len = b->len;
    if (first) {
        rc = guess_begin(g, &text, &len, err);
        if (rc != 0)
            return rc;
    }
    whole = csv_split(text, len, g->ret->format.quote, &open);
    if (g->whole || (first && whole == 0))
        whole = len;
    if (first) { /* the header's cells lie in it */
        char *kept = arena_alloc(&g->ret->arena, len + CSV_PAD);

        if (!kept)
            return DN_FAIL_NOMEM(err);
        memcpy(kept, text, len + CSV_PAD);
        rc = guess_records(g, kept, whole, scratch, err);
    } else {
        rc = guess_records(g, text, whole, scratch, err);
    }
    memmove(b->data, text + whole, len - whole);
    b->len = len - whole;
    return rc;
}

static int guess_read(struct guess *g, struct dn_err *err)
{
    struct arena scratch;
    uint64_t seen = 0;
    struct buf b;
    int rc = 0;

    arena_init(&scratch, NULL);
    buf_init(&b, NULL);
    g->line = 1;
    while (rc == 0 && !g->whole && (seen == 0 || seen < g->spec->bytes_max))
        rc = guess_chunk(g, &b, &seen, &scratch, err);
    buf_done(&b);
    arena_done(&scratch);
    return rc < 0 ? rc : 0;
}

/* ---- Parquet ---- */

static int guess_file_names(struct guess *g, struct dn_err *err)
{
    struct arena *arena = &g->ret->arena;
    const struct pq_column *cols;
    struct spec_name *names;
    int rc;

    g->cols_count = pq_columns(g->spec->parquet, &cols);
    names = arena_calloc(arena, g->cols_count + 1, sizeof(*names));
    if (!names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < g->cols_count; i++) {
        if (cols[i].refused)
            return DN_FAIL(err,
                           DN_E_UNSUPPORTED,
                           "column \"%s\" of the Parquet file cannot be read: %s",
                           cols[i].name,
                           cols[i].refused);
        names[i].s = arena_strdup(arena, cols[i].name);
        if (!names[i].s)
            return DN_FAIL_NOMEM(err);
    }
    rc = guess_names(g, names, err);
    for (uint32_t i = 0; rc == 0 && i < g->cols_count; i++) {
        g->cols[i].type = cols[i].type;
        g->cols[i].mods = cols[i].mods;
        g->cols[i].epoch = -1;
    }
    return rc;
}

static void guess_file_batch(struct guess *g, const struct batch *b, struct buf *text)
{
    for (uint32_t row = 0; row < b->count && g->sampled < GUESS_ROWS_MAX; row++, g->sampled++) {
        for (uint32_t i = 0; i < g->cols_count; i++) {
            struct guess_col *c = &g->cols[i];
            bool null = vec_is_null(&b->cols[i], row);

            buf_reset(text);
            if (!null) {
                struct datum d = vec_datum(&b->cols[i], row);

                text_print_in(NULL, &d, text);
                c->kinds.values++;
                c->bytes += text->len;
            }
            c->hashes[g->sampled] =
                dn_hash64(text->len ? (const char *)text->data : "", text->len, null);
        }
    }
    g->rows = g->sampled;
}

static int guess_file(struct guess *g, struct dn_err *err)
{
    struct batch b;
    struct buf text;
    int rc = guess_file_names(g, err);

    buf_init(&text, NULL);
    while (rc == 0 && g->sampled < GUESS_ROWS_MAX) {
        rc = pq_next(g->spec->parquet, &b, err);
        if (rc == 0)
            guess_file_batch(g, &b, &text);
    }
    if (rc >= 0 && text.failed)
        rc = DN_FAIL_NOMEM(err);
    buf_done(&text);
    return rc < 0 ? rc : 0;
}

/* ---- types ---- */

/* Unit of whole numbers that are times between 1973 and 2096, -1 if they are none. */
static int guess_epoch(const struct guess_col *c)
{
    static const int64_t lo[] = {100000000, 100000000000, 100000000000000, 100000000000000000};
    static const int64_t hi[] = {4000000000, 4000000000000, 4000000000000000, 4000000000000000000};

    for (int i = 0; i < 4; i++)
        if (c->kinds.min >= lo[i] && c->kinds.max <= hi[i])
            return 3 * i;
    return -1;
}

static enum type_id guess_ts_type(uint32_t digits)
{
    return digits <= 3 ? TYPE_TIMESTAMP : digits <= 6 ? TYPE_TIMESTAMP_US : TYPE_TIMESTAMP_NS;
}

static bool guess_is_time(const struct guess *g, const struct guess_col *c)
{
    unsigned order = g->ret->format.dates > 0 ? (unsigned)g->ret->format.dates - 1 : 0;

    return csv_kinds_all(&c->kinds, (enum csv_kind)(CSV_KIND_TIME + order));
}

static void guess_type(struct guess *g, struct guess_col *c)
{
    const struct csv_kinds *k = &c->kinds;
    int epoch;

    c->type = TYPE_VARCHAR;
    c->epoch = -1;
    if (csv_kinds_all(k, CSV_KIND_BOOL))
        c->type = TYPE_BOOLEAN;
    else if (csv_kinds_all(k, CSV_KIND_INT))
        c->type = TYPE_BIGINT;
    else if (csv_kinds_all(k, g->ret->format.comma ? CSV_KIND_COMMA : CSV_KIND_DOUBLE))
        c->type = TYPE_DOUBLE;
    else if (guess_is_time(g, c))
        c->type = guess_ts_type(k->digits);
    if (c->type != TYPE_BIGINT || !csv_guess_time_name(c->name))
        return;
    epoch = guess_epoch(c);
    if (epoch < 0 || (g->ret->format.epoch >= 0 && g->ret->format.epoch != epoch))
        return; /* one unit for the whole file */
    g->ret->format.epoch = epoch;
    c->epoch = epoch;
    c->type = guess_ts_type((uint32_t)epoch);
}

/* ---- how the text is written ---- */

/* The first record is one unless a cell of it is a number or a time, as all below it are, and no
 * cell is a text above numbers or times. */
static void guess_header(struct guess *g, struct arena *scratch)
{
    bool text_above = false;
    bool value_above = false;

    g->ret->header = g->spec->header != CSV_GUESS_NO_HEADER;
    if (g->ret->format.encoding == CSV_NDJSON) {
        g->ret->header = true;
        return;
    }
    if (g->spec->header != CSV_GUESS_HEADER_AUTO || g->rows == 0)
        return;
    for (uint32_t i = 0; i < g->cols_count && i < g->first.count; i++) {
        const struct csv_cell *cell = &g->first.cells[i];
        struct csv_kinds one = {.values = 0};

        if (cell->text.len == 0 || g->cols[i].kinds.values == 0 ||
            !csv_kinds_add(&one, cell->text, 1, scratch, scratch))
            continue;
        for (unsigned k = CSV_KIND_INT; k < CSV_KIND_MAX; k++)
            if (csv_kinds_all(&g->cols[i].kinds, (enum csv_kind)k)) {
                value_above = value_above || one.count[k] > 0;
                text_above = text_above || one.count[k] == 0;
                break;
            }
    }
    g->ret->header = text_above || !value_above;
}

/* A column that is numbers only with decimal commas decides. */
static void guess_comma(struct guess *g)
{
    if (g->spec->comma_given || g->ret->format.encoding == CSV_NDJSON)
        return;
    for (uint32_t i = 0; i < g->cols_count; i++) {
        const struct csv_kinds *k = &g->cols[i].kinds;

        if (csv_kinds_all(k, CSV_KIND_COMMA) && !csv_kinds_all(k, CSV_KIND_DOUBLE) && k->commas > 0)
            g->ret->format.comma = true;
    }
}

/* The order of day, month and year that reads all columns of times. */
static void guess_dates(struct guess *g)
{
    bool fits[CSV_ORDERS] = {true, true, true};
    bool needed = false;
    bool points = false;
    unsigned order;

    if (g->spec->dates_given)
        return;
    for (uint32_t i = 0; i < g->cols_count; i++) {
        const struct csv_kinds *k = &g->cols[i].kinds;
        bool time = false;

        for (unsigned o = 0; o < CSV_ORDERS; o++)
            time = time || csv_kinds_all(k, (enum csv_kind)(CSV_KIND_TIME + o));
        if (!time || k->iso == k->values)
            continue;
        needed = true;
        points = points || k->points > 0;
        for (unsigned o = 0; o < CSV_ORDERS; o++)
            fits[o] = fits[o] && csv_kinds_all(k, (enum csv_kind)(CSV_KIND_TIME + o));
    }
    if (!needed)
        return;
    g->day_or_month = fits[DATE_FIRST_MONTH] && fits[DATE_FIRST_DAY];
    order = fits[DATE_FIRST_DAY] && (points || !fits[DATE_FIRST_MONTH]) ? DATE_FIRST_DAY
            : fits[DATE_FIRST_MONTH]                                    ? DATE_FIRST_MONTH
            : fits[DATE_FIRST_YEAR]                                     ? DATE_FIRST_YEAR
                                                                        : DATE_FIRST_MONTH;
    g->ret->format.dates = (int)order + 1;
}

/* ---- the statement ---- */

static void guess_print_key(struct guess *g)
{
    struct buf *sql = &g->ret->sql;
    bool series = false;

    for (uint32_t i = 0; i < g->cols_count; i++)
        series = series || g->cols[i].key;
    buf_puts(sql, ",\n  PRIMARY KEY (");
    if (!series) {
        table_print_ident(g->cols[g->time].name, sql);
        buf_puts(sql, ")");
        return;
    }
    buf_puts(sql, "(");
    for (uint32_t i = 0; i < g->cols_count; i++) {
        if (!g->cols[i].key)
            continue;
        table_print_ident(g->cols[i].name, sql);
        buf_puts(sql, ", ");
    }
    buf_puts(sql, "QUANTUM(");
    table_print_ident(g->cols[g->time].name, sql);
    buf_puts(sql, ", " GUESS_QUANTUM ")), ");
    for (uint32_t i = 0; i < g->cols_count; i++) {
        if (!g->cols[i].key)
            continue;
        table_print_ident(g->cols[i].name, sql);
        buf_puts(sql, ", ");
    }
    table_print_ident(g->cols[g->time].name, sql);
    buf_puts(sql, ")");
}

static void guess_print(struct guess *g, bool key)
{
    struct buf *sql = &g->ret->sql;

    buf_puts(sql, "CREATE TABLE ");
    if (g->spec->schema) {
        table_print_ident(g->spec->schema, sql);
        buf_puts(sql, ".");
    }
    table_print_ident(g->spec->table, sql);
    buf_puts(sql, " (\n");
    for (uint32_t i = 0; i < g->cols_count; i++) {
        const struct guess_col *c = &g->cols[i];

        buf_puts(sql, i ? ",\n  " : "  ");
        table_print_ident(c->name, sql);
        buf_puts(sql, " ");
        type_print(c->type, &c->mods, sql);
        if (key && (c->key || (int)i == g->time))
            buf_puts(sql, " NOT NULL");
    }
    if (key)
        guess_print_key(g);
    buf_puts(sql, "\n)");
    buf_u8(sql, 0);
}

static const char *guess_kind_name(unsigned kind)
{
    switch (kind) {
    case CSV_KIND_BOOL:
        return "BOOLEAN";
    case CSV_KIND_INT:
        return "BIGINT";
    case CSV_KIND_DOUBLE:
    case CSV_KIND_COMMA:
        return "DOUBLE";
    default:
        return "TIMESTAMP";
    }
}

/* Which values made a column a text, or a number with a fraction. */
static void guess_explain_odd(struct guess *g, const struct guess_col *c)
{
    const struct csv_kinds *k = &c->kinds;
    const struct csv_odd *odd = &k->odd[CSV_KIND_INT];
    struct buf *why = &g->ret->why;
    unsigned best = 0;

    if (c->type == TYPE_DOUBLE && odd->text && odd->line > GUESS_LATE && k->count[CSV_KIND_INT] > 0)
        buf_printf(why,
                   "types: \"%s\" is DOUBLE since line %" PRIu64 ", \"%s\"; it was BIGINT before\n",
                   c->name,
                   odd->line,
                   odd->text);
    if (c->type != TYPE_VARCHAR || k->text)
        return;
    for (unsigned i = 1; i < CSV_KIND_MAX; i++)
        best = k->count[i] > k->count[best] ? i : best;
    odd = &k->odd[best];
    if (k->count[best] <= k->values / 2 || !odd->text)
        return;
    buf_printf(why,
               "types: \"%s\" would be %s but for %" PRIu64 " of %" PRIu64
               " values; the first is in line %" PRIu64 ", \"%s\"\n",
               c->name,
               guess_kind_name(best),
               k->values - k->count[best],
               k->values,
               odd->line,
               odd->text);
    if (odd->only && k->nulls == 0 && odd->text[0])
        buf_printf(why, "types: if \"%s\" means NULL, say so (--null)\n", odd->text);
}

static void guess_explain_format(struct guess *g)
{
    static const char *const firsts[] = {"month", "day", "year"};
    static const char *const units[] = {"seconds", "milliseconds", "microseconds", "nanoseconds"};
    const struct csv_format *f = &g->ret->format;
    struct buf *why = &g->ret->why;
    const struct csv_format *given = &g->spec->format;

    if (!given->delimiter && f->delimiter != ',')
        buf_printf(why,
                   "text: cells end with %s\n",
                   f->delimiter == ';'    ? "semicolons"
                   : f->delimiter == '\t' ? "tabs"
                                          : "bars (|)");
    if (!given->quote && f->quote != '"')
        buf_puts(why, "text: cells are quoted with '\n");
    if (f->encoding == CSV_NDJSON)
        buf_puts(why, "text: its lines are JSON objects\n");
    else if (f->encoding != CSV_UTF8 && given->encoding == CSV_ENCODING_AUTO)
        buf_printf(why, "text: it is %s\n", csv_encoding_name(f->encoding));
    if (g->spec->header == CSV_GUESS_HEADER_AUTO && !g->ret->header)
        buf_puts(why, "text: the first line is a row, not a header\n");
    if (f->comma && !g->spec->comma_given)
        buf_puts(why, "numbers: they have a decimal comma; 1.234,5 is 1234.5\n");
    if (f->dates > 0 && !g->spec->dates_given)
        buf_printf(why,
                   "times: the %s comes first%s\n",
                   firsts[f->dates - 1],
                   g->day_or_month ? "; by the values it could be the day or the month (--dates)"
                                   : "");
    for (uint32_t i = 0; i < g->cols_count; i++)
        if (g->cols[i].epoch >= 0 && (g->spec->table || g->cols[i].epoch != 3))
            buf_printf(why,
                       "times: \"%s\" counts %s since 1970\n",
                       g->cols[i].name,
                       units[g->cols[i].epoch / 3]);
}

static void guess_explain_key(struct guess *g, bool key)
{
    struct buf *why = &g->ret->why;

    if (g->time < 0) {
        buf_puts(why, "key: none, because no column has a time in every row\n");
    } else if (!key) {
        buf_printf(why,
                   "key: none, because rows have the same \"%s\" and the same texts: a key would "
                   "keep one of them\n",
                   g->cols[g->time].name);
    } else {
        buf_printf(why, "key: time \"%s\"\n", g->cols[g->time].name);
        for (uint32_t i = 0; i < g->cols_count; i++)
            if (g->cols[i].key)
                buf_printf(why,
                           "key: series \"%s\", %u different in %u rows\n",
                           g->cols[i].name,
                           g->cols[i].distinct,
                           g->sampled);
    }
}

static void guess_explain(struct guess *g, bool key)
{
    struct buf *why = &g->ret->why;

    if (g->spec->parquet) {
        buf_puts(why, "types: as the Parquet file has them\n");
    } else {
        guess_explain_format(g);
        buf_printf(
            why, "types: by %s%" PRIu64 " rows\n", g->whole ? "all " : "the first ", g->rows);
    }
    for (uint32_t i = 0; i < g->cols_count && !g->spec->parquet; i++)
        guess_explain_odd(g, &g->cols[i]);
    guess_explain_key(g, key);
}

/* "column1" … for a text without a header; its first record is a row like the others. */
static int guess_headless(struct guess *g, struct arena *scratch, struct dn_err *err)
{
    for (uint32_t i = 0; i < g->cols_count && !g->spec->columns; i++) {
        g->cols[i].name = arena_printf(&g->ret->arena, "column%u", i + 1);
        if (!g->cols[i].name)
            return DN_FAIL_NOMEM(err);
    }
    return g->first.count == g->cols_count ? guess_row(g, &g->first, 1, scratch, err) : 0;
}

/* What the text looks like, and the types of its columns. */
static int guess_text(struct guess *g, struct dn_err *err)
{
    struct arena scratch;
    int rc = guess_read(g, err);

    if (rc < 0)
        return rc;
    arena_init(&scratch, NULL);
    guess_header(g, &scratch);
    if (!g->ret->header && g->spec->header == CSV_GUESS_HEADER_AUTO)
        rc = guess_headless(g, &scratch, err);
    arena_done(&scratch);
    if (rc < 0)
        return rc;
    guess_comma(g);
    guess_dates(g);
    for (uint32_t i = 0; i < g->cols_count; i++)
        guess_type(g, &g->cols[i]);
    return 0;
}

/* The time column and the series of a table that is wanted, by the values of the first rows. */
static int guess_key(struct guess *g, bool *ret_key, struct dn_err *err)
{
    for (uint32_t i = 0; i < g->cols_count; i++) {
        memcpy(g->scratch, g->cols[i].hashes, g->sampled * sizeof(*g->scratch));
        g->cols[i].distinct = csv_guess_count(g);
    }
    csv_guess_time_col(g);
    return g->time >= 0 ? csv_guess_series(g, ret_key, err) : 0;
}

int csv_guess(const struct csv_guess_spec *spec, struct csv_guess *ret, struct dn_err *err)
{
    struct guess g = {.spec = spec, .ret = ret, .time = -1};
    bool key = false;
    int rc;

    ret->format = spec->format;
    ret->format.epoch = -1;
    if (!spec->parquet)
        ret->format.encoding = csv_source_encoding(spec->source);
    rc = spec->parquet ? guess_file(&g, err) : guess_text(&g, err);
    if (rc < 0)
        return rc;
    if (spec->table) {
        rc = guess_key(&g, &key, err);
        if (rc < 0)
            return rc;
        guess_print(&g, key);
        guess_explain(&g, key);
    } else {
        guess_explain_format(&g);
    }
    buf_u8(&ret->why, 0);
    return ret->sql.failed || ret->why.failed ? DN_FAIL_NOMEM(err) : 0;
}
