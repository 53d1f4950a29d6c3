/** The hash chain of an environment: each event's hash covers the previous hash and a salted hash of the event's own details. */
import { hash as digest, randomBytes } from "node:crypto";
import type { StoreAccess, Value } from "../store/database";
import { sealLocation } from "../store/sealer";
import { canonicalJson, canonicalOf } from "../values/json";

const entryKinds = ["intent", "sent", "ended", "erased"] as const;
const storeKinds = ["restored", "confirmed", "checked", "withdrawn"] as const;

/**
 * `erased`: the details of the entry's earlier events were removed. Events of the store itself: it was `restored` from a backup,
 * a person `confirmed` that, and a person `checked` the calls that it may not know. In the chain of an environment: a release was
 * `withdrawn`, because it was refused or cancelled.
 */
export type EventKind = (typeof entryKinds)[number] | (typeof storeKinds)[number];

/** Stands for the entry in events that belong to none. The events of the store itself have a chain of this name. */
export const storeEvents = "store";

/** True if an event of an entry, or of the store itself, may be of this kind. */
export const isEventKind = (entry: string, kind: unknown): kind is EventKind =>
  (entry === storeEvents ? storeKinds : entryKinds).includes(kind as never);

/** An event of an entry. Contains no personal data, which belongs to the details outside the chain. */
export interface ChainEvent {
  /** Name and address of the environment, whose chain the event belongs to. */
  readonly environment: string;
  /** Position in the chain, starting at 1, without gaps. */
  readonly seq: number;
  readonly entry: string;
  readonly kind: EventKind;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly at: number;
  readonly content: Readonly<Record<string, unknown>>;
}

/** The last event of a chain. A head stored elsewhere reveals any later change to the events up to it. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Head of an empty chain. */
export const emptyHead: ChainHead = { seq: 0, hash: "0".repeat(64) };

/** Formats a head for people: `12:` followed by the hash of event 12. */
export const formatHead = ({ seq, hash }: ChainHead): string => `${seq}:${hash}`;

/** Returns undefined if the text is not a head. */
export function parseHead(text: string): ChainHead | undefined {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), hash: hash! };
}

const sha256 = (text: string): string => digest("sha256", text);

/** An event whose content is canonical JSON, as stored. */
export interface StoredEvent extends Omit<ChainEvent, "content" | "kind"> {
  readonly kind: string;
  readonly content: string;
}

/** Hashes a stored event. Its content need not be parsed: only canonical JSON leads to the recorded hash. */
export const hashStoredEvent = (
  previous: string,
  { environment, seq, entry, kind, at, content }: StoredEvent,
): string =>
  sha256(
    `${previous}\n{"at":${at},"content":${content},"entry":${JSON.stringify(entry)},` +
      `"environment":${JSON.stringify(environment)},"kind":${JSON.stringify(kind)},"seq":${seq}}`,
  );

/** Details of an event. The salt prevents guessing the content from the hash in the chain. */
export interface EventDetails {
  readonly salt: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export const saltDetails = (content: EventDetails["content"]): EventDetails => ({
  salt: randomBytes(32).toString("hex"),
  content,
});

export const hashDetails = ({ salt, content }: EventDetails): string =>
  sha256(`${salt}\n${canonicalJson(content)}`);

/** Hashes details that were parsed from JSON. */
export const hashParsedDetails = ({ salt, content }: EventDetails): string =>
  sha256(`${salt}\n${canonicalOf(content)}`);

const detailsLocation = (environment: string, seq: number) =>
  sealLocation("fxdesk_journal_details", "content", environment, seq);

/** Encrypts the details of an event. The order of their fields stays, so that a replayed response has it, too. */
export const sealDetails = (
  { sealer }: Pick<StoreAccess, "sealer">,
  environment: string,
  seq: number,
  details: EventDetails,
): string => sealer.seal(JSON.stringify(details), detailsLocation(environment, seq));

/**
 * Decrypts the details of an event. Returns undefined if it has none or they were erased. Throws if they were sealed with
 * another key or changed.
 */
export const unsealDetails = (
  { sealer }: Pick<StoreAccess, "sealer">,
  environment: Value | undefined,
  seq: Value | undefined,
  sealed: Value | undefined,
): EventDetails | undefined =>
  sealed === null
    ? undefined
    : (JSON.parse(
        sealer.unseal(String(sealed), detailsLocation(String(environment), Number(seq))),
      ) as EventDetails);
