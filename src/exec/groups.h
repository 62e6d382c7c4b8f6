/* SPDX-License-Identifier: Apache-2.0
 *
 * groups.h: distinct tuples of values, numbered in the order in which they were first seen. GROUP
 * BY, SELECT DISTINCT and DISTINCT aggregates stand on it. NULL equals NULL here, NaN equals NaN,
 * -0 equals 0.
 *
 * One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "exec/groups_direct.h"
#include "vec/vec.h"

#define EXEC_GROUPS_NO_ID UINT32_MAX /* of exec_groups_look: there is no such tuple */

struct exec_groups {
    struct mem_owner *owner; /* borrowed */
    struct colbuf *keys;     /* owned, keys_count: the tuples */
    uint32_t keys_count;
    uint32_t count;  /* tuples so far */
    uint32_t stored; /* of these, tuples whose values are in keys: all of them between calls */
    uint32_t hashes_cap;
    uint64_t *hashes;  /* owned, one per tuple */
    uint64_t *alone;   /* owned, a bit per tuple: it is not in the index, as it does not come again;
                          NULL: none is */
    struct hidx index; /* of the others */
    uint32_t *by_code; /* owned, VEC_ROWS_MAX: the tuple that a code of a DICT meant last; NULL:
                          there was none yet */
    /* One dictionary, by its number (vec.dict_id), and what its codes mean beside the constants
     * that the other keys are: that is known, and not guessed, however many vectors it comes with.
     */
    uint64_t dict_id;    /* 0: none */
    uint32_t dict_count; /* entries */
    uint32_t dict_left;  /* of these, how many have no tuple yet */
    uint32_t dict_tuple; /* some tuple of it, for the constants; EXEC_GROUPS_NO_ID: there is none */
    uint32_t *dict_ids;  /* owned, VEC_ROWS_MAX: by code; NULL: there was no dictionary yet */
    uint32_t guesses_wrong; /* more of by_code than were right, up to GROUPS_DOUBT: no more then */
    struct exec_direct direct; /* a shortcut for small whole numbers; off: every row is hashed */
    struct arena strings;      /* bytes of keys */
    bool plain;                /* no shortcuts */
};

/* done is right after a failed init, and on zeroed memory. */
int exec_groups_init(struct exec_groups *g,
                     const enum type_id *types,
                     uint32_t keys_count,
                     struct mem_owner *owner,
                     struct dn_err *err) DN_MUST_CHECK;
void exec_groups_done(struct exec_groups *g);
/* No shortcut by value from now on: every row is hashed (SET fast_paths = off). */
static inline void exec_groups_plain(struct exec_groups *g)
{
    g->plain = true;
    exec_direct_done(&g->direct);
}

/* ids[i] for the i-th selected row; new tuples are added. `keys` are keys_count vectors of
 * in->count rows. With all of them CONST, ret_one is true and only ids[0] is written. */
int exec_groups_find(struct exec_groups *g,
                     const struct vec *keys,
                     const struct batch *in,
                     struct arena *scratch,
                     uint32_t *ids,
                     bool *ret_one,
                     struct dn_err *err) DN_MUST_CHECK;
/* Is every entry of the dictionary with this number (vec.dict_id; 0: none) a tuple already? There
 * is one key. */
static inline bool exec_groups_has_dict(const struct exec_groups *g, uint64_t dict_id)
{
    return g->keys_count == 1 && dict_id && g->dict_id == dict_id && g->dict_left == 0;
}
/* The same without adding: EXEC_GROUPS_NO_ID for tuples that are not there. */
int exec_groups_look(struct exec_groups *g,
                     const struct vec *keys,
                     const struct batch *in,
                     struct arena *scratch,
                     uint32_t *ids,
                     bool *ret_one,
                     struct dn_err *err) DN_MUST_CHECK;
/* The same for tuples [first, first + count) of another set of the same types; at most
 * VEC_ROWS_MAX, first is a multiple of 64. */
int exec_groups_match(const struct exec_groups *g,
                      const struct exec_groups *of,
                      uint32_t first,
                      uint32_t count,
                      struct arena *scratch,
                      uint32_t *ids,
                      struct dn_err *err) DN_MUST_CHECK;
/* Adds the tuples of rows [0, count) as the next numbers, without looking for them: they differ
 * from each other and from all that are there or will be asked for, here or in a set that this one
 * is brought together with (exec_groups_match). `keys` are not all CONST. */
int exec_groups_append(struct exec_groups *g,
                       const struct vec *keys,
                       const uint16_t *rows,
                       uint32_t count,
                       struct arena *scratch,
                       struct dn_err *err) DN_MUST_CHECK;
/* The rows of a batch that are new, all columns being keys: sel and ret_count say which; they are
 * added. ids is scratch; sel may be in->sel. */
int exec_groups_new(struct exec_groups *g,
                    const struct batch *in,
                    struct arena *scratch,
                    uint32_t *ids,
                    uint16_t *sel,
                    uint32_t *ret_count,
                    struct dn_err *err) DN_MUST_CHECK;
