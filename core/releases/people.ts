/** The people who release, each with a secret, in a file that whoever asks need not read; and what proves that they did. */
import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { canonicalJson } from "../journal/canonical";
import { MailAddress } from "./mail-server";
import { readOwnFile } from "./own-file";
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
export async function peopleAt(path: string): Promise<People> {
  const json = await readOwnFile({ setting: "people", path, isSecret: true });
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
const cost = { N: 2 ** 16, r: 8, p: 1 } as const;
const hashLength = 32;
const shortestSecret = 10;

const derived = (secret: string, salt: Buffer, { N, r, p }: { N: number; r: number; p: number }) =>
  new Promise<Buffer>((resolve, reject) => {
    const options = { N, r, p, maxmem: 256 * N * r };
    scrypt(secret.normalize("NFKC"), salt, hashLength, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** A secret as the file has it. Throws a TypeError where it is too short. */
export async function keptSecret(secret: string): Promise<string> {
  if (secret.length < shortestSecret)
    throw new TypeError(`The secret must have at least ${shortestSecret} characters.`);
  const salt = randomBytes(16);
  const hash = await derived(secret, salt, cost);
  const { N, r, p } = cost;
  return ["scrypt", N, r, p, salt.toString("base64"), hash.toString("base64")].join("$");
}

/** Takes as long for somebody who is not known as for a wrong secret. */
export async function isSecretOf({ secrets }: People, person: string, secret: string): Promise<boolean> {
  const known = Object.hasOwn(secrets, person) ? secrets[person] : undefined;
  const [, N, r, p, salt, hash] = (known ?? nobody).split("$");
  const given = await derived(secret, Buffer.from(salt!, "base64"), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(given, Buffer.from(hash!, "base64")) && known !== undefined;
}

const nobody = ["scrypt", cost.N, cost.r, cost.p, "AAAA", Buffer.alloc(hashLength).toString("base64")].join(
  "$",
);

/** Writes the file anew; it is made where there is none. */
async function change(path: string, changed: (before: People) => People): Promise<void> {
  const isThere = await readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
  const before = isThere
    ? await peopleAt(path)
    : { key: randomBytes(32).toString("base64"), secrets: {}, tokens: {}, addresses: {} };
  const written = `${path}.${process.pid}.new`;
  await writeFile(written, `${JSON.stringify(changed(before), null, 2)}\n`, { mode: 0o600 });
  await chmod(written, 0o600);
  await rename(written, path);
}

/** Writes a person's secret into the file, which is made where there is none. Throws a TypeError that says what is wrong. */
export async function enrol(path: string, person: string, secret: string): Promise<void> {
  const kept = await keptSecret(secret);
  await change(path, (before) => ({ ...before, secrets: { ...before.secrets, [person]: kept } }));
}

/** Tokens are made here, of 256 bits of chance: nobody guesses one, so that a plain hash keeps it. */
const tokenHash = (token: string): string => `sha256$${createHash("sha256").update(token).digest("hex")}`;

/** Makes a token by which an MCP server knows that a person asks, in the place of the one before. Throws a TypeError. */
export async function newToken(path: string, person: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await change(path, (before) => ({ ...before, tokens: { ...before.tokens, [person]: tokenHash(token) } }));
  return token;
}

/** Takes something of a person away. Throws a TypeError where it is not there. */
async function takeAway(path: string, from: "tokens" | "addresses", what: string, person: string) {
  await change(path, (before) => {
    if (!Object.hasOwn(before[from], person))
      throw new TypeError(`people names ${path}, which has no ${what} of ${person}.`);
    const { [person]: _, ...rest } = before[from];
    return { ...before, [from]: rest };
  });
}

/** Throws a TypeError where there is none. */
export const revokeToken = (path: string, person: string): Promise<void> =>
  takeAway(path, "tokens", "token", person);

/** Writes down where a person is told by mail. Throws a TypeError that says what is wrong. */
export async function keepAddress(path: string, person: string, address: string): Promise<void> {
  if (!MailAddress.safeParse(address).success)
    throw new TypeError(
      `The address of ${person} must be a mail address, such as anna@example.com, not ${JSON.stringify(address)}.`,
    );
  await change(path, (before) => ({ ...before, addresses: { ...before.addresses, [person]: address } }));
}

/** Throws a TypeError where there is none. */
export const removeAddress = (path: string, person: string): Promise<void> =>
  takeAway(path, "addresses", "address", person);

/** Whose a token is; undefined where it is nobody's. Hashes are compared, so that the time it takes tells nothing. */
export function holderOf({ tokens }: People, token: string): string | undefined {
  const given = Buffer.from(tokenHash(token));
  return Object.entries(tokens).find(([, hash]) => timingSafeEqual(given, Buffer.from(hash)))?.[0];
}

const macOf = (
  { key }: People,
  { release, hash, person, decision, at, until }: Omit<Decision, "mac">,
): Buffer =>
  createHmac("sha256", Buffer.from(key, "base64"))
    .update(canonicalJson({ release, hash, person, decision, at, until }))
    .digest();

export const signed = (people: People, decision: Omit<Decision, "mac">): Decision => ({
  ...decision,
  mac: macOf(people, decision).toString("hex"),
});

/** Whether a decision was made by somebody with a secret in this file, as it stands there. */
export function isSigned(people: People, decision: Decision): boolean {
  const given = Buffer.from(decision.mac, "hex");
  const right = macOf(people, decision);
  return given.length === right.length && timingSafeEqual(given, right);
}
