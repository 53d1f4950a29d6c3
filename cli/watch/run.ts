/** Runs a watch and prints its changes. Loaded on demand. */
import type { ClientCore } from "../../core/api/client-types";
import type { Values } from "../../core/spec/fields";
import type { Change, Watch } from "../../core/spec/watch";
import type { WatchOptions, WatchStatus } from "../../core/api/watch-options";
import { type ParsedArguments, UsageError } from "../command-line/arguments";
import { withFlagNames } from "../call/field-flags";
import { createStatusLine, printable, type Terminal, write, writeStderr } from "../terminal/terminal";
import { type CallTarget, createClientFor, readInput } from "../call/run";
import { StopRequests } from "../terminal/stop-signals";
import { success } from "../command-line/exit-codes";
import { changeLine } from "./change-line";

/** Interval with --once: reads now, regardless of the time of the last read. */
const immediateMs = 1;

function everyMsFrom(parsed: ParsedArguments): Pick<WatchOptions, "everyMs"> {
  const text = parsed.string("every");
  if (text === undefined) return {};
  const seconds = Number(text);
  if (!(seconds >= 0.001))
    throw new UsageError(`--every must be a number of seconds, for example 60, not ${text}.`);
  return { everyMs: Math.round(seconds * 1_000) };
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
function createStatusReporter(watch: Watch, asJson: boolean, terminal: Terminal) {
  const { show, erase } = createStatusLine(terminal);
  const report = (message: string, data: object) => {
    erase();
    void writeStderr(terminal, asJson ? `${JSON.stringify(data)}\n` : `${printable(message)}\n`);
  };
  const onStatus = (status: WatchStatus): void => {
    if (status.state === "failed") {
      const { error, until } = status;
      report(`${error.message} Next attempt at ${timeOf(until)} UTC.`, error);
    } else if (status.state === "incomplete") {
      const { gaps } = status;
      report(`${watch.name}: some data could not be read. ${gaps.join(" ")}`, { code: "incomplete", gaps });
    } else
      show?.(
        `${watch.title}: ${status.state}${status.state === "waiting" ? ` until ${timeOf(status.until)} UTC` : ""}`,
      );
  };
  return { onStatus, erase };
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
): Promise<number> {
  const { stdout } = terminal;
  const asJson = parsed.boolean("jsonl") ?? !stdout.isTTY;
  const client = await createClientFor(target, parsed, terminal);
  const { onStatus, erase } = createStatusReporter(watch, parsed.boolean("jsonl") ?? false, terminal);
  const printChange: PrintChange = (change) => {
    erase();
    return write(stdout, asJson ? `${JSON.stringify(change)}\n` : changeLine(change, stdout.columns));
  };
  try {
    const input = await readInput(watch, parsed, terminal);
    const options = { ...optionsFrom(parsed, target), onStatus };
    await (parsed.boolean("once") ? printOnce : printUntilStopped)(
      client,
      watch,
      input,
      options,
      printChange,
    );
    return success;
  } catch (error) {
    throw withFlagNames(watch, error, { from: "since", everyMs: "every" });
  } finally {
    erase();
    await client.close();
  }
}
