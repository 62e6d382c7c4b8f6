/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.h: what SET, SHOW and the options of opening a database change. One field per row of
 * settings_list.h; a session starts with a copy of its database's struct.
 *
 *     settings_defaults(&s);
 *     rc = settings_set(&s, "memtable_size", "16MB", SETTING_DATABASE, err);
 *     limit = s.memtable_size;
 *
 * One thread at a time per struct; the rows: any thread. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"

enum setting_kind {
    SETTING_BOOL, /* on, off, true, false, yes, no, 1, 0 */
    SETTING_INT,
    SETTING_SIZE, /* bytes: 4096, '64MB'; units B, kB, MB, GB, TB are powers of 1024 */
    SETTING_TEXT, /* up to SETTING_TEXT_MAX bytes; what it may be is the user's business */
};

enum setting_scope {
    SETTING_SESSION,  /* SET, at any time */
    SETTING_DATABASE, /* only when the database is opened */
};

#define SETTING_TEXT_MAX 255u

struct settings {
#define DN_SETTING(field, name, kind, def, min, max, scope, doc) int64_t field;
#define DN_SETTING_TEXT(field, name, def, scope, doc)            char field[SETTING_TEXT_MAX + 1];
#include "catalog/settings_list.h"
#undef DN_SETTING
#undef DN_SETTING_TEXT
};

struct setting_row {
    const char *name; /* all static */
    enum setting_kind kind;
    int64_t def;
    int64_t min;
    int64_t max;
    enum setting_scope scope;
    const char *doc;
    size_t offset;        /* of the field in struct settings */
    const char *def_text; /* of a TEXT */
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
/* Of one that is no TEXT. */
int64_t settings_value(const struct settings *s, const struct setting_row *row);
/* As SET takes it: on, 5, 64MB. */
void settings_print(const struct setting_row *row, int64_t value, struct buf *b);
/* The same of any kind, with the value it has. */
void settings_show(const struct settings *s, const struct setting_row *row, struct buf *b);
