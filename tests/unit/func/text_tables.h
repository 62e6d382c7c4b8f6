/* SPDX-License-Identifier: Apache-2.0
 *
 * text_tables.h: values made once with Python: shortest digits of floats as repr finds them, laid
 * out as PostgreSQL does, and instants printed by datetime. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct text_f64 {
    uint64_t bits;
    const char *text;
};

struct text_f32 {
    uint32_t bits;
    const char *text;
};

struct text_time {
    int64_t us; /* since 1970 */
    const char *text;
};

extern const struct text_f64 text_table_f64[];
extern const size_t text_table_f64_count;
extern const struct text_f32 text_table_f32[];
extern const size_t text_table_f32_count;
extern const struct text_time text_table_time[];
extern const size_t text_table_time_count;
