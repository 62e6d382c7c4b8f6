/* SPDX-License-Identifier: Apache-2.0
 *
 * call_values.h: arguments for calls of everything (test_calls.c): for each type the values that
 * are most likely to be mistaken. One thread at a time. */
#pragma once

#include "base/bytes.h"
#include "vec/type.h"

struct call_type {
    enum type_id type;
    const char *word;          /* of a cast */
    const char *const *values; /* SQL, ended by NULL */
};

#define CALL_TYPES 35u
/* Kinds of arguments: a type, an array of it, and no type. */
#define CALL_KINDS (2 * CALL_TYPES + 1)
extern const struct call_type call_types[CALL_TYPES];

void call_seed(uint64_t seed);
uint32_t call_random(uint32_t n);                        /* below n */
const struct call_type *call_type_of(enum type_id type); /* NULL: it is not there */
uint32_t call_values_count(const char *const *values);
/* An argument of a kind: a value, or now and then NULL; pick: which value, UINT32_MAX: any. */
void call_put_arg(struct buf *b, uint32_t kind, uint32_t pick);
/* The kind of an argument that a descriptor row asks for. any: what TYPE_ANY_ELEMENT is this time.
 */
uint32_t call_kind_of(enum type_id type, uint32_t any);
