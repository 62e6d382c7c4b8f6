// SPDX-License-Identifier: Apache-2.0
// activity.ts: what the server is doing now, with a way to stop it.
import { ask, errorFrom } from "./api.ts";
import { button, fill, h } from "./dom.ts";
import { dialog } from "./help.ts";
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

  const one = ([pid, user, address, state, seconds, query]: Session) =>
    h(
      "div",
      { class: "activity-row" },
      h(
        "div",
        { class: "activity-head" },
        h("strong", {}, user), address && h("span", {}, address), h("span", {}, state),
        h("span", {}, duration(Math.max(0, Number(seconds ?? 0) * 1000))), h("span", { class: "grow" }),
        button({ text: "Cancel", label: `Cancel the statement of ${pid}`, class: "danger" }, () => void stop(pid)),
      ),
      h("pre", {}, query ?? ""),
    );

  const load = async () => {
    clearTimeout(timer);
    try {
      const { rows } = await ask(QUERY);
      fill(list, ...(rows.length ? (rows as unknown as Session[]).map(one) : [h("p", { class: "panel-note" }, "Nothing runs but this question.")]));
    } catch (error) {
      fill(list, h("p", { class: "panel-note" }, errorFrom(error).message));
    }
    if (element.open) timer = window.setTimeout(() => void load(), EVERY_MS);
  };

  element.addEventListener("close", () => clearTimeout(timer));
  void load();
}
