// SPDX-License-Identifier: Apache-2.0
// Results: long ones, copies of them, files of them.
import { readFileSync } from "node:fs";
import { assert, main, test, until } from "./lib.mjs";

const first = (p) => p.page.locator(".grid-row .index").first().innerText().then(Number);
const last = (p) => p.page.locator(".grid-row .index").last().innerText().then(Number);

test("a million rows, of which a screen is drawn", async (p) => {
  await p.open();
  await p.run("SELECT n, 'row ' || n AS name, n * 0.5 AS half FROM generate_series(1, 1000000) n");
  assert.match(await p.summary(), /^1,000,000 rows/);
  assert.ok((await p.page.locator(".grid-row").count()) < 60);
  assert.equal(await p.page.getByRole("grid").getAttribute("aria-rowcount"), "1000001");
  const grid = p.page.locator(".grid");
  await grid.evaluate((e) => (e.scrollTop = e.scrollHeight));
  await until("the last row", async () => (await last(p)) === 1000000);
  assert.deepEqual((await p.rows()).at(-1), ["1000000", "row 1000000", "500000.0"]);
  await grid.evaluate((e) => (e.scrollTop = e.scrollHeight / 2));
  await until("the middle", async () => Math.abs((await first(p)) - 500000) < 5000);
  // A step of the wheel is some rows, not some thousands.
  const before = await first(p);
  await grid.evaluate((e) => (e.scrollTop += 260));
  await until("a step", async () => (await first(p)) === before + 10);
  await grid.focus();
  await p.page.keyboard.press("ArrowDown");
  await p.page.keyboard.press("Control+End");
  await until("the last cell", () => p.page.locator(".cell.active", { hasText: "500000.0" }).isVisible());
  await p.page.keyboard.press("Control+Home");
  await until("the first cell", async () => (await first(p)) === 1);
});

test("more rows than the page keeps", async (p) => {
  await p.open();
  await p.run("SELECT n FROM generate_series(1, 1000005) n");
  assert.match(await p.summary(), /^1,000,000 rows · the first 1,000,000 of more/);
  const [file] = await Promise.all([p.page.waitForEvent("download"), p.page.getByRole("button", { name: "CSV" }).click()]);
  const lines = readFileSync(await file.path(), "utf8").trim().split("\n");
  assert.equal(lines.length, 1000006, "the file has them all");
});

const VALUES = `SELECT * FROM (VALUES (1, 'a"b', NULL, ''), (2, 'c,d' || chr(10) || 'e', 2.5, 'x')) v (n, t, f, e) ORDER BY n`;

test("copies of cells and rows", async (p) => {
  await p.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboard = () => p.page.evaluate(() => navigator.clipboard.readText());
  await p.open();
  await p.run(VALUES);
  assert.deepEqual(await p.rows(), [["1", 'a"b', "NULL", ""], ["2", "c,d\ne", "2.5", "x"]]);
  await p.page.getByRole("button", { name: "Copy" }).click();
  await p.page.getByText("Copied 2 rows").waitFor();
  assert.equal(await clipboard(), '1\ta"b\t\t\n2\tc,d e\t2.5\tx');
  await p.page.getByRole("gridcell", { name: 'a"b' }).click();
  await p.page.keyboard.press("Shift+ArrowLeft");
  await p.page.keyboard.press("Control+c");
  await p.page.getByText("Copied 2 cells").waitFor();
  assert.equal(await clipboard(), '1\ta"b');
  await p.page.getByRole("rowheader", { name: "2" }).click();
  await p.page.keyboard.press("Control+c");
  await p.page.getByText("Copied 4 cells").waitFor();
  assert.equal(await clipboard(), "2\tc,d e\t2.5\tx");
});

test("files", async (p) => {
  await p.open();
  await p.run(VALUES);
  const save = async (name) => {
    const [file] = await Promise.all([p.page.waitForEvent("download"), p.page.getByRole("button", { name }).click()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  };
  assert.deepEqual(await save("CSV"), { name: "result.csv", text: 'n,t,f,e\n1,"a""b",,""\n2,"c,d\ne",2.5,x\n' });
  const json = await save("JSON");
  assert.equal(json.name, "result.json");
  assert.deepEqual(JSON.parse(json.text), [{ n: 1, t: 'a"b', f: null, e: "" }, { n: 2, t: "c,d\ne", f: "2.5", e: "x" }]);
});

test("a Parquet file", async (p) => {
  p.expect(/status of 400/);
  await p.open();
  await p.run(VALUES);
  const [file] = await Promise.all([p.page.waitForEvent("download"), p.page.getByRole("button", { name: "Parquet" }).click()]);
  assert.equal(file.suggestedFilename(), "result.parquet");
  assert.equal(readFileSync(await file.path()).subarray(0, 4).toString(), "PAR1");
  await p.run("SHOW TABLES"); // is no query
  await p.page.getByRole("button", { name: "Parquet" }).click();
  await p.page.getByText(/^syntax error/).waitFor();
});

test("texts of the database are no markup", async (p) => {
  await p.open();
  await p.run(`SELECT '<img src=x onerror=alert(1)>' AS "<b>x</b>"`);
  assert.deepEqual(await p.rows(), [["<img src=x onerror=alert(1)>"]]);
  assert.equal(await p.page.locator(".grid img, .grid b").count(), 0);
});

await main();
