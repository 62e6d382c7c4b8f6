/* SPDX-License-Identifier: Apache-2.0
 *
 * good_tables.h: every legal key form and its normal form:
 * form | series | local (- = DESC) | rest | quantum | time, slab width/quantum width in ticks */
#pragma once

/* clang-format off */
static const struct {
    const char *sql;
    const char *want;
} forms[] = {
    /* Riak */
    {"CREATE TABLE GeoCheckin (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL, "
     "weather VARCHAR NOT NULL, temperature DOUBLE, "
     "PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time))",
     "riak | region state | region state time | time | 2:15m | time 86400000/900000"},
    {"CREATE TABLE GeoCheckin (time TIMESTAMP NOT NULL, state VARCHAR NOT NULL, region VARCHAR NOT NULL, "
     "PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time))",
     "riak | region state | region state time | time | 2:15m | time 86400000/900000"},
    {"CREATE TABLE descending_table (a SINT64 NOT NULL, b TIMESTAMP NOT NULL, "
     "PRIMARY KEY ((a, quantum(b, 1, 'm')), a, b DESC))",
     "riak | a | a b- | b- | 1:1m | b- 86400000/60000"},
    {"CREATE TABLE t (region VARCHAR NOT NULL, time TIMESTAMP NOT NULL, weather VARCHAR NOT NULL, "
     "temperature DOUBLE NOT NULL, PRIMARY KEY ((region, QUANTUM(time, 15, M)), region, time, weather, temperature))",
     "riak | region | region time weather temperature | time weather temperature | 1:15m | time 86400000/900000"},
    {"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY ((a, b), a, b))",
     "riak | a b | a b | = | |"},
    {"CREATE TABLE t (a INT NOT NULL, b BLOB NOT NULL, PRIMARY KEY ((a), a DESC, b DESC))",
     "riak | a | a- b- | = | |"},
    {"CREATE TABLE t (t TIMESTAMP NOT NULL, PRIMARY KEY ((QUANTUM(t, 7, 'h')), t DESC))",
     "riak | | t- | t- | 0:7h | t- 100800000/25200000"},
    {"CREATE TABLE t (t TIMESTAMP NOT NULL, u TIMESTAMP NOT NULL, PRIMARY KEY ((t, QUANTUM(u, 60, 'D')), t, u))",
     "riak | t | t u | u | 1:60d | u 5184000000/5184000000"},
    {"CREATE TABLE t (a DOUBLE NOT NULL, b REAL NOT NULL, PRIMARY KEY ((a), a, b))",
     "riak | a | a b | = | |"},
    /* CQL */
    {"CREATE TABLE foo (bar INT PRIMARY KEY, baz INT)", "cql | bar | bar | = | |"},
    {"CREATE TABLE foo (bar INT, baz INT, PRIMARY KEY (bar))", "cql | bar | bar | = | |"},
    {"CREATE TABLE device_check (device_id INT, checked_at TIMESTAMP, is_power BOOLEAN, PRIMARY KEY (device_id, checked_at))",
     "cql | device_id | device_id checked_at | checked_at | |"},
    {"CREATE TABLE events (device_id INT, year_month INT, sequence TIMESTAMP, PRIMARY KEY ((device_id, year_month), sequence))",
     "cql | device_id year_month | device_id year_month sequence | sequence | |"},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY ((a, b)))", "cql | a b | a b | = | |"},
    {"CREATE TABLE t (a INT, b DOUBLE, c BOOLEAN, PRIMARY KEY (a, b DESC, c ASC))",
     "cql | a | a b- c | = | |"},
    {"CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b, c)) WITH CLUSTERING ORDER BY (b DESC)",
     "cql+c | a | a b- c | = | |"},
    {"CREATE TABLE t (a INT, b INT, c INT, d INT, PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c, d DESC)",
     "cql+c | a b | a b c d- | = | |"},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY ((t), a))", "cql | t | t a | a | |"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 1, 'd')), t DESC))",
     "cql | a | a t- | t- | 1:1d | t- 86400000/86400000"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, c INT, PRIMARY KEY ((a, QUANTUM(t, 1, 'd')), c, t DESC))",
     "cql | a | a c t- | c t- | 1:1d | t- 86400000/86400000"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, c INT, PRIMARY KEY ((a, QUANTUM(t, 1, 'd')), c)) WITH CLUSTERING ORDER BY (c DESC)",
     "cql+c | a | a t c- | t c- | 1:1d | t 86400000/86400000"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 1, 'd'))))",
     "cql | a | a t | t | 1:1d | t 86400000/86400000"},
    {"CREATE TABLE t (t TIMESTAMP, PRIMARY KEY ((QUANTUM(t, 1, 'd'))))",
     "cql | | t | t | 0:1d | t 86400000/86400000"},
    {"CREATE TABLE t (t TIMESTAMP, c INT, PRIMARY KEY ((QUANTUM(t, 1, 'd')), c))",
     "cql | | t c | t c | 0:1d | t 86400000/86400000"},
    {"CREATE TABLE t (t TIMESTAMP, c INT, PRIMARY KEY ((QUANTUM(t, 1, 'd')), c, t DESC))",
     "cql | | c t- | c t- | 0:1d | t- 86400000/86400000"},
    {"CREATE TABLE t (a INT, t TIMESTAMP(6), PRIMARY KEY (a, t)) WITH (time = 't', quantum = '6h', slab = '3d')",
     "cql | a | a t | t | -1:6h | t 259200000000/21600000000"},
    {"CREATE TABLE t (a INT, t TIMESTAMP(9), PRIMARY KEY (a, t DESC)) WITH (time = 'T')",
     "cql | a | a t- | t- | | t- 86400000000000/0"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, t))) WITH (time = 't')",
     "cql | a t | a t | | | t 86400000/0"},
    /* range */
    {"CREATE TABLE m (collected_at DATETIME, sensor_id STRING, temperature DOUBLE, PRIMARY KEY(collected_at, sensor_id))",
     "range | | collected_at sensor_id | collected_at sensor_id | -1:1d | collected_at 86400000000/86400000000"},
    {"CREATE TABLE t (t TIMESTAMP PRIMARY KEY, a INT)", "range | | t | t | -1:1d | t 86400000/86400000"},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY (t DESC, a)) WITH (quantum = '90 minutes')",
     "range | | t- a | t- a | -1:90m | t- 86400000/5400000"},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY (t, a), PARTITION KEY (T)) WITH (quantum = '1d12h', time = 't')",
     "range | | t a | t a | -1:36h | t 129600000/129600000"},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY (t, a)) WITH CLUSTERING ORDER BY (t DESC, a DESC)",
     "range+c | | t- a- | t- a- | -1:1d | t- 86400000/86400000"},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY (t, a)) WITH CLUSTERING ORDER BY (a DESC) AND spread = 8",
     "range+c | | t a- | t a- | -1:1d | t 86400000/86400000"},
    /* none */
    {"CREATE TABLE t (a INT, b VARCHAR)", "none | | | | |"},
    {"CREATE TABLE t (a INT, t TIMESTAMP) WITH (time = 't', quantum = '1w', upsert = 'row')",
     "none | | | | -1:7d | t 604800000/604800000"},
};
/* clang-format on */
