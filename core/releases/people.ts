/** The people file: secrets of the people who release, tokens of requesters, and the key that signs decisions. */
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { canonicalJson } from "../values/json";
import { readProtectedFile } from "./protected-file";
import type { Decision } from "./release";

const Secret = z.string().regex(/^scrypt\$\d+\$\d+\$\d+\$[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+$/, {
  message: "must be the output of fxdesk releases enrol",
});

const TokenHash = z.string().regex(/^sha256\$[0-9a-f]{64}$/, {
  message: "must be the output of fxdesk releases token",
});

export const MailAddress = z.email("must be a mail address, such as anna@example.com");

const People = z.strictObject({
  /** Signs decisions, so that a process without access to this file cannot forge them. */
  key: z.base64().length(44, "must be 32 bytes in base64"),
  secrets: z.record(z.string(), Secret),
  /** Token hashes by which an MCP server authenticates requesters. */
  tokens: z.record(z.string(), TokenHash).default({}),
  /** Mail addresses for notifications. */
  addresses: z.record(z.string(), MailAddress).default({}),
});
export type People = z.output<typeof People>;

/** Loads the file. Throws a TypeError that starts with the setting and never contains the content. */
export async function loadPeople(path: string): Promise<People> {
  const json = await readProtectedFile({ setting: "people", path, isSecret: true });
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    throw new TypeError(`people: ${path} is not JSON.`);
  }
  const { data, error } = People.safeParse(given);
  if (data) return data;
  const faults = error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  throw new TypeError(`people: ${path} is invalid: ${faults.join("; ")}.`);
}

/** Cost of one guess: about 64 MB and 0.1 s. */
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

const formatSecretHash = (salt: Buffer, hash: Buffer): string => {
  const { N, r, p } = scryptCost;
  return ["scrypt", N, r, p, salt.toString("base64"), hash.toString("base64")].join("$");
};

/** Returns the hash of a secret for the file. Throws a TypeError if the secret is too short. */
async function hashSecret(secret: string): Promise<string> {
  if (secret.length < minSecretLength)
    throw new TypeError(`The secret must have at least ${minSecretLength} characters.`);
  const salt = randomBytes(16);
  return formatSecretHash(salt, await deriveKey(secret, salt, scryptCost));
}

/** Checks a secret. Takes as long for an unknown person as for a wrong secret, so that timing reveals no names. */
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

const dummySecret = formatSecretHash(Buffer.alloc(3), Buffer.alloc(hashLength));

/** Replaces the file atomically, creating it if missing. */
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

type Section = "secrets" | "tokens" | "addresses";

const setEntry = (path: string, section: Section, person: string, value: string): Promise<void> =>
  updatePeopleFile(path, (before) => ({
    ...before,
    [section]: { ...before[section], [person]: value },
  }));

/** Removes a person's entry. Throws a TypeError if there is none. */
const removeEntry = (path: string, section: Section, what: string, person: string): Promise<void> =>
  updatePeopleFile(path, (before) => {
    if (!Object.hasOwn(before[section], person))
      throw new TypeError(`people: ${path} contains no ${what} for ${person}.`);
    const { [person]: _, ...rest } = before[section];
    return { ...before, [section]: rest };
  });

/** Stores a person's secret, creating the file if missing. Throws a TypeError if the secret or the file is invalid. */
export async function enrol(path: string, person: string, secret: string): Promise<void> {
  await setEntry(path, "secrets", person, await hashSecret(secret));
}

/** A plain hash is enough, because tokens have 256 random bits. */
const hashToken = (token: string): string => `sha256$${createHash("sha256").update(token).digest("hex")}`;

/** Creates the token with which an MCP server authenticates a requester, replacing the previous one. Throws a TypeError. */
export async function createToken(path: string, person: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await setEntry(path, "tokens", person, hashToken(token));
  return token;
}

/** Throws a TypeError if the person has no token. */
export const revokeToken = (path: string, person: string): Promise<void> =>
  removeEntry(path, "tokens", "token", person);

/** Stores the mail address of a person. Throws a TypeError if the address or the file is invalid. */
export async function setMailAddress(path: string, person: string, address: string): Promise<void> {
  if (!MailAddress.safeParse(address).success)
    throw new TypeError(
      `The address of ${person} must be a mail address, for example anna@example.com, not ${JSON.stringify(address)}.`,
    );
  await setEntry(path, "addresses", person, address);
}

/** Throws a TypeError if the person has no address. */
export const removeMailAddress = (path: string, person: string): Promise<void> =>
  removeEntry(path, "addresses", "address", person);

/** Returns the holder of a token, or undefined. Compares hashes in constant time. */
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

/** True if the decision was signed with this file's key and is unchanged. */
export function hasValidSignature(people: People, decision: Decision): boolean {
  const given = Buffer.from(decision.mac, "hex");
  const right = macOf(people, decision);
  return given.length === right.length && timingSafeEqual(given, right);
}
