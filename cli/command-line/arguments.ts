/** Flag declarations, the names of flags and watches, the parser for command lines, and readers of flag values. */
import { parseArgs } from "node:util";
import type { Callable } from "../../core/spec/operation";
import { suggestions } from "../../core/values/suggestions";

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** Placeholder for the value in the help. A flag without one is a switch. */
  readonly value?: string;
  readonly description: string;
  /** True if the flag may be repeated. */
  readonly repeats?: boolean;
  /** True for a switch with a --no-name form. */
  readonly negatable?: boolean;
}

/** Returns the name of a watch on the command line: `watch_margin_calls` is margin-calls. */
export const watchCommandName = ({ tool }: Pick<Callable, "tool">): string =>
  tool.replace(/^watch_/, "").replaceAll("_", "-");

/** Converts a field name to a flag: `account_id`, `paymentId`, `Consent-ID` to account-id, payment-id, consent-id. */
export const flagName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();

/** Thrown for invalid command lines and settings; maps to exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";

  toJSON() {
    const { name, message, code } = this;
    return { name, message, code };
  }
}

export interface ParsedArguments {
  /** The word that names the subject of the command, for example an ID; empty if it was omitted. */
  readonly operand: string;
  string(name: string): string | undefined;
  /** All values of a repeatable flag. */
  strings(name: string): readonly string[] | undefined;
  /** State of a switch; undefined if it was not given. */
  boolean(name: string): boolean | undefined;
}

const negatedName = ({ name }: Flag): string => `no-${name}`;

const optionsFrom = (flags: readonly Flag[]) =>
  Object.fromEntries(
    flags.flatMap((flag) => {
      const option = { type: flag.value ? ("string" as const) : ("boolean" as const) };
      return [[flag.name, option], ...(flag.negatable ? [[negatedName(flag), option]] : [])];
    }),
  ) as Record<string, { type: "string" | "boolean" }>;

/** Returns the error for an unknown word: suggests similar words, or else gives `advice`. */
export function unknownWordError(
  problem: string,
  word: string,
  known: readonly string[],
  advice: string,
): UsageError {
  return suggestingError(problem, suggestions(word, known), advice);
}

const suggestingError = (problem: string, near: readonly string[], advice: string) =>
  new UsageError(`${problem}. ${near.length > 0 ? `Did you mean ${near.join(" or ")}?` : advice}`);

/** Flags that people know from other programs. */
const familiarFlags: Readonly<Record<string, string>> = {
  o: "print",
  format: "print",
  output: "print",
  csv: "print",
  jsonl: "print",
  from: "period",
  to: "period",
};

/** Returns the error for an unknown flag: suggests the one for the same purpose, those with the word in their name, or similar ones. */
function unknownFlagError(rawName: string, name: string, known: readonly string[]): UsageError {
  const related = known.filter((each) => each === familiarFlags[name] || each.split("-").includes(name));
  const near = related.length > 0 ? related.slice(0, 4) : name.length > 1 ? suggestions(name, known) : [];
  return suggestingError(
    `This command has no flag ${rawName}`,
    near.map((each) => `--${each}`),
    "See --help for the flags.",
  );
}

/**
 * Parses a command line. `operand` is the placeholder of the operand that the command takes. Throws a UsageError that names
 * the invalid argument and suggests a correction.
 */
export function parseArguments(
  args: readonly string[],
  flags: readonly Flag[],
  operand?: string,
): ParsedArguments {
  const options = optionsFrom(flags);
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: "boolean", short: "h" } },
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const switches = new Map<string, boolean>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = flags.find(
      (known) => known.name === name || (known.negatable && negatedName(known) === name),
    );
    if (!flag) {
      throw unknownFlagError(rawName, name, Object.keys(options));
    }
    if (!flag.value) {
      if (value !== undefined) throw new UsageError(`--${name} takes no value.`);
      switches.set(flag.name, flag.name === name);
    } else if (value === undefined || (!inlineValue && value.startsWith("--")))
      throw new UsageError(`--${name} needs a value: --${name} ${flag.value}.`);
    else if (values.has(name) && !flag.repeats) throw new UsageError(`--${name} may be given only once.`);
    else values.set(name, [...(values.get(name) ?? []), value]);
  }
  const [word, ...others] = operand === undefined ? [undefined, ...positionals] : positionals;
  if (word === "") throw new UsageError(`${operand} must not be empty.`);
  if (others.length > 0)
    throw new UsageError(`Unexpected argument ${JSON.stringify(others[0])}. Give each value after its flag.`);
  return {
    operand: word ?? "",
    string: (name) => values.get(name)?.[0],
    strings: (name) => values.get(name),
    boolean: (name) => switches.get(name),
  };
}

/** Returns the trimmed value of a flag. Throws a UsageError if it is missing or empty. */
export function requiredText(parsed: ParsedArguments, { name, value }: Flag): string {
  const text = parsed.string(name)?.trim();
  if (!text) throw new UsageError(`--${name} ${value} is required.`);
  return text;
}

/** Returns the value of a flag. Throws a UsageError with the description of a valid value if it is invalid. */
export function validText(
  parsed: ParsedArguments,
  flag: string,
  description: string,
  isValid: (text: string) => boolean,
): string | undefined {
  const text = parsed.string(flag);
  if (text === undefined || isValid(text)) return text;
  throw new UsageError(`--${flag} must be ${description}, not ${JSON.stringify(text)}.`);
}

export const joinWords = (words: readonly string[]): string => words.join(", ").replace(/, (\S+)$/, " or $1");

/** Returns all values of a flag, each one of `words`. */
export const choicesFrom = <W extends string>(
  parsed: ParsedArguments,
  flag: string,
  words: readonly W[],
): readonly W[] | undefined =>
  parsed.strings(flag)?.map((text) => {
    const word = words.find((each) => each === text);
    if (word !== undefined) return word;
    throw new UsageError(`--${flag} must be ${joinWords(words)}, not ${JSON.stringify(text)}.`);
  });

/** Returns the value of a flag that takes one of `words`. */
export const choiceFrom = <W extends string>(
  parsed: ParsedArguments,
  flag: string,
  words: readonly W[],
): W | undefined => choicesFrom(parsed, flag, words)?.[0];
