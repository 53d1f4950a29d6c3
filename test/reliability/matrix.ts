/**
 * What becomes of a call under each fault, as data: the matrix tests run every cell, and docs/reliability.md shows them. What
 * changes here is changed there by FXDESK_WRITE_DOCS=1 npx jest test/reliability.
 */
import type { ErrorCode, Outcome } from "../../core";

/**
 * One response, a list page by page whose second page meets the fault, a file, a call that changes something, and one that
 * commits money.
 */
export const kinds = ["read", "page", "file", "change", "money"] as const;
export type Kind = (typeof kinds)[number];

export const surfaces = ["client", "cli", "mcp", "node-red"] as const;
export type Surface = (typeof surfaces)[number];

/** How a call ends, after how many requests: attempts to connect count, too. */
export type Cell =
  | { readonly ends: "done"; readonly attempts: number }
  | { readonly ends: ErrorCode; readonly outcome: Outcome; readonly attempts: number };

export interface Row {
  /** A sentence of the document. */
  readonly fault: string;
  readonly cells: Readonly<Record<Kind, Cell>>;
  /** Where it is tried: on all surfaces, or where a test can bring it about as here. */
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

/** `reads` is of all three that only read, but for what `others` says. */
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

/** Where a test says which store it is. */
const withStore = { on: ["client", "mcp", "cli"] } as const;

/** Where a test has the caller's signal, and tokens that can be had anew. */
const inCode = { on: ["client", "mcp"] } as const;

export const matrix = {
  refused: row("The connection is refused", [unreachable(3), unreachable(2), unreachable(2)]),
  nameless: row("The name of the service is not found", [unreachable(3), unreachable(2), unreachable(2)]),
  hangs: row("Nobody takes the connection in time", all(fails("timeout", "not-sent")())),
  reset: row("The connection is reset after the request", [unavailable(3), unavailable(), lost()]),
  halfHead: row("The head of the response breaks off", [unavailable(3), unavailable(), lost()]),
  halfBody: row("The body of the response breaks off", [unavailable(3), unavailable(), lost()], {
    file: unavailable(),
  }),
  silence: row("No response in time", [tooLate(), tooLate(), lost()]),
  status400: row("400", refusal("invalid_input")),
  status401: row("401: the access token is not accepted", refusal("unauthorized")),
  expired: row(
    "401: the access token has expired, and can be renewed",
    [done(2), done(2), fails("unauthorized", "rejected")()],
    inCode,
  ),
  status403: row("403", refusal("forbidden")),
  status404: row("404", refusal("not_found")),
  status409: row("409", refusal("conflict")),
  status429: row("429, again and again", [limited(3), limited(), limited()]),
  retryAfter: row("429 with `Retry-After`, then a response", [done(2), limited(), limited()]),
  retryTooLate: row("429 with a `Retry-After` beyond the time limit", all(limited())),
  status500: row("500", [fails("service_error", "unknown")(), fails("service_error", "unknown")(), lost()]),
  status502: row("502", [unavailable(3), unavailable(), lost()]),
  status503: row("503", [unavailable(3), unavailable(), lost()]),
  status504: row("504", [tooLate(3), tooLate(), lost()]),
  passing: row("503 once, then a response", [done(2), unavailable(), lost()]),
  html: row("HTML in place of JSON", [unreadable(), unreadable(), lost()], { file: done() }),
  empty: row("A success without what identifies it", [done(), done(), lost()], { page: unreadable() }),
  shape: row("A success with fields of another shape", all(done()), { page: unreadable() }),
  redirect: row("A redirect", [unreadable(), unreadable(), lost()]),
  // Slow to send: the next one tries on the other surfaces what is too much to read.
  large: row("A body of more than 32 MB", [unreadable(), unreadable(), lost()], {
    file: done(),
    on: ["client"],
  }),
  bomb: row("A body of more than 32 MB once it is inflated", [unreadable(), unreadable(), lost()], {
    file: done(),
  }),
  halted: row(
    "Calls are halted (`fxdesk halt`)",
    [done(), fails("halted", "not-sent")(0), fails("halted", "not-sent")(0)],
    withStore,
  ),
  storeBroken: row("The store cannot be used", [done(), unreachable(0), unreachable(0)], withStore),
  abortedBefore: row(
    "The caller aborts before the request leaves",
    all(fails("aborted", "not-sent")(0)),
    inCode,
  ),
  abortedAfter: row(
    "The caller aborts after the request has left",
    [fails("aborted", "unknown")(), fails("aborted", "unknown")(), done()],
    inCode,
  ),
} as const satisfies Readonly<Record<string, Row>>;

export type FaultName = keyof typeof matrix;
export const faultNames = Object.keys(matrix) as FaultName[];

/** With which exit code `fxdesk call` ends. */
export const exitCodes: Readonly<Partial<Record<Cell["ends"], number>>> = {
  done: 0,
  invalid_input: 2,
  unauthorized: 3,
  forbidden: 3,
  not_found: 4,
  conflict: 5,
  halted: 5,
  rate_limited: 6,
  timeout: 6,
  unavailable: 6,
  outcome_unknown: 7,
  service_error: 8,
  invalid_response: 8,
  aborted: 130,
};

/** What the result of an MCP tool says became of a call that does more than read. */
export const toolPhrases: Readonly<Record<Outcome, string>> = {
  "not-sent": "not carried out",
  rejected: "not carried out",
  unknown: "It is unknown whether it was carried out",
};

/** What takes longer than a cell of the matrix, and where it is tried. */
export const testedElsewhere: readonly (readonly [fault: string, ending: string, test: string])[] = [
  [
    "SIGINT, SIGTERM or SIGHUP stops `fxdesk call`",
    "A booking that has not left is not sent; one that has left is finished and its outcome told. Anything else ends at once.",
    "test/cli/call-interrupt.long.test.ts",
  ],
  [
    "The MCP server is stopped, or a call cancelled",
    "A booking that has left is finished and its outcome in the log; reads end at once.",
    "test/mcp/call-completion.long.test.ts",
  ],
  [
    "Node-RED is stopped, or a flow deployed anew",
    "A booking that has left is finished and its outcome in the log; reads end at once.",
    "test/nodes/deploy-during-booking.long.test.ts",
  ],
  [
    "Flows are deployed again and again under load",
    "Each outcome comes out of the flow once, or is in the log: also what Node-RED drops on the way to nodes that it stops.",
    "test/nodes/deploys-under-load.long.test.ts",
  ],
  [
    "The client is closed",
    "It takes no more calls, and waits for those under way.",
    "test/core/client/call-completion.test.ts",
  ],
  [
    "The store of tokens is away",
    "Calls go on with a token that is good; others end as `unavailable`, not sent.",
    "test/core/credentials/shared-tokens.long.test.ts",
  ],
  [
    "The store moves while processes use it",
    "What they write is in the new place, or was refused.",
    "test/core/store/move.long.test.ts",
  ],
  [
    "Any of these at random, in any order",
    "The outcome agrees with what the service saw.",
    "test/core/client/outcome-consistency.test.ts",
  ],
];
