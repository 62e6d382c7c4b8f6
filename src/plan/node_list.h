/* SPDX-License-Identifier: Apache-2.0
 *
 * node_list.h: DN_PLAN(NAME, name): one row per kind of plan node; exec has op_<name>.c for each.
 */

/* clang-format off */
DN_PLAN(SINGLE,    single)    /* one row, no columns: SELECT without FROM */
DN_PLAN(SCAN,      scan)      /* a table */
DN_PLAN(FILTER,    filter)    /* rows where filter is true */
DN_PLAN(PROJECT,   project)   /* expressions */
DN_PLAN(AGGREGATE, aggregate) /* group keys, then aggregates */
DN_PLAN(SORT,      sort)      /* by keys */
DN_PLAN(LIMIT,     limit)     /* offset, limit */
/* clang-format on */
