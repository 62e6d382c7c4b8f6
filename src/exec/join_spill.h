/* SPDX-License-Identifier: Apache-2.0
 *
 * join_spill.h: a join whose right side outgrew its memory. Both sides are put aside (spill.h) in
 * parts by the hash of their keys, so that rows that match are in parts of the same number; then
 * part after part is joined. If the right rows of a part still do not fit, both sides of it are
 * divided once more, by other bits of the hash; where that does not help, as many as fit are taken
 * at a time, and the left rows of the part come again for each: a pass. What earlier passes found
 * about a left row is remembered. Without keys there is one part, and for marks that
 * any right row may make NULL (exec_join_maybes).
 *
 *     start -> right … -> left … -> sealed -> pass (-> load …, left_next …) … until DN_EOF
 *
 * One thread at a time. */
#pragma once

#include "exec/join.h"
#include "exec/join_table.h"
#include "exec/spill.h"

#define EXEC_JOIN_PARTS  32u
#define EXEC_JOIN_LEVELS 4u

struct exec_join_spill {
    struct op *op; /* JOIN; NULL: nothing is put aside */
    struct exec_spill right;
    struct exec_spill left;
    struct exec_spill_reader right_reader; /* of the part at hand */
    struct exec_spill_reader left_reader;  /* of the pass at hand */
    uint32_t parts_count;                  /* that are not done; the last one comes next */
    bool by_hash;                          /* parts may be divided */
    uint8_t *
        levels; /* owned: how often the rows of each part were divided; EXEC_JOIN_LEVELS: no more */
    uint32_t part;    /* the one at hand */
    bool part_open;   /* its right rows are being read */
    bool more;        /* they have more than this pass took */
    bool passes;      /* there is more than one pass over its left rows */
    uint8_t *hits;    /* owned: enum exec_join_hit of its left rows */
    uint64_t left_at; /* left rows of the pass before the batch at hand */
    uint8_t part_of[VEC_ROWS_MAX];
};

/* Moves what the table has to scratch. close is right after a failed start, and on zeroed memory.
 */
int exec_join_spill_start(struct exec_join_spill *s,
                          struct op *op,
                          struct exec_join_table *t,
                          struct dn_err *err) DN_MUST_CHECK;
void exec_join_spill_close(struct exec_join_spill *s);
static inline bool exec_join_spilled(const struct exec_join_spill *s)
{
    return s->op != NULL;
}

/* Rows as exec_join_table_take gave them. */
int exec_join_spill_right(struct exec_join_spill *s,
                          const struct batch *in,
                          const uint64_t *hashes,
                          struct dn_err *err) DN_MUST_CHECK;
/* Rows of the left side with their keys. */
int exec_join_spill_left(struct exec_join_spill *s,
                         const struct batch *in,
                         const struct vec *keys,
                         struct arena *scratch,
                         struct dn_err *err) DN_MUST_CHECK;
int exec_join_spill_seal(struct exec_join_spill *s, struct dn_err *err) DN_MUST_CHECK;

/* The next pass: its right rows are in the table, its left rows come with exec_join_spill_next.
 * DN_EOF: there is none. */
int exec_join_spill_pass(struct exec_join_spill *s,
                         struct exec_join_table *t,
                         struct dn_err *err) DN_MUST_CHECK;
int exec_join_spill_next(struct exec_join_spill *s,
                         struct batch *ret,
                         struct dn_err *err) DN_MUST_CHECK;
/* Around a left batch: what earlier passes know about its rows, and what this one has found. After
 * the second, rest is only asked for if this was the last pass. */
void exec_join_spill_recall(const struct exec_join_spill *s, struct exec_joiner *j);
void exec_join_spill_note(struct exec_join_spill *s, struct exec_joiner *j);
