/* SPDX-License-Identifier: Apache-2.0
 *
 * auth.c: see auth.h. */
#include "server/auth.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sched.h"
#include "server/audit.h"
#include "server/pool.h"
#include "server/server.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#define AUTH_PEERS    256u         /* addresses that failed lately */
#define AUTH_TRIES    10u          /* wrong passwords before one has to wait */
#define AUTH_WAIT_NS  60000000000u /* a minute */
#define AUTH_KNOWN    64u          /* right passwords that are remembered */
#define AUTH_KNOWN_NS (5u * AUTH_WAIT_NS)
#define AUTH_ADDRESS  64u
#define AUTH_DIGEST   32u

struct auth_peer {
    char address[AUTH_ADDRESS];
    unsigned wrong;
    uint64_t since_ns; /* the first of them */
};

struct auth_known {
    uint8_t digest[AUTH_DIGEST]; /* of verifier and password */
    uint64_t since_ns;
};

struct auth {
    struct server *srv;       /* borrowed */
    struct sched_mutex *lock; /* owned; guards what follows */
    struct auth_peer peers[AUTH_PEERS];
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
    a->lock = sched_mutex_new(srv_pool_sched(server_pool(s)), "auth");
    if (!a->lock || RAND_bytes(a->secret, sizeof(a->secret)) != 1 ||
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

/* ---- too many wrong ones ---- */

/* The address without the port, which is another one each time. */
static void auth_address(const char *peer, char to[AUTH_ADDRESS])
{
    const char *colon = strrchr(peer, ':');

    snprintf(to, AUTH_ADDRESS, "%.*s", (int)(colon ? (size_t)(colon - peer) : strlen(peer)), peer);
}

/* Where it is remembered; under the lock. */
static struct auth_peer *auth_peer(struct auth *a, const char *address)
{
    return &a->peers[dn_hash64(address, strlen(address), 0) % AUTH_PEERS];
}

static bool auth_must_wait(struct auth *a, const char *peer)
{
    uint64_t now = server_now_ns(a->srv);
    const struct auth_peer *p;
    char address[AUTH_ADDRESS];
    bool wait;

    auth_address(peer, address);
    sched_lock(a->lock);
    p = auth_peer(a, address);
    wait = p->wrong >= AUTH_TRIES && now - p->since_ns < AUTH_WAIT_NS &&
           strcmp(p->address, address) == 0;
    sched_unlock(a->lock);
    return wait;
}

void auth_said(struct auth *a, const struct auth_who *who, bool right)
{
    uint64_t now = server_now_ns(a->srv);
    char address[AUTH_ADDRESS];
    struct auth_peer *p;

    auth_address(who->peer, address);
    sched_lock(a->lock);
    p = auth_peer(a, address);
    if (right && strcmp(p->address, address) == 0) {
        p->wrong = 0;
    } else if (!right) {
        if (strcmp(p->address, address) != 0 || now - p->since_ns >= AUTH_WAIT_NS) {
            snprintf(p->address, sizeof(p->address), "%s", address);
            p->wrong = 0;
            p->since_ns = now;
        }
        p->wrong++;
    }
    sched_unlock(a->lock);
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
        server_log("login failed: user \"%.63s\" from %s%s%s",
                   who->user,
                   who->peer,
                   why ? ": " : "",
                   why ? why : "");
}

/* ---- verdicts ---- */

enum auth_verdict auth_greet(struct auth *a, const struct auth_who *who, struct engine_login *ret)
{
    engine_login(server_db(a->srv), who->user, ret);
    if (ret->passwords)
        return auth_must_wait(a, who->peer) ? AUTH_WAIT : AUTH_ASK;
    if (!who->local && !server_insecure(a->srv))
        return AUTH_NO_LOGIN;
    if (!ret->known)
        return AUTH_NO_ROLE;
    return ret->login ? AUTH_TRUSTED : AUTH_NO_LOGIN;
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

bool auth_password(struct auth *a,
                   const struct auth_who *who,
                   const struct engine_login *login,
                   const char *password,
                   size_t len)
{
    uint8_t digest[AUTH_DIGEST];
    struct scram_verifier v;
    bool usable =
        login->known && login->login && !login->expired && scram_parse(login->verifier, &v);
    bool right = false;

    if (!usable) { /* as much work as for one that is known */
        memset(&v, 0, sizeof(v));
        v.iterations = SCRAM_ITERATIONS;
        v.salt_len = SCRAM_SALT_BYTES;
    }
    if (!auth_digest(a, login->verifier, password, len, digest))
        return false;
    if (usable && auth_is_known(a, digest, false))
        return true;
    right = scram_check(&v, password, len) && usable;
    if (right) {
        struct audit_who in = {.user = who->user, .peer = who->peer, .protocol = who->protocol};

        auth_is_known(a, digest, true);
        audit_login(a->srv, &in); /* not those that come again and again with each request */
    }
    auth_said(a, who, right);
    return right;
}
