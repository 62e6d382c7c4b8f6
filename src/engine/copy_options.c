/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_options.c: the options of COPY, with PostgreSQL's rules. What is read from STDIN and written
 * to STDOUT is what PostgreSQL reads and writes, text unless another format is named. A file is CSV
 * unless a format is named, and has a header. */
#include "engine/copy.h"

#include "base/text.h"
#include "catalog/table.h"
#include "parquet/parquet.h"
#include "sql/ast.h"

#include <string.h>
#include <strings.h>

struct copy_taken {
    struct stmt_copy *to;
    struct arena *arena;
    const struct copy_stmt *ast;
    bool format;
    bool ndjson;
    bool header;
    const struct option_spec *delimiter;
    const struct option_spec *null;
    const struct option_spec *quote;
    const struct option_spec *escape;
    const struct option_spec *epoch;
    const struct option_spec *force_quote;
    const struct option_spec *force_not_null;
    const struct option_spec *force_null;
    const struct option_spec *compression;
};

static int copy_bad_value(const struct option_spec *o, const char *wanted, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "option %s wants %s, not \"%s\"",
                     o->name.s,
                     wanted,
                     o->value ? o->value : "");

    dn_err_at(err, o->value_pos);
    return rc;
}

static int copy_refuse(const struct option_spec *o, const char *why, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_UNSUPPORTED, "%s", why);

    dn_err_at(err, o->name.pos);
    return rc;
}

static bool copy_bool(const struct option_spec *o, bool *ret)
{
    static const char *const yes[] = {"true", "on", "1"};
    static const char *const no[] = {"false", "off", "0"};

    *ret = true;
    if (!o->value)
        return true;
    for (size_t i = 0; i < DN_ARRAY_SIZE(yes); i++) {
        if (strcasecmp(o->value, yes[i]) == 0)
            return true;
        *ret = strcasecmp(o->value, no[i]) != 0;
        if (!*ret)
            return true;
    }
    return false;
}

static int copy_take_format(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    static const char *const kinds[] = {[COPY_TEXT] = "text",
                                        [COPY_CSV] = "csv",
                                        [COPY_BINARY] = "binary",
                                        [COPY_PARQUET] = "parquet"};

    t->format = true;
    if (o->value && strcasecmp(o->value, "ndjson") == 0) {
        t->to->kind = COPY_CSV; /* which the source makes of it: csv_json.h */
        t->ndjson = true;
        return 0;
    }
    for (size_t i = 0; o->value && i < DN_ARRAY_SIZE(kinds); i++)
        if (strcasecmp(o->value, kinds[i]) == 0) {
            t->to->kind = (enum copy_kind)i;
            return 0;
        }
    return copy_bad_value(o, "text, csv, binary, parquet or ndjson", err);
}

static int copy_take_header(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    bool on;

    t->header = true;
    t->to->match = o->value && strcasecmp(o->value, "match") == 0;
    t->to->header = LOAD_HEADER_YES;
    if (t->to->match && !t->ast->from)
        return copy_refuse(o, "HEADER MATCH is for COPY FROM", err);
    if (t->to->match)
        return 0;
    if (o->value && strcasecmp(o->value, "auto") == 0 && t->ast->from) {
        t->to->header = LOAD_HEADER_AUTO;
        return 0;
    }
    if (!copy_bool(o, &on))
        return copy_bad_value(o, "true, false, match or auto", err);
    t->to->header = on ? LOAD_HEADER_YES : LOAD_HEADER_NO;
    return 0;
}

static int copy_take_encoding(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    enum csv_encoding *to = &t->to->format.encoding;

    if (!o->value || !csv_encoding_find(o->value, to) || *to == CSV_ENCODING_AUTO)
        return copy_bad_value(o, "UTF8, LATIN1, WIN1252, UTF16, UTF16LE or UTF16BE", err);
    return *to != CSV_UTF8 && !t->ast->from
               ? copy_refuse(
                     o, "texts are written in UTF-8; another ENCODING is for COPY FROM", err)
               : 0;
}

/* The next two are of our own: how people write numbers and dates. */
static int copy_take_decimal(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    if (!o->value || (strcmp(o->value, ",") != 0 && strcmp(o->value, ".") != 0))
        return copy_bad_value(o, "',' or '.'", err);
    t->to->format.comma = *o->value == ',';
    return t->to->format.comma && !t->ast->from ? copy_refuse(o, "DECIMAL is for COPY FROM", err)
                                                : 0;
}

static int copy_take_dates(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    static const char *const orders[] = {"mdy", "dmy", "ymd"};

    for (size_t i = 0; o->value && i < DN_ARRAY_SIZE(orders); i++)
        if (strcasecmp(o->value, orders[i]) == 0) {
            t->to->format.dates = (int)i + 1;
            return t->ast->from ? 0 : copy_refuse(o, "DATES is for COPY FROM", err);
        }
    return copy_bad_value(o, "MDY, DMY or YMD", err);
}

static int copy_take_freeze(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    bool on;

    if (!copy_bool(o, &on))
        return copy_bad_value(o, "true or false", err);
    return on && !t->ast->from ? copy_refuse(o, "FREEZE is for COPY FROM", err) : 0;
}

static int copy_take_epoch(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};

    t->epoch = o;
    for (size_t i = 0; o->value && i < DN_ARRAY_SIZE(units); i++)
        if (strcasecmp(units[i], o->value) == 0) {
            t->to->format.epoch = 3 * (int)i;
            return 0;
        }
    return copy_bad_value(o, "s, ms, us or ns", err);
}

static int
copy_take_compression(struct copy_taken *t, const struct option_spec *o, struct dn_err *err)
{
    static const struct {
        const char *name;
        enum pq_codec codec;
    } codecs[] = {{"zstd", PQ_ZSTD},
                  {"gzip", PQ_GZIP},
                  {"lz4", PQ_LZ4_RAW},
                  {"none", PQ_UNCOMPRESSED},
                  {"uncompressed", PQ_UNCOMPRESSED}};

    t->compression = o;
    for (size_t i = 0; o->value && i < DN_ARRAY_SIZE(codecs); i++)
        if (strcasecmp(codecs[i].name, o->value) == 0) {
            t->to->pack = (int)codecs[i].codec;
            return 0;
        }
    return copy_bad_value(o, "zstd, gzip, lz4 or none", err);
}

/* ---- characters ---- */

static int copy_char(const struct option_spec *o, char *to, struct dn_err *err)
{
    if (!o)
        return 0;
    if (!o->value || strlen(o->value) != 1)
        return copy_bad_value(o, "one character", err);
    *to = o->value[0];
    return 0;
}

static int copy_delimiter(struct copy_taken *t, struct dn_err *err)
{
    const struct option_spec *o = t->delimiter;
    char *to = &t->to->format.delimiter;
    int rc;

    *to = t->to->kind == COPY_CSV ? ',' : '\t';
    if (!o)
        return 0;
    if (o->value && strcmp(o->value, "\\t") == 0) {
        *to = '\t';
        return 0;
    }
    rc = copy_char(o, to, err);
    if (rc < 0)
        return rc;
    if (*to == '\n' || *to == '\r')
        return copy_bad_value(o, "a character that ends no line", err);
    if (t->to->kind == COPY_TEXT && text_one_of(*to, "\\.abcdefghijklmnopqrstuvwxyz0123456789"))
        return copy_bad_value(o, "no letter, digit, dot or backslash", err);
    return 0;
}

static int copy_null(struct copy_taken *t, struct dn_err *err)
{
    const struct option_spec *o = t->null;
    const char *text = t->to->kind == COPY_CSV ? "" : "\\N";

    if (o && !o->value)
        return copy_bad_value(o, "a text", err);
    if (o)
        text = o->value;
    if (o && strpbrk(text, "\r\n"))
        return copy_refuse(
            o, "COPY null representation cannot use newline or carriage return", err);
    if (o && strchr(text, t->to->format.delimiter) && text[0])
        return copy_refuse(o, "COPY delimiter must not appear in the NULL specification", err);
    if (o && t->to->kind == COPY_CSV && strchr(text, t->to->format.quote) && text[0])
        return copy_refuse(o, "CSV quote character must not appear in the NULL specification", err);
    t->to->format.null_text = (struct vstr){.ptr = text, .len = (uint32_t)strlen(text)};
    return 0;
}

/* ---- all of them ---- */

static int
copy_keep(const struct option_spec **to, const struct option_spec *o, struct dn_err *err DN_UNUSED)
{
    *to = o;
    return 0;
}

#define COPY_KEEP(name)                                                        \
    static int copy_take_##name(                                               \
        struct copy_taken *t, const struct option_spec *o, struct dn_err *err) \
    {                                                                          \
        return copy_keep(&t->name, o, err);                                    \
    }
COPY_KEEP(delimiter)
COPY_KEEP(null)
COPY_KEEP(quote)
COPY_KEEP(escape)
COPY_KEEP(force_quote)
COPY_KEEP(force_not_null)
COPY_KEEP(force_null)
#undef COPY_KEEP

static const struct copy_option {
    const char *name;
    int (*take)(struct copy_taken *t, const struct option_spec *o, struct dn_err *err);
} copy_options[] = {
    {"format", copy_take_format},
    {"header", copy_take_header},
    {"delimiter", copy_take_delimiter},
    {"null", copy_take_null},
    {"quote", copy_take_quote},
    {"escape", copy_take_escape},
    {"force_quote", copy_take_force_quote},
    {"force_not_null", copy_take_force_not_null},
    {"force_null", copy_take_force_null},
    {"encoding", copy_take_encoding},
    {"decimal", copy_take_decimal},
    {"dates", copy_take_dates},
    {"freeze", copy_take_freeze},
    {"epoch", copy_take_epoch},
    {"compression", copy_take_compression},
};

static int copy_take(struct copy_taken *t, uint32_t at, struct dn_err *err)
{
    const struct option_spec *o = &t->ast->options[at];
    struct text_near near = text_near_make(o->name.s);
    int rc;

    for (uint32_t i = 0; i < at; i++)
        if (strcasecmp(t->ast->options[i].name.s, o->name.s) == 0) {
            rc = DN_FAIL(err, DN_E_SYNTAX, "conflicting or redundant options");
            dn_err_at(err, o->name.pos);
            return rc;
        }
    for (size_t i = 0; i < DN_ARRAY_SIZE(copy_options); i++) {
        if (strcasecmp(copy_options[i].name, o->name.s) == 0)
            return copy_options[i].take(t, o, err);
        text_near_try(&near, copy_options[i].name);
    }
    rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "COPY has no option \"%s\"", o->name.s);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    else
        dn_err_hint(
            err,
            "There are format, header, delimiter, null, quote, escape, force_quote, "
            "force_not_null, force_null, encoding, freeze, epoch, decimal, dates and compression.");
    dn_err_at(err, o->name.pos);
    return rc;
}

/* Options that only make sense with a format or a direction. */
static int copy_check_kind(const struct copy_taken *t, struct dn_err *err)
{
    const struct stmt_copy *c = t->to;
    const struct option_spec *quotes[] = {
        t->quote, t->escape, t->force_quote, t->force_not_null, t->force_null};

    for (size_t i = 0; c->kind != COPY_CSV && i < DN_ARRAY_SIZE(quotes); i++)
        if (quotes[i])
            return copy_refuse(quotes[i], "this option is for CSV only", err);
    if (c->kind == COPY_BINARY && (t->delimiter || t->null))
        return copy_refuse(t->delimiter ? t->delimiter : t->null,
                           "cannot specify DELIMITER or NULL in BINARY mode",
                           err);
    if (c->kind == COPY_PARQUET && (t->delimiter || t->null))
        return copy_refuse(
            t->delimiter ? t->delimiter : t->null, "this option is not for Parquet", err);
    if (c->kind == COPY_PARQUET && t->header)
        return DN_FAIL(
            err, DN_E_UNSUPPORTED, "HEADER is not for Parquet, whose columns have names");
    if (t->compression && (c->kind != COPY_PARQUET || t->ast->from))
        return copy_refuse(t->compression, "COMPRESSION is for COPY TO of Parquet", err);
    if (c->kind == COPY_BINARY && t->header && c->header != LOAD_HEADER_NO)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "cannot specify HEADER in BINARY mode");
    if (t->force_quote && t->ast->from)
        return copy_refuse(t->force_quote, "FORCE_QUOTE is for COPY TO", err);
    if ((t->force_not_null || t->force_null) && !t->ast->from)
        return copy_refuse(t->force_not_null ? t->force_not_null : t->force_null,
                           "FORCE_NOT_NULL and FORCE_NULL are for COPY FROM",
                           err);
    if (t->epoch && (c->kind != COPY_CSV || !t->ast->from))
        return copy_refuse(t->epoch, "EPOCH is for COPY FROM of CSV", err);
    return 0;
}

/* A file whose name says what it is, where the statement does not. */
static enum copy_kind copy_kind_of(const char *file)
{
    const char *point = strrchr(file, '.');

    return point && (strcasecmp(point, ".parquet") == 0 || strcasecmp(point, ".pq") == 0)
               ? COPY_PARQUET
               : COPY_CSV;
}

/* Lines of JSON objects: the source makes CSV of them, whose header names the columns. */
static int copy_check_ndjson(const struct copy_taken *t, struct dn_err *err)
{
    const struct option_spec *others[] = {
        t->delimiter, t->null, t->quote, t->escape, t->force_not_null, t->force_null};
    int rc;

    if (!t->ast->from) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "COPY TO writes no NDJSON");
        dn_err_hint(err, "dendro export -o x.ndjson does.");
        return rc;
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(others); i++)
        if (others[i])
            return copy_refuse(others[i], "this option is not for NDJSON", err);
    if (t->header || t->to->format.encoding != CSV_UTF8 || t->to->format.comma)
        return DN_FAIL(
            err,
            DN_E_UNSUPPORTED,
            "HEADER, ENCODING and DECIMAL are not for NDJSON, which is UTF-8 and has names");
    if (t->ast->columns)
        return DN_FAIL(
            err, DN_E_UNSUPPORTED, "the members of NDJSON say themselves which columns they are");
    return 0;
}

static bool copy_is_ndjson(const char *file)
{
    const char *point = strrchr(file, '.');

    return point && (strcasecmp(point, ".ndjson") == 0 || strcasecmp(point, ".jsonl") == 0);
}

int copy_take_options(const struct copy_stmt *ast,
                      struct arena *arena,
                      struct stmt_copy *ret,
                      struct dn_err *err)
{
    struct copy_taken t = {.to = ret, .arena = arena, .ast = ast};
    bool stdio = ast->place == COPY_STDIO;
    int rc = 0;

    *ret = (struct stmt_copy){.kind = stdio ? COPY_TEXT : COPY_CSV,
                              .format = {.quote = '"', .epoch = -1},
                              .pack = PQ_ZSTD,
                              .by_names = !stdio};
    for (uint32_t i = 0; rc == 0 && i < ast->options_count; i++)
        rc = copy_take(&t, i, err);
    if (!t.format && !stdio) {
        ret->kind = copy_kind_of(ast->file);
        t.ndjson = ast->from && copy_is_ndjson(ast->file);
    }
    if (rc == 0 && t.ndjson) {
        rc = copy_check_ndjson(&t, err);
        ret->format.encoding = CSV_NDJSON;
        ret->header = LOAD_HEADER_YES;
        ret->by_names = t.header = true;
    }
    if (rc == 0 && !t.header && !stdio && ret->kind == COPY_CSV && ast->from)
        ret->header = LOAD_HEADER_AUTO;
    else if (rc == 0 && !t.header)
        ret->header = stdio || t.format ? LOAD_HEADER_NO : LOAD_HEADER_YES;
    if (rc == 0)
        rc = copy_check_kind(&t, err);
    if (rc == 0)
        rc = copy_delimiter(&t, err);
    if (rc == 0)
        rc = copy_char(t.quote, &ret->format.quote, err);
    ret->escape = ret->format.quote;
    if (rc == 0)
        rc = copy_char(t.escape, &ret->escape, err);
    if (rc == 0)
        rc = copy_null(&t, err);
    if (rc == 0 && t.force_quote)
        rc = copy_take_columns(arena, t.force_quote, &ret->quote, err);
    if (rc == 0 && t.force_not_null)
        rc = copy_take_columns(arena, t.force_not_null, &ret->not_null, err);
    if (rc == 0 && t.force_null)
        rc = copy_take_columns(arena, t.force_null, &ret->null, err);
    return rc == 0 && ret->kind == COPY_CSV ? csv_format_check(&ret->format, err) : rc;
}
