// SPDX-License-Identifier: Apache-2.0
// The editor, and what a person does with it.
import { assert, main, test, until } from "./lib.mjs";

test("the page, and what protects it", async (p) => {
  const response = await p.page.request.get(p.server.url + "/");
  const headers = response.headers();
  assert.match(headers["content-security-policy"], /default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(headers["content-security-policy"], /unsafe/);
  assert.equal(headers["cache-control"], "no-cache");
  await p.open();
  assert.equal(await p.page.title(), "Dendro");
  assert.equal(await p.page.getByRole("button", { name: "Cancel" }).isVisible(), false, "nothing runs");
  // Everything that can be pressed has a name.
  const nameless = await p.page.locator("button, input, select").evaluateAll((all) =>
    all.filter((e) => !(e.textContent?.trim() || e.ariaLabel || e.title)).map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
  await until("the tables are there", () => p.page.getByRole("button", { name: /GeoCheckin/ }).first().isVisible());
});

test("run the statement at the cursor, a selection, all", async (p) => {
  await p.open();
  await p.write("SELECT 1 AS one;\n\nSELECT 2 AS two;");
  await p.page.keyboard.press("Control+Enter");
  await until("two", async () => (await p.rows())[0]?.[0] === "2");
  assert.match(await p.summary(), /^1 row · [\d.]+ ms$/);
  await p.page.keyboard.press("Control+Home");
  await p.page.keyboard.press("Control+Enter");
  await until("one", async () => (await p.rows())[0]?.[0] === "1");
  await p.page.keyboard.press("Control+Home");
  await p.page.keyboard.press("Shift+End");
  await p.page.keyboard.press("Shift+ArrowLeft"); // without the semicolon
  await p.page.getByRole("button", { name: "Run", exact: true }).click();
  await until("one again", async () => (await p.rows())[0]?.[0] === "1");
  await p.page.getByRole("button", { name: "Run all" }).click();
  await until("both", async () => (await p.page.locator(".pick").count()) === 2);
  await p.page.locator(".pick").nth(0).click();
  await until("the first of both", async () => (await p.rows())[0]?.[0] === "1");
  await p.run("CREATE TABLE made (k INT PRIMARY KEY)");
  assert.equal(await p.page.locator(".done").innerText(), "CREATE TABLE ✓");
  await until("it is among the tables", () => p.page.getByRole("button", { name: /^made/ }).first().isVisible());
});

test("errors have a place, a hint and a SQLSTATE", async (p) => {
  p.expect(/status of 400/);
  await p.open();
  await p.write("SELECT 'é😀' AS x;\nSELECT temperatur FROM GeoCheckin;");
  await p.page.keyboard.press("Control+Enter");
  const error = p.page.locator(".error");
  await error.waitFor();
  assert.match(await error.innerText(), /temperatur/);
  assert.match(await error.innerText(), /42703/);
  assert.match(await error.innerText(), /Hint/);
  assert.equal(await p.page.locator(".cm-dn-error").innerText(), "temperatur");
  await p.shot("console-error");
  await p.page.keyboard.press("Control+Home");
  await p.page.getByRole("button", { name: "line 2, column 8" }).click();
  await p.page.keyboard.insertText("min(temperature), ");
  assert.match(await p.editorText(), /SELECT min\(temperature\), temperatur FROM/);
  assert.equal(await p.page.locator(".cm-dn-error").count(), 0, "the mark goes when the text changes");
});

test("completion knows columns, aliases, tables, functions and keywords", async (p) => {
  await p.open();
  await until("the tables are there", () => p.page.getByRole("button", { name: /GeoCheckin/ }).first().isVisible());
  const offered = p.page.locator(".cm-tooltip-autocomplete li");
  const complete = async (text, want) => {
    await p.write(text);
    await p.page.keyboard.press("Control+Space");
    await until(`${want} behind ${text}`, async () => (await offered.allInnerTexts()).some((t) => t.startsWith(want)));
    return offered.allInnerTexts();
  };
  const columns = await complete("SELECT 1 FROM GeoCheckin g WHERE g.", "temperature");
  assert.deepEqual(columns.map((t) => /^[a-z]+/.exec(t)[0]).sort(), ["region", "state", "temperature", "time", "weather"]);
  const first = await complete("SELECT * FROM GeoCheckin WHERE te", "temperature");
  assert.match(first[0], /^temperature/, "columns of the statement's tables come first");
  await offered.first().click();
  await until("it is taken", async () => (await p.editorText()).endsWith("WHERE temperature"));
  await complete("SELECT * FROM geo", "GeoCheckin");
  await complete("SELECT time_b", "time_bucket");
  await complete("CREATE TABLE x (t TIMESTAMP, PRIMARY KEY (QUAN", "QUANTUM");
});

test("cancel what runs", async (p) => {
  p.expect(/status of 499/);
  await p.open();
  await p.write("SELECT count(*) FROM generate_series(1, 40000000000) a");
  await p.page.keyboard.press("Control+Enter");
  await p.page.getByRole("button", { name: "Cancel" }).waitFor();
  await until("the server runs it", async () => (await (await fetch(p.server.url + "/api/queries")).json()).queries.length > 0);
  assert.match(await p.summary(), /running/);
  await p.page.getByRole("button", { name: "Cancel" }).click();
  await p.page.locator(".error").waitFor();
  assert.match(await p.page.locator(".error").innerText(), /57014/);
  await p.ended();
});

test("tabs survive a reload, without passwords", async (p) => {
  await p.open();
  await p.write("SELECT 1 AS first_tab");
  await p.page.getByRole("button", { name: "New tab" }).click();
  await p.write("ALTER ROLE dendro PASSWORD 'open sesame'");
  await p.page.getByRole("button", { name: "New tab" }).click();
  await p.write("SELECT * FROM GeoCheckin");
  await p.page.reload();
  await p.ready();
  assert.equal(await p.editorText(), "SELECT * FROM GeoCheckin");
  assert.equal(await p.page.getByRole("tab").count(), 3);
  await p.page.getByRole("tab").nth(1).click();
  assert.equal(await p.editorText(), "ALTER ROLE dendro PASSWORD '…'");
  assert.doesNotMatch(await p.page.evaluate(() => JSON.stringify({ ...localStorage })), /sesame/);
  await p.page.keyboard.press("ArrowLeft");
  await until("the first tab", async () => (await p.editorText()) === "SELECT 1 AS first_tab");
  await p.page.getByRole("button", { name: "Close Query 2" }).click();
  assert.equal(await p.page.getByRole("tab").count(), 2);
});

test("dark and light, by the system and by hand", async (p) => {
  await p.open();
  const theme = () => p.page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await p.page.getByRole("button", { name: "Dark or light" }).click();
  assert.equal(await theme(), "light");
  await p.page.reload();
  await p.ready();
  assert.equal(await theme(), "light");
}, { colorScheme: "dark" });

test("the keyboard alone", async (p) => {
  await p.open();
  await p.write("SELECT 1 AS k;");
  await p.page.keyboard.press("Control+Enter");
  await until("it ran", async () => (await p.rows())[0]?.[0] === "1");
  await p.page.keyboard.press("Escape");
  await p.page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 60_000; // a person, or a machine, that takes a minute for the next key
  });
  await p.page.keyboard.press("Tab"); // out of the editor, to the line below it
  const splitter = p.page.getByRole("separator", { name: "Size of the editor" });
  await until("the line has the focus", () => splitter.evaluate((e) => e === document.activeElement));
  const before = Number(await splitter.getAttribute("aria-valuenow"));
  await p.page.keyboard.press("ArrowDown");
  assert.ok(Number(await splitter.getAttribute("aria-valuenow")) > before);
  const grid = p.page.getByRole("grid", { name: "Result" });
  await until("the result can be reached", async () => {
    await p.page.keyboard.press("Tab");
    return grid.evaluate((e) => e === document.activeElement);
  });
  await p.page.keyboard.press("ArrowDown");
  await until("a cell is chosen", () => p.page.locator(".cell.active").isVisible());
});

test("a phone's width", async (p) => {
  await p.open();
  assert.equal(await p.page.locator(".panel").isVisible(), false);
  await p.page.getByRole("button", { name: "Show or hide the tables" }).click();
  assert.equal(await p.page.locator(".panel").isVisible(), true);
  await p.page.getByRole("button", { name: "Show or hide the tables" }).click();
  await p.run("SELECT region, state, temperature FROM GeoCheckin ORDER BY 1, 2 LIMIT 50");
  assert.ok((await p.rows()).length > 3);
  const wide = await p.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, "the page is not wider than the screen");
}, { viewport: { width: 390, height: 780 }, hasTouch: true });

test("a server that is gone", async (p) => {
  p.expect(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
  await p.open();
  await p.page.context().setOffline(true);
  await p.write("SELECT 1");
  await p.page.keyboard.press("Control+Enter");
  await p.page.locator(".error").waitFor();
  assert.match(await p.page.locator(".error").innerText(), /does not answer[^]*again/);
  await p.page.context().setOffline(false);
  await p.page.keyboard.press("Control+Enter");
  await until("it is back", async () => (await p.rows())[0]?.[0] === "1");
});

await main(async (server) => {
  await server.sql(`CREATE TABLE GeoCheckin (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL,
    weather VARCHAR NOT NULL, temperature DOUBLE, PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time))`);
  await server.sql(`INSERT INTO GeoCheckin SELECT 'north', 'maine', TIMESTAMP '2024-01-15' + n * 60000, 'snow', n % 20
    FROM generate_series(0, 999) n`);
});
