/** The idempotency key of a call that moves money, as an argument of its tool. */
import type { Callable } from "../core/spec/operation";
import { keyViolation, requiresKey } from "../core/spec/check";
import type { Violation } from "../core/spec/errors";
import { spellingKey } from "./argument-names";
import type { JsonObject } from "./protocol";

export const keyArgument = "request_key";

/** Schema of the argument; `requiresKey` decides whether it is required. */
export const keyProperty = {
  [keyArgument]: {
    type: "string",
    description: "Your unique request key.",
  },
};

const keyRequiredMessage =
  "is required: choose a text that identifies this one request, for example an invoice number; use it again only to repeat the same request";

/** Separates the key from the other arguments and checks it. Strict hosts send null for an omitted key. */
export function splitKey(
  operation: Callable,
  input: JsonObject,
): { readonly key?: string; readonly rest: JsonObject; readonly violations: readonly Violation[] } {
  if (operation.effect !== "money") return { rest: input, violations: [] };
  const entries = Object.entries(input);
  const isKeyEntry = ([name]: [string, unknown]) => spellingKey(name) === spellingKey(keyArgument);
  const key = entries.find(isKeyEntry)?.[1] ?? undefined;
  const rest = Object.fromEntries(entries.filter((entry) => !isKeyEntry(entry)));
  const message =
    key !== undefined ? keyViolation(key) : requiresKey(operation) ? keyRequiredMessage : undefined;
  if (message !== undefined) return { rest, violations: [{ field: keyArgument, message }] };
  return { rest, violations: [], ...(key !== undefined && { key: key as string }) };
}
