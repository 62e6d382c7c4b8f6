/* SPDX-License-Identifier: Apache-2.0
 *
 * import.c: dendro_import_…: load.h and csv_guess.h as programs see them. */
#include "engine/engine_int.h"

#include "engine/csv_guess.h"
#include "engine/load.h"
#include "engine/privilege.h"
#include "parquet/parquet.h"

#define IMPORT_SNIFF_BYTES  (256u * 1024)       /* where the table is there */
#define IMPORT_SAMPLE_BYTES (1024u * 1024)      /* of a text that is read once */
#define IMPORT_LOOK_BYTES   (64u * 1024 * 1024) /* of a file */

struct import {
    const struct dendro_import *spec;
    uint64_t at; /* of import_read_file */
};

static int import_read(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    const struct import *im = arg;

    *ret_len = 0;
    if (im->spec->read(im->spec->read_arg, to, len, ret_len) != 0)
        return DN_FAIL(err, DN_E_IO, "the text cannot be read");
    return 0;
}

static struct dendro_import_result import_result(const struct load_result *r)
{
    return (struct dendro_import_result){
        .rows = r->rows, .rejected = r->rejected, .parsed = r->parsed, .bytes = r->bytes};
}

static int import_progress(void *arg, const struct load_result *so_far)
{
    const struct import *im = arg;
    struct dendro_import_result r = import_result(so_far);

    return im->spec->progress(im->spec->progress_arg, &r);
}

/* ---- Parquet ---- */

static int import_read_at(void *arg, uint64_t at, void *to, size_t len, struct dn_err *err)
{
    const struct dendro_import *spec = arg;

    if (len == 0)
        return 0;
    return spec->read_at(spec->read_arg, at, to, len) != 0
               ? DN_FAIL(err, DN_E_IO, "the file cannot be read")
               : 0;
}

/* 1: it is Parquet. */
static int import_is_parquet(const struct dendro_import *spec, struct dn_err *err)
{
    char magic[PQ_MAGIC_LEN];
    union {
        const struct dendro_import *from;
        void *arg;
    } u = {.from = spec};
    int rc;

    if (!spec->read_at || spec->size < sizeof magic)
        return 0;
    rc = import_read_at(u.arg, 0, magic, sizeof magic, err);
    if (rc < 0 || memcmp(magic, PQ_MAGIC, sizeof magic) != 0)
        return rc;
    rc = import_read_at(u.arg, spec->size - sizeof magic, magic, sizeof magic, err);
    return rc < 0 ? rc : memcmp(magic, PQ_MAGIC, sizeof magic) == 0; /* a text may begin so */
}

static int import_open_parquet(const struct dendro_import *spec,
                               struct mem_owner *owner,
                               struct pq_reader **ret,
                               struct dn_err *err)
{
    union {
        const struct dendro_import *from;
        void *arg;
    } u = {.from = spec};
    struct pq_input in = {.size = spec->size, .read = import_read_at, .arg = u.arg};
    int rc;

    if (spec->csv.columns || spec->reject)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "a Parquet file says itself what its columns are called, and is imported "
                       "whole or not at all");
    rc = pq_open(&in, owner, ret, err);
    return rc;
}

static const enum csv_encoding import_encodings[] = {
    [DENDRO_ENCODING_AUTO] = CSV_ENCODING_AUTO,
    [DENDRO_ENCODING_UTF8] = CSV_UTF8,
    [DENDRO_ENCODING_LATIN1] = CSV_LATIN1,
    [DENDRO_ENCODING_WIN1252] = CSV_WIN1252,
    [DENDRO_ENCODING_UTF16LE] = CSV_UTF16LE,
    [DENDRO_ENCODING_UTF16BE] = CSV_UTF16BE,
    [DENDRO_ENCODING_NDJSON] = CSV_NDJSON,
};
#define IMPORT_ENCODINGS DN_ARRAY_SIZE(import_encodings)

/* Delimiter and quote are 0 if nothing is said about them. */
static int import_format(const struct dendro_csv *csv, struct csv_format *ret, struct dn_err *err)
{
    const char *null_text = csv->null_text ? csv->null_text : "";

    *ret = (struct csv_format){.delimiter = csv->delimiter,
                               .quote = csv->quote,
                               .null_text = {.ptr = null_text, .len = (uint32_t)strlen(null_text)},
                               .epoch = csv->epoch ? (int)csv->epoch_unit : -1,
                               .comma = csv->decimal == ',',
                               .dates = (int)csv->dates,
                               .encoding = import_encodings[csv->encoding % IMPORT_ENCODINGS]};
    if (csv->epoch && ret->epoch != 0 && ret->epoch != 3 && ret->epoch != 6 && ret->epoch != 9)
        return DN_FAIL(err, DN_E_MISUSE, "no such unit of time: %d", ret->epoch);
    if (csv->decimal && csv->decimal != ',' && csv->decimal != '.')
        return DN_FAIL(err, DN_E_INVALID_PARAM, "the decimal sign is a comma or a point");
    if ((unsigned)csv->encoding >= IMPORT_ENCODINGS || (unsigned)csv->dates > DENDRO_DATES_YMD)
        return DN_FAIL(err, DN_E_MISUSE, "no such encoding, or order of dates");
    return 0;
}

/* What is not said is as it usually is. */
static int
import_format_plain(const struct dendro_csv *csv, struct csv_format *ret, struct dn_err *err)
{
    int rc = import_format(csv, ret, err);

    if (rc < 0)
        return rc;
    if (ret->encoding == CSV_ENCODING_AUTO)
        ret->encoding = CSV_UTF8;
    if (ret->encoding == CSV_NDJSON) { /* the text is made here */
        ret->delimiter = ',';
        ret->quote = '"';
        ret->null_text.len = 0;
        ret->comma = false;
    }
    ret->delimiter = ret->delimiter ? ret->delimiter : ',';
    ret->quote = ret->quote ? ret->quote : '"';
    return csv_format_check(ret, err);
}

static int import_columns(const struct dendro_csv *csv,
                          struct arena *arena,
                          struct spec_name **ret,
                          uint32_t *ret_count,
                          struct dn_err *err)
{
    uint32_t count = 0;
    struct spec_name *names;

    *ret = NULL;
    *ret_count = 0;
    if (!csv->columns)
        return 0;
    while (csv->columns[count])
        count++;
    names = arena_calloc(arena, count + 1, sizeof(*names));
    if (!names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        names[i].s = csv->columns[i];
    *ret = names;
    *ret_count = count;
    return 0;
}

static enum load_header import_header(enum dendro_csv_header h)
{
    return h == DENDRO_HEADER_YES  ? LOAD_HEADER_YES
           : h == DENDRO_HEADER_NO ? LOAD_HEADER_NO
                                   : LOAD_HEADER_AUTO;
}

static int import_run(dendro_conn *conn,
                      const struct dendro_import *spec,
                      struct load_result *result,
                      struct arena *arena,
                      struct dn_err *err)
{
    const struct qual_name name = {.schema = spec->schema, .name = spec->table};
    struct import im = {.spec = spec};
    struct load_spec load = {.header = import_header(spec->csv.header),
                             .read = import_read,
                             .read_arg = &im,
                             .whole = spec->atomic,
                             .reject = spec->reject,
                             .reject_arg = spec->reject_arg,
                             .progress = spec->progress ? import_progress : NULL,
                             .progress_arg = &im};
    const uint16_t none = 0; /* the file says which columns: load_first; here it needs some right */
    struct load_parquet parquet = {.reader = NULL};
    struct spec_name *columns = NULL;
    struct catalog *cat;
    int rc;

    rc = import_is_parquet(spec, err);
    if (rc == 1)
        rc = import_open_parquet(spec, &conn->db->owner, &parquet.reader, err);
    if (rc == 0)
        rc = import_format_plain(&spec->csv, &load.format, err);
    if (rc == 0)
        rc = import_columns(&spec->csv, arena, &columns, &load.columns_count, err);
    if (rc < 0) {
        pq_close(parquet.reader);
        return rc;
    }
    load.columns = columns;
    if (load.format.encoding == CSV_NDJSON)
        load.header = LOAD_HEADER_YES;
    cat = tx_catalog(conn);
    load.table = session_target(conn, cat, &name, &load.named, err);
    load.rights = cat;
    rc = load.table ? privilege_insert(conn, cat, load.table, &none, 0, err) : err->code;
    parquet.table = load.table;
    parquet.named = load.named;
    parquet.rights = cat;
    parquet.progress = load.progress;
    parquet.progress_arg = load.progress_arg;
    if (rc == 0)
        rc = parquet.reader ? load_parquet(conn, &parquet, result, err)
                            : load_run(conn, &load, result, err);
    catalog_unref(cat);
    pq_close(parquet.reader);
    return rc;
}

int dendro_import_csv(dendro_conn *conn,
                      const struct dendro_import *import,
                      struct dendro_import_result *ret_result,
                      struct dendro_error *err)
{
    struct load_result result = {.rows = 0};
    struct arena arena;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!conn || !import || !import->table || !import->read)
        return engine_return(
            err, &e, DN_FAIL(&e, DN_E_MISUSE, "dendro_import_csv: no session, table or reader"));
    atomic_store(&conn->cancel, activity_ended(conn));
    arena_init(&arena, &conn->db->owner);
    rc = import_run(conn, import, &result, &arena, &e);
    arena_done(&arena);
    if (ret_result)
        *ret_result = import_result(&result);
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

/* ---- suggestions ---- */

/* A file from its beginning, whatever the reader has given before. */
static int import_read_file(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    struct import *im = arg;
    uint64_t left = im->spec->size - im->at;
    size_t n = left < len ? (size_t)left : len;

    *ret_len = 0;
    if (n > 0 && im->spec->read_at(im->spec->read_arg, im->at, to, n) != 0)
        return DN_FAIL(err, DN_E_IO, "the file cannot be read");
    im->at += n;
    *ret_len = n;
    return 0;
}

/* By the first rows of a Parquet file, whose footer says the types. */
static int
import_guess_parquet(const struct dendro_import *import, struct csv_guess *g, struct dn_err *err)
{
    struct csv_guess_spec spec = {.schema = import->schema, .table = import->table};
    int rc = import_open_parquet(import, NULL, &spec.parquet, err);

    if (rc == 0)
        rc = csv_guess(&spec, g, err);
    pq_close(spec.parquet);
    return rc;
}

/* `encoding` is tried. */
static int import_guess_text(const struct dendro_import *import,
                             struct csv_guess_spec *spec,
                             enum csv_encoding encoding,
                             struct csv_guess *g,
                             struct dn_err *err)
{
    bool file = import->read_at && import->size > 0;
    struct import im = {.spec = import};
    int rc = csv_source_open(
        file ? import_read_file : import_read, &im, encoding, NULL, &spec->source, err);

    if (rc < 0)
        return rc;
    spec->bytes_max = !spec->table ? IMPORT_SNIFF_BYTES
                      : file       ? IMPORT_LOOK_BYTES
                                   : IMPORT_SAMPLE_BYTES;
    rc = csv_guess(spec, g, err);
    csv_source_close(spec->source);
    return rc;
}

/* table NULL: only the text is looked at. */
static int import_guess(const struct dendro_import *import,
                        const char *table,
                        struct csv_guess *g,
                        struct dn_err *err)
{
    static const enum csv_guess_header headers[] = {
        [DENDRO_HEADER_AUTO] = CSV_GUESS_HEADER_AUTO,
        [DENDRO_HEADER_YES] = CSV_GUESS_HEADER,
        [DENDRO_HEADER_NO] = CSV_GUESS_NO_HEADER,
    };
    struct csv_guess_spec spec = {.schema = import->schema,
                                  .table = table,
                                  .comma_given = import->csv.decimal != 0,
                                  .dates_given = import->csv.dates != DENDRO_DATES_SESSION};
    struct spec_name *columns = NULL;
    bool again = import->read_at && import->size > 0;
    enum csv_encoding encoding;
    struct arena names; /* of the columns: a second try begins with an empty guess */
    int rc = import_is_parquet(import, err);

    if (rc == 1)
        return table ? import_guess_parquet(import, g, err) : 0;
    if (rc == 0 && (unsigned)import->csv.header >= DN_ARRAY_SIZE(headers))
        rc = DN_FAIL(err, DN_E_MISUSE, "no such kind of header");
    if (rc == 0)
        rc = import_format(&import->csv, &spec.format, err);
    if (rc < 0)
        return rc;
    spec.header = headers[import->csv.header];
    arena_init(&names, NULL);
    rc = import_columns(&import->csv, &names, &columns, &spec.columns_count, err);
    spec.columns = columns;
    encoding = spec.format.encoding;
    if (rc == 0)
        rc = import_guess_text(import, &spec, encoding, g, err);
    if (rc == DN_E_BAD_ENCODING && encoding == CSV_ENCODING_AUTO && again && g->late) {
        dn_err_clear(err);
        csv_guess_done(g);
        csv_guess_init(g);
        rc = import_guess_text(import, &spec, CSV_WIN1252, g, err);
    }
    arena_done(&names);
    return rc;
}

/* What was found out, for the import. */
static void import_found(struct dendro_csv *csv, const struct csv_guess *g, bool table)
{
    const struct csv_format *f = &g->format;

    csv->delimiter = f->delimiter;
    csv->quote = f->quote;
    csv->decimal = f->comma ? ',' : '.';
    csv->dates = (enum dendro_dates)f->dates;
    for (size_t i = 0; i < IMPORT_ENCODINGS; i++)
        if (import_encodings[i] == f->encoding)
            csv->encoding = (enum dendro_encoding)i;
    if (table)
        csv->header = g->header ? DENDRO_HEADER_YES : DENDRO_HEADER_NO;
    /* A table that is there may mean its own unit by numbers, which mostly are milliseconds. */
    if (f->epoch >= 0 && (table || f->epoch != DENDRO_UNIT_MS)) {
        csv->epoch = true;
        csv->epoch_unit = (enum dendro_unit)f->epoch;
    }
}

static int import_look(struct dendro_import *import,
                       const char *table,
                       char **ret_sql,
                       char **ret_why,
                       struct dn_err *err)
{
    struct csv_guess g;
    size_t ignored;
    int rc;

    csv_guess_init(&g);
    rc = import_guess(import, table, &g, err);
    if (rc < 0 && rc != DN_E_NOMEM && !table) { /* the import will say what is wrong, and where */
        dn_err_clear(err);
        buf_reset(&g.why);
        g.format.delimiter = '\0';
        if (g.format.encoding == CSV_NDJSON)
            import->csv.encoding = DENDRO_ENCODING_NDJSON;
        rc = 0;
    }
    if (rc == 0 && g.why.len == 0) { /* Parquet says itself how it is written; or see above */
        buf_u8(&g.why, 0);
        rc = g.why.failed ? DN_FAIL_NOMEM(err) : 0;
    } else if (rc == 0 && g.format.delimiter) {
        import_found(&import->csv, &g, table != NULL);
    }
    if (rc == 0) {
        if (ret_sql)
            *ret_sql = (char *)buf_take(&g.sql, &ignored);
        *ret_why = (char *)buf_take(&g.why, &ignored);
    }
    csv_guess_done(&g);
    return rc;
}

int dendro_import_sniff(struct dendro_import *import, char **ret_why, struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!import || !import->read || !ret_why)
        rc = DN_FAIL(&e, DN_E_MISUSE, "dendro_import_sniff: no reader or place for it");
    else
        rc = import_look(import, NULL, NULL, ret_why, &e);
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

int dendro_import_suggest(struct dendro_import *import,
                          char **ret_sql,
                          char **ret_why,
                          struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!import || !import->table || !import->read || !ret_sql || !ret_why)
        rc = DN_FAIL(&e, DN_E_MISUSE, "dendro_import_suggest: no table, reader or place for it");
    else
        rc = import_look(import, import->table, ret_sql, ret_why, &e);
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

void dendro_free(void *p)
{
    mem_free(p);
}
