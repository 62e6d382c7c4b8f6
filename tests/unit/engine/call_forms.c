/* SPDX-License-Identifier: Apache-2.0 */
#include "call_forms.h"

#include "base/attr.h"
#include "sql/ast_node.h"

#define FORMS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
#define ROWS                                                                                      \
    " FROM (SELECT #0 AS a, #1 AS b, #2 AS c UNION ALL SELECT #0, #1, #2 UNION ALL SELECT NULL, " \
    "#1, NULL) v"

static const char *const *const forms[EXPR_KIND_MAX] = {
    [EXPR_LITERAL] = FORMS(
        "SELECT DATE '2020-01-01' + #0", "SELECT INTERVAL '1 day' * #0, #1", "VALUES (#0), (#1)"),
    [EXPR_COLUMN] = FORMS("SELECT v.a, b" ROWS " ORDER BY a, b", "SELECT DISTINCT a, b" ROWS),
    [EXPR_PARAM] = FORMS("PREPARE p AS SELECT $1, $2 = #0",
                         "EXECUTE p (#0, #1)",
                         "DEALLOCATE p",
                         "PREPARE p (BIGINT, TEXT) AS SELECT $1, $2",
                         "PREPARE p (TIMESTAMP, NUMERIC[]) AS SELECT $1, $2"),
    [EXPR_STAR] = FORMS("SELECT *, v.*, count(*) OVER ()" ROWS, "SELECT (v).*" ROWS),
    [EXPR_UNARY] =
        FORMS("SELECT -#0, +#1", "SELECT NOT #0", "SELECT ~#0", "SELECT @ #0, |/ #1, ||/ #2"),
    [EXPR_BINARY] = FORMS("SELECT #0 AND #1 OR #2",
                          "SELECT (#0, #1) < (#2, #3)",
                          "SELECT a = b, b <> c, a < c" ROWS,
                          "SELECT (#0, #1) OVERLAPS (#2, #3)",
                          "SELECT #0 OPERATOR(pg_catalog.+) #1"),
    [EXPR_BETWEEN] = FORMS("SELECT #0 BETWEEN #1 AND #2",
                           "SELECT a NOT BETWEEN SYMMETRIC #1 AND #2" ROWS,
                           "SELECT a" ROWS " WHERE a BETWEEN #1 AND #2"),
    [EXPR_IN] = FORMS("SELECT #0 IN (#1, #2, #3)",
                      "SELECT a" ROWS " WHERE a NOT IN (#1, #2)",
                      "SELECT (#0, #1) IN ((#2, #3))",
                      "SELECT #0 IN (SELECT b" ROWS ")",
                      "SELECT (#0, #1) NOT IN (SELECT b, c" ROWS ")",
                      "SELECT k FROM typed WHERE i IN (#0, #1)",
                      "SELECT k FROM typed WHERE s IN (#0, #1)"),
    [EXPR_IS_NULL] = FORMS("SELECT #0 IS NULL, (#0, #1) IS NOT NULL",
                           "SELECT a" ROWS " WHERE a IS NOT NULL AND (b, c) IS NULL"),
    [EXPR_CALL] = FORMS(
        "SELECT coalesce(#0, #1, #2)",
        "SELECT nullif(#0, #1)",
        "SELECT greatest(#0, #1, #2), least(#1, #2)",
        "SELECT nullif(a, b), coalesce(a, b), greatest(a, c)" ROWS,
        "SELECT ttl(a), expires_at(k) FROM typed",
        "SELECT grouping(a, b), count(c)" ROWS " GROUP BY CUBE (a, b)",
        "SELECT rank(#3) WITHIN GROUP (ORDER BY a)" ROWS,
        "SELECT dense_rank(#2) WITHIN GROUP (ORDER BY b DESC)" ROWS,
        "SELECT percent_rank(#1, #3) WITHIN GROUP (ORDER BY b, c NULLS FIRST)" ROWS,
        "SELECT cume_dist(#3) WITHIN GROUP (ORDER BY a)" ROWS,
        "SELECT percentile_cont(ARRAY[0.1, #3]) WITHIN GROUP (ORDER BY a)" ROWS,
        "SELECT percentile_disc(#3) WITHIN GROUP (ORDER BY a)" ROWS " GROUP BY b",
        "SELECT int4(#0), text(#1)",
        "SELECT timestamptz(#0), numeric(#1), bytea(#2)",
        "SELECT substring(#0 FROM #1 FOR #2)",
        "SELECT substring(#0 SIMILAR #1 ESCAPE #2)",
        "SELECT overlay(#0 PLACING #1 FROM #2 FOR #3)",
        "SELECT position(#0 IN #1)",
        "SELECT trim(BOTH #0 FROM #1)",
        "SELECT #0 AT TIME ZONE #1",
        "SELECT concat(#0, VARIADIC ARRAY[#1, #2]), format(#0, VARIADIC ARRAY[#3])",
        "SELECT array_agg(DISTINCT a ORDER BY a), count(DISTINCT b) FILTER (WHERE c = #0)" ROWS,
        "SELECT string_agg(a, b ORDER BY c)" ROWS,
        "SELECT sum(a) FILTER (WHERE b = c), avg(DISTINCT a)" ROWS,
        "SELECT nextval(#0), currval(#1), setval(#0, #2)"),
    [EXPR_CAST] = FORMS("SELECT #0::INT, #1::TEXT",
                        "SELECT #0::NUMERIC(10, 2), #1::VARCHAR(3)",
                        "SELECT #0::TIMESTAMP(0), #1::TIME(2)",
                        "SELECT #0::BIGINT[], #1::mood",
                        "SELECT a::DOUBLE, b::DATE, c::INTERVAL HOUR TO MINUTE" ROWS),
    [EXPR_CASE] = FORMS("SELECT CASE #0 WHEN #1 THEN #2 ELSE #3 END",
                        "SELECT CASE WHEN a = b THEN a ELSE c END" ROWS,
                        "SELECT CASE WHEN #0 THEN #1 WHEN #2 THEN #3 END"),
    [EXPR_LIKE] = FORMS("SELECT #0 LIKE #1 ESCAPE #2",
                        "SELECT a NOT ILIKE b" ROWS,
                        "SELECT #0 SIMILAR TO #1 ESCAPE #2"),
    [EXPR_IS] = FORMS("SELECT #0 IS TRUE, #1 IS NOT UNKNOWN",
                      "SELECT a" ROWS " WHERE (a = b) IS NOT FALSE"),
    [EXPR_DISTINCT] = FORMS("SELECT #0 IS DISTINCT FROM #1",
                            "SELECT a" ROWS " WHERE (a, b) IS NOT DISTINCT FROM (b, c)"),
    [EXPR_QUERY] = FORMS("SELECT (SELECT #0) = #1",
                         "SELECT (#0, #1) = (SELECT b, c" ROWS " LIMIT 1)",
                         "SELECT (SELECT max(x) FROM (SELECT a AS x UNION SELECT #1) z)" ROWS),
    [EXPR_EXISTS] = FORMS("SELECT EXISTS (SELECT #0 WHERE #1 = #2)",
                          "SELECT a" ROWS " WHERE EXISTS (SELECT FROM typed WHERE typed.k = v.a)"),
    [EXPR_ANY] = FORMS("SELECT #0 = ANY (#1)",
                       "SELECT #0 < ALL (ARRAY[#1, #2])",
                       "SELECT #0 LIKE ANY (#1)",
                       "SELECT #0 >= ALL (SELECT b" ROWS ")",
                       "SELECT k FROM typed WHERE k = ANY (#0) AND s = ANY (#1)"),
    [EXPR_ROW] = FORMS("SELECT ROW(#0, #1), ROW(#2)",
                       "SELECT ROW(#0, #1) = ROW(#2, #3)",
                       "SELECT count(DISTINCT (a, b))" ROWS,
                       "SELECT a" ROWS " ORDER BY (a, b, c)"),
    [EXPR_ARRAY] = FORMS("SELECT ARRAY[#0, #1, #2]",
                         "SELECT ARRAY[[#0, #1], [#2, #3]]",
                         "SELECT ARRAY[a, b], ARRAY[ARRAY[a], ARRAY[c]]" ROWS),
    [EXPR_ARRAY_QUERY] =
        FORMS("SELECT ARRAY(SELECT a" ROWS " ORDER BY b)", "SELECT ARRAY(SELECT ARRAY[#0, #1])"),
    [EXPR_SUBSCRIPT] = FORMS("SELECT (#0)[#1]",
                             "SELECT (#0)[#1:#2]",
                             "SELECT (#0)[:#1], (#0)[#2:]",
                             "SELECT (a)[b]" ROWS,
                             "SELECT (#0)[#1][#2]"),
    [EXPR_FIELD] = FORMS(
        "SELECT (ROW(#0, #1)).f1, (ROW(#0, #1)).f2", "SELECT (v).a, (v).b" ROWS, "SELECT (#0).x"),
    [EXPR_COLLATE] =
        FORMS("SELECT #0 COLLATE \"C\" < #1", "SELECT a" ROWS " ORDER BY a COLLATE \"C\" DESC"),
    [EXPR_NAMED_ARG] = FORMS("SELECT make_interval(days => #0, secs => #1)",
                             "SELECT make_date(year => #0, month => #1, day => #2)"),
};

/* Clauses, and what assigns. */
static const char *const clauses[] = {
    "SELECT a" ROWS " LIMIT #2 OFFSET #3",
    "SELECT a" ROWS " ORDER BY a FETCH FIRST #3 ROWS WITH TIES",
    "SELECT a" ROWS " WHERE #3",
    "SELECT a, count(*)" ROWS " GROUP BY a HAVING #3",
    "SELECT k FROM typed TABLESAMPLE BERNOULLI (#0) REPEATABLE (#1)",
    "SELECT #0 UNION SELECT #1 EXCEPT SELECT #2",
    "SELECT #0, #1 INTERSECT ALL SELECT #2, #3",
    "WITH RECURSIVE r (a, n) AS (SELECT #0, 1 UNION ALL SELECT #1, n + 1 FROM r WHERE n < 3) "
    "SELECT * FROM r",
    "SELECT *" ROWS " JOIN (SELECT #3 AS a) w USING (a)",
    "SELECT *" ROWS " FULL JOIN (SELECT #3 AS x) w ON v.a = w.x",
    "SELECT *" ROWS " JOIN typed ON typed.k = v.a AND typed.s = v.b",
    "SELECT * FROM generate_series(#0, #1, #2) WITH ORDINALITY LIMIT 9",
    "SELECT * FROM unnest(#0, #1)",
    "SELECT * FROM ROWS FROM (generate_series(1, 3), unnest(#0)) AS f (a, b)",
    "SELECT sum(1) OVER (ORDER BY a RANGE BETWEEN #3 PRECEDING AND CURRENT ROW)" ROWS,
    "SELECT count(*) OVER (PARTITION BY b ORDER BY a DESC RANGE BETWEEN CURRENT ROW AND #3 "
    "FOLLOWING)" ROWS,
    "SELECT max(a) OVER (ORDER BY c ROWS BETWEEN #3 PRECEDING AND 1 FOLLOWING EXCLUDE TIES)" ROWS,
    "SELECT first_value(a) OVER (ORDER BY b GROUPS #3 PRECEDING), lag(a, 1, #3) OVER (ORDER BY "
    "c)" ROWS,
    "SELECT DISTINCT ON (a) a, b" ROWS " ORDER BY a, b",
    "SELECT k FROM typed WHERE i = #0 OR d > #1",
    "SELECT k FROM typed WHERE t >= #0 AND t < #1",
    "SELECT k FROM typed WHERE f BETWEEN #0 AND #1 AND n <> #2",
    "INSERT INTO typed (k, i, s) VALUES (#0, #1, #2)",
    "INSERT INTO typed (k, t, d) SELECT #0, #1, #2",
    "INSERT INTO typed (k, n, f) VALUES (#0, #1, #2), (#3, #1, NULL)",
    "INSERT INTO typed (k, b, u) VALUES (1, #0, #1) ON CONFLICT (k) DO UPDATE SET i = #2 RETURNING "
    "i + #3",
    "INSERT INTO typed (k, l, m) VALUES (2, #0, #1)",
    "INSERT INTO typed (k) VALUES (3) USING TTL #0",
    "UPDATE typed SET i = #0, s = #1 WHERE k = #2",
    "UPDATE typed SET l[#0] = #1",
    "UPDATE typed SET l[#0:#1] = #2",
    "UPDATE typed SET (t, d) = (#0, #1) WHERE f < #2 RETURNING t, d",
    "DELETE FROM typed WHERE k = #0 AND s = #1",
    "MERGE INTO typed USING (SELECT #0 AS a, #1 AS b) z ON k = a WHEN MATCHED THEN UPDATE SET i = "
    "b WHEN NOT MATCHED THEN INSERT (k, i) VALUES (a, b)",
    "CREATE TEMP TABLE made AS SELECT #0 AS a, #1 AS b",
    "SELECT * FROM made WHERE a = #0 AND b = #1",
    "DROP TABLE made",
    "ALTER TABLE typed ALTER COLUMN i SET DEFAULT #0",
    "ALTER TABLE typed ALTER COLUMN s SET DEFAULT #0",
    "CREATE VIEW made_view AS SELECT #0 AS a, #1 AS b",
    "SELECT a, b = #0 FROM made_view",
    "DROP VIEW made_view",
    "EXPLAIN SELECT a" ROWS " WHERE a = #3",
    "COPY (SELECT #0, #1) TO '/dev/null'",
    "COPY (SELECT #0 AS a, #1 AS b) TO '/dev/null' (FORMAT parquet)",
    "COPY (SELECT #0 AS a, #1 AS b) TO '/dev/null' (FORMAT csv, HEADER)",
};

/* The form that stands at `want`, if there are so many; and how many there are up to there. */
static uint32_t of_kinds(uint32_t want, const char **ret)
{
    uint32_t n = 0;

    for (int kind = 0; kind < EXPR_KIND_MAX; kind++)
        for (const char *const *f = forms[kind]; f && *f; f++)
            if (n++ == want) {
                *ret = *f;
                return n;
            }
    return n;
}

bool call_forms_complete(void)
{
    for (int kind = 0; kind < EXPR_KIND_MAX; kind++)
        if (!forms[kind])
            return false;
    return true;
}

uint32_t call_forms_count(void)
{
    const char *none;

    return of_kinds(UINT32_MAX, &none) + (uint32_t)DN_ARRAY_SIZE(clauses);
}

const char *call_form(uint32_t i)
{
    const char *form = NULL;
    uint32_t n = of_kinds(i, &form);

    return form ? form : clauses[i - n];
}
