/* SPDX-License-Identifier: Apache-2.0
 *
 * config_text.c: configuration as text; config.h says what it looks like. */
#include "base/text.h"
#include "catalog/config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define CONFIG_NAME_MAX 127u

static const char *const config_sections[] = {
    "server", "database", "pg", "http", "ilp", "tls", "log"};

struct config_reader {
    struct config *to;
    struct config_from from;
    const char *section; /* static; NULL: none */
    config_report_fn report;
    void *arg;
    int bad;
};

const char *config_source_name(enum config_source source)
{
    static const char *const names[] = {[CONFIG_DEFAULT] = "default",
                                        [CONFIG_FILE] = "configuration file",
                                        [CONFIG_SYSTEM] = "configuration file",
                                        [CONFIG_ENVIRONMENT] = "environment variable",
                                        [CONFIG_FLAG] = "command line"};

    return names[source];
}

static void config_bad(struct config_reader *r, const char *text, const char *hint)
{
    char line[1024];

    snprintf(line,
             sizeof line,
             "%s:%u: %s%s%s",
             r->from.where,
             r->from.line,
             text,
             hint[0] ? "; " : "",
             hint);
    r->bad++;
    if (r->report)
        r->report(r->arg, line);
}

static bool config_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without spaces around it. */
static void config_trim(const char **s, size_t *len)
{
    while (*len > 0 && config_space(**s)) {
        (*s)++;
        (*len)--;
    }
    while (*len > 0 && config_space((*s)[*len - 1]))
        (*len)--;
}

static bool config_copy_name(const char *s, size_t len, char to[CONFIG_NAME_MAX + 1])
{
    if (len == 0 || len > CONFIG_NAME_MAX)
        return false;
    memcpy(to, s, len);
    to[len] = '\0';
    return strspn(to, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

static void config_section(struct config_reader *r, const char *s, size_t len)
{
    char name[CONFIG_NAME_MAX + 1], text[256], hint[256] = "";
    const char *near;

    r->section = NULL;
    if (len < 2 || s[len - 1] != ']' || !config_copy_name(s + 1, len - 2, name)) {
        config_bad(r, "a section is [name]", "");
        return;
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(config_sections); i++)
        if (strcasecmp(name, config_sections[i]) == 0)
            r->section = config_sections[i];
    if (r->section)
        return;
    near = text_suggest(name, config_sections, DN_ARRAY_SIZE(config_sections));
    snprintf(text, sizeof text, "there is no section [%.80s]", name);
    if (near)
        snprintf(hint, sizeof hint, "perhaps you meant [%s]", near);
    else
        snprintf(hint, sizeof hint, "sections are server, database, pg, http, ilp, tls, log");
    config_bad(r, text, hint);
}

/* A value: quoted, or up to a comment. False: quotes that do not end, or something behind them. */
static bool config_text_value(const char *s, size_t len, struct buf *b)
{
    size_t i = 1;

    if (len == 0 || s[0] != '\'') {
        for (i = 0; i < len; i++)
            if ((s[i] == '#' || s[i] == ';') && (i == 0 || config_space(s[i - 1])))
                break;
        config_trim(&s, &i);
        buf_append(b, s, i);
        buf_u8(b, '\0');
        return true;
    }
    for (; i < len; i++) {
        if (s[i] == '\'' && (i + 1 == len || s[i + 1] != '\''))
            break;
        i += s[i] == '\'';
        buf_u8(b, (uint8_t)s[i]);
    }
    buf_u8(b, '\0');
    if (i >= len)
        return false;
    s += i + 1;
    len -= i + 1;
    config_trim(&s, &len);
    return len == 0 || *s == '#' || *s == ';';
}

/* The setting that a key means in its section. */
static void config_key(const struct config_reader *r, const char *key, char *to, size_t room)
{
    struct dn_err why;

    dn_err_clear(&why);
    snprintf(to, room, "%s%s%s", r->section ? r->section : "", r->section ? "_" : "", key);
    for (char *c = to; *c; c++)
        *c = *c == '-' ? '_' : *c;
    if (!r->section || settings_find(to, &why))
        return;
    key = to + strlen(r->section) + 1;
    if (settings_find(key, NULL) || !strchr(why.hint, '"')) /* it was not almost one, either */
        memmove(to, key, strlen(key) + 1);
}

static int config_pair(struct config_reader *r, const char *s, size_t len, struct dn_err *err)
{
    const char *eq = memchr(s, '=', len);
    char key[CONFIG_NAME_MAX + 1], name[2 * CONFIG_NAME_MAX + 2];
    size_t key_len = eq ? (size_t)(eq - s) : 0;
    const char *from = s;
    struct dn_err why;
    struct buf b;
    int rc = 0;

    config_trim(&from, &key_len);
    if (!eq || !config_copy_name(from, key_len, key)) {
        config_bad(r, "a line is NAME = VALUE, [section] or # comment", "");
        return 0;
    }
    config_key(r, key, name, sizeof name);
    s = eq + 1;
    len -= (size_t)(s - from);
    config_trim(&s, &len);
    dn_err_clear(&why);
    buf_init(&b, NULL);
    if (!config_text_value(s, len, &b))
        config_bad(r, "the value's quotes do not end, or something stands behind them", "");
    else if (b.failed)
        rc = DN_FAIL_NOMEM(err);
    else
        rc = config_put(r->to, name, (const char *)b.data, &r->from, &why);
    buf_done(&b);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (rc < 0)
        config_bad(r, why.text, why.hint);
    return 0;
}

int config_parse(struct config *c,
                 const char *text,
                 size_t len,
                 const struct config_from *from,
                 config_report_fn report,
                 void *arg,
                 struct dn_err *err)
{
    struct config_reader r = {.to = c, .from = *from, .report = report, .arg = arg};
    size_t at = 0;
    int rc = 0;

    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    for (r.from.line = 1; rc == 0 && at < len; r.from.line++) {
        const char *s = text + at;
        const char *end = memchr(s, '\n', len - at);
        size_t n = end ? (size_t)(end - s) : len - at;

        at += n + 1;
        if (memchr(s, '\0', n)) {
            config_bad(&r, "a zero byte: this is no text", "");
            continue;
        }
        config_trim(&s, &n);
        if (n == 0 || *s == '#' || *s == ';')
            continue;
        if (*s == '[')
            config_section(&r, s, n);
        else
            rc = config_pair(&r, s, n, err);
    }
    return rc < 0 ? rc : r.bad;
}

int config_print(const struct config *c,
                 enum config_source source,
                 struct buf *b,
                 struct dn_err *err)
{
    const struct config_entry *e;

    for (size_t i = 0; (e = config_at(c, i)) != NULL; i++) {
        if (e->source != source)
            continue;
        buf_printf(b, "%s = '", e->row->name);
        for (const char *s = e->value; *s; s++) {
            if (*s == '\'')
                buf_u8(b, '\'');
            DN_ASSERT(*s != '\n' && *s != '\r'); /* config_put refuses them */
            buf_u8(b, (uint8_t)*s);
        }
        buf_puts(b, "'\n");
    }
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}
