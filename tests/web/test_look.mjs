// SPDX-License-Identifier: Apache-2.0
// What there is to look at: the first visit, charts, tables from near, statements that run.
import { readFileSync } from "node:fs";
import { assert, main, test, until } from "./lib.mjs";

const plot = (p) => p.page.locator(".u-over");
const legend = async (p) => (await p.page.locator(".u-legend .u-label").allInnerTexts()).slice(1).map((text) => text.replace(/:$/, ""));

/** A drag over the chart, from and to in shares of its width. */
async function drag(p, from, to) {
  const box = await plot(p).boundingBox();
  const y = box.y + box.height / 2;
  await p.page.mouse.move(box.x + box.width * from, y);
  await p.page.mouse.down();
  await p.page.mouse.move(box.x + box.width * to, y, { steps: 4 });
  await p.page.mouse.up();
}

/** The queries that the page sends, from now on. */
function queries(p) {
  const sent = [];
  p.page.on("request", (request) => {
    if (request.url().endsWith("/api/sql")) sent.push(JSON.parse(request.postData()).query);
  });
  return sent;
}

test("a first visit has a chart already", async (p) => {
  await p.open();
  await plot(p).waitFor();
  assert.match(await p.editorText(), /time_bucket\(INTERVAL '10 minutes', time\) AS time, region, avg\(temperature\)/);
  assert.deepEqual(await legend(p), ["east", "north", "south", "west"]);
  await p.page.getByRole("button", { name: /^GeoCheckin/ }).first().click();
  await p.page.locator(".rings").waitFor();
  await p.shot("console");
  // Zoomed in, the statement's own buckets become narrower.
  const sent = queries(p);
  await drag(p, 0.4, 0.6);
  await p.page.getByRole("button", { name: "Whole range" }).waitFor();
  await p.page.getByText("per 1 minute").waitFor();
  assert.match(sent.at(-1), /time_bucket\(INTERVAL '1 minute', time\)/);
  assert.match(sent.at(-1), /WHERE time >= TIMESTAMP '2024-01-1\dT[^]* AND time <= TIMESTAMP '/);
  await p.page.getByRole("button", { name: "Whole range" }).click();
  await until("the whole range", async () => (await p.page.getByRole("button", { name: "Whole range" }).count()) === 0);
  await p.page.getByRole("button", { name: "Table", exact: true }).click();
  assert.equal((await p.rows())[0].length, 3);
});

test("a chart of any rows: columns are picked, a zoom has all points", async (p) => {
  await p.open();
  await p.run("SELECT time, state, temperature, temperature * 2 AS double FROM GeoCheckin WHERE region = 'west' ORDER BY time");
  await p.page.getByRole("button", { name: "Chart" }).click();
  await plot(p).waitFor();
  assert.deepEqual((await legend(p)).sort(), ["nevada", "oregon"]);
  await p.page.getByLabel("Series").selectOption("one line");
  await until("one line", async () => (await legend(p)).join() === "temperature");
  await p.page.getByLabel("Value").selectOption("double");
  await until("the other value", async () => (await legend(p)).join() === "double");
  await p.page.getByLabel("Series").selectOption("state");
  const sent = queries(p);
  await drag(p, 0.2, 0.9);
  await p.page.getByText(/^4\d\d points$/).waitFor(); // seven tenths of 576
  assert.deepEqual(sent, []); // the page has the rows
  assert.deepEqual((await legend(p)).sort(), ["nevada", "oregon"]);
  await p.page.getByRole("button", { name: "Whole range" }).click();
  await until("the whole range", async () => (await p.page.getByRole("button", { name: "Whole range" }).count()) === 0);
});

test("a peak in many rows is drawn, and what the page has not is asked for", async (p) => {
  await p.open();
  await p.run("SELECT TIMESTAMP '2024-01-01' + n::bigint * 1000 AS time, CASE n WHEN 123457 THEN 1000.0 ELSE sin(n * 0.0001) END AS v FROM generate_series(1, 200000) n");
  await p.page.getByRole("button", { name: "Chart" }).click();
  await p.page.getByText("1,500 of 200,000 points, those that give the shape").waitFor();
  const box = await plot(p).boundingBox();
  const shown = async (x) => {
    await p.page.mouse.move(x, box.y + box.height / 2);
    return p.page.locator(".u-legend .u-value").last().innerText();
  };
  await until("the peak", async () => {
    for (let x = -3; x <= 3; x++) if ((await shown(box.x + (box.width * 123457) / 200000 + x)) === "1000") return true;
    return false;
  });
  // More rows than the page keeps: the server makes means of them.
  const sent = queries(p);
  await p.run("SELECT TIMESTAMP '2024-01-01' + n::bigint * 1000 AS time, n * 1.5::float8 AS v FROM generate_series(1, 1000100) n");
  await p.page.getByText(/^per \d+ (minute|hour)s?$/).waitFor();
  assert.match(sent.at(-1), /avg\(v\)\nFROM \(SELECT TIMESTAMP/);
});

test("times of all types, whatever the zone of the browser", async (p) => {
  await p.open();
  const middle = async () => {
    const box = await plot(p).boundingBox();
    await p.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    return until("a value", () => p.page.locator(".u-legend .u-value").first().innerText());
  };
  const casts = ["DATE", "TIMESTAMP", "TIMESTAMP(9)", "TIMESTAMPTZ"].map((type) => `CAST(DATE '2024-01-01' + n AS ${type})`);
  for (const day of [...casts, `${casts[3]} AT TIME ZONE 'UTC'`]) {
    await p.run(`SELECT ${day} AS day, n * 1.5 AS v FROM generate_series(0, 8) n`);
    const chart = p.page.getByRole("button", { name: "Chart" });
    if ((await chart.getAttribute("aria-pressed")) !== "true") await chart.click();
    assert.equal(await middle(), "2024-01-05T00:00:00Z", day);
  }
  const sent = queries(p);
  await p.run(`SELECT time_bucket(INTERVAL '1 day', ${casts[3]} AT TIME ZONE 'UTC') AS day, n * 1.5 AS v FROM generate_series(0, 8) n`);
  await plot(p).waitFor();
  await drag(p, 0.25, 0.75);
  await p.page.getByText(/^per \d+ (minute|hour)s?$/).waitFor();
  assert.match(sent.at(-1), />= TIMESTAMP WITHOUT TIME ZONE '2024-01-0[23]T/);
}, { timezoneId: "America/New_York" });

test("what cannot be drawn stays a table", async (p) => {
  await p.open();
  await p.run("SELECT 1 AS a, 'x' AS b");
  assert.equal(await p.page.getByRole("button", { name: "Chart" }).isVisible(), false);
  assert.deepEqual(await p.rows(), [["1", "x"]]);
});

test("a table from near", async (p) => {
  await p.open();
  await p.page.getByRole("button", { name: /^rung/ }).first().click();
  await p.page.locator(".rings").waitFor();
  const facts = await p.page.locator(".facts").innerText();
  assert.match(facts, /Series\s+name[^]*Quantum\s+1 h of at[^]*Order\s+name, at ↓[^]*Rows\s+30[^]*Slabs\s+3[^]*Retention\s+\S/);
  assert.equal(await p.page.locator(".ring").count(), 3);
  assert.match(await p.page.locator(".ring title").first().textContent(), /: 10 rows/);
  await p.page.getByRole("button", { name: "CREATE TABLE" }).click();
  await until("its text", async () => /^CREATE TABLE rung \(/.test(await p.editorText()));
  await p.page.getByRole("button", { name: "Show rows of rung" }).click();
  await until("its rows", async () => /^30 rows/.test(await p.summary()));
});

test("a statement explained: steps, where the time went, what was left out", async (p) => {
  await p.open();
  await p.write("SELECT state, avg(temperature) FROM GeoCheckin\nWHERE region = 'west' AND time >= '2024-01-15T20:00:00Z' GROUP BY state");
  await p.page.getByRole("button", { name: "Explain" }).click();
  const plan = p.page.getByRole("region", { name: "Plan" });
  await plan.waitFor();
  assert.match(await p.page.locator(".plan-sentence").innerText(), /^It took \d.*, \d+% of it in \S.*; planning took .*\.$/);
  const steps = await p.page.locator(".plan-head strong").allInnerTexts();
  assert.ok(steps.some((s) => /^Aggregate avg\(temperature\) by state/.test(s)), steps.join());
  assert.ok(steps.includes("Scan public.GeoCheckin"), steps.join());
  const read = await p.page.locator(".plan-read dl").innerText();
  assert.match(read, /slabs\s+2 of \d+\s+partitions\s+\d+ of \d+/);
  await p.shot("console-plan");
  await p.page.locator(".views").getByRole("button", { name: "JSON" }).click();
  await until("its JSON", async () => /"Plan": \{/.test((await p.rows())[0]?.[0] ?? ""));
  await p.page.getByRole("button", { name: "Plan", exact: true }).click();
  await plan.waitFor();
  // What changes rows is not run.
  await p.write("DELETE FROM GeoCheckin");
  await p.page.keyboard.press("Control+Alt+Enter");
  await p.page.getByText(/^It was not run; planning took/).waitFor();
  assert.deepEqual((await p.server.sql("SELECT count(*) FROM GeoCheckin")).rows, [[1440]]);
  // An error is at its place in the text as it was written.
  p.expect(/status of 400/);
  await p.write("SELECT nosuch FROM GeoCheckin");
  await p.page.getByRole("button", { name: "Explain" }).click();
  await p.page.getByRole("button", { name: "line 1, column 8" }).waitFor();
});

test("DRAW: a picture, with the queries behind it", async (p) => {
  await p.open();
  await p.write(`SELECT 1 AS before;
DRAW BARCHART WITH ORIENTATION HORIZONTAL TITLE 'Warmest' AXIS LEFT AXIS BOTTOM GRID VERTICAL;
SELECT state AS x, max(temperature) AS y FROM GeoCheckin GROUP BY state ORDER BY y DESC;`);
  await p.page.keyboard.press("Control+Enter"); // the cursor is in the query
  const picture = p.page.locator(".picture svg").first();
  await picture.waitFor();
  assert.equal(await p.page.locator(".picture rect").count(), 5);
  assert.ok((await p.page.locator(".picture text").allTextContents()).includes("texas"));
  await p.shot("console-draw");
  const [file] = await Promise.all([p.page.waitForEvent("download"), p.page.getByRole("button", { name: "SVG" }).click()]);
  assert.equal(file.suggestedFilename(), "chart.svg");
  assert.match(readFileSync(await file.path(), "utf8"), /^<svg xmlns/);
  await p.page.getByLabel("SQL editor").focus();
  await p.page.keyboard.press("Control+Home");
  await p.page.keyboard.press("Control+Enter"); // a statement that is not of it
  await until("its rows", async () => (await p.rows())[0]?.[0] === "1");
  await p.page.getByRole("button", { name: "CSV" }).waitFor();
  p.expect(/status of 400/);
  await p.write("DRAW PIECHART;\nSELECT 1");
  await p.page.keyboard.press("Control+Enter");
  await p.page.getByRole("button", { name: "line 1, column 6" }).waitFor();
});

test("statements that run can be seen and cancelled", async (p) => {
  await p.open();
  const gone = fetch(p.server.url + "/api/sql", { method: "POST", body: "SELECT count(*) FROM generate_series(1, 40000000000) long_one" });
  await until("it runs", async () => (await (await fetch(p.server.url + "/api/queries")).json()).queries.length > 0);
  await p.page.getByRole("button", { name: "Running" }).click();
  const row = p.page.locator(".activity-row", { hasText: "long_one" });
  await row.waitFor();
  await row.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await (await gone).json()).error.sqlstate, "57014");
  await p.page.getByText("Nothing runs but this question.").waitFor();
  await p.page.keyboard.press("Escape");
  await until("the dialog is gone", async () => (await p.page.locator("dialog").count()) === 0);
});

await main(async (server) => {
  await server.sql(`CREATE TABLE GeoCheckin (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL,
    weather VARCHAR NOT NULL, temperature DOUBLE, PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time)) WITH (slab = '2h')`);
  const insert = (from, to) => server.sql(`INSERT INTO GeoCheckin
    SELECT r, s, TIMESTAMP '2024-01-15' + n * 300000, 'fog', base + 6 * sin((n - 96) * 0.0218) + sin(n * 0.9 + base) * 0.5
    FROM generate_series(${from}, ${to}) n,
      (VALUES ('north', 'maine', -5.0), ('south', 'texas', 14.0), ('east', 'vermont', 1.0), ('west', 'oregon', 7.0), ('west', 'nevada', 9.0))
      v (r, s, base)`);
  await insert(0, 239);
  await server.sql("CHECKPOINT");
  await insert(240, 287); // in memory
  await server.sql(`CREATE TABLE rung (name VARCHAR NOT NULL, at TIMESTAMP NOT NULL, v INT, PRIMARY KEY ((name, QUANTUM(at, 1, 'h')), name, at DESC))
    WITH (slab = '1 day', retention = '100 years')`);
  await server.sql(`INSERT INTO rung SELECT 'a', TIMESTAMP '2024-01-15' + n * 8640000, n FROM generate_series(0, 29) n`);
});
