/* SPDX-License-Identifier: Apache-2.0
 *
 * audit.c: see audit.h. */
#include "server/audit.h"
#include "base/text.h"

#include "base/attr.h"
#include "engine/about.h"
#include "server/conf.h"
#include "server/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AUDIT_DATABASE "dendro"
#define AUDIT_TEXT_MAX 1024u /* bytes of a statement's text */
#define AUDIT_MS_NS    1000000u

void audit_login(struct server *s, const struct audit_who *who)
{
    const struct server_field fields[] = {{"user", who->user},
                                          {"address", who->peer},
                                          {"database", AUDIT_DATABASE},
                                          {"protocol", who->protocol}};

    if (atomic_load(&server_live(s)->log_connections))
        server_event("login", fields, DN_ARRAY_SIZE(fields));
}

void audit_logout(struct server *s, const struct audit_who *who, uint64_t since_ns)
{
    char seconds[32];
    const struct server_field fields[] = {{"user", who->user},
                                          {"address", who->peer},
                                          {"database", AUDIT_DATABASE},
                                          {"protocol", who->protocol},
                                          {"seconds", seconds}};

    if (!atomic_load(&server_live(s)->log_disconnections))
        return;
    snprintf(seconds, sizeof seconds, "%.3f", (double)(server_now_ns(s) - since_ns) / 1e9);
    server_event("logout", fields, DN_ARRAY_SIZE(fields));
}

/* The beginning of a text, as much as the log takes. */
static void audit_cut(const char *s, size_t len, char to[AUDIT_TEXT_MAX + 1])
{
    size_t n = len < AUDIT_TEXT_MAX ? len : AUDIT_TEXT_MAX;

    while (n > 0 && n < len && ((unsigned char)s[n] & 0xC0) == 0x80)
        n--; /* not within a character */
    memcpy(to, s, n);
    to[n] = '\0';
}

void audit_rows(struct server *s, const struct audit_who *who, const struct audit_rows *what)
{
    uint64_t ns = server_now_ns(s) - what->since_ns;
    char ms[32], rows[32];
    struct engine_log log;
    bool slow;

    engine_log_settings(what->session, &log);
    slow = log.min_ms >= 0 && ns / AUDIT_MS_NS >= (uint64_t)log.min_ms;
    snprintf(ms, sizeof ms, "%.3f", (double)ns / 1e6);
    snprintf(rows, sizeof rows, "%" PRIu64, what->rows);
    if (what->made && log.statement > 0) {
        char text[AUDIT_TEXT_MAX + 1];
        const struct server_field fields[] = {{"user", who->user},
                                              {"address", who->peer},
                                              {"database", AUDIT_DATABASE},
                                              {"protocol", who->protocol},
                                              {"kind", "DDL"},
                                              {"outcome", "ok"},
                                              {"text", text}};

        audit_cut(what->made, strlen(what->made), text);
        server_event("statement", fields, DN_ARRAY_SIZE(fields));
    }
    if (slow || log.statement > 1) {
        const struct server_field fields[] = {{"user", who->user},
                                              {"address", who->peer},
                                              {"database", AUDIT_DATABASE},
                                              {"protocol", who->protocol},
                                              {"kind", "INSERT"},
                                              {"object", what->table},
                                              {"rows", what->err ? NULL : rows},
                                              {"outcome", what->err ? what->err->sqlstate : "ok"},
                                              {"error", what->err ? what->err->message : NULL},
                                              {"ms", ms}};

        server_event("statement", fields, DN_ARRAY_SIZE(fields));
    }
}

/* Is it to be written, by its kind? */
static bool audit_wanted(const struct engine_log *log, const struct engine_about *about)
{
    static const int from[] = {[ENGINE_DDL] = 1, [ENGINE_MOD] = 2, [ENGINE_OTHER] = 3};

    return log->statement >= from[about->class];
}

/* May the log have its text, and the message of its error, which quotes parts of it? What cannot be
 * read may have anything in it. */
static bool audit_may_tell(const struct engine_about *about)
{
    return !about->secret && about->kind[0] != '\0';
}

/* Its text, as far as it may be seen. */
static const char *audit_text(const struct audit_stmt *what,
                              const struct engine_about *about,
                              char to[AUDIT_TEXT_MAX + 1])
{
    const char *s = what->text;
    size_t len = what->text_len;

    if (about->secret) {
        engine_about_masked(about, to, AUDIT_TEXT_MAX + 1);
        return to;
    }
    if (!s || !audit_may_tell(about))
        return NULL;
    while (len > 0 && text_one_of(s[len - 1], " \t\r\n\f;"))
        len--;
    while (len > 0 && text_one_of(*s, " \t\r\n\f;")) {
        s++;
        len--;
    }
    audit_cut(s, len, to);
    return to;
}

void audit_statement(struct server *s, const struct audit_who *who, const struct audit_stmt *what)
{
    uint64_t ns = what->since_ns ? server_now_ns(s) - what->since_ns : 0;
    char text[AUDIT_TEXT_MAX + 1], ms[32];
    struct engine_about about;
    struct engine_log log;
    bool slow;

    engine_log_settings(what->session, &log);
    slow = log.min_ms >= 0 && what->since_ns && ns / AUDIT_MS_NS >= (uint64_t)log.min_ms;
    if (log.statement == 0 && !slow)
        return;
    if (what->stmt)
        engine_about(what->stmt, &about);
    else
        engine_about_failed(what->session, &about);
    if (!slow && !audit_wanted(&log, &about))
        return;
    snprintf(ms, sizeof ms, "%.3f", (double)ns / 1e6);
    {
        const struct server_field fields[] = {
            {"user", who->user},
            {"address", who->peer},
            {"database", AUDIT_DATABASE},
            {"kind", about.kind[0] ? about.kind : NULL},
            {"object", about.object[0] ? about.object : NULL},
            {"outcome", what->err ? what->err->sqlstate : "ok"},
            {"error", what->err && audit_may_tell(&about) ? what->err->message : NULL},
            {"ms", what->since_ns ? ms : NULL},
            {"text", audit_text(what, &about, text)}};

        server_event("statement", fields, DN_ARRAY_SIZE(fields));
    }
}
