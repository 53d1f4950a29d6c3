/** Asks the user of the host whether to request a release. The answer itself releases nothing. */
import type { Callable } from "../core/spec/operation";
import type { ReleaseProposal } from "../core/call/call-options";
import type { Question } from "./protocol";
import { visibleText } from "./render/values";

/** Upper bounds in characters, because hosts show the question in a small window. */
const [maxValueLength, maxMessageLength] = [300, 3_000];

const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)} … (shortened)` : text;

/** Formats a value on one line, so that it cannot imitate another line of the question. */
const displayValue = (value: unknown): string =>
  shorten(
    visibleText(typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " "),
    maxValueLength,
  );

const factLines = (facts: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${displayValue(value)}`],
  );

/** Returns method, address and values of a call, or all terms of an order. */
function factsOf({ terms }: ReleaseProposal): Readonly<Record<string, unknown>> {
  const { method, address, target, values } = terms;
  if (method === undefined) return terms;
  return { call: `${String(method)} ${String(address)}${String(target)}`, ...(values as object) };
}

const movingRateNote =
  "The worst rate is derived from a current quote. It may be derived from a newer quote after you answer.";

export function releaseQuestionOf({ title }: Callable, proposal: ReleaseProposal): Question {
  const { environment, client, validUntil, needs, asks, terms } = proposal;
  const facts = {
    environment,
    client,
    ...factsOf(proposal),
    valid_until: new Date(validUntil).toISOString(),
  };
  const lines = shorten(factLines(facts).join("\n"), maxMessageLength);
  const message = [
    `${title}: send this for release?`,
    lines,
    ...(terms.rate_seen === undefined ? [] : [movingRateNote]),
    `The request then waits for ${displayValue(needs)}. Your answer alone releases nothing.`,
  ].join("\n\n");
  return { message, subject: asks };
}
