// SPDX-License-Identifier: Apache-2.0
// drive.js: node-postgres with pg-cursor and pg-copy-streams, and postgres.js. Fails by an assertion.
'use strict';
const assert = require('node:assert/strict');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { Client } = require('pg');
const Cursor = require('pg-cursor');
const copy = require('pg-copy-streams');
const postgres = require('postgres');

const where = { host: '127.0.0.1', port: Number(process.argv[2]), user: 'dendro', database: 'dendro' };
const NOON = new Date('2024-01-01T12:00:00.250Z');

async function nodePostgres() {
  const c = new Client(where);
  await c.connect();
  await c.query('CREATE TABLE n (s varchar not null, time timestamp not null, v double, n bigint, ok boolean, primary key (s, time))');
  await c.query('INSERT INTO n VALUES ($1, $2, $3, $4, $5)', ['a', NOON, 1.5, '7', true]);
  const row = { s: 'a', time: NOON, v: 1.5, n: '7', ok: true };
  assert.deepEqual((await c.query('SELECT * FROM n WHERE s = $1 AND "time" >= $2 LIMIT $3', ['a', new Date(0), 5])).rows, [row]);
  for (const x of [41, 42])
    assert.deepEqual((await c.query({ name: 'q', text: 'SELECT $1::int + 1 AS x', values: [x] })).rows, [{ x: x + 1 }]);
  assert.deepEqual((await c.query('SELECT $1::int[] a, $2::text[] b, $3::numeric c', [[1, 2], ['x', 'y'], 1.5])).rows,
    [{ a: [1, 2], b: ['x', 'y'], c: '1.5' }]);
  const cursor = c.query(new Cursor('SELECT g FROM generate_series(1, 1000) g'));
  assert.deepEqual((await cursor.read(3)).map((r) => r.g), [1, 2, 3]);
  assert.deepEqual((await cursor.read(2)).map((r) => r.g), [4, 5]);
  await cursor.close();
  await pipeline(Readable.from(['b\t2024-01-01\t1\t2\tt\n', 'c\t2024-01-01\t1\t2\tf\n']), c.query(copy.from('COPY n FROM STDIN')));
  let text = '';
  for await (const part of c.query(copy.to('COPY (SELECT s, v FROM n ORDER BY s) TO STDOUT')))
    text += part;
  assert.equal(text, 'a\t1.5\nb\t1\nc\t1\n');
  await assert.rejects(c.query('SELEC'), { code: '42601', position: '1' });
  await c.query('BEGIN');
  await c.query('DELETE FROM n');
  await c.query('ROLLBACK');
  assert.deepEqual((await c.query('SELECT count(*) AS n FROM n')).rows, [{ n: '3' }]);
  assert.deepEqual((await c.query('SELECT 1 AS a; SELECT 2 AS b')).map((r) => r.rows), [[{ a: 1 }], [{ b: 2 }]]);
  await c.end();
}

async function postgresJs() {
  const sql = postgres({ ...where, max: 2, fetch_types: false });
  assert.deepEqual([...await sql`SELECT s, time, v FROM n WHERE s = ${'a'} AND v > ${1}`], [{ s: 'a', time: NOON, v: 1.5 }]);
  const two = [{ s: 'y', time: NOON, v: 2, n: 3, ok: false }, { s: 'z', time: NOON, v: 2, n: 3, ok: null }];
  assert.equal((await sql`INSERT INTO n ${sql(two)}`).count, 2);
  await sql.begin((t) => t`DELETE FROM n WHERE s = 'z'`);
  await assert.rejects(sql.begin(async (t) => {
    await t`DELETE FROM n`;
    await t`SELECT ${1} / 0`;
  }), { code: '22012' });
  assert.equal((await sql`SELECT count(*)::int AS n FROM n`)[0].n, 4);
  const parts = [];
  for await (const rows of sql`SELECT g FROM generate_series(1, 10) g`.cursor(4))
    parts.push(rows.length);
  assert.deepEqual(parts, [4, 4, 2]);
  await sql.end();
}

nodePostgres().then(postgresJs).catch((e) => {
  console.error(e);
  process.exit(1);
});
