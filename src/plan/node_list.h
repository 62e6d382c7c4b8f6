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
DN_PLAN(JOIN,      join)      /* pairs of rows of two inputs */
DN_PLAN(APPLY,     apply)     /* the same, the right input run for each row of the left */
DN_PLAN(SETOP,     setop)     /* UNION ALL, INTERSECT, EXCEPT */
DN_PLAN(VALUES,    values)    /* rows of expressions */
DN_PLAN(CTE,       cte)       /* what a query that several read has returned */
DN_PLAN(RECURSIVE, recursive) /* WITH RECURSIVE: the right input until it finds nothing */
DN_PLAN(WORK,      work)      /* what the last round of a recursion has found */
DN_PLAN(UNIQUE,    unique)    /* first row of each run of rows equal in keys: DISTINCT ON */
DN_PLAN(FUNCTION,  function)  /* rows of functions */
DN_PLAN(SYSTEM,    system)    /* a relation of pg_catalog or information_schema */
DN_PLAN(FILE,      file)      /* the rows of a file */
DN_PLAN(WINDOW,    window)    /* window functions over sorted input */
/* clang-format on */
