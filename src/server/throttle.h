/* SPDX-License-Identifier: Apache-2.0
 *
 * throttle.h: how often passwords may be guessed. Guesses are counted for a minute from the first
 * wrong one on, in three ways:
 *
 *     a role from an address    THROTTLE_PAIR wrong ones
 *     an address, any role      THROTTLE_ADDRESS
 *     a role, any address       THROTTLE_ROLE
 *
 * A role that has logged in from an address lately is held to the first count alone, so that others
 * who guess beside it, or guess its password elsewhere, do not lock it out. A right password clears
 * the count of its role and address and no other one.
 *
 *     throttle_begin    before a password is looked at; the guess counts from then on, so that many
 *                       at once are no more than many one after the other
 *     throttle_end      it was right or wrong
 *
 * Any thread; throttle_begin may wait for guesses that are looked at just now. */
#pragma once

#include "base/attr.h"
#include "base/sched.h"

#include <stdbool.h>
#include <stdint.h>

#define THROTTLE_PAIR    10u
#define THROTTLE_ADDRESS 30u
#define THROTTLE_ROLE    100u
#define THROTTLE_NS      60000000000u /* a minute */

struct mem_owner;
struct throttle;

struct throttle *throttle_new(struct sched *sched, struct mem_owner *owner); /* NULL: no memory */
void throttle_free(struct throttle *t);                                      /* NULL is fine */

/* Address and port, as connections are named: of IPv6 the network of 64 bits counts. */
struct throttle_who {
    const char *role;
    const char *peer;
};

/* A guess that is looked at, from throttle_begin to throttle_end. */
#define THROTTLE_COUNTS 3u
struct throttle_guess {
    uint32_t at[THROTTLE_COUNTS]; /* where it is counted */
};

/* Has there been too much already? For those who can be told before they give a password. */
bool throttle_full(struct throttle *t, const struct throttle_who *who);
/* False: too much; throttle_end must not be called then. */
bool throttle_begin(struct throttle *t,
                    const struct throttle_who *who,
                    struct throttle_guess *ret) DN_MUST_CHECK;
void throttle_end(struct throttle *t, const struct throttle_guess *guess, bool right);
