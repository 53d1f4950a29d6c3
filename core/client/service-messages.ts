/** What the service said of an error: in bodies of its own shapes, in one message or in several. */
import { fieldsOf } from "../declaration/fields";
import type { Callable } from "../declaration/operation";
import type { ErrorBody } from "../declaration/service";
import type { Violation } from "../declaration/violation";
import type { ServiceMessage } from "../errors";
import { valueAt } from "../schema/value-at";

/** A body may hold any number of messages; nobody reads more. */
const maxMessages = 50;
/** Those of them that stand in the message of an error. */
const maxShownMessages = 10;

const pathOf = (path: string): readonly string[] => (path === "" ? [] : path.split("."));

const whitespace = /[\s\u0085]+/g;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Whoever reads a message must not take a part of it for a line that fxdesk says. */
const toSingleLine = (text: string): string =>
  text.trim().replace(whitespace, (found) => (lineBreak.test(found) ? " " : found));

function textAt(body: unknown, paths: readonly string[]): string | undefined {
  const text = paths.map((path) => valueAt(body, pathOf(path))).find((value) => typeof value === "string");
  return text === undefined ? undefined : toSingleLine(text);
}

/** The objects of a body that may be messages. */
const messageCandidates = (body: unknown, { messages = [""] }: ErrorBody): unknown[] =>
  messages.flatMap((path) => valueAt(body, pathOf(path))).slice(0, maxMessages);

function parseMessage(body: unknown, shape: ErrorBody): ServiceMessage | undefined {
  const code = textAt(body, shape.code);
  if (code === undefined) return undefined;
  const field = textAt(body, shape.field ?? []);
  return {
    code,
    message: textAt(body, shape.message) ?? "",
    details: textAt(body, shape.details) ?? "",
    ...(field && { field }),
  };
}

/** What the service says in the first of its error bodies that fits: its first message, with the others. */
export function parseServiceMessage(body: unknown, shapes: readonly ErrorBody[]): ServiceMessage | undefined {
  for (const shape of shapes) {
    const found = messageCandidates(body, shape).flatMap((each) => parseMessage(each, shape) ?? []);
    const [first, ...others] = found;
    if (first) return { ...first, ...(others.length > 0 && { others }) };
  }
  return undefined;
}

const allMessages = (service: ServiceMessage | undefined): readonly ServiceMessage[] =>
  service ? [service, ...(service.others ?? [])] : [];

/**
 * A field as the operation calls it, with the path inside it. Services write paths in many ways:
 * `/creditorAccount/iban`, `$.payments[0].creditorName`, `body.startDate`, `psu-ip-address`.
 */
function resolveFieldName(operation: Callable, path: string): string {
  const keys = path.split(/[./[\]'"#$]+/).filter(Boolean);
  const names = new Map(fieldsOf(operation).map(({ name }) => [name.toLowerCase(), name]));
  const start = keys.slice(0, 2).findIndex((key) => names.has(key.toLowerCase()));
  if (start === -1) return keys.join(".");
  const [name = "", ...inside] = keys.slice(start);
  return [names.get(name.toLowerCase()), ...inside].join(".");
}

const messageText = ({ message, details }: ServiceMessage): string =>
  [message, details].filter(Boolean).join(" ");

/** The fields that the service found wrong. */
export const serviceViolations = (operation: Callable, service: ServiceMessage | undefined): Violation[] =>
  allMessages(service).flatMap((each) =>
    each.field
      ? [{ field: resolveFieldName(operation, each.field), message: messageText(each) || each.code }]
      : [],
  );

/** A message as a sentence: it names its field, and says nothing that was said before it. */
function toSentence(operation: Callable, each: ServiceMessage, meaning: string): string {
  const text = [each.message, each.details].filter((words) => words !== meaning && words).join(" ");
  if (!each.field || text.includes(each.field)) return text;
  return `${resolveFieldName(operation, each.field)}: ${text}`.trimEnd();
}

/** All that the service said, for a person to read; a code stands behind the messages that have it. */
export function describeServiceMessages(
  operation: Callable,
  service: ServiceMessage | undefined,
  meaning: string,
): string {
  const all = allMessages(service);
  const shown = all.slice(0, maxShownMessages);
  const words = shown.flatMap((each, index) => [
    toSentence(operation, each, meaning),
    each.code && each.code !== shown[index + 1]?.code ? `[${each.code}]` : "",
  ]);
  const hiddenCount = all.length - shown.length;
  return [...words, hiddenCount > 0 ? `And ${hiddenCount} more.` : ""].filter(Boolean).join(" ");
}
