/** The question whether something is to be sent for release, as the person at the host reads it. The answer releases nothing. */
import type { Callable } from "../core/declaration/operation";
import type { ReleaseProposal } from "../core/releases/proposal";
import type { Question } from "./protocol";
import { visibleText } from "./visible-text";

/** Characters of one value, and of all: hosts show it in a window. */
const [maxValueLength, maxMessageLength] = [300, 3_000];

const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)} … (shortened)` : text;

/** On one line, so that a value cannot look like a line of the question. */
const displayValue = (value: unknown): string =>
  shorten(
    visibleText(typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " "),
    maxValueLength,
  );

const factLines = (facts: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${displayValue(value)}`],
  );

/** Of a call what it says and where it goes; of an order all of it. */
function factsOf({ terms }: ReleaseProposal): Readonly<Record<string, unknown>> {
  const { method, address, target, values } = terms;
  if (method === undefined) return terms;
  return { call: `${String(method)} ${String(address)}${String(target)}`, ...(values as object) };
}

const movingRateNote =
  "The worst rate is that far from a quote of this moment. It may follow from a newer one when you have answered.";

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
    `It then waits for ${displayValue(needs)}. Your answer releases nothing.`,
  ].join("\n\n");
  return { message, subject: asks };
}
