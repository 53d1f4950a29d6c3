/**
 * Generated references of calls. They derive from the call and its key, so that the same call has the same reference when its
 * journal was lost or restored from a backup, and can be looked up by it.
 */
import { createHash, randomBytes } from "node:crypto";
import { customerFromValues } from "../spec/service";
import type { Values } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import { canonicalJson } from "../values/json";
import type { CallOptions } from "./call-options";
import { type ClientContext, environmentOf } from "./client-context";
import { normalizeInput } from "./normalize-input";
import { chosenKeyOf } from "./prepared-call";

/** 32 digits and capital letters without look-alikes: 5 bits each. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns 80 of the bits in characters that every bank accepts, for example `FX-7K3M9QW2-X5ABCDEF`. */
function formatReference(bytes: Buffer): string {
  const letters = Array.from(bytes.subarray(0, 16), (byte) => alphabet[byte & 31]).join("");
  return `FX-${letters.slice(0, 8)}-${letters.slice(8)}`;
}

export interface ReferencedCall {
  readonly operation: Declaration;
  /** Fields given by the caller only. */
  readonly given: Values;
  /** Fields of the caller and of the connection. */
  readonly values: Values;
  readonly options: CallOptions;
}

/**
 * Returns the reference of a call under the caller's key. The given fields are part of it: calls with one key in two journals
 * must not find each other's trades. Random if the caller chose no key.
 */
export function createReference(
  { operation, given, values, options }: ReferencedCall,
  context: ClientContext,
): string {
  const key = chosenKeyOf({ operation, values, options });
  if (key === undefined) return formatReference(randomBytes(16));
  const call = {
    environment: environmentOf(context, operation),
    client: customerFromValues(context.service, values),
    operation: operation.name,
    key,
    given: normalizeInput(operation, given),
  };
  return formatReference(createHash("sha256").update(canonicalJson(call)).digest());
}
