/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.h: what SET, SHOW and the options of opening a database change. One field per row of
 * settings_list.h; a session starts with a copy of its database's struct.
 *
 *     settings_defaults(&s);
 *     rc = settings_set(&s, "memtable_size", "16MB", SETTING_DATABASE, err);
 *     limit = s.memtable_size;
 *
 * Settings without an effect (settings_known_list.h) and custom settings (x.y) have their values as
 * text in a struct settings_extra, which is immutable: a change makes another one.
 *
 * One thread at a time per struct; the rows and extras: any thread. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"

enum setting_kind {
    SETTING_BOOL, /* on, off, true, false, yes, no, 1, 0 */
    SETTING_INT,
    SETTING_SIZE,      /* bytes: 4096, '64MB'; units B, kB, MB, GB, TB are powers of 1024 */
    SETTING_TIME,      /* milliseconds: 5000, '5s'; units us, ms, s, min, h, d */
    SETTING_PORT,      /* 0 to 65535, or any, which is SETTING_PORT_ANY */
    SETTING_REAL,      /* a number; only of those that are known */
    SETTING_ENUM,      /* one of the words, by number */
    SETTING_DATESTYLE, /* settings_datestyle() and settings_dateorder() */
    SETTING_ENCODING,  /* UTF8 by any of its names */
    SETTING_TEXT,      /* up to SETTING_TEXT_MAX bytes; the module that uses it checks the text */
};

enum setting_scope {
    SETTING_SESSION,  /* SET, at any time */
    SETTING_SUPER,    /* SET, by superusers */
    SETTING_DATABASE, /* only when the database is opened */
    SETTING_RELOAD,   /* a server's: when it is told to look again */
    SETTING_START,    /* a server's: when it starts */
    SETTING_FIXED,    /* never */
};

#define SETTING_TEXT_MAX 511u
#define SETTING_PORT_ANY (-1)

struct settings {
#define DN_SETTING(field, name, kind, def, min, max, scope, doc) int64_t field;
#define DN_SETTING_TEXT(field, name, def, scope, doc)            char field[SETTING_TEXT_MAX + 1];
#define DN_SETTING_ENUM(field, name, words, def, scope, doc)     int64_t field;
#include "catalog/settings_list.h"
};

enum date_style { DATE_STYLE_ISO, DATE_STYLE_SQL, DATE_STYLE_POSTGRES, DATE_STYLE_GERMAN };
enum date_order { DATE_ORDER_MDY, DATE_ORDER_DMY, DATE_ORDER_YMD };
/* The two halves of DateStyle. */
static inline enum date_style settings_datestyle(const struct settings *s)
{
    return (enum date_style)(s->datestyle / 3);
}
static inline enum date_order settings_dateorder(const struct settings *s)
{
    return (enum date_order)(s->datestyle % 3);
}

struct setting_row {
    const char *name; /* all static */
    enum setting_kind kind;
    int64_t def;
    int64_t min;
    int64_t max;
    enum setting_scope scope;
    const char *doc;
    size_t offset;        /* of the field in struct settings; those that are known have none */
    const char *def_text; /* of a TEXT, and of all that are known */
    const char *words;    /* of an ENUM, between commas; else NULL */
    const char *unit;     /* of a number without one: kB, ms; NULL = none, or bytes, or ms */
    bool known;           /* only known: the value is in the extras */
    bool server;          /* of a server; known, too: the value is in its configuration */
    const char *value;    /* of a server's: what the help calls it; NULL = on or off */
};

void settings_defaults(struct settings *s);

size_t settings_count(void);
const struct setting_row *settings_row(size_t i);
/* By name in any case. NULL: none; the error, if err is not NULL, has a "perhaps you meant" hint.
 */
const struct setting_row *settings_find(const char *name, struct dn_err *err);

/* Sets one from text; NULL text is the default. `at` says who asks: SETTING_SESSION (SET) may not
 * change what belongs to the database. On an error s is unchanged. */
int settings_set(struct settings *s,
                 const char *name,
                 const char *text,
                 enum setting_scope at,
                 struct dn_err *err) DN_MUST_CHECK;
/* Copies the value of one setting from another struct. */
void settings_copy(struct settings *s, const struct settings *from, const struct setting_row *row);
/* The value of a setting that is no TEXT. */
int64_t settings_value(const struct settings *s, const struct setting_row *row);
/* Checks a value and writes it into b as it would be stored. For settings of every kind. */
int settings_canonical(const struct setting_row *row,
                       const char *text,
                       struct buf *b,
                       struct dn_err *err) DN_MUST_CHECK;
/* The number that a text stands for; for every kind but TEXT and REAL. */
int settings_number(const struct setting_row *row,
                    const char *text,
                    int64_t *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* Prints a number as SET takes it: on, 5, 64MB. */
void settings_print(const struct setting_row *row, int64_t value, struct buf *b);
/* Prints the current value of a setting that has a field, of any kind. */
void settings_show(const struct settings *s, const struct setting_row *row, struct buf *b);

/* Iterates over the settings that clients are told of when they change; NULL = no more. */
const char *settings_reported(size_t i);

/* Only superusers and members of pg_read_all_settings see its value. */
bool settings_hidden(const struct setting_row *row);

/* ---- values of settings without a field (settings_by_name.c) ---- */

struct settings_extra; /* NULL is an empty one */

/* May users make up this name? It has a dot, and letters, digits, _ and $ around it. */
bool settings_is_custom(const char *name);
struct settings_extra *settings_extra_ref(struct settings_extra *x);
void settings_extra_unref(struct settings_extra *x);
/* Another one with the value; NULL: without it. Memory is of the owner. DN_E_TOO_COMPLEX: there are
 * too many, or all of them are too long. */
int settings_extra_with(const struct settings_extra *x,
                        struct mem_owner *owner,
                        const char *name,
                        const char *value,
                        struct settings_extra **ret,
                        struct dn_err *err) DN_MUST_CHECK;
/* NULL: it was not set. */
const char *settings_extra_get(const struct settings_extra *x, const char *name);
/* By number; NULL = no more. */
const char *settings_extra_at(const struct settings_extra *x, size_t i, const char **ret_value);
