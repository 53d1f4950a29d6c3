/**
 * Proofs of quotes. The process that received a quote knows its trade; another process that sends the released booking trusts the
 * trade only with a proof, which needs the people file. A requester without that file cannot claim a smaller trade.
 */
import { createHmac } from "node:crypto";
import type { PreparedCall } from "../call/prepared-call";
import { type People, signingKeyFor } from "../people/people-file";
import { equalHashes } from "../people/token";
import { canonicalJson } from "../values/json";
import type { SealedCall, SealedRequest } from "./terms";

function proofOf(
  people: People,
  { operation: { commits }, values }: PreparedCall,
  { environment, client, trade }: SealedCall,
): string {
  const quote = commits === "none" ? undefined : commits?.quote;
  const facts = canonicalJson({ environment, client, quote: quote && values[quote], trade });
  return createHmac("sha256", signingKeyFor(people, "quotes")).update(facts).digest("hex");
}

/** Adds the proof to the request of a booking whose quote this process has received. */
export const proveQuote = (call: PreparedCall, sealed: SealedCall, people: People | undefined): SealedCall =>
  people === undefined || sealed.trade === undefined || sealed.trade === "unknown"
    ? sealed
    : { ...sealed, quoteProof: proofOf(people, call, sealed) };

/** Returns the request of the call at hand. A trade that this process does not know is that of the released one, if proven. */
export function withProvenTrade(
  call: PreparedCall,
  atHand: SealedCall,
  released: SealedRequest,
  people: People | undefined,
): SealedCall {
  if (atHand.trade !== "unknown" || released.kind !== "call" || !people) return atHand;
  const { trade, quoteProof = "" } = released;
  if (trade === undefined) return atHand;
  const known = { ...atHand, trade };
  return equalHashes(proofOf(people, call, known), quoteProof) ? known : atHand;
}
