/**
 * Signatures of requests: HMAC over ID and sealed request, with the hash of the requester's service key, or else with a key that
 * follows from that of the people file. A program signs without that file. The signature of a person starts with their epoch.
 */
import { createHmac } from "node:crypto";
import { findPerson, findServiceKey, type People, signingKeyFor } from "../people/people-file";
import type { Requester } from "../people/requester";
import { equalHashes } from "../people/token";
import { canonicalJson } from "../values/json";
import type { Release } from "./release";

type Request = Pick<Release, "id" | "sealed">;

function signatureOf(key: Buffer, { id, sealed }: Request, epoch?: string): string {
  const mac = createHmac("sha256", key).update(canonicalJson({ id, sealed, epoch })).digest("hex");
  return epoch === undefined ? mac : `${epoch}:${mac}`;
}

const epochOf = (signature: string): string | undefined => /^([\w-]+):/.exec(signature)?.[1];

/** Signs a request. Returns undefined if this needs the people file, which is missing. */
export function signRequest(
  { keyHash, name }: Requester,
  people: People | undefined,
  request: Request,
): string | undefined {
  if (keyHash !== undefined) return signatureOf(Buffer.from(keyHash), request);
  return people && signatureOf(signingKeyFor(people, "requests"), request, findPerson(people, name)?.epoch);
}

/**
 * True if the stored request is exactly that of a requester who may still request: not of a person who was removed, locked or
 * given another secret since.
 */
export function isAuthentic(people: People, { id, sealed, signature }: Release): boolean {
  const { requester } = sealed;
  if (requester === undefined || signature === undefined) return false;
  const person = findPerson(people, requester);
  if (person?.lockedSince !== undefined) return false;
  const serviceKey = findServiceKey(people, requester);
  const expected = serviceKey
    ? signatureOf(Buffer.from(serviceKey.hash), { id, sealed })
    : signatureOf(signingKeyFor(people, "requests"), { id, sealed }, person?.epoch);
  return equalHashes(expected, signature);
}

/** True if the stored request was signed for the requester, also under an earlier secret. */
export function isSignedBy(
  { keyHash, name }: Requester,
  people: People | undefined,
  { id, sealed, signature }: Release,
): boolean {
  if (sealed.requester !== name) return false;
  if (signature === undefined) return true;
  if (keyHash !== undefined) return equalHashes(signatureOf(Buffer.from(keyHash), { id, sealed }), signature);
  if (!people) return false;
  return equalHashes(
    signatureOf(signingKeyFor(people, "requests"), { id, sealed }, epochOf(signature)),
    signature,
  );
}

/** True for releases that a person who decides may be shown: waiting ones only as they were requested. */
export const canBeShown =
  (people: People) =>
  (release: Release): boolean =>
    release.state !== "waiting" || isAuthentic(people, release);

/** Describes a request whose signature is not valid. */
export const changedInStore = (id: string): string =>
  `${id} was changed in the store, or its requester was removed, revoked or locked, or got another secret. Cancel it and request again.`;
