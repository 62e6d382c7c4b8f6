/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.c: settings of a session that the protocol has a part in: those that the client names
 * when it connects, and those whose value it is told of, then and whenever it changes
 * (ParameterStatus). */
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/server.h"

#include <ctype.h>
#include <strings.h>

#define SETTINGS_UNKNOWN "42704" /* SQLSTATE: no setting has this name */

void pgw_settings_tell(struct pgw *p)
{
    const char *name;
    const char *value;

    while (dendro_setting_changed(p->session, &name, &value))
        pgw_parameter(&p->c->out, name, value);
}

/* ---- taking ---- */

static bool settings_utf8(const char *name)
{
    char plain[16] = "";
    size_t n = 0;

    for (; *name && n + 1 < sizeof plain; name++)
        if (isalnum((unsigned char)*name))
            plain[n++] = (char)tolower((unsigned char)*name);
    return strcmp(plain, "utf8") == 0 || strcmp(plain, "unicode") == 0;
}

/* False: it was refused, and the client told so. One that nobody knows is passed over: drivers of
 * all times ask for all kinds of things. */
static bool settings_give(struct pgw *p, const char *name, const char *value)
{
    struct dendro_error err;

    if (strcasecmp(name, "client_encoding") == 0) {
        if (!settings_utf8(value)) {
            pgw_fatal(p,
                      "22023",
                      "invalid value for parameter \"client_encoding\": \"%s\"; it is UTF8",
                      value);
            return false;
        }
        return true;
    }
    if (dendro_set(p->session, name, value, &err) == 0 ||
        strcmp(err.sqlstate, SETTINGS_UNKNOWN) == 0)
        return true;
    pgw_fatal(p, err.sqlstate, "%s", err.message);
    return false;
}

/* "-c name=value --name=value": as the command line of a server; a backslash before a blank makes
 * it part of the value. */
static bool settings_options(struct pgw *p, const char *text)
{
    char word[PGW_OPTION_MAX];

    for (;;) {
        size_t n = 0;
        char *name = word;
        char *equals;

        while (isspace((unsigned char)*text))
            text++;
        if (*text == 0)
            return true;
        for (; *text && !isspace((unsigned char)*text); text++) {
            if (*text == '\\' && text[1])
                text++;
            if (n + 1 < sizeof word)
                word[n++] = *text;
        }
        word[n] = 0;
        if (strcmp(word, "-c") == 0)
            continue; /* its word comes next */
        name += strncmp(word, "--", 2) == 0 ? 2 : strncmp(word, "-c", 2) == 0 ? 2 : 0;
        equals = strchr(name, '=');
        if (!equals)
            continue;
        *equals = 0;
        for (char *c = name; *c; c++)
            if (*c == '-')
                *c = '_';
        if (!settings_give(p, name, equals + 1))
            return false;
    }
}

static bool settings_all(struct pgw *p, struct pgw_rd options)
{
    static const char *const others[] = {"user", "database", "replication"};

    for (;;) {
        const char *name = pgw_rd_text(&options);
        const char *value;
        bool skip;

        if (options.bad || name[0] == 0)
            return true;
        value = pgw_rd_text(&options);
        skip = options.bad || strncmp(name, "_pq_.", 5) == 0;
        for (size_t i = 0; i < DN_ARRAY_SIZE(others); i++)
            skip = skip || strcmp(name, others[i]) == 0;
        if (skip)
            continue;
        if (strcmp(name, "options") == 0 ? !settings_options(p, value)
                                         : !settings_give(p, name, value))
            return false;
    }
}

bool pgw_settings_keep(struct pgw *p, const struct pgw_rd *options)
{
    p->options_len = pgw_rd_left(options);
    p->options = mem_dup(server_owner(p->c->srv), options->p, p->options_len);
    return p->options != NULL;
}

bool pgw_settings_take(struct pgw *p)
{
    bool ok = settings_all(p, (struct pgw_rd){.p = p->options, .end = p->options + p->options_len});

    mem_free(p->options);
    p->options = NULL;
    if (ok)
        dendro_keep_settings(p->session);
    return ok;
}
