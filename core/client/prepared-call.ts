/** A call before it leaves. */
import type { Declaration } from "../declaration/operation";
import type { Values } from "../declaration/fields";
import type { CallOptions } from "./call-options";

/** A call that is checked, filled and encoded, as it would leave but for its credentials. */
export interface PreparedCall {
  readonly operation: Declaration;
  /** All fields by name: the caller's, the connection's and those that fxdesk makes. */
  readonly values: Values;
  /** The caller's own fields, without what the connection fills in or fxdesk makes. */
  readonly given: Values;
  /** The base address of the connection. Another one here does not change where the call goes. */
  readonly address: string;
  /** Path and query below the address. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly options: CallOptions;
}

/** The key of a call whose caller gives none: what it uses up; undefined where it uses up nothing. */
export function defaultKeyOf({
  operation: { singleUseField },
  values,
}: Pick<PreparedCall, "operation" | "values">): string | undefined {
  const value = singleUseField === undefined ? undefined : values[singleUseField];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
