/** A people file for tests, whose secrets are cheap to check. */
import { createHash, randomBytes, scryptSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createEpoch, type People } from "../../core/people/people-file";
import { formatServiceKey } from "../../core/people/service-key";
import { hashToken } from "../../core/people/token";

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

/** The service key of each program in test files. */
export const serviceKeyOf = (program: string): string =>
  formatServiceKey(program, createHash("sha256").update(program).digest("base64url"));

/** Writes a file with people, of whom the first one administers it, requesters without a secret, and programs. */
export async function writePeople(
  path: string,
  people: readonly string[],
  requesters: readonly string[] = [],
  programs: readonly string[] = [],
): Promise<void> {
  const file: People = {
    version: 2,
    key: randomBytes(32).toString("base64"),
    people: Object.fromEntries([
      ...people.map((name) => [name, { epoch: createEpoch(), secret: cheapHash(secretOf(name)) }]),
      ...requesters.map((name) => [name, { epoch: createEpoch() }]),
    ]),
    keys: Object.fromEntries(programs.map((name) => [name, { hash: hashToken(serviceKeyOf(name)) }])),
    administrators: [people[0]!],
    pending: [],
    log: [],
  };
  await writeFile(path, JSON.stringify(file), { mode: 0o600 });
}
