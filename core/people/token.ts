/** Tokens by which requesters authenticate: 256 random bits, of which the people file keeps a hash. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { findActivePerson, type People } from "./people-file";

export const createToken = (): string => randomBytes(32).toString("base64url");

/** A plain hash is enough, because tokens have 256 random bits. */
export const hashToken = (token: string): string =>
  `sha256$${createHash("sha256").update(token).digest("hex")}`;

/** Returns the holder of a token, or undefined if it is unknown or the holder is locked. Compares hashes in constant time. */
export function findTokenHolder(people: People, token: string): string | undefined {
  const given = Buffer.from(hashToken(token));
  return Object.keys(people.people).find((name) => {
    const hash = findActivePerson(people, name)?.token;
    return hash !== undefined && timingSafeEqual(given, Buffer.from(hash));
  });
}
