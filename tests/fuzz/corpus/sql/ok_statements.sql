select a
;
SeLeCt A_b$1, "a b", "say ""hi""", `back`, `b``t`
;
select time, region, state, sequence, quantum, status, key, date, values, desc, first, partition, tables from "from"
;
select größe, naïve.日本 from naïve
;
select over, filter, within, at, if, isnull(a)
;
select "Group" as "order" from t "where"
;
select _, _a from _
;
-- head
select /* a /* nested */ b */ 1 -- tail
;
;
	select
1
;
select 0, 7, 007, 9223372036854775807, -9223372036854775808, 9223372036854775808, -9223372036854775809
;
select 1.5, .5, 5., 1e10, 1E-5, 1.25e+3, 0.1, 123456789012345678901234567890
;
select -1.5, - 1, -(1), - -1, +1, -a, - - a, -+a, +-a, -5::int
;
select -0, - -0, -00, -0.0
;
select 'it''s', '', 'ü', 'a
b', '--', '/*', ';'
;
select E'a\nb\t\\\'\"\x41\101\u00e9\U0001F600''q'
;
select 0xABcd, X'00ff', x'', 0X00
;
select NULL, true, FALSE
;
select TIMESTAMP '2020-01-01', timestamptz '2020', timestamp(6) '2021', TIMESTAMP WITH TIME ZONE '2022', timestamp(9) with time zone '2023', varchar 'x'
;
select ?, ?, ?
;
select $2, $1, $2
;
select a+b*c-d/e%f
;
select (a+b)*c, ((a)), (1)
;
select a=b, a==b, a<>b, a!=b, a<b, a<=b, a>b, a>=b
;
select not a = b and c or d and not not e
;
select a between 1 and 2 and b not between c+1 and d or e
;
select a in (1), a not in (1, 2, b+1), not a in (3)
;
select a is null, a is not null, a = b is null, not a is null
;
select a = b not in (1)
;
select a in (1) + 2, a + not b, a is null is null, a in (1) in (2), a = not b = c, - not a, a between b = c and d or e
;
select cast(a as int), a::text::blob, -a::double precision, (a+1)::bigint
;
select f(), f(1), f(a, b+1), count(*), count(distinct a), "F"(1)
;
select a and b and c and d and e and f and g
;
select (a and b) and (c and d), a or (b or c)
;
select a - (b - c), a - b - c
;
select *
;
select t.*, * from s.t
;
select distinct a, b as c, d e from t x
;
select all a from t as x
;
select a from t where a > 1 group by a, b+1 having count(*) > 2 order by a, b desc, c asc nulls first, d desc nulls last limit 5 offset 7
;
select a from t offset 7 limit 5
;
select a from t limit all
;
select a from t limit all offset ?
;
select a from t limit 1 + 1
;
insert into t values (1, 'a', null, default, -2.5, true, 0xff)
;
insert into s.t (a, "b c") values (1, 2), (3, 4)
;
insert into t values (1 + 1, (2)), (?, f(3)), (4, 5), (- 6, - -7)
;
insert into values (values) values (1)
;
insert into values values (1)
;
insert into t values (timestamp '2020', now())
;
create table t (a varchar, b text, c string, d boolean, e bool, f timestamp, g timestamp(3), h timestamp(6), i timestamp(9), j datetime)
;
create table t (a smallint, b int2, c int, d integer, e int4, f bigint, g int8, h sint64, i real, j float4, k double, l double precision, m float, n float8, o blob, p bytea)
;
create table t (a timestamptz, b timestamp with time zone, c timestamp(6) with time zone, d character varying, e "varchar")
;
create table if not exists s.t (a int not null default 5 primary key, b int default -1 null, c varchar default 1+1 not null)
;
create table t (a sint64 not null, b timestamp not null, primary key ((a, quantum(b, 1, 'm')), a, b desc))
;
create table t (a int, t timestamp, primary key ((quantum(t, - 15, M)), t asc))
;
create table t (primary key (a), a int)
;
create table t (a int, b int, primary key ((a, b)))
;
create table t (a int, primary key (a), primary key (a))
;
create table ev.m (at datetime, id string, primary key(at, id), partition key (at)) with partition_size_hint = 3600
;
create table t (partition int, key varchar, quantum int, primary key ((partition, quantum), key))
;
create table t (a int) with (n_val = 3, x = 'it''s', y = true, z = word, f = -1.5, m = {})
;
create table t (a int) with comment = 'c' and gc_grace_seconds = 10 and compaction = {'class' : 'TWCS', 'size': 1} and clustering order by (b desc, c asc, d)
;
create table t (a int) with clustering order by (b desc)
;
create table t (a int) with ("time" = 'ts', "set" = "double quoted")
;
create schema s
;
create keyspace if not exists k with replication = {'class':'SimpleStrategy', 'replication_factor':1} and durable_writes = true
;
drop schema s
;
drop keyspace if exists "K s"
;
use dev
;
drop table t
;
drop table if exists s.t
;
describe t
;
desc table s.t
;
desc desc
;
show tables
;
show schemas
;
show keyspaces
;
show create table s.t
;
show table status t
;
show all
;
show "tables"
;
show max_subqueries
;
set a = 1
;
set a to 'x''y'
;
set a = on
;
set a = off
;
set a = true
;
set a = -5
;
set a = -5.5
;
set a = 1e3
;
set a = default
;
set time to default
;
explain select a from t
;
explain insert into t values (1)
;
checkpoint
;
flush
;
