/* SPDX-License-Identifier: Apache-2.0
 *
 * load_group.h: the rows of one chunk, those of a series next to each other. Files are mostly in
 * the order of time, segments are by series: put in order while the rows are in the processor's
 * cache, most of the later work is on neighbours. One thread at a time per parser. */
#pragma once

#include "engine/csv.h"

/* Rows of a series stay in their order, so that of two with the same key the later one is still the
 * later one. Does nothing where it would not help: tables without a series, few rows of each.
 * False: out of memory, the rows are of no use any more. */
bool load_group(struct csv_parser *p) DN_MUST_CHECK;
