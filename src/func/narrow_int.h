/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow_int.h: the loops of narrow.c, for any machine and for AVX2, which give the same answers.
 * Any thread. */
#pragma once

#include "func/narrow.h"

enum narrow_op { NARROW_EQ, NARROW_NE, NARROW_LT, NARROW_LE, NARROW_GT, NARROW_GE };

/* to[i] = factor * v[i], or that more; a[i] - b[i]; a[i] + b[i]. Modulo 2^16. */
void narrow_loop_start(const int16_t *v, int16_t factor, int16_t *to, uint32_t count);
void narrow_loop_add(const int16_t *v, int16_t factor, int16_t *to, uint32_t count);
void narrow_loop_minus(const int16_t *a, const int16_t *b, int16_t *to, uint32_t count);
void narrow_loop_plus(const int16_t *a, const int16_t *b, int16_t *to, uint32_t count);
/* Answers are 0 and 1. */
void narrow_loop_compare(
    const int16_t *v, enum narrow_op op, int16_t limit, int8_t *to, uint32_t count);
void narrow_loop_and(int8_t *to, const int8_t *from, uint32_t count);
void narrow_loop_or(int8_t *to, const int8_t *from, uint32_t count);
/* The answers of NULL rows become 0. */
void narrow_loop_nulls(const uint64_t *nulls, int8_t *to, uint32_t count);
