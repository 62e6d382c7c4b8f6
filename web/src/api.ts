// SPDX-License-Identifier: Apache-2.0
// api.ts: the server's HTTP doors. docs/http.md has their contract.

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };
export type Row = Value[];

export interface Column {
  name: string;
  type: string;
}

export interface SqlError {
  message: string;
  sqlstate: string;
  hint?: string;
  /** Characters of the text that was sent, from 1 on. */
  position?: number;
  /** Which statement of several, from 1 on. */
  statement?: number;
}

export interface Stats {
  rows: number;
  ms: number;
  truncated?: boolean;
}

/** An error that the server told, or that it could not be asked. */
export class AskError extends Error {
  constructor(
    readonly error: SqlError,
    readonly status: number,
  ) {
    super(error.message);
  }
}

/** Gets the results of a request as they come: for each statement begin, rows …, end. */
export interface Sink {
  begin(columns: Column[]): void;
  rows(rows: Row[]): void;
  end(tag: string, stats: Stats): void;
}

type Listener = () => void;
const loginListeners: Listener[] = [];

/** `listener` is called when the server wants a login. */
export function onLoginWanted(listener: Listener): void {
  loginListeners.push(listener);
}

const LOST: SqlError = {
  sqlstate: "08006",
  message: "The server does not answer.",
  hint: "It may have been stopped, or the network is down. Run the statement again when it is back.",
};

/** One request. It names itself, so that the server does not make the browser ask for a password. */
async function send(path: string, options: RequestInit): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("X-Requested-With", "dendro-console");
  let response: Response;
  try {
    response = await fetch(path, { ...options, headers, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new AskError(LOST, 0);
  }
  if (response.ok) return response;
  const loggingIn = path === "/api/login" && options.method === "POST";
  if (response.status === 401 && !loggingIn) {
    for (const listener of loginListeners) listener();
  }
  throw new AskError(await errorOf(response), response.status);
}

async function errorOf(response: Response): Promise<SqlError> {
  const text = await response.text();
  try {
    const error: unknown = (JSON.parse(text) as { error?: SqlError }).error;
    if (error) return error as SqlError;
  } catch {
    // A proxy in between answers what it likes.
  }
  return {
    sqlstate: "08P01",
    message: `The server answered ${response.status} ${response.statusText}`,
  };
}

function post(path: string, body: unknown, more: RequestInit = {}): Promise<Response> {
  const headers = { "Content-Type": "application/json", ...more.headers };
  return send(path, { method: "POST", body: JSON.stringify(body), ...more, headers });
}

interface Trailer {
  columns?: Column[];
  tag?: string;
  stats?: Stats;
  error?: SqlError;
}

/** Lines of an answer become calls of a sink; neighbouring rows are parsed at once. */
class LineReader {
  private rest = "";

  constructor(private readonly sink: Sink) {}

  add(text: string): void {
    const end = text.lastIndexOf("\n");
    if (end < 0) {
      this.rest += text;
      return;
    }
    const lines = (this.rest + text.slice(0, end)).split("\n");
    this.rest = text.slice(end + 1);
    this.lines(lines);
  }

  private lines(lines: string[]): void {
    let from = 0;
    for (let i = 0; i <= lines.length; i++) {
      if (lines[i]?.startsWith("[")) continue;
      if (i > from) this.sink.rows(JSON.parse(`[${lines.slice(from, i).join(",")}]`) as Row[]);
      from = i + 1;
      if (lines[i]) this.other(JSON.parse(lines[i] as string) as Trailer);
    }
  }

  private other(line: Trailer): void {
    if (line.error) throw new AskError(line.error, 200);
    if (line.columns) this.sink.begin(line.columns);
    else this.sink.end(line.tag ?? "", line.stats ?? { rows: 0, ms: 0 });
  }
}

export interface RunOptions {
  id: string;
  limit: number;
  signal: AbortSignal;
}

/** Runs statements; `sink` gets rows while the server still computes. Throws AskError. */
export async function run(query: string, options: RunOptions, sink: Sink): Promise<void> {
  const response = await post(
    "/api/sql",
    { query, limit: options.limit, format: "ndjson" },
    { headers: { "X-Query-Id": options.id }, signal: options.signal },
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const lines = new LineReader(sink);
  for (;;) {
    let part: ReadableStreamReadResult<Uint8Array>;
    try {
      part = await reader.read();
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new AskError(LOST, 0);
    }
    if (part.done) return;
    lines.add(decoder.decode(part.value, { stream: true }));
  }
}

export interface Result {
  columns: Column[];
  rows: Row[];
  tag: string;
  stats: Stats;
}

/** The results of one or more statements, whole. */
export async function askAll(query: string): Promise<Result[]> {
  const answer = (await (await post("/api/sql", { query })).json()) as
    | Result
    | { results: Result[] };
  return "results" in answer ? answer.results : [answer];
}

export async function ask(query: string, params: Value[] = []): Promise<Result> {
  return (await (await post("/api/sql", { query, params })).json()) as Result;
}

/** A result of any size, as a file. */
export async function download(query: string, format: "csv" | "ndjson" | "parquet"): Promise<Blob> {
  return (await post("/api/sql", { query, format })).blob();
}

/** The picture of DRAWs and the queries behind them. */
export async function draw(query: string, id: string): Promise<string> {
  return (await post("/api/sql", { query, format: "svg" }, { headers: { "X-Query-Id": id } })).text();
}

export interface Suggestion {
  table: string;
  /** CREATE TABLE … */
  create: string;
  why: string;
  /** How the text is written, as parameters of the import; a Parquet file has none of them. */
  delimiter?: string;
  quote?: string;
  header?: string;
  encoding?: string;
  decimal?: string;
  dates?: string;
  /** Unit of times that are numbers. */
  epoch?: string;
}

/** What of a suggestion an import must be told. */
export function written(suggestion: Suggestion): Record<string, string> {
  const { delimiter, quote, header, encoding, decimal, dates, epoch } = suggestion;
  return Object.fromEntries(Object.entries({ delimiter, quote, header, encoding, decimal, dates, epoch }).filter(([, v]) => v !== undefined)) as Record<string, string>;
}

/** The table that would fit a text, of which the beginning is enough, or a Parquet file. */
export async function suggestTable(head: Blob, options: Record<string, string>): Promise<Suggestion> {
  const query = new URLSearchParams({ ...options, suggest: "true" });
  return (await (await send(`/api/import?${query}`, { method: "POST", body: head })).json()) as Suggestion;
}

export interface Imported {
  rows: number;
  rejected: number;
  rejects: { line: number; column: string | null; reason: string }[];
}

/** Sends a CSV file; `progress` gets the share that is sent. fetch cannot tell it, so this is the older way. */
export function importCsv(file: File, options: Record<string, string>, progress: (share: number) => void): Promise<Imported> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/import?${new URLSearchParams(options)}`);
    request.setRequestHeader("X-Requested-With", "dendro-console");
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 0);
    request.onerror = () => reject(new AskError(LOST, 0));
    request.onload = () => {
      if (request.status === 200) return resolve(JSON.parse(request.responseText) as Imported);
      void errorOf(new Response(request.responseText, { status: request.status })).then((error) =>
        reject(new AskError(error, request.status)),
      );
    };
    request.send(file);
  });
}

export interface Progress {
  id: string;
  pid: number;
  rows: number;
  /** Of the work; not there: not known. */
  percent?: number;
  seconds_left?: number;
}

/** How far the statements of this role are. */
export async function progressOfAll(): Promise<Progress[]> {
  return ((await (await send("/api/queries", {})).json()) as { queries: Progress[] }).queries;
}

/** Asks the server to cancel what runs under `id`. It is no error if that has just ended. */
export async function cancel(id: string): Promise<void> {
  try {
    await send(`/api/queries/${encodeURIComponent(id)}`, { method: "DELETE" });
  } catch (error) {
    if (!(error instanceof AskError && error.status === 404)) throw error;
  }
}

/** Gives name and password to the server, which answers with a cookie. */
export async function login(user: string, password: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  const basic = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  await send("/api/login", { method: "POST", headers: { Authorization: `Basic ${basic}` } });
}

export async function logout(): Promise<void> {
  await send("/api/login", { method: "DELETE" });
}

/** The role of this page's requests, and whether a cookie says so. */
export async function whoAmI(): Promise<{ user: string; cookie: boolean }> {
  return (await (await send("/api/login", {})).json()) as { user: string; cookie: boolean };
}

export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return "console-" + Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

/** What went wrong, whatever it was. */
export function errorFrom(thrown: unknown): SqlError {
  if (thrown instanceof AskError) return thrown.error;
  return { sqlstate: "XX000", message: thrown instanceof Error ? thrown.message : String(thrown) };
}
