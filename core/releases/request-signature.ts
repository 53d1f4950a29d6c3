/**
 * Signatures of requests: HMAC over ID and sealed request, with the hash of the requester's service key, or else with a key that
 * follows from that of the people file. A program signs without that file.
 */
import { createHmac } from "node:crypto";
import { findPerson, findServiceKey, type People } from "../people/people-file";
import type { Requester } from "../people/requester";
import { equalHashes } from "../people/token";
import { canonicalJson } from "../values/json";
import type { Release } from "./release";

type Request = Pick<Release, "id" | "sealed">;

const macOf = (key: Buffer, { id, sealed }: Request): string =>
  createHmac("sha256", key).update(canonicalJson({ id, sealed })).digest("hex");

/** Another key than that of decisions, so that a request never counts as a decision. */
const requestKeyOf = ({ key }: People): Buffer =>
  createHmac("sha256", Buffer.from(key, "base64")).update("requests").digest();

/** Signs a request. Returns undefined if this needs the people file, which is missing. */
export function signRequest(
  { keyHash }: Requester,
  people: People | undefined,
  request: Request,
): string | undefined {
  const key = keyHash === undefined ? people && requestKeyOf(people) : Buffer.from(keyHash);
  return key && macOf(key, request);
}

/** True if the stored request is exactly that of a requester who may still request. */
export function isAuthentic(people: People, { id, sealed, signature }: Release): boolean {
  const { requester } = sealed;
  if (requester === undefined || signature === undefined) return false;
  if (findPerson(people, requester)?.lockedSince !== undefined) return false;
  const serviceKey = findServiceKey(people, requester);
  const key = serviceKey ? Buffer.from(serviceKey.hash) : requestKeyOf(people);
  return equalHashes(macOf(key, { id, sealed }), signature);
}

/** True if the stored request was signed by this process for the requester. */
export const isSignedBy = (requester: Requester, people: People | undefined, release: Release): boolean =>
  release.sealed.requester === requester.name &&
  (release.signature === undefined || release.signature === signRequest(requester, people, release));

/** True for releases that a person who decides may be shown: waiting ones only as they were requested. */
export const canBeShown =
  (people: People) =>
  (release: Release): boolean =>
    release.state !== "waiting" || isAuthentic(people, release);

/** Describes a request whose signature is not valid. */
export const changedInStore = (id: string): string =>
  `${id} was changed in the store, or its requester was revoked or locked. Cancel it and request again.`;
