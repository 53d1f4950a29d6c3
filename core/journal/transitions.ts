/**
 * State transitions of an entry. Each is idempotent: it runs again if the COMMIT response was lost.
 */
import { randomUUID } from "node:crypto";
import { canonicalJson } from "../values/json";
import type { Checkpoints } from "./checkpoints";
import { type ChainHead, type EventDetails, hashDetails, type ChainWriter, saltDetails } from "./hash-chain";
import { assertNotRestored } from "./restores";
import {
  type Claim,
  type EntryOutcome,
  type Entry,
  type EntryKey,
  type EntryState,
  type Intent,
  isNotExecuted,
  referenceHint,
  canRetry,
} from "./entry";
import type { SendGuard, SentFacts } from "../store/database";
import { assertNotHalted } from "../store/halt";
import { findEntry, getEntry, hasEnded, hashReference, type LeasedEntry, isFinal } from "./entry-rows";

/** A claim with its fence. */
interface FencedClaim {
  readonly claim: Claim;
  readonly fence: number;
}

const entryKeyOf = ({ environment, client, operation, key }: EntryKey) => ({
  environment,
  client,
  operation,
  key,
});

async function getCurrent(chain: ChainWriter, id: string): Promise<LeasedEntry> {
  const found = await getEntry(chain, id);
  if (!found) throw new Error(`Journal entry ${id} does not exist.`);
  return found;
}

/** Decides a claim on an existing entry. Returns undefined if the call may be sent again. */
function existingClaim({ entry, intentHash }: LeasedEntry, intent: Intent, hash: string): Claim | undefined {
  if (entry.terms !== intent.terms)
    return intent.hasImplicitKey && isNotExecuted(entry) ? undefined : { kind: "other-terms", entry };
  if (intentHash === hash) return { kind: "mine", entry };
  if (!hasEnded(entry.state)) return { kind: "theirs", entry };
  return canRetry(entry) ? undefined : { kind: "ended", entry };
}

/** Writes the intent, unless the key is in use. The salt of `details` identifies this claim if the transaction runs again. */
export async function claim(
  chain: ChainWriter,
  intent: Intent,
  details: EventDetails,
  holdMs: number,
): Promise<FencedClaim> {
  const found = await findEntry(chain, intent);
  const existing = found && existingClaim(found, intent, hashDetails(details));
  if (existing) return { claim: existing, fence: found.fence };
  const id = found?.entry.id ?? randomUUID();
  const { environment, client, operation, key, terms, surface } = intent;
  const seq = await chain.append(id, "intent", { ...entryKeyOf(intent), terms, surface }, details);
  const expiresAt = chain.moment + holdMs;
  const reference = hashReference(intent, intent.reference);
  if (found)
    await chain.run(
      `UPDATE fxdesk_journal_entries SET state = 'intended', intent_seq = $2, latest_seq = $2, fence = fence + 1,
         claim_ms = $3, claim_expires_at = $4, reference_hash = $5, recovery_attempts = 0 WHERE id = $1`,
      [id, seq, holdMs, expiresAt, reference],
    );
  else
    await chain.run(
      `INSERT INTO fxdesk_journal_entries
         (id, environment, client, operation, key, state, intent_seq, latest_seq, fence, claim_ms, claim_expires_at, reference_hash)
       VALUES ($1, $2, $3, $4, $5, 'intended', $6, $6, 1, $7, $8, $9)`,
      [id, environment, client, operation, key, seq, holdMs, expiresAt, reference],
    );
  const { entry, fence } = await getCurrent(chain, id);
  return { claim: { kind: "mine", entry }, fence };
}

const claimExpiredError = (id: string, state: EntryState) =>
  new Error(
    `Journal entry ${id} is ${state}: this process no longer holds the entry, so it cannot send the call.`,
  );

export interface SendOptions {
  readonly guard?: SendGuard | undefined;
  /** True if the service does not list the call. */
  readonly isLookedUp?: boolean;
}

/** Marks the call as sent and restarts the lifetime of its claim. Returns the head of the chain, to be kept as a checkpoint. */
export async function markSent(
  chain: ChainWriter,
  id: string,
  fence: number | undefined,
  checkpoints: Checkpoints,
  { guard, isLookedUp = false }: SendOptions,
): Promise<ChainHead> {
  const { entry, fence: newest } = await getCurrent(chain, id);
  if (fence !== newest || hasEnded(entry.state)) throw claimExpiredError(id, entry.state);
  let facts: SentFacts | void = undefined;
  if (entry.state !== "sent") {
    await assertNotRestored(chain, checkpoints, isLookedUp);
    await assertNotHalted(chain.run, entry.environment);
    facts = await guard?.({ ...chain, entry: id });
  }
  await chain.run(
    "UPDATE fxdesk_journal_entries SET claim_expires_at = claim_ms + CAST($2 AS BIGINT) WHERE id = $1",
    [id, chain.moment],
  );
  if (entry.state === "sent") return chain.head();
  const seq = await chain.append(id, "sent", { ...facts });
  await chain.run("UPDATE fxdesk_journal_entries SET state = 'sent', latest_seq = $2 WHERE id = $1", [
    id,
    seq,
  ]);
  return chain.head();
}

/** True if the same outcome is already recorded. */
function isAlreadyRecorded(
  { state, ending, endingDetails }: Entry,
  { details, ...facts }: EntryOutcome,
): boolean {
  if (state === "not-sent" && facts.state === "not-sent") return true;
  return (
    ending !== undefined &&
    canonicalJson(ending) === canonicalJson(facts) &&
    canonicalJson(endingDetails ?? {}) === canonicalJson(details)
  );
}

/**
 * Records an outcome. While the call is in progress only the holder of the claim may; once `unknown`, recovery and people may,
 * too. The outcome of a call under an older claim says nothing about the call of a newer one.
 */
export async function recordOutcome(
  chain: ChainWriter,
  id: string,
  fence: number | undefined,
  outcome: EntryOutcome,
  details: EventDetails,
): Promise<Entry> {
  const { entry, fence: newest } = await getCurrent(chain, id);
  if (isAlreadyRecorded(entry, outcome)) return entry;
  if (isFinal(entry.state))
    throw new Error(
      `Journal entry ${id} already has the outcome ${entry.state}, which cannot become ${outcome.state}.`,
    );
  if (fence !== newest && (outcome.by === "call" || !hasEnded(entry.state)))
    throw new Error(
      `Journal entry ${id}: another process claimed the call, and only that process can record its outcome.`,
    );
  await appendOutcome(chain, id, outcome, details);
  return (await getCurrent(chain, id)).entry;
}

/** Period in which only the process that made a lost call may recover it. */
const ownerHeadStartMs = 10_000;

async function appendOutcome(
  chain: ChainWriter,
  id: string,
  outcome: EntryOutcome,
  details: EventDetails,
): Promise<void> {
  const { details: _, ...facts } = outcome;
  const seq = await chain.append(id, "ended", facts, details);
  await chain.run(
    "UPDATE fxdesk_journal_entries SET state = $2, latest_seq = $3, identity = $4 WHERE id = $1",
    [id, facts.state, seq, facts.identity ?? null],
  );
  // The process that sent the call searches for it before any other process does.
  if (facts.state === "unknown" && facts.by === "call")
    await chain.run(
      "UPDATE fxdesk_journal_entries SET recovery_due_at = $2, recovery_lease_until = $3 WHERE id = $1",
      [id, chain.moment, chain.moment + ownerHeadStartMs],
    );
}

const neverSentRemark = "The process of this call died before it was sent.";
const possiblySentRemark =
  "The process of this call died. The call may have been sent; its outcome is unknown.";

/** Outcomes of calls whose process died. */
const abandonedOutcomes: Readonly<Record<"intended" | "sent", (entry: Entry) => EntryOutcome>> = {
  intended: () => ({ state: "not-sent", by: "recovery", details: { remark: neverSentRemark } }),
  sent: ({ reference }) => ({
    state: "unknown",
    by: "recovery",
    details: { remark: reference ? `${possiblySentRemark} ${referenceHint(reference)}` : possiblySentRemark },
  }),
};

/** Ends an entry whose claim has expired. An entry that is held or has an outcome is unchanged. */
export async function settleAbandoned(chain: ChainWriter, id: string): Promise<Entry> {
  const { entry, expiresAt } = await getCurrent(chain, id);
  if (hasEnded(entry.state) || expiresAt > chain.moment) return entry;
  const outcome = abandonedOutcomes[entry.state](entry);
  await appendOutcome(chain, id, outcome, saltDetails(outcome.details));
  return (await getCurrent(chain, id)).entry;
}
