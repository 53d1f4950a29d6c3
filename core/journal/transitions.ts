/**
 * State transitions of an entry. Each is idempotent: it runs again if the COMMIT response was lost.
 */
import { canonicalJson } from "../values/json";
import type { SendGuard } from "../store/database";
import { Conflict } from "../spec/errors";
import { Halted } from "../store/halt";
import type { ChainOperation, ChainTransaction } from "./chain-transaction";
import {
  type Claim,
  type EntryOutcome,
  type Entry,
  type EntryKey,
  type EntryState,
  type Intent,
  type RecoveryCandidate,
  isNotExecuted,
  referenceHint,
  canRetry,
} from "./entry";
import {
  entryIdOf,
  findUse,
  usesQuery,
  hasEnded,
  hashReference,
  type IntentDetails,
  isFinal,
  parseOutcome,
  type StoredEntry,
} from "./entry-rows";
import { type ChainHead, type EventDetails, hashDetails, saltDetails } from "./hash-chain";
import { assertNotRestored } from "./restore-state";

/** A claim with its fence. */
interface FencedClaim {
  readonly claim: Claim;
  readonly fence: number;
  readonly uncheckedSince: number | undefined;
}

const entryKeyOf = ({ environment, client, operation, key }: EntryKey) => ({
  environment,
  client,
  operation,
  key,
});

/** Returns details as they are read back. */
const storedDetails = ({ content }: EventDetails): EventDetails["content"] =>
  JSON.parse(JSON.stringify(content)) as EventDetails["content"];

/** Creates an operation on an entry that must exist. */
const onEntry = <T>(
  id: string,
  apply: (chain: ChainTransaction, found: StoredEntry) => T | Promise<T>,
): ChainOperation<T> => ({
  id,
  apply(chain, found) {
    if (!found) throw new Error(`Journal entry ${id} does not exist.`);
    return apply(chain, found);
  },
});

/** Decides a claim on an existing entry. Returns undefined if the call may be sent again. */
function existingClaim({ entry, claimHash }: StoredEntry, intent: Intent, hash: string): Claim | undefined {
  if (entry.terms !== intent.terms)
    return intent.hasImplicitKey && isNotExecuted(entry) ? undefined : { kind: "other-terms", entry };
  if (claimHash === hash) return { kind: "mine", entry };
  if (!hasEnded(entry.state)) return { kind: "theirs", entry };
  return canRetry(entry) ? undefined : { kind: "ended", entry };
}

/** Decides a claim of a single-use value that another call has used: the same call gets its outcome. */
function claimOfUsed(entry: Entry, { terms, details }: Intent): Claim {
  const isSame = entry.terms === terms && entry.intent?.actor === details.actor;
  return { kind: isSame ? (hasEnded(entry.state) ? "ended" : "theirs") : "other-terms", entry };
}

/** Writes the intent, unless the key or its single-use value is in use. The salt of `details` identifies this claim if the transaction runs again. */
export const claim = (
  intent: Intent,
  details: EventDetails,
  claimMs: number,
): ChainOperation<FencedClaim> => ({
  id: entryIdOf(intent),
  others: usesQuery(intent),
  apply(chain, found) {
    const { terms, surface, singleUse } = intent;
    const id = entryIdOf(intent);
    const { uncheckedSince } = chain.restoreState;
    const existing = found && existingClaim(found, intent, hashDetails(details));
    if (existing) return { claim: existing, fence: found.row.fence, uncheckedSince };
    const used = findUse(
      chain.list().map(({ entry }) => entry),
      intent,
    );
    if (used) return { claim: claimOfUsed(used, intent), fence: 0, uncheckedSince };
    const key = entryKeyOf(intent);
    const facts = { ...key, terms, surface, ...(singleUse !== undefined && { singleUse }) };
    const { seq, hash, at, content } = chain.append(id, "intent", facts, details);
    const { actor, call, reference } = storedDetails(details) as IntentDetails;
    const fence = (found?.row.fence ?? 0) + 1;
    const entry: Entry = {
      id,
      ...key,
      terms,
      surface,
      reference,
      singleUse,
      state: "intended",
      begunAt: at,
      changedAt: at,
      ending: undefined,
      intent: { actor, call },
      endingDetails: undefined,
    };
    const row = {
      id,
      ...key,
      state: "intended",
      begun_at: at,
      intent_seq: seq,
      intent_hash: hash,
      latest_seq: seq,
      latest_hash: hash,
      erased_seq: null,
      fence,
      claim_ms: claimMs,
      claim_expires_at: at + claimMs,
      reference_hash: hashReference(intent, reference),
      single_use: singleUse ?? null,
      identity: null,
      recovery_attempts: 0,
      recovery_due_at: 0,
      recovery_lease_until: 0,
    } as const;
    chain.save({ entry, row, claimHash: String(content.details) });
    return { claim: { kind: "mine", entry }, fence, uncheckedSince };
  },
});

/** Thrown if another process may have made the call since this one claimed it. */
export class ClaimLost extends Error {}

const claimLostError = (id: string, state: EntryState) =>
  new ClaimLost(
    `Journal entry ${id} is ${state}: this process no longer holds the entry, so it cannot send the call.`,
  );

const renamedError = ({ operation, environment }: Entry, known: string) =>
  new Conflict(
    `${operation}: Nothing was sent. The store knows the address of ${JSON.stringify(environment)} as ${JSON.stringify(known)}, and ` +
      "each address has one environment, so that a key is used once. Set FXDESK_ENVIRONMENT (environment) to that name, or use another store.",
    { operation, code: "conflict", outcome: "not-sent" },
  );

export interface SendOptions {
  readonly guard?: SendGuard | undefined;
  /** True if the service does not list the call. */
  readonly isLookedUp?: boolean;
}

/** Marks the call as sent and restarts the lifetime of its claim. Returns the head of the chain, to be kept as a checkpoint. */
export const markSent = (
  id: string,
  fence: number | undefined,
  { guard, isLookedUp = false }: SendOptions,
): ChainOperation<ChainHead> => ({
  ...onEntry(id, async (chain, found) => {
    const { entry, row } = found;
    if (fence !== row.fence || hasEnded(entry.state)) throw claimLostError(id, entry.state);
    const claim_expires_at = chain.moment + row.claim_ms;
    if (entry.state === "sent") {
      chain.save({ ...found, row: { ...row, claim_expires_at } });
      return chain.head;
    }
    assertNotRestored(chain.restoreState, isLookedUp);
    if (chain.sameAddress !== undefined) throw renamedError(entry, chain.sameAddress);
    if (chain.halt) throw new Halted(chain.halt);
    const { run, sealer, moment } = chain;
    const facts = (await guard?.({ run, sealer, moment, entry: id })) ?? {};
    const { seq, hash, at } = chain.append(id, "sent", { ...facts });
    chain.save({
      ...found,
      entry: { ...entry, state: "sent", changedAt: at },
      row: { ...row, state: "sent", latest_seq: seq, latest_hash: hash, claim_expires_at },
    });
    return chain.head;
  }),
  isSend: true,
  isExclusive: guard !== undefined,
});

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
export const recordOutcome = (
  id: string,
  fence: number | undefined,
  outcome: EntryOutcome,
  details: EventDetails,
): ChainOperation<Entry> =>
  onEntry(id, (chain, found) => {
    const { entry, row } = found;
    if (isAlreadyRecorded(entry, outcome)) return entry;
    if (isFinal(entry.state))
      throw new Error(
        `Journal entry ${id} already has the outcome ${entry.state}, which cannot become ${outcome.state}.`,
      );
    if (fence !== row.fence && (outcome.by === "call" || !hasEnded(entry.state)))
      throw new Error(
        `Journal entry ${id}: another process claimed the call, and only that process can record its outcome.`,
      );
    return appendOutcome(chain, found, outcome, details);
  });

/** Period in which only the process that made a lost call may recover it. */
const ownerHeadStartMs = 10_000;

function appendOutcome(
  chain: ChainTransaction,
  { entry, row, claimHash }: StoredEntry,
  outcome: EntryOutcome,
  details: EventDetails,
): Entry {
  const { details: _, ...facts } = outcome;
  const { seq, hash, at, content } = chain.append(entry.id, "ended", facts, details);
  const ended: Entry = {
    ...entry,
    state: facts.state,
    changedAt: at,
    ending: parseOutcome(content),
    endingDetails: storedDetails(details),
  };
  // The process that sent the call searches for it before any other process does.
  const isOwn = facts.state === "unknown" && facts.by === "call";
  chain.save({
    entry: ended,
    row: {
      ...row,
      state: facts.state,
      latest_seq: seq,
      latest_hash: hash,
      identity: facts.identity ?? null,
      ...(isOwn && { recovery_due_at: at, recovery_lease_until: at + ownerHeadStartMs }),
    },
    claimHash,
  });
  return ended;
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
export const settleAbandoned = (id: string): ChainOperation<Entry> =>
  onEntry(id, (chain, found) => {
    const { entry, row } = found;
    if (hasEnded(entry.state) || row.claim_expires_at > chain.moment) return entry;
    const outcome = abandonedOutcomes[entry.state](entry);
    return appendOutcome(chain, found, outcome, saltDetails(outcome.details));
  });

/** Leases an entry for recovery. Returns undefined if it is not `unknown` or another process holds the lease. */
export const leaseForRecovery = (
  id: string,
  leaseMs: number,
): ChainOperation<RecoveryCandidate | undefined> =>
  onEntry(id, (chain, found) => {
    const { entry, row } = found;
    if (entry.state !== "unknown" || row.recovery_lease_until > chain.moment) return undefined;
    chain.save({ ...found, row: { ...row, recovery_lease_until: chain.moment + Math.ceil(leaseMs) } });
    return { entry, attempts: row.recovery_attempts };
  });

/** Ends a lease after a search without result. The entry is due again after `pauseMs`. */
export const rescheduleRecovery = (id: string, pauseMs: number): ChainOperation<void> =>
  onEntry(id, (chain, found) => {
    const { row } = found;
    chain.save({
      ...found,
      row: {
        ...row,
        recovery_attempts: row.recovery_attempts + 1,
        recovery_lease_until: 0,
        recovery_due_at: chain.moment + Math.ceil(pauseMs),
      },
    });
  });

/** Removes the details of an entry. `assertErasable` throws if that is not allowed. */
export const eraseEntryDetails = (
  id: string,
  assertErasable: (entry: Entry) => void,
): ChainOperation<Entry> =>
  onEntry(id, (chain, found) => {
    const { entry, row } = found;
    assertErasable(entry);
    if (row.erased_seq !== null) return entry;
    chain.write({
      sql: `DELETE FROM fxdesk_journal_details WHERE environment = $1
            AND seq IN (SELECT seq FROM fxdesk_journal_events WHERE environment = $1 AND entry = $2)`,
      values: [entry.environment, id],
    });
    const { seq } = chain.append(id, "erased", {});
    const erased = { ...entry, reference: undefined, intent: undefined, endingDetails: undefined };
    chain.save({ ...found, entry: erased, row: { ...row, erased_seq: seq, reference_hash: null } });
    return erased;
  });
