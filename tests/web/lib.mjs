// SPDX-License-Identifier: Apache-2.0
// lib.mjs: a server, a browser, and tests one after the other, each with a page of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(join(process.env.DENDRO_WEB_MODULES, "x.js"));
const { chromium } = require("playwright-core");

const WAIT_MS = 30_000; // an upper bound, never a time that passes

/** `dendro serve` on ports that are free; resolves when it listens. */
export class Server {
  async start(...options) {
    this.home = mkdtempSync(join(tmpdir(), "dendro-web-"));
    this.process = spawn(
      process.env.DENDRO,
      ["serve", "--data", join(this.home, "db"), "--pg-port", "any", "--http-port", "any", ...options],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    for await (const line of createInterface({ input: this.process.stdout })) {
      const port = /^HTTP on .*, port (\d+)/.exec(line)?.[1];
      if (port) {
        this.port = Number(port);
        this.url = `http://127.0.0.1:${port}`;
        return this;
      }
    }
    throw new Error("the server did not start");
  }

  /** Runs statements, not as the page does it; they must work. */
  async sql(query, user) {
    const headers = user ? { Authorization: "Basic " + Buffer.from(user).toString("base64") } : {};
    const response = await fetch(this.url + "/api/sql", { method: "POST", body: query, headers });
    const answer = await response.json();
    assert.ok(response.ok, JSON.stringify(answer));
    return answer;
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGTERM");
    const code = await ended;
    rmSync(this.home, { recursive: true, force: true });
    assert.equal(code, 0, "the server did not stop cleanly");
  }
}

/** Waits until `condition` gives something true, and returns that. */
export async function until(what, condition) {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const got = await condition();
    if (got) return got;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The page of a test, with short ways to do what a person does. */
export class Page {
  constructor(page, server) {
    this.page = page;
    this.server = server;
    this.wrong = [];
    this.expected = [];
    page.setDefaultTimeout(WAIT_MS);
    page.on("pageerror", (error) => this.wrong.push(`page: ${error.stack ?? error}`));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.wrong.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(server.url) && !/^(data|blob):/.test(url)) this.wrong.push(`asks ${url}`);
    });
  }

  /** Messages of the browser that this test is about. */
  expect(pattern) {
    this.expected.push(pattern);
  }

  unexpected() {
    return this.wrong.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
  }

  async open(path = "/") {
    await this.page.goto(this.server.url + path);
    await this.ready();
  }

  /** Waits until the page has begun: the tables are there, and what a first visit shows. */
  async ready() {
    await this.page.locator("body[data-ready]").waitFor();
  }

  editorText() {
    return this.page.locator(".cm-content").innerText();
  }

  /** Puts `text` in the place of all that the editor has. */
  async write(text) {
    await this.page.getByLabel("SQL editor").focus();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.press("Delete");
    await this.page.keyboard.insertText(text);
  }

  /** Runs all statements of a text, and waits for the end. */
  async run(text) {
    await this.write(text);
    await this.page.keyboard.press("Control+Shift+Enter");
    await this.ended();
  }

  async ended() {
    await this.page.getByRole("button", { name: "Run", exact: true }).waitFor();
  }

  summary() {
    return this.page.locator(".summary").innerText();
  }

  /** Texts of the rows that are drawn, without their numbers. */
  rows() {
    return this.page.locator(".grid-row").evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('[role="gridcell"]')].map((cell) => cell.textContent)),
    );
  }

  async shot(name) {
    const to = process.env.DENDRO_WEB_SHOTS;
    if (to) mkdirSync(to, { recursive: true });
    await this.page.mouse.move(640, 8);
    await this.page.screenshot({ path: to ? join(to, name + ".png") : undefined, animations: "disabled", caret: "initial" });
  }
}

const tests = [];

export function test(name, body, options = {}) {
  tests.push({ name, body, options });
}

/** Runs the tests of the file; `prepare` gets the server first. */
export async function main(prepare = async () => {}, ...options) {
  const server = await new Server().start(...options);
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
  let failed = 0;
  try {
    await prepare(server);
    for (const { name, body, options: context } of tests) {
      if (process.env.DENDRO_WEB_ONLY && !name.includes(process.env.DENDRO_WEB_ONLY)) continue;
      const began = Date.now();
      const scope = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", timezoneId: "UTC", ...context });
      const page = new Page(await scope.newPage(), server);
      try {
        await body(page, server);
        assert.deepEqual(page.unexpected(), []);
        console.log(`ok ${name} (${Date.now() - began} ms)`);
      } catch (error) {
        failed++;
        console.log(`FAILED ${name}\n${error.stack}\n${page.wrong.join("\n")}`);
        const shot = process.env.DENDRO_WEB_FAILED;
        if (shot) await page.page.screenshot({ path: join(shot, "failed.png") }).catch(() => {});
      }
      await scope.close();
    }
  } finally {
    await browser.close();
    await server.stop();
  }
  process.exitCode = failed ? 1 : 0;
}

export { assert };
