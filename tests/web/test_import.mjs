// SPDX-License-Identifier: Apache-2.0
// A CSV file becomes a table, and a chart; bad ones say why not.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, main, test, until } from "./lib.mjs";

const WEATHER = "station,time,temperature,note\n" + Array.from({ length: 400 }, (_, i) => {
  const time = new Date(Date.UTC(2024, 4, 1) + Math.floor(i / 2) * 900_000).toISOString().replace(".000", "");
  return `${i % 2 ? "rome" : "oslo"},${time},${((i % 2 ? 18 : 6) - Math.cos((i / 192) * 2 * Math.PI) * 4).toFixed(1)},"a, b"\n`;
}).join("");

/** Chooses a file, as the button does it. */
async function choose(p, name, text) {
  const [chooser] = await Promise.all([p.page.waitForEvent("filechooser"), p.page.getByRole("button", { name: "Import", exact: true }).first().click()]);
  await chooser.setFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
}

/** Drops a file on the page. */
function drop(p, name, text) {
  return p.page.evaluate(([file, content]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], file));
    for (const type of ["dragenter", "dragover", "drop"]) dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }, [name, text]);
}

const table = (p) => p.page.getByRole("textbox", { name: "Table" });
const dialog = (p) => p.page.getByRole("dialog");
const go = (p) => dialog(p).getByRole("button", { name: "Import" }).click();
const sql = (p) => p.page.locator(".import-sql").innerText();

test("choose, look, change, import, see the chart", async (p) => {
  await p.open();
  await choose(p, "Weather 2024.csv", WEATHER);
  await table(p).waitFor();
  assert.equal(await table(p).inputValue(), "weather_2024");
  assert.deepEqual(await p.page.locator(".import-preview tbody tr").first().locator("td").allInnerTexts(),
    ["oslo", "2024-05-01T00:00:00Z", "2.0", "a, b"]);
  assert.match(await sql(p), /station VARCHAR NOT NULL,\n {4}time TIMESTAMP NOT NULL,\n {4}temperature DOUBLE,\n {4}note VARCHAR,\n {4}PRIMARY KEY \(\(station, QUANTUM\(time, 1, 'd'\)\), station, time\)/);
  await table(p).fill("weather");
  await dialog(p).getByLabel("Quantum").selectOption("6 h");
  assert.match(await sql(p), /^CREATE TABLE weather \([^]*QUANTUM\(time, 6, 'h'\)/);
  await p.shot("console-import");
  await dialog(p).getByLabel("note in the key").selectOption("key: time");
  await p.page.getByText("One column is the time of the key, not several.").waitFor();
  await dialog(p).getByLabel("note in the key").selectOption("value");
  await go(p);
  await p.page.getByText("400 rows imported").waitFor();
  await p.page.locator(".u-over").waitFor();
  assert.match(await p.editorText(), /FROM weather/);
  await until("it is among the tables", () => p.page.getByRole("button", { name: /^weather/ }).first().isVisible());
  const { rows } = await p.server.sql("SELECT count(*), count(DISTINCT station) FROM weather");
  assert.deepEqual(rows, [[400, 2]]);
});

test("drop; semicolons and seconds; rows are added to a table that is there", async (p) => {
  await p.open();
  const text = "ts;amount\n1714521600;5\n1714521660;7\n";
  await drop(p, "counts.csv", text);
  await dialog(p).waitFor();
  assert.match(await sql(p), /ts TIMESTAMP NOT NULL/);
  await go(p);
  await p.page.getByText("2 rows imported").waitFor();
  const { rows } = await p.server.sql("SELECT min(ts), sum(amount) FROM counts");
  assert.deepEqual(rows, [["2024-05-01T00:00:00.000Z", 12]]);
  await until("the first is gone", async () => (await dialog(p).count()) === 0);
  await drop(p, "counts.csv", "ts;amount\n1714525200;1\n");
  await until("it says so", async () => /is there already/.test(await sql(p).catch(() => "")));
  await go(p);
  await until("three rows", async () => (await p.server.sql("SELECT count(*) FROM counts")).rows[0][0] === 3);
});

test("as a spreadsheet in German writes it", async (p) => {
  await p.open();
  const text = "Zeit;Ort;Grad\r\n31.12.2024 14:00;K\u00f6ln;1.012,5\r\n30.12.2024 14:00;Bonn;-0,5\r\n";
  await drop(p, "Messung.csv", [...Buffer.from(text, "latin1")]);
  await dialog(p).waitFor();
  assert.deepEqual(await p.page.locator(".import-preview tbody tr").first().locator("td").allInnerTexts(), ["31.12.2024 14:00", "K\u00f6ln", "1.012,5"]);
  assert.match(await sql(p), /Zeit TIMESTAMP NOT NULL,\n {4}Ort VARCHAR[^]*Grad DOUBLE/);
  const why = await p.page.locator(".import-why").innerText();
  for (const said of ["cells end with semicolons", "WIN1252", "decimal comma", "the day comes first"]) assert.ok(why.includes(said), why);
  await go(p);
  await p.page.getByText("2 rows imported").waitFor();
  assert.deepEqual((await p.server.sql("SELECT \"Ort\", \"Zeit\", \"Grad\" FROM messung ORDER BY 1")).rows,
    [["Bonn", "2024-12-30T14:00:00.000Z", -0.5], ["K\u00f6ln", "2024-12-31T14:00:00.000Z", 1012.5]]);
});

test("a value that does not fit beyond what was looked at: one press makes its column a text", async (p) => {
  p.expect(/status of 400/);
  await p.open();
  // The page sends eight megabytes to be looked at.
  const line = `2024-05-01,${"x".repeat(80)},1\n`;
  await drop(p, "late.csv", `time,s,n\n${line.repeat(100_000)}2024-05-02,y,odd\n`);
  await dialog(p).waitFor();
  assert.match(await sql(p), /n BIGINT/);
  await go(p);
  await dialog(p).getByText(/line 100002, column "n": .*"odd"/).waitFor();
  await dialog(p).getByRole("button", { name: "Make n a text" }).click();
  assert.match(await sql(p), /n VARCHAR/);
  await go(p);
  await p.page.getByText("100,001 rows imported").waitFor();
  assert.deepEqual((await p.server.sql("SELECT count(*), max(n) FROM late")).rows, [[100001, "odd"]]);
});

test("lines of JSON objects", async (p) => {
  await p.open();
  await drop(p, "events.ndjson", '{"at":"2024-05-01T00:00:00Z","who":"a","n":1}\n{"at":"2024-05-01T00:01:00Z","n":2.5,"who":"b"}\n');
  await dialog(p).waitFor();
  assert.equal(await table(p).inputValue(), "events");
  assert.match(await sql(p), /"at" TIMESTAMP NOT NULL,\n {4}who VARCHAR[^]*n DOUBLE/);
  await go(p);
  await p.page.getByText("2 rows imported").waitFor();
  assert.deepEqual((await p.server.sql("SELECT who, n FROM events ORDER BY who")).rows, [["a", 1], ["b", 2.5]]);
});

test("Parquet", async (p) => {
  await p.open();
  const file = join(p.server.home, "cells.parquet");
  await p.server.sql(`COPY (SELECT TIMESTAMP '2024-05-01' + n * 60000 AS time, 'a' AS host, n * 0.5::float8 AS v FROM generate_series(0, 99) n) TO '${file}'`);
  await drop(p, "cells.parquet", [...readFileSync(file)]);
  await dialog(p).waitFor();
  assert.match(await p.page.locator(".import-why").innerText(), /as the Parquet file has them/);
  await go(p);
  await p.page.getByText("100 rows imported").waitFor();
  assert.deepEqual((await p.server.sql("SELECT count(*), max(v) FROM cells")).rows, [[100, 49.5]]);
});

test("rows that do not fit", async (p) => {
  p.expect(/status of 400/);
  await p.server.sql("CREATE TABLE fits (k INT PRIMARY KEY, v DOUBLE)");
  await p.open();
  const text = "k,v\n1,1.5\n2,x\n3,2.5\n";
  await drop(p, "fits.csv", text);
  await dialog(p).waitFor();
  await go(p);
  await dialog(p).getByText(/^line 3,/).waitFor();
  assert.deepEqual((await p.server.sql("SELECT count(*) FROM fits")).rows, [[0]]);
  await dialog(p).getByLabel("leave out rows that do not fit").check();
  await go(p);
  await dialog(p).getByText("1 row left out; the first of them:").waitFor();
  assert.match(await p.page.locator(".rejects").innerText(), /^line 3, v: /);
  assert.deepEqual((await p.server.sql("SELECT sum(v) FROM fits")).rows, [[4]]);
});

test("a table that was made for a bad file goes again", async (p) => {
  p.expect(/status of 400/);
  await p.open();
  await drop(p, "gone.csv", "k,v\n1,2\n2,3\n");
  await dialog(p).getByLabel("Type of v").selectOption("boolean");
  await go(p);
  await dialog(p).locator(".error").waitFor();
  const answer = await fetch(p.server.url + "/api/sql", { method: "POST", body: "SELECT * FROM gone" });
  assert.equal((await answer.json()).error.sqlstate, "42P01");
});

test("what is no CSV text", async (p) => {
  p.expect(/status of 400/);
  await p.open();
  await drop(p, "picture.png", [0x89, 0x50, 0x4e, 0x47, 13, 10, 0, 0]);
  await p.page.getByRole("dialog", { name: "picture.png cannot be imported" }).waitFor();
  await p.page.keyboard.press("Escape");
  await drop(p, "empty.csv", "");
  await p.page.getByRole("dialog", { name: "empty.csv cannot be imported" }).waitFor();
});

await main();
