/* SPDX-License-Identifier: Apache-2.0
 *
 * session_path.c: search_path: names between commas, quoted where they must be, of schemas in which
 * names without one are looked for. "$user" stands for the name of the user. */
#include "engine/session_settings.h"

#include <ctype.h>
#include <strings.h>

static bool path_plain(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* The next name, into to (SETTING_TEXT_MAX + 1 bytes): 1; 0: no more; -1: it is none. */
static int path_next(const char **text, bool first, char *to)
{
    const char *p = *text;
    size_t n = 0;

    p += strspn(p, " \t\n\r");
    if (!*p)
        return first ? 0 : *text == p && p[-1] != ',' ? 0 : -1;
    if (*p == '"') {
        for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
            p += *p == '"';
            to[n++] = *p;
        }
        if (*p++ != '"')
            return -1;
    } else {
        while (path_plain(*p))
            to[n++] = *p++;
        if (n == 0)
            return -1;
    }
    to[n] = '\0';
    p += strspn(p, " \t\n\r");
    if (*p && *p != ',')
        return -1;
    *text = *p ? p + 1 : p;
    return 1;
}

bool session_path_valid(const char *text)
{
    char name[SETTING_TEXT_MAX + 1];
    const char *at = text;
    bool first = true;
    int rc;

    while ((rc = path_next(&at, first, name)) == 1)
        first = false;
    return rc == 0;
}

void session_path_quote(const char *name, struct buf *b)
{
    bool plain = *name && !isdigit((unsigned char)*name) && *name != '$';

    for (const char *p = name; plain && *p; p++)
        plain = path_plain(*p);
    if (plain) {
        buf_puts(b, name);
        return;
    }
    buf_u8(b, '"');
    for (const char *p = name; *p; p++) {
        if (*p == '"')
            buf_u8(b, '"');
        buf_u8(b, (uint8_t)*p);
    }
    buf_u8(b, '"');
}

/* The schema that a name in the list means; NULL: it is not there. */
static const struct schema_def *
path_schema(const struct dendro_conn *conn, const struct catalog *cat, const char *name)
{
    const struct schema_def *s;

    if (strcmp(name, "$user") == 0)
        name = conn->functions.user;
    else if (strcasecmp(name, CATALOG_TEMP) == 0)
        name = conn->temp_schema;
    s = catalog_schema(cat, name, NULL);
    return s && (!s->temp || strcmp(s->name, conn->temp_schema) == 0) ? s : NULL;
}

/* Those that are in no catalog. */
static bool path_is_system(const char *name)
{
    return strcmp(name, "pg_catalog") == 0 || strcmp(name, "information_schema") == 0;
}

/* At the end of a list as session.h has them, if there is room for it. */
static void path_add(char *list, size_t *len, const char *name)
{
    size_t n = strlen(name) + 1;

    if (*len + n + 1 > SESSION_PATH_MAX)
        return;
    memcpy(list + *len, name, n);
    *len += n;
}

void session_path_follow(struct dendro_conn *conn, const struct catalog *cat)
{
    char name[SETTING_TEXT_MAX + 1];
    const char *at = conn->settings.search_path;
    bool first = true;
    size_t len = 0, shown = 0;

    memset(conn->path, 0, sizeof(conn->path));
    memset(conn->shown, 0, sizeof(conn->shown));
    for (; path_next(&at, first, name) == 1; first = false) {
        const struct schema_def *s = path_schema(conn, cat, name);

        if (s)
            path_add(conn->path, &len, s->name);
        if (s || path_is_system(name))
            path_add(conn->shown, &shown, s ? s->name : name);
    }
}

bool session_path_is_system(const struct dendro_conn *conn)
{
    return path_is_system(conn->shown);
}

bool session_path_is_temp(const struct dendro_conn *conn, const struct catalog *cat)
{
    char name[SETTING_TEXT_MAX + 1];
    const char *at = conn->settings.search_path;
    bool first = true;

    for (; path_next(&at, first, name) == 1; first = false) {
        if (strcasecmp(name, CATALOG_TEMP) == 0)
            return true;
        if (path_schema(conn, cat, name))
            return false;
    }
    return false;
}

int session_path_use(struct dendro_conn *conn, const char *schema, struct dn_err *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    session_path_quote(schema, &b);
    buf_u8(&b, '\0');
    rc = b.failed ? DN_FAIL_NOMEM(err)
                  : session_setting_set(conn, "search_path", (const char *)b.data, false, err);
    buf_done(&b);
    return rc;
}
