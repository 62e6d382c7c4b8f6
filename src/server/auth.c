/* SPDX-License-Identifier: Apache-2.0
 *
 * auth.c: see auth.h. */
#include "server/auth.h"

#include "base/mem.h"
#include "base/sched.h"
#include "server/audit.h"
#include "server/listen.h"
#include "server/pool.h"
#include "server/server.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#define AUTH_KNOWN    64u           /* right passwords that are remembered … */
#define AUTH_KNOWN_NS 300000000000u /* … for five minutes */
#define AUTH_DIGEST   32u
#define AUTH_HASHES   2u  /* passwords that are hashed at once, at least; else one per core */
#define AUTH_WAITING  64u /* that wait for their turn */
#define AUTH_HASHING  64u /* of AUTH_HASHES, at most */

struct auth_known {
    uint8_t digest[AUTH_DIGEST]; /* of verifier and password */
    uint64_t since_ns;
};

struct auth {
    struct server *srv;                /* borrowed */
    struct throttle *throttle;         /* owned */
    struct sched_mutex *lock;          /* owned; guards what follows, but the last two */
    struct sched_cond *hashed;         /* owned: a place is free */
    const char *hashing[AUTH_HASHING]; /* whose passwords are hashed now; NULL: nobody's */
    unsigned hashes_max;
    unsigned waiting;
    struct auth_known known[AUTH_KNOWN];
    uint8_t secret[SCRAM_KEY_BYTES];
    uint8_t pepper[AUTH_DIGEST]; /* so that digests say nothing to whoever reads memory */
};

struct auth *auth_new(struct server *s)
{
    struct auth *a = mem_calloc(server_owner(s), 1, sizeof(*a));

    if (!a)
        return NULL;
    a->srv = s;
    a->throttle = throttle_new(srv_pool_sched(server_pool(s)), server_owner(s));
    a->lock = sched_mutex_new(srv_pool_sched(server_pool(s)), "auth");
    a->hashed = sched_cond_new(srv_pool_sched(server_pool(s)), "auth");
    a->hashes_max = srv_cores() < AUTH_HASHES ? AUTH_HASHES : srv_cores();
    if (a->hashes_max > AUTH_HASHING)
        a->hashes_max = AUTH_HASHING;
    if (!a->throttle || !a->lock || !a->hashed || RAND_bytes(a->secret, sizeof(a->secret)) != 1 ||
        RAND_bytes(a->pepper, sizeof(a->pepper)) != 1) {
        auth_free(a);
        return NULL;
    }
    return a;
}

void auth_free(struct auth *a)
{
    if (!a)
        return;
    throttle_free(a->throttle);
    if (a->hashed)
        sched_cond_free(a->hashed);
    if (a->lock)
        sched_mutex_free(a->lock);
    OPENSSL_cleanse(a, sizeof(*a));
    mem_free(a);
}

const uint8_t *auth_secret(const struct auth *a)
{
    return a->secret;
}

bool auth_make_verifier(const char *password, char to[ENGINE_VERIFIER_MAX])
{
    uint8_t salt[SCRAM_SALT_BYTES];
    char text[SCRAM_VERIFIER_MAX];
    struct scram_verifier v;

    if (RAND_bytes(salt, sizeof(salt)) != 1 || !scram_make(password, strlen(password), salt, &v))
        return false;
    scram_print(&v, text);
    snprintf(to, ENGINE_VERIFIER_MAX, "%s", text);
    return true;
}

/* ---- guesses ---- */

static struct throttle_who auth_guess(const struct auth_who *who)
{
    return (struct throttle_who){.role = who->user, .peer = who->peer};
}

bool auth_try(struct auth *a, const struct auth_who *who, struct throttle_guess *ret)
{
    struct throttle_who guess = auth_guess(who);

    return throttle_begin(a->throttle, &guess, ret);
}

void auth_tried(struct auth *a,
                const struct auth_who *who,
                const struct throttle_guess *guess,
                bool right)
{
    throttle_end(a->throttle, guess, right);
    if (!right)
        auth_refused(a, who, NULL);
}

void auth_refused(struct auth *a DN_UNUSED, const struct auth_who *who, const char *why)
{
    const struct server_field fields[] = {{"user", who->user},
                                          {"address", who->peer},
                                          {"protocol", who->protocol},
                                          {"why", why ? why : "wrong password"}};

    if (server_log_is_json())
        server_event("login failed", fields, DN_ARRAY_SIZE(fields));
    else
        server_log("login failed: user \"%s\" from %s%s%s",
                   who->user,
                   who->peer,
                   why ? ": " : "",
                   why ? why : "");
}

/* ---- verdicts ---- */

enum auth_verdict auth_greet(struct auth *a, const struct auth_who *who, struct engine_login *ret)
{
    struct throttle_who guess = auth_guess(who);

    engine_login(server_db(a->srv), who->user, ret);
    if (ret->passwords)
        return throttle_full(a->throttle, &guess) ? AUTH_WAIT : AUTH_ASK;
    if (!who->local && !server_insecure(a->srv))
        return AUTH_NO_LOGIN;
    if (!ret->known)
        return AUTH_NO_ROLE;
    return ret->login ? AUTH_TRUSTED : AUTH_NO_LOGIN;
}

bool auth_asks(struct auth *a)
{
    struct engine_login login;

    engine_login(server_db(a->srv), "", &login);
    return login.passwords;
}

static bool auth_digest(const struct auth *a,
                        const char *verifier,
                        const char *password,
                        size_t len,
                        uint8_t ret[AUTH_DIGEST])
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1 &&
              EVP_DigestUpdate(md, a->pepper, sizeof(a->pepper)) == 1 &&
              EVP_DigestUpdate(md, verifier, strlen(verifier) + 1) == 1 &&
              EVP_DigestUpdate(md, password, len) == 1 && EVP_DigestFinal_ex(md, ret, NULL) == 1;

    EVP_MD_CTX_free(md);
    return ok;
}

static bool auth_is_known(struct auth *a, const uint8_t digest[AUTH_DIGEST], bool add)
{
    uint64_t now = server_now_ns(a->srv);
    struct auth_known *k = &a->known[digest[0] % AUTH_KNOWN];
    bool known;

    sched_lock(a->lock);
    known = k->since_ns && now - k->since_ns < AUTH_KNOWN_NS &&
            CRYPTO_memcmp(k->digest, digest, AUTH_DIGEST) == 0;
    if (add) {
        memcpy(k->digest, digest, AUTH_DIGEST);
        k->since_ns = now ? now : 1;
    }
    sched_unlock(a->lock);
    return known;
}

/* ---- passwords ---- */

/* What it is checked against; false: no password of this role is right. */
static bool auth_verifier(const struct engine_login *login, struct scram_verifier *ret)
{
    if (login->known && login->login && !login->expired && scram_parse(login->verifier, ret) &&
        ret->iterations <= SCRAM_ITERATIONS_MAX)
        return true;
    /* as much work as for one that is known */
    *ret = (struct scram_verifier){.iterations = SCRAM_ITERATIONS, .salt_len = SCRAM_SALT_BYTES};
    return false;
}

bool auth_remembers(struct auth *a,
                    const struct engine_login *login,
                    const char *password,
                    size_t len)
{
    uint8_t digest[AUTH_DIGEST];
    struct scram_verifier v;

    return auth_verifier(login, &v) && auth_digest(a, login->verifier, password, len, digest) &&
           auth_is_known(a, digest, false);
}

/* A place among those that hash, for the role; under the lock. NULL: none now. */
static const char **auth_place(struct auth *a, const char *role)
{
    const char **place = NULL;

    for (unsigned i = 0; i < a->hashes_max; i++) {
        if (a->hashing[i] && strcmp(a->hashing[i], role) == 0)
            return NULL;
        if (!a->hashing[i])
            place = &a->hashing[i];
    }
    return place;
}

/* Waits for a place; NULL: too many do. */
static const char **auth_hash_begin(struct auth *a, const char *role)
{
    struct srv_pool *pool = server_pool(a->srv);
    const char **place;

    sched_lock(a->lock);
    place = auth_place(a, role);
    if (!place && a->waiting < AUTH_WAITING) {
        a->waiting++;
        srv_pool_pause(pool); /* others work meanwhile */
        do
            sched_wait(a->hashed, a->lock);
        while (!(place = auth_place(a, role)));
        srv_pool_resume(pool);
        a->waiting--;
    }
    if (place)
        *place = role;
    sched_unlock(a->lock);
    return place;
}

static void auth_hash_end(struct auth *a, const char **place)
{
    sched_lock(a->lock);
    *place = NULL;
    sched_broadcast(a->hashed);
    sched_unlock(a->lock);
}

/* With a place, and after the throttle has let it pass. */
static bool auth_hash(struct auth *a,
                      const struct auth_who *who,
                      const struct engine_login *login,
                      const char *password,
                      size_t len)
{
    uint8_t digest[AUTH_DIGEST];
    struct scram_verifier v;
    bool usable = auth_verifier(login, &v);
    struct audit_who in = {.user = who->user, .peer = who->peer, .protocol = who->protocol};

    if (!auth_digest(a, login->verifier, password, len, digest))
        return false;
    if (usable && auth_is_known(a, digest, false)) /* since it waited */
        return true;
    if (!scram_check(&v, password, len) || !usable)
        return false;
    auth_is_known(a, digest, true);
    audit_login(a->srv, &in); /* not those that come again and again with each request */
    return true;
}

enum auth_answer auth_password(struct auth *a,
                               const struct auth_who *who,
                               const struct engine_login *login,
                               const char *password,
                               size_t len)
{
    enum auth_answer answer = AUTH_TOO_OFTEN;
    struct throttle_guess guess;
    const char **place;

    if (auth_remembers(a, login, password, len))
        return AUTH_RIGHT;
    place = auth_hash_begin(a, who->user);
    if (!place)
        return AUTH_BUSY;
    if (auth_try(a, who, &guess)) {
        bool right = auth_hash(a, who, login, password, len);

        auth_tried(a, who, &guess, right);
        answer = right ? AUTH_RIGHT : AUTH_WRONG;
    }
    auth_hash_end(a, place);
    return answer;
}
