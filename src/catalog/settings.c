/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.c: tables over settings_list.h. */
#include "catalog/settings.h"

#include "base/number.h"
#include "base/text.h"
#include "catalog/settings_int.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define DOC_KNOWN "Known to PostgreSQL's clients; remembered, without effect here."
#define DOC_FIXED "Known to PostgreSQL's clients; cannot be changed."

static const struct setting_row setting_rows[] = {
#define DN_SETTING(field, label, what, first, low, high, who, text) \
    {.name = label,                                                 \
     .kind = SETTING_##what,                                        \
     .def = first,                                                  \
     .min = low,                                                    \
     .max = high,                                                   \
     .scope = SETTING_##who,                                        \
     .doc = text,                                                   \
     .offset = offsetof(struct settings, field)},
#define DN_SETTING_TEXT(field, label, first, who, text) \
    {.name = label,                                     \
     .kind = SETTING_TEXT,                              \
     .scope = SETTING_##who,                            \
     .doc = text,                                       \
     .offset = offsetof(struct settings, field),        \
     .def_text = first},
#define DN_SETTING_ENUM(field, label, list, first, who, text) \
    {.name = label,                                           \
     .kind = SETTING_ENUM,                                    \
     .def = first,                                            \
     .max = INT32_MAX,                                        \
     .scope = SETTING_##who,                                  \
     .doc = text,                                             \
     .offset = offsetof(struct settings, field),              \
     .words = list},
#include "catalog/settings_list.h"
#define DN_SETTING_KNOWN(label, what, of, first, who)               \
    {.name = label,                                                 \
     .kind = SETTING_##what,                                        \
     .min = INT64_MIN,                                              \
     .max = INT64_MAX,                                              \
     .scope = SETTING_##who,                                        \
     .doc = SETTING_##who == SETTING_FIXED ? DOC_FIXED : DOC_KNOWN, \
     .def_text = first,                                             \
     .unit = of,                                                    \
     .known = true},
#include "catalog/settings_known_list.h"
#undef DN_SETTING_KNOWN
#define DN_SETTING_SERVER(label, what, of, first, low, high, list, who, called, text) \
    {.name = label,                                                                   \
     .kind = SETTING_##what,                                                          \
     .min = low,                                                                      \
     .max = high,                                                                     \
     .scope = SETTING_##who,                                                          \
     .doc = text,                                                                     \
     .def_text = first,                                                               \
     .words = list,                                                                   \
     .unit = of,                                                                      \
     .known = true,                                                                   \
     .server = true,                                                                  \
     .value = called},
#include "catalog/settings_server_list.h"
#undef DN_SETTING_SERVER
};

static const char *const setting_reported[] = {
#define DN_SETTING_REPORTED(name) name,
#include "catalog/settings_list.h"
};

const char *settings_reported(size_t i)
{
    return i < DN_ARRAY_SIZE(setting_reported) ? setting_reported[i] : NULL;
}

static const char *const setting_hidden[] = {
#define DN_SETTING_HIDDEN(name) name,
#include "catalog/settings_list.h"
};

bool settings_hidden(const struct setting_row *row)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_hidden); i++)
        if (strcmp(row->name, setting_hidden[i]) == 0)
            return true;
    return false;
}

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

        if (row->known)
            continue;
        if (row->kind == SETTING_TEXT)
            memcpy(settings_text(s, row), row->def_text, strlen(row->def_text) + 1);
        else
            *settings_field(s, row) = row->def;
    }
}

void settings_copy(struct settings *s, const struct settings *from, const struct setting_row *row)
{
    if (!row->known)
        memcpy((char *)s + row->offset,
               (const char *)from + row->offset,
               row->kind == SETTING_TEXT ? SETTING_TEXT_MAX + 1 : sizeof(int64_t));
}

const struct setting_row *settings_find(const char *name, struct dn_err *err)
{
    struct text_near near;

    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_rows); i++)
        if (strcasecmp(setting_rows[i].name, name) == 0)
            return &setting_rows[i];
    near = text_near_make(name); /* costs much more than to find one */
    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_rows); i++)
        text_near_try(&near, setting_rows[i].name);
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

/* The value lies outside; says between which it must lie, in the words SET takes. */
static int settings_fail_range(const struct setting_row *row, const char *text, struct dn_err *err)
{
    struct buf words;
    int rc;

    buf_init(&words, NULL);
    settings_print(row, row->min, &words);
    if (row->max == INT64_MAX) {
        buf_puts(&words, " or more");
    } else if (row->max > row->min) {
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

static int settings_fail_long(const struct setting_row *row, struct dn_err *err)
{
    return DN_FAIL(err,
                   DN_E_INVALID_PARAM,
                   "setting %s must be a text of up to %u bytes",
                   row->name,
                   SETTING_TEXT_MAX);
}

/* The error for a setting that this source may not change. */
static int
settings_fail_scope(const struct setting_row *row, enum setting_scope at, struct dn_err *err)
{
    int rc;

    if (row->scope == SETTING_FIXED)
        return DN_FAIL(err, DN_E_CANT_CHANGE, "parameter \"%s\" cannot be changed", row->name);
    if (row->server && at == SETTING_SESSION) {
        rc = DN_FAIL(err,
                     DN_E_CANT_CHANGE,
                     "parameter \"%s\" cannot be changed %s",
                     row->name,
                     row->scope == SETTING_START ? "without restarting the server" : "now");
        dn_err_hint(err, "ALTER SYSTEM SET %s = … changes it for the server.", row->name);
        return rc;
    }
    if (row->scope == SETTING_DATABASE && at == SETTING_SESSION) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "setting %s belongs to the database, not to a session",
                     row->name);
        dn_err_hint(err, "give it when the database is opened");
        return rc;
    }
    return 0;
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
    rc = settings_fail_scope(row, at, err);
    if (rc < 0)
        return rc;
    if (row->known) { /* the extras have it, if anybody */
        struct buf ignored;

        buf_init(&ignored, NULL);
        rc = text ? settings_canonical(row, text, &ignored, err) : 0;
        buf_done(&ignored);
        return rc;
    }
    if (row->kind == SETTING_TEXT) {
        const char *from = text ? text : row->def_text;

        if (strlen(from) > SETTING_TEXT_MAX)
            return settings_fail_long(row, err);
        memset(settings_text(s, row), 0, SETTING_TEXT_MAX + 1);
        memcpy(settings_text(s, row), from, strlen(from));
        return 0;
    }
    if (text) {
        value = settings_value(s, row);
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

int settings_number(const struct setting_row *row,
                    const char *text,
                    int64_t *ret,
                    struct dn_err *err)
{
    int64_t value = 0;
    int rc = settings_parse(row, text, &value, err);

    if (rc < 0)
        return rc;
    if (row->kind != SETTING_PORT && (value < row->min || value > row->max))
        return settings_fail_range(row, text, err);
    *ret = value;
    return 0;
}

int settings_canonical(const struct setting_row *row,
                       const char *text,
                       struct buf *b,
                       struct dn_err *err)
{
    int64_t value = 0;
    double real;
    size_t len;
    int rc = 0;

    if (row->kind == SETTING_REAL) {
        len = number_real(text, &real);
        if (len == 0 || text[len])
            rc = settings_fail_value(row, text, err);
    } else if (row->kind != SETTING_TEXT) {
        rc = settings_number(row, text, &value, err);
    } else if (strlen(text) > SETTING_TEXT_MAX) {
        rc = settings_fail_long(row, err);
    }
    if (rc < 0)
        return rc;
    if (row->kind == SETTING_TEXT || row->kind == SETTING_REAL)
        buf_puts(b, text);
    else
        settings_print(row, value, b);
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}

void settings_show(const struct settings *s, const struct setting_row *row, struct buf *b)
{
    if (row->kind == SETTING_TEXT)
        buf_puts(b, (const char *)s + row->offset);
    else
        settings_print(row, settings_value(s, row), b);
}
