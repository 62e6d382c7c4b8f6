/* SPDX-License-Identifier: Apache-2.0
 *
 * series_table.h: a table of three columns whose slabs are days: PRIMARY KEY ((a, QUANTUM(b, 1,
 * 'd')), a, b) where a is a BIGINT and b a TIMESTAMP. One thread. */
#pragma once

#include "catalog/table.h"

/* Fails the test if it cannot be had. The caller drops the reference. */
struct table *series_table(const char *name, const struct column_spec columns[3]);
