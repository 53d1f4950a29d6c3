/**
 * Outcome of each kind of call under each fault, as data. The matrix tests try every cell; docs/reliability.md shows them.
 * Update the page with FXDESK_WRITE_DOCS=1 npx jest test/reliability.
 */
import type { ErrorCode, Outcome } from "../../core";

/** Kinds of calls: one response, the second page of a list, a file, a change, and a call that commits money. */
export const kinds = ["read", "page", "file", "change", "money"] as const;
export type Kind = (typeof kinds)[number];

export const surfaces = ["client", "cli", "mcp", "node-red"] as const;
export type Surface = (typeof surfaces)[number];

/** Result of a call and its number of requests, including attempts to connect. */
export type Cell =
  | { readonly ends: "done"; readonly attempts: number }
  | { readonly ends: ErrorCode; readonly outcome: Outcome; readonly attempts: number };

export interface Row {
  /** Description shown on the page. */
  readonly fault: string;
  readonly cells: Readonly<Record<Kind, Cell>>;
  /** Surfaces on which the test can cause the fault. Default: all. */
  readonly on?: readonly Surface[];
}

const done = (attempts = 1): Cell => ({ ends: "done", attempts });
const fails =
  (ends: ErrorCode, outcome: Outcome) =>
  (attempts = 1): Cell => ({ ends, outcome, attempts });

const lost = fails("outcome_unknown", "unknown");
const unreachable = fails("unavailable", "not-sent");
const unavailable = fails("unavailable", "unknown");
const tooLate = fails("timeout", "unknown");
const limited = fails("rate_limited", "rejected");
const unreadable = fails("invalid_response", "unknown");

/** Creates a row. `reads` applies to all three kinds that read, unless `others` overrides it. */
const row = (
  fault: string,
  [reads, change, money]: readonly [reads: Cell, change: Cell, money: Cell],
  { on, ...others }: { readonly page?: Cell; readonly file?: Cell; readonly on?: readonly Surface[] } = {},
): Row => ({
  fault,
  cells: { read: reads, page: reads, file: reads, change, money, ...others },
  ...(on && { on }),
});

const all = (cell: Cell): readonly [Cell, Cell, Cell] => [cell, cell, cell];
const refusal = (code: ErrorCode) => all(fails(code, "rejected")());

/** Surfaces on which a test can choose the store. */
const withStore = { on: ["client", "mcp", "cli"] } as const;

/** Surfaces on which a test has the caller's signal and refreshable tokens. */
const inCode = { on: ["client", "mcp"] } as const;

export const matrix = {
  refused: row("The connection is refused", [unreachable(3), unreachable(2), unreachable(2)]),
  nameless: row("The host name cannot be resolved", [unreachable(3), unreachable(2), unreachable(2)]),
  hangs: row("The connection is not accepted in time", all(fails("timeout", "not-sent")())),
  reset: row("The connection is reset after the request", [unavailable(3), unavailable(), lost()]),
  halfHead: row("The response headers are incomplete", [unavailable(3), unavailable(), lost()]),
  halfBody: row("The response body is incomplete", [unavailable(3), unavailable(), lost()], {
    file: unavailable(),
  }),
  silence: row("No response in time", [tooLate(), tooLate(), lost()]),
  status400: row("400", refusal("invalid_input")),
  status401: row("401: the access token is rejected", refusal("unauthorized")),
  expired: row(
    "401: the access token has expired and can be refreshed",
    [done(2), done(2), fails("unauthorized", "rejected")()],
    inCode,
  ),
  status403: row("403", refusal("forbidden")),
  status404: row("404", refusal("not_found")),
  status409: row("409", refusal("conflict")),
  status429: row("429, repeatedly", [limited(3), limited(), limited()]),
  retryAfter: row("429 with `Retry-After`, then a response", [done(2), limited(), limited()]),
  retryTooLate: row("429 with a `Retry-After` beyond the time limit", all(limited())),
  status500: row("500", [fails("service_error", "unknown")(), fails("service_error", "unknown")(), lost()]),
  status502: row("502", [unavailable(3), unavailable(), lost()]),
  status503: row("503", [unavailable(3), unavailable(), lost()]),
  status504: row("504", [tooLate(3), tooLate(), lost()]),
  passing: row("503 once, then a response", [done(2), unavailable(), lost()]),
  html: row("HTML instead of JSON", [unreadable(), unreadable(), lost()], { file: done() }),
  empty: row("A success without the ID of the result", [done(), done(), lost()], { page: unreadable() }),
  shape: row("A success with malformed fields", all(done()), { page: unreadable() }),
  redirect: row("A redirect", [unreadable(), unreadable(), lost()]),
  // Slow to send; the compressed variant covers the other surfaces.
  large: row("A body of more than 32 MB", [unreadable(), unreadable(), lost()], {
    file: done(),
    on: ["client"],
  }),
  bomb: row("A body of more than 32 MB after decompression", [unreadable(), unreadable(), lost()], {
    file: done(),
  }),
  halted: row(
    "Calls are halted (`fxdesk halt`)",
    [done(), fails("halted", "not-sent")(0), fails("halted", "not-sent")(0)],
    withStore,
  ),
  storeBroken: row("The store cannot be used", [done(), unreachable(0), unreachable(0)], withStore),
  abortedBefore: row(
    "The caller aborts before the request is sent",
    all(fails("aborted", "not-sent")(0)),
    inCode,
  ),
  abortedAfter: row(
    "The caller aborts after the request was sent",
    [fails("aborted", "unknown")(), fails("aborted", "unknown")(), done()],
    inCode,
  ),
} as const satisfies Readonly<Record<string, Row>>;

export type FaultName = keyof typeof matrix;
export const faultNames = Object.keys(matrix) as FaultName[];

/** Exit codes of `fxdesk call`. */
export const exitCodes: Readonly<Record<Cell["ends"], number>> = {
  done: 0,
  unexpected: 1,
  invalid_input: 2,
  no_connection: 2,
  unauthorized: 3,
  forbidden: 3,
  not_found: 4,
  conflict: 5,
  not_allowed: 5,
  refused: 5,
  interceptor: 5,
  halted: 5,
  store_restored: 5,
  release_refused: 5,
  release_needed: 6,
  rate_limited: 6,
  timeout: 6,
  unavailable: 6,
  outcome_unknown: 7,
  service_error: 8,
  invalid_response: 8,
  file: 8,
  aborted: 130,
};

/** Text in the result of an MCP tool, for calls that do more than read. */
export const toolPhrases: Readonly<Record<Outcome, string>> = {
  "not-sent": "not carried out",
  rejected: "not carried out",
  unknown: "It is unknown whether it was carried out",
};

/** Faults with tests of their own, because they take longer than a cell of the matrix. */
export const testedElsewhere: readonly (readonly [fault: string, ending: string, test: string])[] = [
  [
    "SIGINT, SIGTERM or SIGHUP stops `fxdesk call`",
    "An unsent booking is not sent. A sent one is finished and its outcome printed. Anything else is aborted.",
    "test/cli/call-interrupt.long.test.ts",
  ],
  [
    "The MCP server is stopped, or a call is cancelled",
    "A sent booking is finished and its outcome logged. Reads are aborted.",
    "test/mcp/call-completion.long.test.ts",
  ],
  [
    "Node-RED is stopped, or a flow is redeployed",
    "A sent booking is finished and its outcome logged. Reads are aborted.",
    "test/nodes/deploy-during-booking.long.test.ts",
  ],
  [
    "Flows are redeployed repeatedly under load",
    "Each outcome is sent through the flow once or logged, including messages that Node-RED drops while it stops nodes.",
    "test/nodes/deploys-under-load.long.test.ts",
  ],
  [
    "The client is closed",
    "New calls are refused; calls in progress are finished.",
    "test/core/call/call-completion.test.ts",
  ],
  [
    "The token store is unavailable",
    "Reads with a valid token continue; calls that need a new token fail with `unavailable`, not-sent.",
    "test/core/http/shared-tokens.long.test.ts",
  ],
  [
    "The store is moved while processes use it",
    "Every write is in the new location, or was refused.",
    "test/core/store/move.long.test.ts",
  ],
  [
    "Random faults in random order",
    "The outcome always agrees with the requests that the service received.",
    "test/core/call/outcome-consistency.test.ts",
  ],
];
