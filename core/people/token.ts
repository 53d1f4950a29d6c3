/** Tokens by which requesters authenticate: 256 random bits, of which the people file keeps a hash. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { findActivePerson, type People } from "./people-file";

export const createToken = (): string => randomBytes(32).toString("base64url");

/** A plain hash is enough, because tokens have 256 random bits. */
export const hashToken = (token: string): string =>
  `sha256$${createHash("sha256").update(token).digest("hex")}`;

/** Compares hashes or signatures in constant time. */
export const equalHashes = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Returns the holder of a token, or undefined if it is unknown or the holder is locked. */
export function findTokenHolder(people: People, token: string): string | undefined {
  const given = hashToken(token);
  return Object.keys(people.people).find((name) => {
    const hash = findActivePerson(people, name)?.token;
    return hash !== undefined && equalHashes(given, hash);
  });
}
