// SPDX-License-Identifier: Apache-2.0
// Roles with passwords: the form, the cookie, a role that only reads.
import { assert, main, test, until } from "./lib.mjs";

async function enter(p, user, password) {
  await p.page.getByLabel("Role").fill(user);
  await p.page.getByLabel("Password").fill(password);
  await p.page.getByRole("button", { name: "Log in" }).click();
}

/** Waits until the page has begun anew as the role that has logged in. */
async function entered(p) {
  await until("the form is gone", async () => (await p.page.locator("dialog").count()) === 0);
  await p.ready();
}

async function wanted(p) {
  p.expect(/status of 401/);
  await p.page.goto(p.server.url);
  await p.page.getByRole("dialog", { name: "Log in" }).waitFor();
}

test("a wrong password, a right one, a reload, the end", async (p) => {
  await wanted(p);
  await p.page.keyboard.press("Escape");
  await enter(p, "dendro", "wrong");
  await p.page.getByText('password authentication failed for user "dendro"').waitFor();
  await enter(p, "dendro", "sesame – ü");
  await entered(p);
  await until("the role", async () => (await p.page.locator(".role").innerText()) === "dendro");
  await until("the tables", () => p.page.getByRole("button", { name: /^weather/ }).first().isVisible());
  assert.equal(await p.page.locator(".badge").count(), 0);
  const [cookie] = await p.page.context().cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.expires], [true, "Strict", -1]);
  const kept = await p.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.ok(!kept.includes("sesame") && !kept.includes(cookie.value), kept);
  await p.page.reload();
  await until("it is known again", async () => (await p.page.locator(".role").innerText()) === "dendro");
  await p.page.getByRole("button", { name: "Log out" }).click();
  await p.page.getByRole("dialog", { name: "Log in" }).waitFor();
  assert.equal((await p.page.context().cookies()).length, 0);
});

test("a role that only reads", async (p) => {
  await wanted(p);
  await enter(p, "reader", "read");
  await entered(p);
  await p.page.getByText("read only").waitFor();
  assert.equal(await p.page.getByRole("button", { name: "Import" }).isVisible(), false);
  await p.run("SELECT count(*) FROM weather");
  assert.deepEqual(await p.rows(), [["3"]]);
  p.expect(/status of 403/);
  await p.run("DELETE FROM weather");
  assert.match(await p.page.locator(".error").innerText(), /42501/);
});

test("a login that ends while one works", async (p) => {
  await wanted(p);
  await enter(p, "guest", "one");
  await entered(p);
  await until("the role", async () => (await p.page.locator(".role").innerText()) === "guest");
  await p.write("SELECT 1 AS still_there");
  await p.server.sql("ALTER ROLE guest PASSWORD 'two'", "dendro:sesame – ü");
  await p.page.keyboard.press("Control+Enter");
  await p.page.getByRole("dialog", { name: "Log in" }).waitFor();
  await enter(p, "guest", "two");
  await entered(p);
  assert.equal(await p.editorText(), "SELECT 1 AS still_there");
  await p.page.getByLabel("SQL editor").focus();
  await p.page.keyboard.press("Control+Enter");
  await until("it runs", async () => (await p.rows())[0]?.[0] === "1");
});

await main(async (server) => {
  await server.sql(`CREATE TABLE weather (station VARCHAR NOT NULL, time TIMESTAMP NOT NULL, temperature DOUBLE,
      PRIMARY KEY ((station, QUANTUM(time, 1, 'h')), station, time));
    INSERT INTO weather VALUES ('a', '2024-01-01T00:00:00Z', 1), ('a', '2024-01-01T00:10:00Z', 2), ('a', '2024-01-01T00:20:00Z', 3);
    CREATE USER guest PASSWORD 'one'; GRANT ALL ON weather TO guest;
    CREATE USER reader PASSWORD 'read'; GRANT SELECT ON weather TO reader; REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    ALTER ROLE dendro PASSWORD 'sesame – ü'`);
});
