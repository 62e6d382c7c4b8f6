// SPDX-License-Identifier: Apache-2.0
// activity.ts: what the server is doing now, with a way to stop it.
import { ask, errorFrom, type Progress, progressOfAll } from "./api.ts";
import { button, fill, h } from "./dom.ts";
import { dialog } from "./help.ts";
import { progressTexts } from "./results.ts";
import { duration } from "./text.ts";

const QUERY = `SELECT pid, usename, coalesce(client_addr, ''), state, extract(epoch FROM now() - query_start), query
FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid() ORDER BY query_start`;
const EVERY_MS = 1000;

type Session = [pid: number, user: string, address: string, state: string, seconds: number | string | null, query: string | null];

/** Shows the statements that run, anew every second while it is open. */
export function activityDialog(say: (text: string) => void): void {
  const list = h("div", { class: "activity", "aria-live": "polite" });
  const element = dialog("Running statements", list);
  let timer = 0;

  const stop = async (pid: number) => {
    try {
      const result = await ask("SELECT pg_cancel_backend($1::integer)", [pid]);
      say(result.rows[0]?.[0] === true ? "Cancelled" : "It has ended already");
      await load();
    } catch (error) {
      say(errorFrom(error).message);
    }
  };

  const one = ([pid, user, address, state, seconds, query]: Session, progress: Progress | undefined) =>
    h(
      "div",
      { class: "activity-row" },
      h(
        "div",
        { class: "activity-head" },
        h("strong", {}, user), address && h("span", {}, address), h("span", {}, state),
        h("span", {}, duration(Math.max(0, Number(seconds ?? 0) * 1000))), ...progressTexts(progress ?? null).map((text) => h("span", {}, text)), h("span", { class: "grow" }),
        button({ text: "Cancel", label: `Cancel the statement of ${pid}`, class: "danger" }, () => void stop(pid)),
      ),
      progress?.percent !== undefined && h("progress", { class: "run-bar", max: 100, value: progress.percent, "aria-label": "Done" }),
      h("pre", {}, query ?? ""),
    );

  const load = async () => {
    clearTimeout(timer);
    try {
      const [{ rows }, all] = await Promise.all([ask(QUERY), progressOfAll().catch(() => [])]);
      fill(list, ...(rows.length ? (rows as unknown as Session[]).map((s) => one(s, all.find((p) => p.pid === s[0]))) : [h("p", { class: "panel-note" }, "Nothing runs but this question.")]));
    } catch (error) {
      fill(list, h("p", { class: "panel-note" }, errorFrom(error).message));
    }
    if (element.open) timer = window.setTimeout(() => void load(), EVERY_MS);
  };

  element.addEventListener("close", () => clearTimeout(timer));
  void load();
}
