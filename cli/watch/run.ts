/** Runs a watch and prints its changes. Loaded on demand. */
import { isObject } from "../../core/values/json";
import type { ClientCore } from "../../core/api/client-types";
import { factsOf } from "../../core/spec/log";
import type { Values } from "../../core/spec/fields";
import type { Change, Watch } from "../../core/spec/watch";
import type { WatchOptions, WatchStatus } from "../../core/api/watch-options";
import { type ParsedArguments, validText } from "../command-line/arguments";
import { withFlagNames } from "../call/field-flags";
import {
  createStatusLine,
  printable,
  type Terminal,
  write,
  writeLog,
  StopRequests,
} from "../terminal/terminal";
import { type CallTarget, createClientFor, readInput } from "../call/run";

/** Interval with --once: reads now, regardless of the time of the last read. */
const immediateMs = 1;

function everyMsFrom(parsed: ParsedArguments): Pick<WatchOptions, "everyMs"> {
  const isInterval = (text: string) => Number(text) >= 0.001;
  const text = validText(parsed, "every", "a number of seconds, for example 60", isInterval);
  return text === undefined ? {} : { everyMs: Math.round(Number(text) * 1_000) };
}

interface WatchTarget extends CallTarget {
  /** Name of the cursor if --name is not given. */
  readonly consumer: string;
}

function optionsFrom(parsed: ParsedArguments, { consumer: defaultConsumer }: WatchTarget): WatchOptions {
  const from = parsed.string("since");
  const consumer = parsed.string("name") ?? defaultConsumer;
  return { consumer, ...(from !== undefined && { from }), ...everyMsFrom(parsed) };
}

const timeOf = (date: Date): string => date.toISOString().slice("YYYY-MM-DDT".length, -"Z".length - 4);

/** Reports the state of a watch: errors as lines of their own, other states in the status line of a terminal. */
function createStatusReporter(
  watch: Watch,
  { consumer, from }: WatchOptions,
  asJson: boolean,
  terminal: Terminal,
) {
  const { show, erase } = createStatusLine(terminal);
  let isFirstRead = true;
  const report = (message: string, data: object) => {
    erase();
    const line = asJson ? JSON.stringify(data) : printable(message);
    void writeLog(terminal, "error", message, factsOf(data), line);
  };
  const onStatus = (status: WatchStatus): void => {
    if (status.state === "failed") {
      const { error, until } = status;
      report(`${error.message} Next attempt at ${timeOf(until)} UTC.`, error);
    } else if (status.state === "incomplete") {
      const { gaps } = status;
      report(`${watch.name}: some data could not be read. ${gaps.join(" ")}`, { code: "incomplete", gaps });
    } else if (status.state === "reading" && isFirstRead) {
      isFirstRead = false;
      if (status.isContinued && from !== undefined)
        report(
          `--since ${from} has no effect: the watch continues where ${JSON.stringify(consumer)} stopped. To start again, use another --name.`,
          { code: "continued", consumer },
        );
    } else
      show?.(
        `${watch.title}: ${status.state}${status.state === "waiting" ? ` until ${timeOf(status.until)} UTC` : ""}`,
      );
  };
  return { onStatus, erase };
}

type Facts = Readonly<Record<string, unknown>>;

/** Returns an amount with its currency; undefined for any other object. */
function moneyText(value: Facts): string | undefined {
  const { amount, currency, ...others } = value;
  const isMoney = amount !== undefined && currency !== undefined && Object.keys(others).length === 0;
  return isMoney ? `${String(amount)} ${String(currency)}` : undefined;
}

/** Returns names and texts of all values. Nested names are joined by dots; a list is shown by its length. */
function factsIn(value: unknown, path = ""): [name: string, text: string][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = path + key;
    if (inner === undefined || inner === null || inner === "") return [];
    const money = isObject(inner) ? moneyText(inner) : undefined;
    if (isObject(inner) && money === undefined) return factsIn(inner, `${name}.`);
    const text = money ?? (Array.isArray(inner) ? `${inner.length} items` : String(inner));
    return [[name, text] as [string, string]];
  });
}

/** Returns the fields of `before` whose value differs in the entry, as "old -> new". */
function changedFields({ entry, before = {} }: Change): Map<string, string> {
  const now = new Map(factsIn(entry));
  const changed = factsIn(before).filter(([name, was]) => now.has(name) && now.get(name) !== was);
  return new Map(changed.map(([name, was]) => [name, `${was} -> ${now.get(name)}`]));
}

/** Sorts plain values first, then nested ones, then IDs, because they are long and least read. */
const rank = (name: string): number => (name.endsWith("_id") ? 2 : name.includes(".") ? 1 : 0);

/** Renders time, kind, changed fields and entry, cut to `width`. */
export function changeLine(change: Change, width = Infinity): string {
  const { at, kind, id, entry, before, repeated } = change;
  const changed = changedFields(change);
  const facts = factsIn(entry ?? before)
    .filter(([name]) => !changed.has(name))
    .toSorted(([one], [other]) => rank(one) - rank(other));
  const isNamed = facts.some(([, text]) => text === id);
  const parts = [
    ...(isNamed ? [] : [id]),
    ...[...changed, ...facts].map(([name, text]) => `${name} ${text}`),
    ...(repeated ? ["delivered before"] : []),
  ];
  const time = at.slice(0, "YYYY-MM-DDThh:mm:ss".length).replace("T", " ");
  const line = printable(`${time}  ${kind.padEnd("changed".length)}  ${parts.join(", ")}`);
  return `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`;
}

type PrintChange = (change: Change) => Promise<void>;

/** Prints the changes available now. Requesting the next batch acknowledges the printed one. */
async function printOnce(
  client: ClientCore,
  watch: Watch,
  input: Values,
  options: WatchOptions,
  printChange: PrintChange,
): Promise<void> {
  let cursor: string | undefined;
  for (;;) {
    const readOptions = { everyMs: immediateMs, ...options, ...(cursor !== undefined && { cursor }) };
    const { changes, next } = await client.changesSince(watch, input, readOptions);
    for (const change of changes) await printChange(change);
    if (changes.length === 0) return;
    cursor = next;
  }
}

/** Prints changes until a stop signal. A second signal ends the process at once. */
async function printUntilStopped(
  client: ClientCore,
  watch: Watch,
  input: Values,
  options: WatchOptions,
  printChange: PrintChange,
): Promise<void> {
  const [stop, stopRequests] = [new AbortController(), new StopRequests()];
  const stopWhenAsked = async () => {
    await stopRequests.next();
    stopRequests.dispose();
    stop.abort();
  };
  void stopWhenAsked();
  try {
    for await (const change of client.changes(watch, input, { ...options, signal: stop.signal }))
      await printChange(change);
  } finally {
    stopRequests.dispose();
  }
}

/** Runs a watch and prints changes as lines on stdout. */
export async function runWatch(
  watch: Watch,
  target: WatchTarget,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<void> {
  const { stdout } = terminal;
  const asJson = parsed.boolean("jsonl") ?? !stdout.isTTY;
  const client = await createClientFor(target, parsed, terminal);
  const given = optionsFrom(parsed, target);
  const { onStatus, erase } = createStatusReporter(watch, given, parsed.boolean("jsonl") ?? false, terminal);
  const printChange: PrintChange = (change) => {
    erase();
    return write(stdout, asJson ? `${JSON.stringify(change)}\n` : changeLine(change, stdout.columns));
  };
  try {
    const input = await readInput(watch, parsed, terminal);
    const options = { ...given, onStatus };
    await (parsed.boolean("once") ? printOnce : printUntilStopped)(
      client,
      watch,
      input,
      options,
      printChange,
    );
  } catch (error) {
    throw withFlagNames(watch, error, { from: "since", everyMs: "every" });
  } finally {
    erase();
    await client.close();
  }
}
