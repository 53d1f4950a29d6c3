/** What a caller asked for, as one hash: the same key may stand for it again, and for nothing else. */
import { createHash } from "node:crypto";
import type { PreparedCall } from "../client/prepared-call";
import { canonicalJson } from "./canonical-json";

/** SHA-256 of the caller's own values: what the connection fills in or fxdesk makes is no part of them. */
export function hashTerms({ operation, given }: PreparedCall): string {
  const { method, path } = operation;
  return createHash("sha256").update(canonicalJson({ method, path, given })).digest("hex");
}
