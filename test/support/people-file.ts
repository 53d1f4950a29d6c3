/** A people file for tests, whose secrets are cheap to check. */
import { randomBytes, scryptSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createEpoch, type People } from "../../core/people/people-file";

/** The secret of each person in test files. */
export const secretOf = (person: string): string => `the secret of ${person}`;

function cheapHash(secret: string): string {
  const [N, r, p, salt] = [256, 8, 1, randomBytes(16)];
  return [
    "scrypt",
    N,
    r,
    p,
    salt.toString("base64"),
    scryptSync(secret, salt, 32, { N, r, p }).toString("base64"),
  ].join("$");
}

/** Writes a file with people, of whom the first one administers it, and requesters without a secret. */
export async function writePeople(
  path: string,
  people: readonly string[],
  requesters: readonly string[] = [],
): Promise<void> {
  const file: People = {
    version: 2,
    key: randomBytes(32).toString("base64"),
    people: Object.fromEntries([
      ...people.map((name) => [name, { epoch: createEpoch(), secret: cheapHash(secretOf(name)) }]),
      ...requesters.map((name) => [name, { epoch: createEpoch() }]),
    ]),
    keys: {},
    administrators: [people[0]!],
    pending: [],
    log: [],
  };
  await writeFile(path, JSON.stringify(file), { mode: 0o600 });
}
