/** The people who release, each with a secret, in a file that whoever asks need not read; and what proves that they did. */
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { canonicalJson } from "../journal/canonical-json";
import { MailAddress } from "./mail-server";
import { readProtectedFile } from "./protected-file";
import type { Decision } from "./release";

const Secret = z.string().regex(/^scrypt\$\d+\$\d+\$\d+\$[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+$/, {
  message: "must be what fxdesk releases enrol writes",
});

const TokenHash = z.string().regex(/^sha256\$[0-9a-f]{64}$/, {
  message: "must be what fxdesk releases token writes",
});

const People = z.strictObject({
  /** Signs what people decide: nobody who cannot read this file can make it look as if they had. */
  key: z.base64().length(44, "must be 32 bytes in base64"),
  secrets: z.record(z.string(), Secret),
  /** By which an MCP server knows who asks. */
  tokens: z.record(z.string(), TokenHash).default({}),
  /** Where they are told by mail. */
  addresses: z.record(z.string(), MailAddress).default({}),
});
export type People = z.output<typeof People>;

/** Throws a TypeError that begins with the setting and says what is wrong, and never what is in the file. */
export async function loadPeople(path: string): Promise<People> {
  const json = await readProtectedFile({ setting: "people", path, isSecret: true });
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    throw new TypeError(`people names ${path}, which is no JSON.`);
  }
  const { data, error } = People.safeParse(given);
  if (data) return data;
  const faults = error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  throw new TypeError(`people names ${path}, which does not fit: ${faults.join("; ")}.`);
}

/** What one guess costs: about 64 MB and a tenth of a second. */
const scryptCost = { N: 2 ** 16, r: 8, p: 1 } as const;
const hashLength = 32;
const minSecretLength = 10;

const deriveKey = (secret: string, salt: Buffer, { N, r, p }: { N: number; r: number; p: number }) =>
  new Promise<Buffer>((resolve, reject) => {
    const options = { N, r, p, maxmem: 256 * N * r };
    scrypt(secret.normalize("NFKC"), salt, hashLength, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** A secret as the file has it. Throws a TypeError where it is too short. */
export async function hashSecret(secret: string): Promise<string> {
  if (secret.length < minSecretLength)
    throw new TypeError(`The secret must have at least ${minSecretLength} characters.`);
  const salt = randomBytes(16);
  const hash = await deriveKey(secret, salt, scryptCost);
  const { N, r, p } = scryptCost;
  return ["scrypt", N, r, p, salt.toString("base64"), hash.toString("base64")].join("$");
}

/** Takes as long for somebody who is not known as for a wrong secret. */
export async function isSecretOf({ secrets }: People, person: string, secret: string): Promise<boolean> {
  const known = Object.hasOwn(secrets, person) ? secrets[person] : undefined;
  const [, N, r, p, salt, hash] = (known ?? dummySecret).split("$");
  const given = await deriveKey(secret, Buffer.from(salt!, "base64"), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(given, Buffer.from(hash!, "base64")) && known !== undefined;
}

const dummySecret = [
  "scrypt",
  scryptCost.N,
  scryptCost.r,
  scryptCost.p,
  "AAAA",
  Buffer.alloc(hashLength).toString("base64"),
].join("$");

/** Writes the file anew; it is made where there is none. */
async function updatePeopleFile(path: string, update: (before: People) => People): Promise<void> {
  const isThere = await readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
  const before = isThere
    ? await loadPeople(path)
    : { key: randomBytes(32).toString("base64"), secrets: {}, tokens: {}, addresses: {} };
  const temporaryPath = `${path}.${process.pid}.new`;
  await writeFile(temporaryPath, `${JSON.stringify(update(before), null, 2)}\n`, { mode: 0o600 });
  await chmod(temporaryPath, 0o600);
  await rename(temporaryPath, path);
}

/** Writes a person's secret into the file, which is made where there is none. Throws a TypeError that says what is wrong. */
export async function enrol(path: string, person: string, secret: string): Promise<void> {
  const secretHash = await hashSecret(secret);
  await updatePeopleFile(path, (before) => ({
    ...before,
    secrets: { ...before.secrets, [person]: secretHash },
  }));
}

/** Tokens are made here, of 256 bits of chance: nobody guesses one, so that a plain hash keeps it. */
const hashToken = (token: string): string => `sha256$${createHash("sha256").update(token).digest("hex")}`;

/** Makes a token by which an MCP server knows that a person asks, in the place of the one before. Throws a TypeError. */
export async function createToken(path: string, person: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await updatePeopleFile(path, (before) => ({
    ...before,
    tokens: { ...before.tokens, [person]: hashToken(token) },
  }));
  return token;
}

/** Takes something of a person away. Throws a TypeError where it is not there. */
async function removeEntry(path: string, from: "tokens" | "addresses", what: string, person: string) {
  await updatePeopleFile(path, (before) => {
    if (!Object.hasOwn(before[from], person))
      throw new TypeError(`people names ${path}, which has no ${what} of ${person}.`);
    const { [person]: _, ...rest } = before[from];
    return { ...before, [from]: rest };
  });
}

/** Throws a TypeError where there is none. */
export const revokeToken = (path: string, person: string): Promise<void> =>
  removeEntry(path, "tokens", "token", person);

/** Writes down where a person is told by mail. Throws a TypeError that says what is wrong. */
export async function setMailAddress(path: string, person: string, address: string): Promise<void> {
  if (!MailAddress.safeParse(address).success)
    throw new TypeError(
      `The address of ${person} must be a mail address, such as anna@example.com, not ${JSON.stringify(address)}.`,
    );
  await updatePeopleFile(path, (before) => ({
    ...before,
    addresses: { ...before.addresses, [person]: address },
  }));
}

/** Throws a TypeError where there is none. */
export const removeMailAddress = (path: string, person: string): Promise<void> =>
  removeEntry(path, "addresses", "address", person);

/** Whose a token is; undefined where it is nobody's. Hashes are compared, so that the time it takes tells nothing. */
export function findTokenHolder({ tokens }: People, token: string): string | undefined {
  const given = Buffer.from(hashToken(token));
  return Object.entries(tokens).find(([, hash]) => timingSafeEqual(given, Buffer.from(hash)))?.[0];
}

const macOf = (
  { key }: People,
  { release, hash, person, decision, at, until }: Omit<Decision, "mac">,
): Buffer =>
  createHmac("sha256", Buffer.from(key, "base64"))
    .update(canonicalJson({ release, hash, person, decision, at, until }))
    .digest();

export const signDecision = (people: People, decision: Omit<Decision, "mac">): Decision => ({
  ...decision,
  mac: macOf(people, decision).toString("hex"),
});

/** Whether a decision was made by somebody with a secret in this file, as it stands there. */
export function hasValidSignature(people: People, decision: Decision): boolean {
  const given = Buffer.from(decision.mac, "hex");
  const right = macOf(people, decision);
  return given.length === right.length && timingSafeEqual(given, right);
}
