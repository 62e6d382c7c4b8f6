/* SPDX-License-Identifier: Apache-2.0
 *
 * import_remote.c: see import.h. The first line is a header if it must be, or if its first cell is
 * the name of a column; it then says which column is which. */
#include "cli/import.h"

#include "cli/args.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A name, or a text, between quotes. */
static void import_quote(struct buf *b, char quote, const char *text, size_t len)
{
    buf_u8(b, (uint8_t)quote);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == quote)
            buf_u8(b, (uint8_t)quote);
        buf_u8(b, (uint8_t)text[i]);
    }
    buf_u8(b, (uint8_t)quote);
}

/* The next cell of the first line, quotes taken off. Returns what follows it, NULL: it was the
 * last.
 */
static const char *import_cell(const struct import_remote *im, const char *at, struct buf *ret)
{
    const char *end = im->head + im->head_len;
    char quote = im->csv->quote ? im->csv->quote : '"';
    char delimiter = im->csv->delimiter ? im->csv->delimiter : ',';
    bool quoted = at < end && *at == quote;

    buf_reset(ret);
    for (at += quoted; at < end; at++) {
        if (quoted && *at == quote) {
            if (at + 1 < end && at[1] == quote)
                at++;
            else {
                quoted = false;
                continue;
            }
        } else if (!quoted && (*at == delimiter || *at == '\n' || *at == '\r')) {
            break;
        }
        if (im->csv->encoding > DENDRO_ENCODING_UTF8 && (*at & 0x80)) { /* Latin-1 to UTF-8 */
            buf_u8(ret, (uint8_t)(0xc0 | (uint8_t)*at >> 6));
            buf_u8(ret, (uint8_t)(0x80 | (*at & 0x3f)));
        } else {
            buf_u8(ret, (uint8_t)*at);
        }
    }
    return at < end && *at == delimiter ? at + 1 : NULL;
}

/* Does the table have a column of that name? < 0: there is no such table. */
static int
import_is_column(const struct import_remote *im, const struct buf *name, struct dendro_error *err)
{
    const char *tail = NULL;
    struct buf sql;
    int found = 0;
    int rc;

    buf_init(&sql, NULL);
    (void)backend_ask(im->to, BACKEND_COLUMN_NAMES, im->table, &sql);
    rc = backend_prepare(im->to, (const char *)sql.data, sql.len, &tail, err);
    while (rc > 0 && (rc = backend_step(im->to, err)) == DENDRO_ROW) {
        size_t len = 0;
        const char *text = backend_text(im->to, 0, &len);
        if (text && len == name->len && strncasecmp(text, (const char *)name->data, len) == 0)
            found = 1;
    }
    backend_finish(im->to);
    buf_done(&sql);
    return rc < 0 ? rc : found;
}

/* "(a, b)" and whether there is a header. */
static int import_names(const struct import_remote *im,
                        struct buf *sql,
                        bool *ret_header,
                        struct dendro_error *err)
{
    const char *const *given = im->csv->columns;
    const char *at = im->head;
    struct buf cell;
    int rc = 0;

    *ret_header = im->csv->header == DENDRO_HEADER_YES;
    buf_init(&cell, NULL);
    if (im->csv->header == DENDRO_HEADER_AUTO) {
        (void)import_cell(im, at, &cell);
        rc = import_is_column(im, &cell, err);
        *ret_header = rc > 0;
    }
    for (size_t i = 0; given && given[i]; i++) {
        buf_puts(sql, i ? ", " : " (");
        import_quote(sql, '"', given[i], strlen(given[i]));
    }
    for (size_t i = 0; rc >= 0 && !given && *ret_header && at; i++) {
        at = import_cell(im, at, &cell);
        buf_puts(sql, i ? ", " : " (");
        import_quote(sql, '"', (const char *)cell.data, cell.len);
    }
    if (given || *ret_header)
        buf_puts(sql, ")");
    buf_done(&cell);
    return rc < 0 ? rc : 0;
}

static void import_put_times(const struct dendro_csv *csv, struct buf *sql)
{
    static const char *const units[] = {[DENDRO_UNIT_S] = "s",
                                        [DENDRO_UNIT_MS] = "ms",
                                        [DENDRO_UNIT_US] = "us",
                                        [DENDRO_UNIT_NS] = "ns"};
    static const char *const orders[] = {[DENDRO_DATES_SESSION] = "",
                                         [DENDRO_DATES_MDY] = "mdy",
                                         [DENDRO_DATES_DMY] = "dmy",
                                         [DENDRO_DATES_YMD] = "ymd"};

    if (csv->epoch)
        buf_printf(sql, ", EPOCH '%s'", units[csv->epoch_unit]);
    if (csv->dates != DENDRO_DATES_SESSION)
        buf_printf(sql, ", DATES '%s'", orders[csv->dates]);
}

static void import_with(const struct dendro_csv *csv, bool header, struct buf *sql)
{
    static const char *const encodings[] = {[DENDRO_ENCODING_AUTO] = "UTF8",
                                            [DENDRO_ENCODING_UTF8] = "UTF8",
                                            [DENDRO_ENCODING_LATIN1] = "LATIN1",
                                            [DENDRO_ENCODING_WIN1252] = "WIN1252",
                                            [DENDRO_ENCODING_UTF16LE] = "UTF16LE",
                                            [DENDRO_ENCODING_UTF16BE] = "UTF16BE",
                                            [DENDRO_ENCODING_NDJSON] = "NDJSON"};

    buf_puts(sql, " FROM STDIN WITH (FORMAT csv");
    if (header)
        buf_puts(sql, ", HEADER");
    if (csv->delimiter) {
        buf_puts(sql, ", DELIMITER ");
        import_quote(sql, '\'', &csv->delimiter, 1);
    }
    if (csv->quote) {
        buf_puts(sql, ", QUOTE ");
        import_quote(sql, '\'', &csv->quote, 1);
    }
    if (csv->null_text) {
        buf_puts(sql, ", NULL ");
        import_quote(sql, '\'', csv->null_text, strlen(csv->null_text));
    }
    if (csv->encoding > DENDRO_ENCODING_UTF8)
        buf_printf(sql, ", ENCODING '%s'", encodings[csv->encoding]);
    if (csv->decimal == ',')
        buf_puts(sql, ", DECIMAL ','");
    import_put_times(csv, sql);
    buf_puts(sql, ")");
}

/* The server finds out the names of the members. */
static void import_with_json(const struct dendro_csv *csv, struct buf *sql)
{
    buf_puts(sql, " FROM STDIN WITH (FORMAT ndjson");
    import_put_times(csv, sql);
    buf_puts(sql, ")");
}

int cli_import_fits(const struct dendro_csv *csv,
                    const struct buf *head,
                    const char *file,
                    const char *rejects)
{
    const uint8_t *p = head->data;

    for (size_t i = 0; csv->columns && csv->columns[i]; i++)
        if (!*csv->columns[i])
            return cli_complain("import", "%s", "a server's COPY passes no column over");
    if (rejects)
        return cli_complain("import", "%s", "--rejects works with a directory, not with a server");
    if (head->len > 3 && ((p[0] == 0x1f && p[1] == 0x8b) ||
                          (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd)))
        return cli_complain(
            "import", "%s is packed: unpack it into `dendro import URL TABLE -`", file);
    return CLI_OK;
}

int cli_import_remote(const struct import_remote *im, uint64_t *ret_rows, struct dendro_error *err)
{
    struct dendro_copy copy = {.read = im->read, .read_arg = im->read_arg};
    const char *tail = NULL;
    bool json = im->csv->encoding == DENDRO_ENCODING_NDJSON;
    bool header = false;
    struct buf sql;
    int rc;

    *ret_rows = 0;
    buf_init(&sql, NULL);
    buf_printf(&sql, "COPY %s", im->table);
    rc = im->parquet || json ? 0 : import_names(im, &sql, &header, err);
    if (im->parquet)
        buf_puts(&sql, " FROM STDIN WITH (FORMAT parquet)");
    else if (json)
        import_with_json(im->csv, &sql);
    else
        import_with(im->csv, header, &sql);
    backend_set_copy(im->to, &copy);
    if (rc >= 0)
        rc = backend_prepare(im->to, (const char *)sql.data, sql.len, &tail, err);
    if (rc > 0)
        rc = backend_step(im->to, err);
    if (rc == DENDRO_DONE && strncmp(backend_tag(im->to), "COPY ", 5) == 0)
        *ret_rows = strtoull(backend_tag(im->to) + 5, NULL, 10);
    backend_finish(im->to);
    buf_done(&sql);
    return rc < 0 ? rc : 0;
}
