-- Made the files beside this one, with PostgreSQL 15: COPY all_types TO … as text, (FORMAT csv, HEADER) and (FORMAT binary).
CREATE TABLE all_types (k int, b boolean, s smallint, i bigint, r real, d double precision, v varchar, x bytea, tz timestamptz, dt date, tm time, iv interval, u uuid, n numeric, ia int[], va varchar[]);
INSERT INTO all_types VALUES
 (1, true, -32768, 9223372036854775807, 1.5, -2.25e300, 'plain', '\xdeadbeef', '2015-06-01 09:00:00.123456+00', '2015-06-01', '23:59:59.999999', '1 year 2 mons 3 days 04:05:06.7', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 12345.6789, '{1,2,NULL}', '{a,"b c",NULL}'),
 (2, false, 32767, -9223372036854775808, -0.1, 0, E'tab\there\nnew\\line\r', '', '1969-12-31 23:59:59.999999+00', '1900-01-01', '00:00', '-3 days -00:00:01', '00000000-0000-0000-0000-000000000000', -0.00001, '{}', '[2:3]={x,y}'),
 (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (4, true, 0, 0, 0, 1e-300, '', '\x00ff', '2000-01-01 00:00:00+00', '2000-01-01', '24:00:00', '0', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 0, '{{1,2},{3,4}}', '{"",","}'),
 (5, true, 1, 1, 1, 1, 'é"q,"\.', '\x5c', '9999-12-31 23:59:59+00', '9999-12-31', '12:00', '100 years', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 99999999999999999999999999999999999999, '{2147483647}', '{NULL}'),
 (6, true, 1, 1, 1, 1, '\N', '\x4e', '2015-06-01 09:00:00+00', '2015-06-01', '12:00', '1 mon', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1234567890123.000, '{0}', '{"{}"}'),
 (7, true, 1, 1, 1, 1, 'x', '\x4e', '2015-06-01 09:00:00+00', '2015-06-01', '12:00', '1 mon', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 10000, NULL, '{"a\\b"}'),
 (8, true, 1, 1, 1, 1, 'x', '\x4e', '2015-06-01 09:00:00+00', '2015-06-01', '12:00', '1 mon', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 0.00000000000000000001, '{-1}', '{"NULL"}');
