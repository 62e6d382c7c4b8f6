/* SPDX-License-Identifier: Apache-2.0
 *
 * config.h: what settings were given before any session: by a configuration file, by ALTER SYSTEM,
 * by the environment, by flags; and where each value comes from. The later source in this order
 * wins.
 *
 *     config_new(&c, err);
 *     config_parse(c, text, len, &from, report, arg, err);      a file, every error of it reported
 *     config_put(c, "pg_port", "5433", &flag, err);
 *     e = config_get(c, row);                                   NULL: the default
 *
 * The text, of files and of ALTER SYSTEM's document alike:
 *
 *     # a comment
 *     [log]                     a section: log, pg, http, ilp, tls, server, database
 *     statement = ddl           means log_statement: the section is put before the name if that
 *                               is a setting; otherwise it is for the reader
 *     listen = '127.0.0.1'      quotes, '' for one inside, are needed around # ; and spaces at ends
 *
 * One thread while it is made, then any: it is shared by reference and not changed any more. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "catalog/settings.h"

enum config_source {
    CONFIG_DEFAULT,
    CONFIG_FILE,
    CONFIG_SYSTEM, /* ALTER SYSTEM */
    CONFIG_ENVIRONMENT,
    CONFIG_FLAG, /* or an option of dendro_open */
};

struct config_from {
    enum config_source source;
    const char *where; /* file, variable or flag; copied */
    uint32_t line;     /* 0 = none */
};

struct config_entry {
    const struct setting_row *row;
    char *value; /* as SHOW has it; owned, as where */
    enum config_source source;
    char *where;
    uint32_t line;
};

struct config; /* NULL is an empty one, for reading */

int config_new(struct config **ret, struct dn_err *err) DN_MUST_CHECK;
struct config *config_ref(struct config *c);
void config_unref(struct config *c);

/* By name, with a text that is checked; one of the same source is replaced. A text with a control
 * character other than a tab (a line feed, a carriage return) is refused: DN_E_INVALID_PARAM. */
int config_put(struct config *c,
               const char *name,
               const char *value,
               const struct config_from *from,
               struct dn_err *err) DN_MUST_CHECK;
/* Drops the entry of one setting from a source; row NULL: of all settings. */
void config_drop(struct config *c, const struct setting_row *row, enum config_source source);
/* All entries of another one. */
int config_add(struct config *c, const struct config *other, struct dn_err *err) DN_MUST_CHECK;
/* The entry of the source that wins; NULL: the default applies. Borrowed from c. */
const struct config_entry *config_get(const struct config *c, const struct setting_row *row);
/* By number, of all sources, in no order; NULL = no more. */
const struct config_entry *config_at(const struct config *c, size_t i);
/* Writes the value, or the default, into b with a NUL behind it. */
int config_value(const struct config *c,
                 const struct setting_row *row,
                 struct buf *b,
                 struct dn_err *err) DN_MUST_CHECK;
/* Do both give the setting the same value? */
bool config_same(const struct config *a, const struct config *b, const struct setting_row *row);

/* ---- config_text.c ---- */
/* An error: "FILE:LINE: …; perhaps you meant …". */
typedef void (*config_report_fn)(void *arg, const char *text);
/* Takes every valid line and reports each invalid one (report may be NULL). Returns the number of
 * invalid lines; < 0: out of memory. from->line is not used. */
int config_parse(struct config *c,
                 const char *text,
                 size_t len,
                 const struct config_from *from,
                 config_report_fn report,
                 void *arg,
                 struct dn_err *err) DN_MUST_CHECK;
/* What came from a source, as such a text. */
int config_print(const struct config *c,
                 enum config_source source,
                 struct buf *b,
                 struct dn_err *err) DN_MUST_CHECK;
/* In words, as pg_settings has them: "configuration file". */
const char *config_source_name(enum config_source source);
