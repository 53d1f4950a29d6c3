/** Secrets of people: which are accepted, their hashes, and the check of a given one. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** Cost of one guess: about 64 MB and 0.1 s. */
const scryptCost = { N: 2 ** 16, r: 8, p: 1 } as const;
const hashLength = 32;
const minSecretLength = 12;

/** Frequent secrets of at least the minimum length, in lower case and without spaces. */
const blockedSecrets: ReadonlySet<string> = new Set(
  (
    "password1234 password12345 password123456 passwordpassword passw0rd1234 passw0rdpassw0rd qwertyuiop12 qwertyuiop123 " +
    "qwertyuiopasdf qwerty123456 1q2w3e4r5t6y 1qaz2wsx3edc zaq12wsxcde3 iloveyou1234 letmein12345 welcome12345 " +
    "administrator administrator1 changeme1234 changemechangeme trustno1trustno1 correcthorsebatterystaple " +
    "thequickbrownfox abc123abc123 secretsecret mypassword123 mysecret1234 asdfghjkl123 asdfghjklqwe dragon123456 " +
    "monkey123456 football1234 baseball1234 princess1234 sunshine1234 superman1234 starwars1234 whatever1234 fxdeskfxdesk " +
    "fxdesk123456 treasury1234"
  ).split(" "),
);

/** True if a piece of at most four characters repeats, such as "abcabcabcabc". */
const isRepetition = (text: string): boolean => /^(.{1,4})\1{2,}.{0,3}$/su.test(text);

/** Returns the neighbour of a character. The digits of a keyboard go round: 0 after 9. */
const neighbourOf = (code: number, step: 1 | -1): number =>
  code >= 48 && code <= 57 ? 48 + ((code - 48 + step + 10) % 10) : code + step;

/** True if each character is the next one in the same direction, such as "123456789012" or "zyxwvutsrqpo". */
function isRun(text: string): boolean {
  const codes = Array.from(text, (letter) => letter.codePointAt(0)!);
  const runs = (step: 1 | -1) =>
    codes.every((code, index) => index === 0 || code === neighbourOf(codes[index - 1]!, step));
  return runs(1) || runs(-1);
}

/** Throws a TypeError if a secret could be guessed. */
function assertGoodSecret(person: string, secret: string): void {
  const refuse = (reason: string): never => {
    throw new TypeError(`The secret of ${person} ${reason}. Nothing was changed.`);
  };
  const text = secret.normalize("NFKC");
  if (Array.from(text).length < minSecretLength) refuse(`must have at least ${minSecretLength} characters`);
  const plain = text.toLowerCase().replace(/\s/g, "");
  const withoutName = plain.replaceAll(person.normalize("NFKC").toLowerCase(), "");
  if (withoutName.length < 4) refuse("must not consist of the name");
  if (isRepetition(plain)) refuse("must not repeat the same characters");
  if (isRun(plain)) refuse("must not be a run of neighbouring characters");
  if (blockedSecrets.has(plain)) refuse("is on the list of frequent secrets");
}

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

/** Returns the hash of a secret for the file. Throws a TypeError if the secret could be guessed. */
export async function hashSecret(person: string, secret: string): Promise<string> {
  assertGoodSecret(person, secret);
  const salt = randomBytes(16);
  return formatSecretHash(salt, await deriveKey(secret, salt, scryptCost));
}

const dummyHash = formatSecretHash(Buffer.alloc(3), Buffer.alloc(hashLength));

/** Checks a secret. Takes as long without a hash as for a wrong secret, so that timing reveals no names. */
export async function matchesSecret(secretHash: string | undefined, secret: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = (secretHash ?? dummyHash).split("$");
  const given = await deriveKey(secret, Buffer.from(salt!, "base64"), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(given, Buffer.from(hash!, "base64")) && secretHash !== undefined;
}
