/* SPDX-License-Identifier: Apache-2.0
 *
 * login.c: roles as a server sees them: who may log in, and whose a session is. */
#include "engine/privilege.h"
#include "engine/session_settings.h"

#include <stdio.h>
#include <stdlib.h>

void engine_set_password(dendro_db *db, engine_password_fn fn)
{
    db->password = fn;
}

#define LOGIN_SCRAM "SCRAM-SHA-256$"

/* Is it a verifier already? */
static bool login_is_verifier(const char *text)
{
    return strncmp(text, LOGIN_SCRAM, sizeof LOGIN_SCRAM - 1) == 0 && strchr(text, ':') != NULL;
}

/* Where the server has to compute it (HTTP) each round costs the server, not the client. */
static int login_check_rounds(const char *verifier, struct dn_err *err)
{
    unsigned long rounds = strtoul(verifier + sizeof LOGIN_SCRAM - 1, NULL, 10);
    int rc;

    if (rounds >= 1 && rounds <= ENGINE_ROUNDS_MAX)
        return 0;
    rc = DN_FAIL(err,
                 DN_E_INVALID_PARAM,
                 "a verifier of a password has 1 to %u iterations, not %lu",
                 ENGINE_ROUNDS_MAX,
                 rounds);
    dn_err_hint(err,
                "Give the password itself, or a verifier with fewer iterations: 4096 are usual.");
    return rc;
}

int engine_password(struct dendro_db *db,
                    const char *given,
                    struct arena *arena,
                    const char **ret,
                    struct dn_err *err)
{
    char verifier[ENGINE_VERIFIER_MAX];
    int rc;

    if (login_is_verifier(given) && strlen(given) < sizeof(verifier)) {
        rc = login_check_rounds(given, err);
        if (rc < 0)
            return rc;
        snprintf(verifier, sizeof(verifier), "%s", given);
    } else if (!db->password) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "passwords can only be set by a server here");
        dn_err_hint(err,
                    "Connect to `dendro serve`, or give the verifier: PASSWORD "
                    "'SCRAM-SHA-256$…'.");
        return rc;
    } else if (given[0] == '\0' || !db->password(given, verifier)) {
        return DN_FAIL(err, DN_E_INVALID_PARAM, "that cannot be a password");
    }
    *ret = arena_strndup(arena, verifier, strlen(verifier));
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

void engine_login(dendro_db *db, const char *name, struct engine_login *ret)
{
    struct catalog *cat = engine_catalog(db);
    const struct role *r = access_role(cat->access, name);

    *ret = (struct engine_login){.connections = -1, .passwords = access_has_password(cat->access)};
    if (r) {
        ret->known = true;
        ret->login = (r->attrs & ROLE_LOGIN) != 0;
        ret->superuser = (r->attrs & ROLE_SUPERUSER) != 0;
        ret->expired =
            r->valid_until != ACCESS_FOREVER && r->valid_until < volume_clock_ns(db->volume) / 1000;
        ret->connections = r->connections;
        if (r->verifier)
            snprintf(ret->verifier, sizeof(ret->verifier), "%s", r->verifier);
    }
    catalog_unref(cat);
}

int engine_session_role(dendro_conn *conn, const char *name, struct dn_err *err)
{
    struct catalog *cat = engine_catalog(conn->db);
    const struct role *r = access_role(cat->access, name);
    struct dn_err ignored;
    int rc = 0;

    if (!r) {
        rc = DN_FAIL(err, DN_E_NO_LOGIN, "role \"%s\" does not exist", name);
    } else {
        conn->user = conn->role = r->id;
        conn->epoch++;
        snprintf(conn->role_name, sizeof(conn->role_name), "%s", r->name);
        snprintf(conn->login_name, sizeof(conn->login_name), "%s", r->name);
        conn->functions.user = conn->role_name;
        conn->functions.login = conn->login_name;
        /* One that is not valid any more must not keep people out. */
        for (uint32_t i = 0; i < r->settings_count; i++)
            DN_IGNORE(
                session_setting_of_role(conn, r->settings[i].name, r->settings[i].value, &ignored));
        dendro_keep_settings(conn);
        activity_rest(conn);
        rc = keep_login(conn, (r->attrs & ROLE_SUPERUSER) != 0, err);
    }
    catalog_unref(cat);
    return rc;
}
