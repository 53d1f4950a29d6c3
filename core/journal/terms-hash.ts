/** Hashes the terms of a call, so that a key cannot be reused for another call. */
import { createHash } from "node:crypto";
import type { PreparedCall } from "../call/prepared-call";
import { canonicalJson } from "../values/json";

/** Returns the SHA-256 of the caller's input, without values from the connection and generated values. */
export function hashTerms({ operation, given }: PreparedCall): string {
  const { method, path } = operation;
  return createHash("sha256").update(canonicalJson({ method, path, given })).digest("hex");
}
