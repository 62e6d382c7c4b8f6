/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_int.h: the inside of groups.h. groups.c chooses the way to the numbers of a batch, and
 * looks tuples up by their hashes; groups_codes.c goes by the codes of dictionaries.
 *
 * One thread at a time. */
#pragma once

#include "exec/groups.h"

#define GROUPS_PREFETCH 4096u /* groups from which memory is asked for ahead */

/* What is looked for. */
struct groups_look {
    const struct exec_groups *g;
    const struct vec *keys;
    bool add;              /* tuples that are not there */
    const uint16_t *fresh; /* rows of tuples from g->stored on, whose values are not kept yet */
};

/* groups.c: is the tuple `id` that of a row (key: a uint32_t)? ctx: a groups_look. */
bool exec_groups_same(const void *ctx, const void *key, uint32_t id);
/* The number of a row's tuple, given its hash. */
int exec_groups_id(struct exec_groups *g,
                   const struct groups_look *look,
                   uint32_t row,
                   uint64_t hash,
                   uint32_t *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* ids[i] for the i-th selected row, by hashes made column by column. */
int exec_groups_rows(struct exec_groups *g,
                     const struct groups_look *by,
                     const struct batch *in,
                     struct arena *scratch,
                     uint32_t *ids,
                     struct dn_err *err) DN_MUST_CHECK;

/* groups_codes.c: keys are DICT and CONST. Has a DICT nearly as many entries as there are rows?
 * Then it is no use to go by its codes. */
bool exec_groups_many_codes(const struct vec *keys, uint32_t keys_count, const struct batch *in);
/* There is one DICT. If vectors share its dictionary, and what the codes mean is known or may be
 * known before long, ret_found is true and ids has the numbers; else this is not the way. */
int exec_groups_shared(struct exec_groups *g,
                       const struct groups_look *look,
                       const struct batch *in,
                       uint32_t *ids,
                       bool *ret_found,
                       struct dn_err *err) DN_MUST_CHECK;
/* ids by the codes of the batch. */
int exec_groups_codes(struct exec_groups *g,
                      const struct groups_look *look,
                      const struct batch *in,
                      struct arena *scratch,
                      uint32_t *ids,
                      struct dn_err *err) DN_MUST_CHECK;
