/** Parses and describes the error messages of the service. */
import { fieldsOf } from "../spec/fields";
import type { Callable } from "../spec/operation";
import type { ErrorBody } from "../spec/service";
import type { Violation, ServiceMessage } from "../spec/errors";
import { valueAt } from "../values/json";

/** Limit of parsed messages per body. */
const maxMessages = 50;
/** Limit of messages shown in an error. */
const maxShownMessages = 10;

const pathOf = (path: string): readonly string[] => (path === "" ? [] : path.split("."));

const whitespace = /[\s\u0085]+/g;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Replaces line breaks, so that a message cannot imitate a line of fxdesk's output. */
const toSingleLine = (text: string): string =>
  text.trim().replace(whitespace, (found) => (lineBreak.test(found) ? " " : found));

function textAt(body: unknown, paths: readonly string[]): string | undefined {
  const text = paths.map((path) => valueAt(body, pathOf(path))).find((value) => typeof value === "string");
  return text === undefined ? undefined : toSingleLine(text);
}

/** Returns the values of a body that may be messages. */
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

/** Parses a body by the first error shape that fits. Returns the first message with the others attached. */
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
 * Returns the operation's name for a field, with the path inside it. Services write paths in many ways:
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

/** Returns the fields that the service rejected. */
export const serviceViolations = (operation: Callable, service: ServiceMessage | undefined): Violation[] =>
  allMessages(service).flatMap((each) =>
    each.field
      ? [{ field: resolveFieldName(operation, each.field), message: messageText(each) || each.code }]
      : [],
  );

/** Formats a message with its field in quotes, without repeating the meaning of the status. */
function toSentence(operation: Callable, each: ServiceMessage, meaning: string): string {
  const text = [each.message, each.details].filter((part) => part !== meaning && part).join(" ");
  const field = each.field && !text.includes(each.field) && resolveFieldName(operation, each.field);
  const words = [field, text].filter(Boolean).join(": ");
  return words && JSON.stringify(words);
}

/** Formats a code. One that is more than a word is quoted as well. */
const codeText = (code: string): string => `[${/^[\w.:-]{1,80}$/.test(code) ? code : JSON.stringify(code)}]`;

/**
 * Formats all messages of the service for people. They are quoted, because they are not words of fxdesk. Each code follows the
 * messages it applies to.
 */
export function describeServiceMessages(
  operation: Callable,
  service: ServiceMessage | undefined,
  meaning: string,
): string {
  const all = allMessages(service);
  const shown = all.slice(0, maxShownMessages);
  const parts = shown.flatMap((each, index) => [
    toSentence(operation, each, meaning),
    each.code && each.code !== shown[index + 1]?.code ? codeText(each.code) : "",
  ]);
  const hiddenCount = all.length - shown.length;
  return [...parts, hiddenCount > 0 ? `And ${hiddenCount} more.` : ""].filter(Boolean).join(" ");
}
