/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.c: tables over settings_list.h. */
#include "catalog/settings.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const struct setting_row setting_rows[] = {
#define DN_SETTING(field, name, kind, def, min, max, scope, doc) \
    {name,                                                       \
     SETTING_##kind,                                             \
     def,                                                        \
     min,                                                        \
     max,                                                        \
     SETTING_##scope,                                            \
     doc,                                                        \
     offsetof(struct settings, field),                           \
     NULL},
#define DN_SETTING_TEXT(field, name, def, scope, doc) \
    {name, SETTING_TEXT, 0, 0, 0, SETTING_##scope, doc, offsetof(struct settings, field), def},
#include "catalog/settings_list.h"
#undef DN_SETTING
#undef DN_SETTING_TEXT
};

/* From the largest, so that printing takes the first that divides. */
static const struct {
    const char *unit;
    int64_t bytes;
} setting_units[] = {
    {"TB", (int64_t)1 << 40},
    {"GB", 1 << 30},
    {"MB", 1 << 20},
    {"kB", 1 << 10},
    {"B", 1},
};

size_t settings_count(void)
{
    return DN_ARRAY_SIZE(setting_rows);
}

const struct setting_row *settings_row(size_t i)
{
    DN_ASSERT(i < DN_ARRAY_SIZE(setting_rows));
    return &setting_rows[i];
}

static char *settings_text(struct settings *s, const struct setting_row *row)
{
    return (char *)s + row->offset;
}

static int64_t *settings_field(struct settings *s, const struct setting_row *row)
{
    return (int64_t *)(void *)((char *)s + row->offset);
}

int64_t settings_value(const struct settings *s, const struct setting_row *row)
{
    int64_t value;

    memcpy(&value, (const char *)s + row->offset, sizeof value);
    return value;
}

void settings_defaults(struct settings *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_rows); i++) {
        const struct setting_row *row = &setting_rows[i];

        if (row->kind == SETTING_TEXT)
            memcpy(settings_text(s, row), row->def_text, strlen(row->def_text) + 1);
        else
            *settings_field(s, row) = row->def;
    }
}

const struct setting_row *settings_find(const char *name, struct dn_err *err)
{
    struct text_near near = text_near_make(name);

    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_rows); i++) {
        if (strcasecmp(setting_rows[i].name, name) == 0)
            return &setting_rows[i];
        text_near_try(&near, setting_rows[i].name);
    }
    DN_IGNORE(DN_FAIL(/* NULL says it */
                      err,
                      DN_E_UNDEFINED_OBJECT,
                      "unrecognized configuration parameter \"%.80s\"",
                      name));
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    else
        dn_err_hint(err, "SHOW ALL lists them");
    return NULL;
}

static bool settings_parse_bool(const char *text, int64_t *ret)
{
    static const char *const yes[] = {"on", "true", "yes", "1"};
    static const char *const no[] = {"off", "false", "no", "0"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(yes); i++) {
        if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
            *ret = strcasecmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

/* [-]digits at the start; the rest is left in *text. False: none, or too many. */
static bool settings_parse_digits(const char **text, int64_t *ret)
{
    const char *s = *text;
    bool negative = *s == '-';
    int64_t n = 0;

    s += negative || *s == '+' ? 1 : 0;
    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, *s - '0', &n))
            return false;
    if (!negative &&
        __builtin_sub_overflow(0, n, &n)) /* collected below zero, where there is one more */
        return false;
    *ret = n;
    *text = s;
    return true;
}

/* A unit of size: MB, M, MiB, Mbytes are no different things; 0 = none of them. */
static int64_t settings_parse_unit(const char *s)
{
    if (*s == '\0')
        return 1;
    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_units); i++) {
        const char *unit = setting_units[i].unit;

        if (strcasecmp(s, unit) == 0)
            return setting_units[i].bytes;
        if (unit[1] && strncasecmp(s, unit, 1) == 0 &&
            (s[1] == '\0' || strcasecmp(s + 1, "iB") == 0))
            return setting_units[i].bytes;
    }
    return 0;
}

static bool settings_parse_size(const char *text, int64_t *ret)
{
    int64_t unit;

    if (!settings_parse_digits(&text, ret))
        return false;
    while (*text == ' ')
        text++;
    unit = settings_parse_unit(text);
    return unit > 0 && !__builtin_mul_overflow(*ret, unit, ret);
}

static int
settings_parse(const struct setting_row *row, const char *text, int64_t *ret, struct dn_err *err)
{
    const char *rest = text;
    const char *must = "";

    switch (row->kind) {
    case SETTING_BOOL:
        if (settings_parse_bool(text, ret))
            return 0;
        must = "on or off";
        break;
    case SETTING_INT:
        if (settings_parse_digits(&rest, ret) && *rest == '\0')
            return 0;
        must = "a whole number";
        break;
    case SETTING_SIZE:
        if (settings_parse_size(text, ret))
            return 0;
        must = "a number of bytes such as 65536 or '64MB'";
        break;
    case SETTING_TEXT:
        break;
    }
    return DN_FAIL(
        err, DN_E_INVALID_PARAM, "setting %s must be %s, not '%.80s'", row->name, must, text);
}

/* The value lies outside; says between which it must lie, in the words SET takes. */
static int settings_fail_range(const struct setting_row *row, const char *text, struct dn_err *err)
{
    struct buf words;
    int rc;

    buf_init(&words, NULL);
    settings_print(row, row->min, &words);
    if (row->max == INT64_MAX) {
        buf_puts(&words, " or more");
    } else {
        buf_puts(&words, " to ");
        settings_print(row, row->max, &words);
    }
    if (words.failed)
        rc = DN_FAIL_NOMEM(err);
    else
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "setting %s must be %.*s, not '%.80s'",
                     row->name,
                     (int)words.len,
                     (const char *)words.data,
                     text);
    buf_done(&words);
    return rc;
}

int settings_set(struct settings *s,
                 const char *name,
                 const char *text,
                 enum setting_scope at,
                 struct dn_err *err)
{
    const struct setting_row *row = settings_find(name, err);
    int64_t value = 0;
    int rc;

    if (!row)
        return DN_E_UNDEFINED_OBJECT;
    if (row->scope == SETTING_DATABASE && at == SETTING_SESSION) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "setting %s belongs to the database, not to a session",
                     row->name);
        dn_err_hint(err, "give it when the database is opened");
        return rc;
    }
    if (row->kind == SETTING_TEXT) {
        const char *from = text ? text : row->def_text;

        if (strlen(from) > SETTING_TEXT_MAX)
            return DN_FAIL(err,
                           DN_E_INVALID_PARAM,
                           "setting %s must be a text of up to %u bytes",
                           row->name,
                           SETTING_TEXT_MAX);
        memset(settings_text(s, row), 0, SETTING_TEXT_MAX + 1);
        memcpy(settings_text(s, row), from, strlen(from));
        return 0;
    }
    if (text) {
        rc = settings_parse(row, text, &value, err);
        if (rc < 0)
            return rc;
        if (value < row->min || value > row->max)
            return settings_fail_range(row, text, err);
    } else {
        value = row->def;
    }
    *settings_field(s, row) = value;
    return 0;
}

void settings_print(const struct setting_row *row, int64_t value, struct buf *b)
{
    switch (row->kind) {
    case SETTING_BOOL:
        buf_puts(b, value ? "on" : "off");
        return;
    case SETTING_INT:
        buf_printf(b, "%" PRId64, value);
        return;
    case SETTING_SIZE:
        for (size_t i = 0; value > 0 && i < DN_ARRAY_SIZE(setting_units); i++)
            if (value % setting_units[i].bytes == 0) {
                bool bytes = setting_units[i].bytes == 1;

                buf_printf(b, "%" PRId64, value / setting_units[i].bytes);
                buf_puts(b, bytes ? "" : setting_units[i].unit);
                return;
            }
        buf_printf(b, "%" PRId64, value);
        return;
    case SETTING_TEXT:
        return;
    }
}

void settings_show(const struct settings *s, const struct setting_row *row, struct buf *b)
{
    if (row->kind == SETTING_TEXT)
        buf_puts(b, (const char *)s + row->offset);
    else
        settings_print(row, settings_value(s, row), b);
}
