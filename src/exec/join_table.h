/* SPDX-License-Identifier: Apache-2.0
 *
 * join_table.h: the right side of a join: its rows, and a hash table over their keys.
 *
 *     init -> add … -> finish -> find …
 *
 * Rows of equal keys hang together: the table has one row of each key, the first that came; `same`
 * leads from there to the others in the order in which they came. So a look-up compares keys once,
 * whatever the number of matches. A slot of the table has half of the hash beside the row's number:
 * a key that is not there costs one look at memory. A row with a NULL where NULLs are not equal is
 * in no slot; it is kept only if the join returns rows without a match (FULL), or if a mark may be
 * NULL because of it (exec_join_maybes).
 *
 * Where the only key is an integer and its values lie close together (numbers of rows in another
 * table, as a rule), the table is an array by value instead, and nothing is hashed to look up.
 * Where they are more scattered, a bit for each value tells which are there at all: rows without a
 * match need no hash either.
 *
 * One thread at a time until finish, then any number may look up. */
#pragma once

#include "exec/exec_int.h"
#include "exec/rows.h"
#include "exec/slice.h"

struct exec_join_table {
    const struct plan_node *node; /* its join and right side count; borrowed */
    struct exec_rows rows;        /* columns of the right if they are needed, then keys */
    uint32_t cols_count;          /* columns of the right that are kept: all or none */
    uint32_t *key_cols;           /* in run: column of rows, of each key */
    struct vec *build;            /* in run: vectors of a batch as rows wants them */
    struct arena batch;
    struct exec_pace pace; /* of keys */
    struct arena run;
    struct eval ev;
    uint64_t *hashes; /* owned: of each row's keys */
    uint32_t hashes_cap;
    uint64_t *slots;     /* owned: high half of the hash, row + 1 below; 0: empty. A key is in the
                            first slot from that of its hash on that is empty or has it */
    uint32_t mask;       /* slots - 1 */
    uint32_t *direct;    /* owned: instead of slots, first row by value of the key - direct_lo */
    uint64_t *bits;      /* owned: beside slots: bit (value of the key - direct_lo): it is there */
    int64_t direct_lo;   /* least value */
    uint64_t direct_max; /* greatest value - least value */
    uint32_t *same;      /* owned: next row of equal keys */
    uint64_t serial;     /* of what finish made, in the whole process */
    uint64_t rows_seen;  /* rows of the right, kept or not */
    bool null_seen;      /* some key of them was NULL */
    bool unique;         /* no two rows have equal keys */
    bool by_hash;        /* equal hashes mean equal keys: there is one, an integer */
    bool fast;           /* shortcuts are allowed */
};

/* A MARK on several keys that may be NULL: right rows with a NULL count too (join_maybe.h). */
static inline bool exec_join_maybes(const struct plan_join *join)
{
    return join->kind == PLAN_JOIN_MARK && join->keys_count > 1 && !join->never_null;
}

/* The keys of a side are expressions of the pace; slice_bytes as in slice.h. */
void exec_join_pace(struct exec_pace *p,
                    const struct plan_join *join,
                    bool left,
                    size_t slice_bytes);
/* done is right after a failed init, and on zeroed memory. */
int exec_join_table_init(struct exec_join_table *t,
                         const struct plan_node *node,
                         struct op *op,
                         struct dn_err *err) DN_MUST_CHECK;
void exec_join_table_done(struct exec_join_table *t);
int exec_join_table_add(struct exec_join_table *t,
                        const struct batch *in,
                        struct dn_err *err) DN_MUST_CHECK;
/* add in two steps: what is kept of a batch, as the table keeps it, and its hashes; both valid
 * until the next call. */
int exec_join_table_take(struct exec_join_table *t,
                         const struct batch *in,
                         struct batch *ret,
                         uint64_t **ret_hashes,
                         struct dn_err *err) DN_MUST_CHECK;
/* Rows that were taken before, without selection. */
int exec_join_table_restore(struct exec_join_table *t,
                            const struct batch *in,
                            struct dn_err *err) DN_MUST_CHECK;
/* No rows; what was seen stays seen. */
void exec_join_table_clear(struct exec_join_table *t);
int exec_join_table_finish(struct exec_join_table *t, struct dn_err *err) DN_MUST_CHECK;

/* Has the row a NULL where that matches nothing? */
bool exec_join_null(const struct plan_join *join, const struct vec *keys, uint32_t row);
/* What belongs to one that looks up, batch after batch. One thread. */
struct exec_join_look {
    struct arena *scratch; /* borrowed, not NULL */
    uint32_t *known;       /* in an arena or NULL, VEC_ROWS_MAX: what the codes of a dictionary mean
                              that vectors share (vec.dict_id) … */
    uint64_t table;        /* … in this table, by its serial … */
    uint64_t dict_id;      /* … and which dictionary it is; 0: none */
    uint32_t dict_count;
};
/* ids[i]: the first row that matches the i-th selected row of `in`, whose keys are `keys`;
 * EXEC_NO_ROW: none. With all keys CONST ret_one is true and only ids[0] is written. */
int exec_join_find(const struct exec_join_table *t,
                   const struct vec *keys,
                   const struct batch *in,
                   struct exec_join_look *look,
                   uint32_t *ids,
                   bool *ret_one,
                   struct dn_err *err) DN_MUST_CHECK;
