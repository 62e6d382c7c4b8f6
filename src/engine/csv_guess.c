/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_guess.h"

#include "engine/csv_scan.h"
#include "engine/csv_value.h"

#include "base/hash.h"
#include "base/text.h"
#include "func/text.h"
#include "parquet/parquet.h"

#include <math.h>
#include <stdlib.h>

#define GUESS_ROWS_MAX  4096u
#define GUESS_TAG_BYTES 64u /* longer texts are no tags */
#define GUESS_QUANTUM   "1, 'd'"

struct guess_col {
    const char *name; /* arena */
    uint64_t *hashes; /* arena: of the cells */
    uint32_t values;  /* that are not NULL */
    uint32_t bools;   /* of them, such that can be read so */
    uint32_t ints;
    uint32_t doubles;
    uint32_t times;
    uint32_t digits; /* of a second, the most */
    int64_t min;     /* of the whole numbers */
    int64_t max;
    uint64_t bytes;
    uint32_t distinct;
    enum type_id type;
    int epoch; /* TIMESTAMP by number: its unit; -1 = not */
    bool key;  /* in the series */
    struct type_mods mods;
};

struct guess {
    const struct csv_guess_spec *spec;
    struct csv_guess *ret;
    struct guess_col *cols;
    uint32_t cols_count;
    uint32_t rows;
    uint64_t *scratch; /* GUESS_ROWS_MAX hashes */
    int time;          /* column, -1 = none */
};

void csv_guess_init(struct csv_guess *g)
{
    *g = (struct csv_guess){.epoch = -1};
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

/* ---- reading the sample ---- */

static bool guess_is_bool(struct vstr s)
{
    int64_t v;

    return s.len != 1 ? csv_read_bool(s.ptr, s.len, &v) : s.ptr[0] == 't' || s.ptr[0] == 'f';
}

static bool guess_is_time(struct vstr s, uint32_t *digits)
{
    const char *point;
    int64_t seconds;
    int32_t ns;
    uint32_t n = 0;

    if (s.len < 10 || !memchr(s.ptr, '-', s.len) || text_parse_time(s, &seconds, &ns, NULL) < 0)
        return false;
    point = memchr(s.ptr, '.', s.len);
    while (point && point + 1 + n < s.ptr + s.len && point[1 + n] >= '0' && point[1 + n] <= '9')
        n++;
    *digits = n > *digits ? n : *digits;
    return true;
}

static void guess_cell(struct guess_col *c, struct vstr s, struct arena *scratch)
{
    struct datum d;

    c->values++;
    c->bytes += s.len;
    c->bools += guess_is_bool(s);
    if (text_parse(TYPE_BIGINT, s, scratch, &d, NULL) == 0) {
        c->min = c->ints == 0 || d.v.i64 < c->min ? d.v.i64 : c->min;
        c->max = c->ints == 0 || d.v.i64 > c->max ? d.v.i64 : c->max;
        c->ints++;
        c->doubles++;
    } else if (text_parse(TYPE_DOUBLE, s, scratch, &d, NULL) == 0 && isfinite(d.v.f64)) {
        c->doubles++;
    } else {
        c->times += guess_is_time(s, &c->digits);
    }
}

static int guess_names(struct guess *g, const struct csv_cells *header, struct dn_err *err)
{
    const struct csv_guess_spec *spec = g->spec;
    struct arena *arena = &g->ret->arena;

    g->cols_count = spec->columns ? spec->columns_count : header->count;
    g->cols = arena_calloc(arena, g->cols_count + 1, sizeof(*g->cols));
    g->scratch = arena_alloc_array(arena, GUESS_ROWS_MAX, sizeof(*g->scratch));
    if (!g->cols || !g->scratch)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];

        if (spec->columns) {
            c->name = spec->columns[i].s;
        } else {
            struct vstr s = header->cells[i].text;

            while (s.len > 0 && s.ptr[0] == ' ')
                s = (struct vstr){.ptr = s.ptr + 1, .len = s.len - 1};
            while (s.len > 0 && s.ptr[s.len - 1] == ' ')
                s.len--;
            if (s.len == 0)
                return DN_FAIL(
                    err, DN_E_BAD_NAME, "column %u of the file has no name in its header", i + 1);
            if (!text_value_valid(s.ptr, s.len))
                return DN_FAIL(err, DN_E_BAD_ENCODING, "the header is not valid UTF-8");
            c->name = arena_strndup(arena, s.ptr, s.len);
        }
        c->hashes = arena_alloc_array(arena, GUESS_ROWS_MAX, sizeof(*c->hashes));
        if (!c->name || !c->hashes)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static void guess_row(struct guess *g, const struct csv_cells *record, struct arena *scratch)
{
    const struct csv_format *f = &g->spec->format;

    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];
        const struct csv_cell *cell = &record->cells[i];
        bool null =
            !cell->quoted && cell->text.len == f->null_text.len &&
            (cell->text.len == 0 || memcmp(cell->text.ptr, f->null_text.ptr, cell->text.len) == 0);

        c->hashes[g->rows] = dn_hash64(cell->text.ptr, cell->text.len, null);
        if (!null)
            guess_cell(c, cell->text, scratch);
    }
    g->rows++;
}

static int guess_read(struct guess *g, const char *text, size_t len, struct dn_err *err)
{
    const struct csv_format *f = &g->spec->format;
    struct csv_cells record;
    struct arena scratch;
    size_t at = 0;
    int rc = 0;

    arena_init(&scratch, NULL);
    if (g->spec->header) {
        rc = csv_cells(f, text, len, &g->ret->arena, &record, err);
        at = rc == 0 ? record.record_len : 0;
    }
    if (rc == DN_EOF)
        rc = DN_FAIL(err, DN_E_BAD_TEXT, "the file is empty");
    if (rc == 0 && !g->spec->header && !g->spec->columns)
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "without a header the columns need names: give them");
    if (rc == 0)
        rc = guess_names(g, &record, err);
    while (rc == 0 && at < len && g->rows < GUESS_ROWS_MAX) {
        arena_reset(&scratch);
        rc = csv_cells(f, text + at, len - at, &scratch, &record, err);
        if (rc < 0)
            break;
        at += record.record_len;
        if (record.count == g->cols_count) /* others are found by the import */
            guess_row(g, &record, &scratch);
    }
    arena_done(&scratch);
    return rc < 0 ? rc : 0;
}

/* ---- Parquet ---- */

static int guess_file_names(struct guess *g, struct dn_err *err)
{
    struct arena *arena = &g->ret->arena;
    const struct pq_column *cols;

    g->cols_count = pq_columns(g->spec->parquet, &cols);
    g->cols = arena_calloc(arena, g->cols_count + 1, sizeof(*g->cols));
    g->scratch = arena_alloc_array(arena, GUESS_ROWS_MAX, sizeof(*g->scratch));
    if (!g->cols || !g->scratch)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];

        if (cols[i].refused)
            return DN_FAIL(err,
                           DN_E_UNSUPPORTED,
                           "column \"%s\" of the Parquet file cannot be read: %s",
                           cols[i].name,
                           cols[i].refused);
        c->name = arena_strdup(arena, cols[i].name);
        c->type = cols[i].type;
        c->mods = cols[i].mods;
        c->epoch = -1;
        c->hashes = arena_alloc_array(arena, GUESS_ROWS_MAX, sizeof(*c->hashes));
        if (!c->name || !c->hashes)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static void guess_file_batch(struct guess *g, const struct batch *b, struct buf *text)
{
    for (uint32_t row = 0; row < b->count && g->rows < GUESS_ROWS_MAX; row++, g->rows++) {
        for (uint32_t i = 0; i < g->cols_count; i++) {
            struct guess_col *c = &g->cols[i];
            bool null = vec_is_null(&b->cols[i], row);

            buf_reset(text);
            if (!null) {
                struct datum d = vec_datum(&b->cols[i], row);

                text_print_in(NULL, &d, text);
                c->values++;
                c->bytes += text->len;
            }
            c->hashes[g->rows] =
                dn_hash64(text->len ? (const char *)text->data : "", text->len, null);
        }
    }
}

static int guess_file(struct guess *g, struct dn_err *err)
{
    struct batch b;
    struct buf text;
    int rc = guess_file_names(g, err);

    buf_init(&text, NULL);
    while (rc == 0 && g->rows < GUESS_ROWS_MAX) {
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

static bool guess_time_name(const char *name)
{
    static const char *const words[] = {
        "time", "timestamp", "ts", "t", "date", "datetime", "epoch"};
    size_t len = strlen(name);

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++) {
        size_t n = strlen(words[i]);

        if (text_same_fold(name, len, words[i], n))
            return true;
        if (len > n && name[len - n - 1] == '_' && text_same_fold(name + len - n, n, words[i], n))
            return true;
    }
    return len > 3 && text_same_fold(name + len - 3, 3, "_at", 3);
}

/* Unit of whole numbers that are times between 1973 and 2096, -1 if they are none. */
static int guess_epoch(const struct guess_col *c)
{
    static const int64_t lo[] = {100000000, 100000000000, 100000000000000, 100000000000000000};
    static const int64_t hi[] = {4000000000, 4000000000000, 4000000000000000, 4000000000000000000};

    for (int i = 0; i < 4; i++)
        if (c->min >= lo[i] && c->max <= hi[i])
            return 3 * i;
    return -1;
}

static enum type_id guess_ts_type(uint32_t digits)
{
    return digits <= 3 ? TYPE_TIMESTAMP : digits <= 6 ? TYPE_TIMESTAMP_US : TYPE_TIMESTAMP_NS;
}

static void guess_type(struct guess *g, struct guess_col *c)
{
    int epoch;

    c->type = TYPE_VARCHAR;
    c->epoch = -1;
    if (c->values == 0)
        return;
    if (c->bools == c->values)
        c->type = TYPE_BOOLEAN;
    else if (c->ints == c->values)
        c->type = TYPE_BIGINT;
    else if (c->doubles == c->values)
        c->type = TYPE_DOUBLE;
    else if (c->times == c->values)
        c->type = guess_ts_type(c->digits);
    if (c->type != TYPE_BIGINT || !guess_time_name(c->name))
        return;
    epoch = guess_epoch(c);
    if (epoch < 0 || (g->ret->epoch >= 0 && g->ret->epoch != epoch))
        return; /* one unit for the whole file */
    g->ret->epoch = epoch;
    c->epoch = epoch;
    c->type = guess_ts_type((uint32_t)epoch);
}

/* ---- the key ---- */

static int guess_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Different values among the rows' hashes in scratch. */
static uint32_t guess_count(struct guess *g)
{
    uint32_t n = g->rows > 0;

    qsort(g->scratch, g->rows, sizeof(*g->scratch), guess_cmp);
    for (uint32_t i = 1; i < g->rows; i++)
        n += g->scratch[i] != g->scratch[i - 1];
    return n;
}

/* Do the time and the columns marked tell the rows apart? */
static bool guess_unique(struct guess *g)
{
    for (uint32_t row = 0; row < g->rows; row++) {
        uint64_t h = g->cols[g->time].hashes[row];

        for (uint32_t i = 0; i < g->cols_count; i++)
            if (g->cols[i].key)
                h = dn_mix64(h) ^ g->cols[i].hashes[row];
        g->scratch[row] = h;
    }
    return guess_count(g) == g->rows;
}

static bool guess_is_tag(const struct guess *g, const struct guess_col *c)
{
    return c->type == TYPE_VARCHAR && c->values == g->rows &&
           c->bytes <= (uint64_t)GUESS_TAG_BYTES * g->rows;
}

/* Texts that are different in most rows are names of few rows, or messages. */
static bool guess_is_busy(const struct guess *g, const struct guess_col *c)
{
    return c->distinct > g->rows / 2;
}

/* The marked column that is missed the least: busy ones first, then those with few values. */
static struct guess_col *guess_least(struct guess *g, const bool *tried)
{
    struct guess_col *best = NULL;

    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];
        bool better;

        if (!c->key || tried[i])
            continue;
        if (!best)
            better = true;
        else if (guess_is_busy(g, c) != guess_is_busy(g, best))
            better = guess_is_busy(g, c);
        else
            better = c->distinct < best->distinct;
        best = better ? c : best;
    }
    return best;
}

/* The column that goes into the series though the time alone would do: with one more column in the
 * key no rows are merged that should not be. */
static struct guess_col *guess_best_tag(struct guess *g)
{
    struct guess_col *best = NULL;

    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];

        if (guess_is_tag(g, c) && !guess_is_busy(g, c) && (!best || c->distinct > best->distinct))
            best = c;
    }
    return best;
}

static int guess_series(struct guess *g, bool *ret_found, struct dn_err *err)
{
    bool *tried = arena_calloc(&g->ret->arena, g->cols_count, sizeof(*tried));
    struct guess_col *c;
    bool any = false;

    if (!tried)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < g->cols_count; i++)
        g->cols[i].key = guess_is_tag(g, &g->cols[i]);
    *ret_found = guess_unique(g);
    if (!*ret_found)
        return 0;
    while ((c = guess_least(g, tried)) != NULL) {
        tried[c - g->cols] = true;
        c->key = false;
        c->key = !guess_unique(g);
        any = any || c->key;
    }
    c = any ? NULL : guess_best_tag(g);
    if (c)
        c->key = true;
    return 0;
}

static void guess_time_col(struct guess *g)
{
    g->time = -1;
    for (uint32_t i = 0; i < g->cols_count; i++) {
        const struct guess_col *c = &g->cols[i];

        if (!type_is_timestamp(c->type) || c->values != g->rows || g->rows == 0)
            continue;
        if (g->time < 0 || (guess_time_name(c->name) && !guess_time_name(g->cols[g->time].name)))
            g->time = (int)i;
    }
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

static void guess_explain(struct guess *g, bool key)
{
    struct buf *why = &g->ret->why;
    static const char *const units[] = {"seconds", "milliseconds", "microseconds", "nanoseconds"};

    if (g->spec->parquet)
        buf_puts(why, "types: as the Parquet file has them\n");
    else
        buf_printf(why, "types: by %u rows\n", g->rows);
    for (uint32_t i = 0; i < g->cols_count; i++)
        if (g->cols[i].epoch >= 0)
            buf_printf(why,
                       "times: \"%s\" counts %s since 1970\n",
                       g->cols[i].name,
                       units[g->cols[i].epoch / 3]);
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
                           g->rows);
    }
    buf_u8(why, 0);
}

/* The whole records of the sample. */
static int guess_sample(struct guess *g, struct dn_err *err)
{
    const struct csv_guess_spec *spec = g->spec;
    const char *sample = spec->sample;
    size_t len = spec->len;
    bool open;
    size_t whole;
    char *text;

    if (len >= 3 && memcmp(sample, "\xef\xbb\xbf", 3) == 0) {
        sample += 3;
        len -= 3;
    }
    whole = csv_split(sample, len, spec->format.quote, &open);
    len = whole > 0 ? whole : len;
    text = arena_alloc(&g->ret->arena, len + CSV_PAD);
    if (!text)
        return DN_FAIL_NOMEM(err);
    memcpy(text, sample, len);
    memset(text + len, 0, CSV_PAD);
    return guess_read(g, text, len, err);
}

int csv_guess(const struct csv_guess_spec *spec, struct csv_guess *ret, struct dn_err *err)
{
    struct guess g = {.spec = spec, .ret = ret, .time = -1};
    bool key = false;
    int rc = spec->parquet ? guess_file(&g, err) : guess_sample(&g, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < g.cols_count; i++) {
        if (!spec->parquet)
            guess_type(&g, &g.cols[i]);
        memcpy(g.scratch, g.cols[i].hashes, g.rows * sizeof(*g.scratch));
        g.cols[i].distinct = guess_count(&g);
    }
    guess_time_col(&g);
    if (g.time >= 0) {
        rc = guess_series(&g, &key, err);
        if (rc < 0)
            return rc;
    }
    guess_print(&g, key);
    guess_explain(&g, key);
    return ret->sql.failed || ret->why.failed ? DN_FAIL_NOMEM(err) : 0;
}
