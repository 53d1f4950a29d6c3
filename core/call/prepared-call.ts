import type { Declaration } from "../spec/operation";
import type { Values } from "../spec/fields";
import type { CallOptions } from "./call-options";

/** A validated, encoded request without credentials. */
export interface PreparedCall {
  readonly operation: Declaration;
  /** All fields by name: given by the caller, filled in from settings, or generated. */
  readonly values: Values;
  /** Fields given by the caller only. */
  readonly given: Values;
  /** Base address of the server. Informational: changing it does not redirect the call. */
  readonly address: string;
  /** Path and query below the address. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly options: CallOptions;
}

/** Returns the default idempotency key: the value of the single-use field. Undefined if the operation has none. */
export function defaultKeyOf({
  operation: { singleUseField },
  values,
}: Pick<PreparedCall, "operation" | "values">): string | undefined {
  const value = singleUseField === undefined ? undefined : values[singleUseField];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Returns the caller's key, else the default key. Undefined if the call gets a random one. */
export const chosenKeyOf = (
  call: Pick<PreparedCall, "operation" | "values" | "options">,
): string | undefined => call.options.key ?? defaultKeyOf(call);

/** Returns the name of the caller's key: `key`, or the single-use field. Undefined if the key is random. */
export const keyNameOf = (call: PreparedCall): string | undefined => {
  if (call.options.key !== undefined) return "key";
  return defaultKeyOf(call) === undefined ? undefined : call.operation.singleUseField;
};

/** Returns a warning for errors of a store that cannot show whether the key was used before. Empty for a random key. */
export function earlierCallWarning(call: PreparedCall): string {
  const name = keyNameOf(call);
  if (name === undefined) return "";
  return `An earlier call with this ${name} may have been sent: repeat the call with the same ${name}, never with a new one. `;
}
