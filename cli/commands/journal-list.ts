/** `fxdesk journal list`. */
import type { Entry, EntryState } from "../../core/journal/entry";
import { listEntries } from "../../core/journal/entry-rows";
import {
  choicesFrom,
  joinWords,
  type ParsedArguments,
  UsageError,
  validText,
} from "../command-line/arguments";
import { jsonFlag, type MemberCommand, printResult } from "../command-line/command";
import { readStore } from "../settings/connection-settings";
import { table } from "../terminal/table";

const foundLongUnknown = 1;
const defaultLimit = 50;

const states: readonly EntryState[] = ["intended", "sent", "done", "rejected", "not-sent", "unknown"];

const toRow = ({ id, begunAt, operation, environment, key, state, reference, ending }: Entry) => ({
  started: new Date(begunAt).toISOString(),
  entry: id,
  operation,
  state,
  identity: ending?.identity,
  reference,
  key,
  environment,
});

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const duration = /^([1-9]\d{0,5})([smhd])$/;

/** Returns the value of --unknown-longer-than in milliseconds, or undefined if it is not given. */
function minUnknownMs(parsed: ParsedArguments): number | undefined {
  const isDuration = (text: string) => duration.test(text);
  const text = validText(
    parsed,
    "unknown-longer-than",
    "a number with s, m, h or d, for example 10m",
    isDuration,
  );
  if (text === undefined) return undefined;
  if (parsed.strings("state")) throw new UsageError("--unknown-longer-than and --state cannot be combined.");
  const [, count, unit] = duration.exec(text)!;
  return Number(count) * unitMs[unit as keyof typeof unitMs];
}

export const list: MemberCommand = {
  description: "Lists money calls with their outcomes, newest first.",
  flags: [
    {
      name: "state",
      value: "<state>",
      repeats: true,
      description: `Only entries in this state: ${joinWords(states)}. May be repeated.`,
    },
    {
      name: "unknown-longer-than",
      value: "<time>",
      description:
        "Only calls that started longer ago, for example 10m, and whose outcome is unknown, also because their process died. " +
        "Exits with code 1 if there are any.",
    },
    { name: "limit", value: "<number>", description: `Maximum number of entries. Default: ${defaultLimit}.` },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const isLimit = (text: string) => /^[1-9]\d{0,8}$/.test(text);
    const limit = Number(validText(parsed, "limit", "a whole number of at least 1", isLimit) ?? defaultLimit);
    const unknownMs = minUnknownMs(parsed);
    const state = choicesFrom(parsed, "state", states);
    const entries = await readStore(parsed, terminal, (store) =>
      unknownMs === undefined
        ? listEntries(store, { limit, ...(state && { state }) })
        : listEntries(store, { limit, state: ["unknown", "sent"], olderThanMs: unknownMs }),
    );
    await printResult(
      parsed,
      terminal,
      entries,
      table(entries.map(toRow), { width: terminal.stdout.columns }),
    );
    return unknownMs !== undefined && entries.length > 0 ? foundLongUnknown : undefined;
  },
};
