/* SPDX-License-Identifier: Apache-2.0
 *
 * role_options.c: LOGIN, PASSWORD 'secret', CONNECTION LIMIT 3, IN ROLE a, b, … */
#include "engine/role_options.h"

#include "func/text.h"

#include <stdlib.h>
#include <strings.h>

/* Words that switch an attribute on, or with NO before it off. */
static const struct role_word {
    const char *word;
    uint32_t attr;
} role_words[] = {{"superuser", ROLE_SUPERUSER},
                  {"inherit", ROLE_INHERIT},
                  {"createrole", ROLE_CREATEROLE},
                  {"createdb", ROLE_CREATEDB},
                  {"login", ROLE_LOGIN},
                  {"replication", ROLE_REPLICATION},
                  {"bypassrls", ROLE_BYPASSRLS}};

static int role_bad_word(const struct role_options *o, uint32_t at, struct dn_err *err)
{
    const struct option_spec *w = at < o->count ? &o->words[at] : NULL;
    int rc;

    if (w)
        rc = DN_FAIL(
            err, DN_E_SYNTAX, "syntax error at or near \"%s\"", w->name.s ? w->name.s : w->value);
    else
        rc = DN_FAIL(err, DN_E_SYNTAX, "syntax error at end of input");
    if (w)
        dn_err_at(err, w->value_pos);
    return rc;
}

bool role_is(const struct option_spec *w, const char *word)
{
    return w->name.s && strcasecmp(w->name.s, word) == 0;
}

static bool role_is_sign(const struct option_spec *w, const char *sign)
{
    return !w->name.s && !w->quoted && strcasecmp(w->value, sign) == 0;
}

/* LOGIN, NOLOGIN and the like. 1: it is none of them. */
static int role_take_attr(struct role_options *o, struct dn_err *err)
{
    const struct option_spec *w = &o->words[o->at];

    for (size_t i = 0; w->name.s && i < DN_ARRAY_SIZE(role_words); i++) {
        bool off = strncasecmp(w->name.s, "no", 2) == 0 &&
                   strcasecmp(w->name.s + 2, role_words[i].word) == 0;

        if (!off && strcasecmp(w->name.s, role_words[i].word) != 0)
            continue;
        if (o->seen & role_words[i].attr) {
            int rc = DN_FAIL(err, DN_E_SYNTAX, "conflicting or redundant options");

            dn_err_at(err, w->value_pos);
            return rc;
        }
        o->seen |= role_words[i].attr;
        o->role->attrs =
            off ? o->role->attrs & ~role_words[i].attr : o->role->attrs | role_words[i].attr;
        o->at++;
        return 0;
    }
    return 1;
}

/* A list of roles from here on: a, b. */
static int role_take_list(struct role_options *o, enum role_list which, struct dn_err *err)
{
    o->lists[which].from = o->at;
    o->lists[which].given = true;
    for (;;) {
        if (o->at >= o->count || !o->words[o->at].name.s)
            return role_bad_word(o, o->at, err);
        o->at++;
        if (o->at >= o->count || !role_is_sign(&o->words[o->at], ","))
            break;
        o->at++;
    }
    o->lists[which].to = o->at;
    return 0;
}

static int role_take_password(struct role_options *o, struct role_edit *e, struct dn_err *err)
{
    const struct option_spec *w;

    if (o->at >= o->count)
        return role_bad_word(o, o->at, err);
    w = &o->words[o->at++];
    if (role_is_sign(w, "null")) {
        e->password = true;
        return 0;
    }
    if (!w->quoted)
        return role_bad_word(o, o->at - 1, err);
    e->password = true;
    return engine_password(e->stmt->conn->db, w->value, &e->stmt->run, &e->verifier, err);
}

static int role_take_limit(struct role_options *o, struct dn_err *err)
{
    const struct option_spec *w = o->at < o->count ? &o->words[o->at] : NULL;
    long long n;
    char *end;
    int rc;

    if (!w || w->name.s || w->quoted)
        return role_bad_word(o, o->at, err);
    n = strtoll(w->value, &end, 10);
    if (*end || end == w->value)
        return role_bad_word(o, o->at, err);
    if (n < -1 || n > INT32_MAX) {
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "invalid connection limit: %s", w->value);
        dn_err_at(err, w->value_pos);
        return rc;
    }
    o->role->connections = (int32_t)n;
    o->at++;
    return 0;
}

static int role_take_until(struct role_options *o, struct role_edit *e, struct dn_err *err)
{
    const struct option_spec *w = o->at < o->count ? &o->words[o->at] : NULL;
    struct datum until;
    int rc;

    if (!w || !w->quoted)
        return role_bad_word(o, o->at, err);
    o->at++;
    if (strcasecmp(w->value, "infinity") == 0) {
        o->role->valid_until = ACCESS_FOREVER;
        return 0;
    }
    rc = text_parse_in(&e->stmt->conn->functions,
                       TYPE_TIMESTAMPTZ,
                       (struct vstr){w->value, (uint32_t)strlen(w->value)},
                       &e->stmt->run,
                       &until,
                       err);
    if (rc < 0)
        dn_err_at(err, w->value_pos);
    else
        o->role->valid_until = until.v.i64;
    return rc;
}

static int role_take(struct role_options *o, struct role_edit *e, struct dn_err *err)
{
    const struct option_spec *w = &o->words[o->at];
    const struct option_spec *next = o->at + 1 < o->count ? &o->words[o->at + 1] : NULL;
    int rc = role_take_attr(o, err);

    if (rc <= 0)
        return rc;
    o->at++;
    if (role_is(w, "encrypted") && next && role_is(next, "password")) {
        o->at++;
        return role_take_password(o, e, err);
    }
    if (role_is(w, "password"))
        return role_take_password(o, e, err);
    if (role_is(w, "connection") && next && role_is(next, "limit")) {
        o->at++;
        return role_take_limit(o, err);
    }
    if (role_is(w, "valid") && next && role_is(next, "until")) {
        o->at++;
        return role_take_until(o, e, err);
    }
    if (role_is_sign(w, "in") && next && (role_is(next, "role") || role_is(next, "group"))) {
        o->at++;
        return role_take_list(o, ROLE_LIST_IN, err);
    }
    if (role_is(w, "role") || role_is(w, "user"))
        return role_take_list(o, ROLE_LIST_MEMBERS, err);
    if (role_is(w, "admin"))
        return role_take_list(o, ROLE_LIST_ADMINS, err);
    return role_bad_word(o, o->at - 1, err);
}

int role_take_all(struct role_options *o, struct role_edit *e, struct dn_err *err)
{
    int rc = 0;

    e->password = false;
    e->verifier = NULL;
    while (rc == 0 && o->at < o->count)
        rc = role_take(o, e, err);
    return rc;
}
