/* SPDX-License-Identifier: Apache-2.0
 *
 * bag.h: rows and how many of each there are: what INTERSECT, EXCEPT and the UNION of a recursion
 * compare rows with. All columns count; NULL equals NULL.
 *
 *     init -> add … -> take … -> rest … (DN_EOF) -> (take … -> rest …) … -> done
 *
 * add puts rows in. take asks about rows, in the way of the rule, and says which of them are rows
 * of the result. When the rows in the bag outgrow the memory of the operator, they are put aside
 * (spill.h) in parts by their hash, and so are the rows that take is asked about from then on; rest
 * then answers for those, part by part. Each part is a bag of its own, which may be divided again
 * by other bits of the hash. A row is kept once, whatever its number, so dividing always helps.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec_int.h"
#include "exec/groups.h"
#include "exec/spill.h"

#define EXEC_BAG_PARTS  32u
#define EXEC_BAG_LEVELS 12u /* how often parts are divided; the hash has bits for no more */

enum exec_bag_rule {
    EXEC_BAG_NEW,     /* rows that are not there; they are then (EXCEPT, UNION) */
    EXEC_BAG_LESS,    /* rows that are not there; those that are go out, one by one (EXCEPT ALL) */
    EXEC_BAG_ONCE,    /* rows that are there, each once (INTERSECT) */
    EXEC_BAG_ONE_EACH /* rows that are there, each as often as it is (INTERSECT ALL) */
};

struct exec_bag {
    struct op *op;       /* borrowed: memory, scratch */
    enum type_id *types; /* owned: of the columns, and BIGINT for the number */
    uint32_t cols_count;
    enum exec_bag_rule rule;
    bool again; /* take comes again after rest: what rest finds is kept */
    uint32_t level;
    struct mem_owner mem; /* of rows and counts: what dividing gives back */
    struct exec_groups rows;
    uint64_t *counts; /* owned, by number of the row */
    uint32_t counts_cap;
    struct exec_spill aside; /* rows and their numbers; open: the bag is in parts */
    struct exec_spill asked; /* rows that take was asked about */
    struct arena batch;
    struct vec *cols; /* owned: cols_count + 1 */
    uint64_t spilled; /* bytes, those of parts included */
    /* rest */
    uint32_t part;
    struct exec_bag *child; /* owned: the part at hand */
    struct exec_spill_reader reader;
    bool reading; /* what was asked about it */
    uint32_t ids[VEC_ROWS_MAX];
    uint16_t sel[VEC_ROWS_MAX];
    uint8_t part_of[VEC_ROWS_MAX];
};

/* done is right after a failed init, and on zeroed memory. */
int exec_bag_init(struct exec_bag *b,
                  struct op *op,
                  const enum type_id *types,
                  uint32_t cols_count,
                  enum exec_bag_rule rule,
                  struct dn_err *err) DN_MUST_CHECK;
void exec_bag_done(struct exec_bag *b);
int exec_bag_add(struct exec_bag *b, const struct batch *in, struct dn_err *err) DN_MUST_CHECK;
/* in becomes the rows of the result; maybe none, and rest has them. Valid until the next call. */
int exec_bag_take(struct exec_bag *b, struct batch *in, struct dn_err *err) DN_MUST_CHECK;
int exec_bag_rest(struct exec_bag *b, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;
/* Is there no row in it? */
static inline bool exec_bag_empty(const struct exec_bag *b)
{
    return b->rows.count == 0 && !exec_spill_is_open(&b->aside);
}
