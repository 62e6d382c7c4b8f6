/* SPDX-License-Identifier: Apache-2.0
 *
 * throttle.c: see throttle.h. Counts are in tables of a fixed size, a key in one of a few places of
 * its table: new keys take that of the one which counts least. So a flood of names or addresses
 * costs no memory, and does not displace a count that is nearly full. */
#include "server/throttle.h"

#include "base/hash.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define THROTTLE_PLACES   2048u          /* of a table */
#define THROTTLE_WAYS     8u             /* places in which a key may be */
#define THROTTLE_KNOWN_NS 3600000000000u /* a right login is remembered for an hour */
#define THROTTLE_HOST_MAX 64u
#define THROTTLE_NET6     8u /* bytes of the network of an IPv6 address */

enum throttle_kind { THROTTLE_OF_PAIR, THROTTLE_OF_ADDRESS, THROTTLE_OF_ROLE, THROTTLE_KINDS };

struct throttle_count {
    uint64_t key; /* 0: free */
    unsigned wrong;
    unsigned trying;   /* guesses between begin and end */
    uint64_t since_ns; /* of the first wrong one */
    uint64_t right_ns; /* of the last right one; 0: none */
};

struct throttle {
    struct sched *sched;      /* borrowed */
    struct sched_mutex *lock; /* owned; guards the counts */
    struct sched_cond *ended; /* owned: a guess was looked at */
    uint64_t seed;            /* so that nobody can choose names that fall together */
    struct throttle_count counts[THROTTLE_KINDS][THROTTLE_PLACES];
};

_Static_assert(THROTTLE_KINDS == THROTTLE_COUNTS, "a guess is counted in each way");

/* The counts of a guess. A count with guesses under way stays in its place. */
struct throttle_at {
    struct throttle_count *of[THROTTLE_KINDS];
};

struct throttle *throttle_new(struct sched *sched, struct mem_owner *owner)
{
    struct throttle *t = mem_calloc(owner, 1, sizeof(*t));

    if (!t)
        return NULL;
    t->sched = sched;
    t->seed = sched_random(sched);
    t->lock = sched_mutex_new(sched, "throttle");
    t->ended = sched_cond_new(sched, "throttle");
    if (t->lock && t->ended)
        return t;
    throttle_free(t);
    return NULL;
}

void throttle_free(struct throttle *t)
{
    if (!t)
        return;
    if (t->ended)
        sched_cond_free(t->ended);
    if (t->lock)
        sched_mutex_free(t->lock);
    mem_free(t);
}

/* ---- keys ---- */

/* Of the address without its port, which is another one each time. */
static uint64_t throttle_address(const struct throttle *t, const char *peer)
{
    const char *colon = strrchr(peer, ':');
    size_t len = colon ? (size_t)(colon - peer) : strlen(peer);
    char host[THROTTLE_HOST_MAX];
    struct in6_addr six;

    snprintf(host, sizeof host, "%.*s", (int)len, peer);
    if (inet_pton(AF_INET6, host, &six) == 1 && !IN6_IS_ADDR_V4MAPPED(&six))
        return dn_hash64(&six, THROTTLE_NET6, t->seed);
    return dn_hash64(host, strlen(host), t->seed);
}

static void throttle_keys(const struct throttle *t,
                          const struct throttle_who *who,
                          uint64_t ret[THROTTLE_KINDS])
{
    ret[THROTTLE_OF_ADDRESS] = throttle_address(t, who->peer);
    ret[THROTTLE_OF_ROLE] = dn_hash64(who->role, strlen(who->role), t->seed);
    ret[THROTTLE_OF_PAIR] = dn_hash64(who->role, strlen(who->role), ret[THROTTLE_OF_ADDRESS]);
    for (unsigned k = 0; k < THROTTLE_KINDS; k++)
        ret[k] = ret[k] ? ret[k] : 1;
}

/* What a count is worth keeping for: guesses under way, then wrong ones, then a right one. */
static uint64_t throttle_worth(const struct throttle_count *c, uint64_t now)
{
    uint64_t wrong = now - c->since_ns < THROTTLE_NS ? c->wrong : 0;
    bool known = c->right_ns && now - c->right_ns < THROTTLE_KNOWN_NS;

    return (uint64_t)c->trying << 32 | wrong << 1 | known;
}

/* Its place, which it takes if it had none; under the lock. */
static struct throttle_count *
throttle_find(struct throttle *t, enum throttle_kind kind, uint64_t key, uint64_t now)
{
    struct throttle_count *least = NULL;

    for (unsigned i = 0; i < THROTTLE_WAYS; i++) {
        struct throttle_count *c = &t->counts[kind][(key + i) % THROTTLE_PLACES];

        if (c->key == key) {
            if (now - c->since_ns >= THROTTLE_NS)
                c->wrong = 0;
            return c;
        }
        if (!least || throttle_worth(c, now) < throttle_worth(least, now))
            least = c;
    }
    if (least->trying > 0) /* more at once than there are places: they share one */
        return least;
    *least = (struct throttle_count){.key = key};
    return least;
}

static struct throttle_at throttle_at(struct throttle *t, const struct throttle_who *who)
{
    uint64_t now = sched_now_ns(t->sched);
    uint64_t keys[THROTTLE_KINDS];
    struct throttle_at at;

    throttle_keys(t, who, keys);
    for (unsigned k = 0; k < THROTTLE_KINDS; k++)
        at.of[k] = throttle_find(t, (enum throttle_kind)k, keys[k], now);
    return at;
}

/* ---- counting ---- */

/* Is there too much of it; with: counting those under way? */
static bool throttle_over(const struct throttle *t, const struct throttle_at *at, bool with)
{
    static const unsigned max[THROTTLE_KINDS] = {
        [THROTTLE_OF_PAIR] = THROTTLE_PAIR,
        [THROTTLE_OF_ADDRESS] = THROTTLE_ADDRESS,
        [THROTTLE_OF_ROLE] = THROTTLE_ROLE,
    };
    const struct throttle_count *pair = at->of[THROTTLE_OF_PAIR];
    bool known = pair->right_ns && sched_now_ns(t->sched) - pair->right_ns < THROTTLE_KNOWN_NS;

    for (unsigned k = 0; k < THROTTLE_KINDS; k++) {
        const struct throttle_count *c = at->of[k];

        if (known && k != THROTTLE_OF_PAIR)
            continue;
        if (c->wrong + (with ? c->trying : 0) >= max[k])
            return true;
    }
    return false;
}

bool throttle_full(struct throttle *t, const struct throttle_who *who)
{
    struct throttle_at at;
    bool full;

    sched_lock(t->lock);
    at = throttle_at(t, who);
    full = throttle_over(t, &at, false);
    sched_unlock(t->lock);
    return full;
}

bool throttle_begin(struct throttle *t, const struct throttle_who *who, struct throttle_guess *ret)
{
    struct throttle_at at;
    bool full;

    sched_lock(t->lock);
    at = throttle_at(t, who);
    /* Those under way may turn out to be right: their end decides. */
    while (!(full = throttle_over(t, &at, false)) && throttle_over(t, &at, true)) {
        sched_wait(t->ended, t->lock);
        at = throttle_at(t, who);
    }
    for (unsigned k = 0; !full && k < THROTTLE_KINDS; k++) {
        at.of[k]->trying++;
        ret->at[k] = (uint32_t)(at.of[k] - t->counts[k]);
    }
    sched_unlock(t->lock);
    return !full;
}

void throttle_end(struct throttle *t, const struct throttle_guess *guess, bool right)
{
    uint64_t now = sched_now_ns(t->sched);
    struct throttle_count *pair;

    sched_lock(t->lock);
    for (unsigned k = 0; k < THROTTLE_KINDS; k++) {
        struct throttle_count *c = &t->counts[k][guess->at[k]];

        DN_ASSERT(c->trying > 0);
        c->trying--;
        if (!right && c->wrong++ == 0)
            c->since_ns = now;
    }
    pair = &t->counts[THROTTLE_OF_PAIR][guess->at[THROTTLE_OF_PAIR]];
    if (right) {
        pair->wrong = 0;
        pair->right_ns = now ? now : 1;
    }
    sched_broadcast(t->ended);
    sched_unlock(t->lock);
}
