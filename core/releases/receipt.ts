/** Receipts: signed evidence of one money call, for people who have no access to the store. */
import { createHash, type KeyObject, sign } from "node:crypto";
import type { Entry } from "../journal/entry";
import { getEntry, hasEnded } from "../journal/entry-rows";
import { listEvents, readHead, type RecordedEvent } from "../journal/events";
import { EntryRefusal } from "../journal/operator-actions";
import type { SentFacts, StoreAccess } from "../store/database";
import type { People } from "../people/people-file";
import { canonicalJson } from "../values/json";
import { hasValidSignature } from "./decision-signature";
import { getRelease, listDecisions } from "./repository";

const toTime = (milliseconds: number): string => new Date(milliseconds).toISOString();
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const lastOf = (events: readonly RecordedEvent[], kind: RecordedEvent["kind"]): RecordedEvent | undefined =>
  events.findLast((event) => event.kind === kind);

/**
 * Returns the release under which a call was sent, with its decisions; undefined if it needed none. Throws an Error unless request and
 * decisions are those of the sending.
 */
async function describeRelease(
  access: StoreAccess,
  sent: RecordedEvent | undefined,
  people: People | undefined,
) {
  const { release, request, decisions: recorded = [] } = (sent?.content ?? {}) as SentFacts;
  if (release === undefined) return undefined;
  const { id, hash, sealed, requestedAt } = await getRelease(access, release);
  const decisions = await listDecisions(access, id);
  if (decisions.length > 0 && !people)
    throw new TypeError(`people is needed: the file verifies who released ${id}. No receipt was made.`);
  const signatures = decisions.map(({ mac }) => mac);
  const isUnchanged =
    hash === request &&
    signatures.length === recorded.length &&
    recorded.every((each) => signatures.includes(each)) &&
    decisions.every((decision) => decision.hash === hash && hasValidSignature(people!, decision));
  if (!isUnchanged)
    throw new Error(
      `${id} or a decision on it was changed in the store since it was sent. No receipt was made.`,
    );
  return {
    id,
    hash,
    requester: sealed.requester,
    requested_at: toTime(requestedAt),
    decisions: decisions.map(({ person, decision, factors, at, note }) => ({
      person,
      decision,
      factors,
      at: toTime(at),
      note,
    })),
  };
}

/** Returns what was sent, or undefined if it was erased or never sent. */
function describeRequest({ intent }: Entry, sent: RecordedEvent | undefined) {
  if (!intent || !sent) return undefined;
  const { body, ...call } = intent.call;
  const hash = typeof body === "string" ? { body, body_hash: sha256(body) } : {};
  return { ...call, ...hash, sent_at: toTime(sent.at) };
}

/**
 * Returns the content of a receipt. Times are ISO 8601 in UTC, hashes SHA-256 in hex. Throws an EntryRefusal if the entry does
 * not exist or has no outcome, an Error if the store was changed, and a TypeError if the people file is missing.
 */
async function describeEntry(access: StoreAccess, id: string, people: People | undefined): Promise<object> {
  const entry = await getEntry(access, id);
  if (!entry) throw new EntryRefusal(`Journal entry ${id} does not exist. No receipt was made.`);
  if (!hasEnded(entry.state))
    throw new EntryRefusal(
      `Journal entry ${id} is ${entry.state} and has no outcome yet. No receipt was made.`,
    );
  const { environment, client, operation, key, surface, ending, endingDetails, changedAt } = entry;
  const events = await listEvents(access, id);
  const sent = lastOf(events, "sent");
  const { seq, hash } = events.at(-1)!;
  const release = await describeRelease(access, sent, people);
  return {
    type: "fxdesk-receipt-1",
    entry: id,
    environment,
    client,
    operation,
    key,
    surface,
    requester: release?.requester ?? entry.intent?.actor,
    release,
    policy: sent?.content.policy,
    request: describeRequest(entry, sent),
    outcome: { ...ending, ...endingDetails, at: toTime(changedAt) },
    chain: {
      environment,
      seq,
      hash,
      events: events.map((event) => ({
        seq: event.seq,
        kind: event.kind,
        at: toTime(event.at),
        hash: event.hash,
      })),
      head: await readHead(access, environment),
    },
  };
}

/** Returns a receipt as one line: canonical JSON (RFC 8785), and an Ed25519 signature of its UTF-8 bytes in hex. */
export async function createReceipt(
  access: StoreAccess,
  entry: string,
  { key, people }: { readonly key: KeyObject; readonly people: People | undefined },
): Promise<string> {
  const receipt = canonicalJson(await describeEntry(access, entry, people));
  return `{"receipt":${receipt},"signature":"${sign(null, Buffer.from(receipt), key).toString("hex")}"}`;
}
