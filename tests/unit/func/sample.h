/* SPDX-License-Identifier: Apache-2.0
 *
 * sample.h: the examples in the descriptor tables, taken apart: "abs(-3) = 3" is a call with the
 * literal -3 and the expected text "3". One thread at a time. */
#pragma once

#include "func/func.h"

#define SAMPLE_ARGS_MAX 8u

struct sample {
    char call[200];                     /* left of the last " = " */
    char result[200];                   /* right of it */
    char literal[SAMPLE_ARGS_MAX][100]; /* values as text_parse reads them */
    enum type_id type[SAMPLE_ARGS_MAX]; /* as the literal itself says */
    bool null[SAMPLE_ARGS_MAX];
    uint32_t literals_count;
};

/* Fails the test when the text is not of the form the tables use. */
void sample_parse(const char *text, struct sample *ret);
/* The i-th literal as a value of a type (TYPE_NONE: its own). */
struct datum
sample_datum(const struct sample *s, uint32_t i, enum type_id type, struct arena *arena);
