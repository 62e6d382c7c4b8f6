/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_rows.h: rows of a query: lines of a script to values and back, sorting, comparing, showing.
 * Values are kept row after row in one list. One thread at a time. */
#pragma once

#include "slt_file.h"

/* Prints expected and got beside each other, differing lines marked. */
void slt_side_by_side(const struct slt_list *expected, const struct slt_list *got);
/* I and R are exact; T stands for every type that is written as text; ? for all. */
bool slt_types_fit(const char *expected, const char *got);
/* The values as lines, columns padded to one width. */
void slt_format_rows(const struct slt_list *values, size_t columns, struct slt_list *ret_lines);
/* The expected lines as values. False: a line has another number of fields than columns. */
bool slt_expected_values(const struct slt_record *r, size_t columns, struct slt_list *ret_values);
/* Sorts rows (or, with one column, values) in place. */
void slt_sort_rows(struct slt_list *values, size_t columns);
/* R columns at a tolerance, the others exactly; with valuesort any value, if there is an R at all.
 */
bool slt_values_equal(const struct slt_record *r,
                      const struct slt_list *expected,
                      const struct slt_list *got,
                      size_t columns);
