/* SPDX-License-Identifier: Apache-2.0
 *
 * logins.c: an array that is searched from its beginning: logins are few, and a look is some
 * microseconds at most. Tokens are kept as digests: what a dump of memory shows logs nobody in, and
 * how long a comparison takes tells nothing about a token. */
#include "server/http/logins.h"
#include "base/mem.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#define LOGINS_DIGEST 32u

struct login {
    uint8_t token[LOGINS_DIGEST];
    uint8_t verifier[LOGINS_DIGEST];
    uint64_t since_ns;
    uint64_t used_ns;
    char role[TABLE_NAME_MAX + 1]; /* "" = the place is free */
};

struct http_logins {
    struct sched_mutex *lock;
    struct login list[HTTP_LOGINS_MAX];
};

struct http_logins *http_logins_new(struct sched *sched, struct mem_owner *owner)
{
    struct http_logins *l = mem_calloc(owner, 1, sizeof(*l));

    if (!l)
        return NULL;
    l->lock = sched_mutex_new(sched, "http logins");
    if (l->lock)
        return l;
    mem_free(l);
    return NULL;
}

void http_logins_free(struct http_logins *l)
{
    if (!l)
        return;
    sched_mutex_free(l->lock);
    mem_free(l);
}

static bool logins_digest(const char *text, uint8_t to[LOGINS_DIGEST])
{
    return EVP_Digest(text, strlen(text), to, NULL, EVP_sha256(), NULL) == 1;
}

static void logins_clear(struct login *one)
{
    memset(one, 0, sizeof *one);
}

/* Under the lock. NULL: there is none. */
static struct login *logins_find(struct http_logins *l, const char *token)
{
    uint8_t digest[LOGINS_DIGEST];

    if (strlen(token) != HTTP_TOKEN_LEN || !logins_digest(token, digest))
        return NULL;
    for (size_t i = 0; i < HTTP_LOGINS_MAX; i++)
        if (l->list[i].role[0] && memcmp(l->list[i].token, digest, sizeof digest) == 0)
            return &l->list[i];
    return NULL;
}

/* A place for one more of the role: a free one, or that of the login unused for longest: of the
 * role if it has too many, else of all. Under the lock. */
static struct login *logins_place(struct http_logins *l, const char *role)
{
    struct login *empty = NULL;
    struct login *oldest = NULL;
    struct login *own = NULL;
    unsigned count = 0;

    for (size_t i = 0; i < HTTP_LOGINS_MAX; i++) {
        struct login *one = &l->list[i];

        if (one->role[0] == '\0') {
            empty = one;
            continue;
        }
        if (!oldest || one->used_ns < oldest->used_ns)
            oldest = one;
        if (strcmp(one->role, role) != 0)
            continue;
        count++;
        if (!own || one->used_ns < own->used_ns)
            own = one;
    }
    if (count >= HTTP_LOGINS_ROLE)
        return own;
    return empty ? empty : oldest;
}

bool http_logins_add(struct http_logins *l,
                     const char *role,
                     const char *verifier,
                     uint64_t now_ns,
                     char token[HTTP_TOKEN_LEN + 1])
{
    struct login made = {.since_ns = now_ns, .used_ns = now_ns};
    uint8_t random[HTTP_TOKEN_BYTES];

    if (RAND_bytes(random, sizeof random) != 1)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    if (!logins_digest(token, made.token) || !logins_digest(verifier, made.verifier))
        return false;
    snprintf(made.role, sizeof made.role, "%s", role);
    sched_lock(l->lock);
    *logins_place(l, role) = made;
    sched_unlock(l->lock);
    return true;
}

bool http_logins_role(struct http_logins *l,
                      const char *token,
                      uint64_t now_ns,
                      char role[TABLE_NAME_MAX + 1])
{
    struct login *one;
    bool there;

    sched_lock(l->lock);
    one = logins_find(l, token);
    there = one && now_ns - one->used_ns < HTTP_LOGINS_IDLE_NS &&
            now_ns - one->since_ns < HTTP_LOGINS_LIFE_NS;
    if (there) {
        one->used_ns = now_ns;
        memcpy(role, one->role, sizeof one->role);
    } else if (one) {
        logins_clear(one);
    }
    sched_unlock(l->lock);
    return there;
}

bool http_logins_fits(struct http_logins *l, const char *token, const char *verifier)
{
    uint8_t digest[LOGINS_DIGEST];
    struct login *one;
    bool fits;

    if (!logins_digest(verifier, digest))
        return false;
    sched_lock(l->lock);
    one = logins_find(l, token);
    fits = one && memcmp(one->verifier, digest, sizeof digest) == 0;
    if (one && !fits)
        logins_clear(one);
    sched_unlock(l->lock);
    return fits;
}

void http_logins_end(struct http_logins *l, const char *token)
{
    struct login *one;

    sched_lock(l->lock);
    one = logins_find(l, token);
    if (one)
        logins_clear(one);
    sched_unlock(l->lock);
}
