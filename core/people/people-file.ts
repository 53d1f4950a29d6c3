/** The people file: who may release and request, their secrets and tokens, and the key that signs decisions. */
import { createHmac, randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { z } from "zod";
import { findLookAlike, PersonName } from "./name";
import { PendingChange } from "./pending-change";
import { readProtectedFile } from "./protected-file";
import { ServiceKey, TokenHash } from "./service-key";

const SecretHash = z
  .string()
  .regex(
    /^scrypt\$\d+\$\d+\$\d+\$[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+$/,
    "must be a hash that fxdesk people made",
  );

export const MailAddress = z.email("must be a mail address, such as anna@example.com");

const Passkey = z.strictObject({
  /** ID of the credential. */
  id: z.base64url(),
  /** COSE key. */
  publicKey: z.base64url(),
  /** Number of uses that the device reported last; stays 0 on devices that do not count. */
  counter: z.int().min(0),
  /** How a browser reaches the device, for example "usb". */
  transports: z.array(z.string()).optional(),
  /** Host of the releases page for which the device made it. It cannot be used for another. */
  host: z.string(),
  created: z.iso.datetime(),
});
export type Passkey = Readonly<z.output<typeof Passkey>>;

const Person = z.strictObject({
  /**
   * Random, and new whenever the secret changes and when the person is locked, unlocked or added again. Decisions and
   * sessions are bound to it, so that earlier ones become invalid.
   */
  epoch: z.string().regex(/^[\w-]{16}$/, "must be 16 random characters"),
  /** Without a secret, a person can request but not release. */
  secret: SecretHash.optional(),
  /** Hash of the token by which an MCP server authenticates the person as a requester. */
  token: TokenHash.optional(),
  /** Mail address for notifications. */
  address: MailAddress.optional(),
  lockedSince: z.iso.datetime().optional(),
  /** Seed of one-time codes, and the last step whose code was used. */
  totp: z
    .strictObject({
      seed: z.string().regex(/^[A-Z2-7]{32}$/, "must be 32 base32 characters"),
      lastStep: z.int(),
    })
    .optional(),
  passkeys: z.array(Passkey).min(1).optional(),
});
export type Person = Readonly<z.output<typeof Person>>;

const numberOfPeople = z.int().min(1).max(2).default(1);

export const Administration = z.strictObject({
  people: numberOfPeople.meta({
    description: "Administrators who must agree to a change of people; default 1.",
  }),
  policy: numberOfPeople.meta({
    description: "Administrators who must agree to another policy; default 1.",
  }),
});

const version = 2;

/** Returns the names of all people and programs. */
export const namesOf = ({
  people,
  keys,
}: Pick<z.output<typeof PeopleFile>, "people" | "keys">): readonly string[] => [
  ...Object.keys(people),
  ...Object.keys(keys),
];

const PeopleFile = z
  .strictObject({
    version: z.literal(version),
    /** Signs decisions, so that a process without access to this file cannot forge them. */
    key: z.base64().length(44, "must be 32 bytes in base64"),
    people: z.record(PersonName, Person),
    /** Programs that request, by name. */
    keys: z.record(PersonName, ServiceKey),
    /** People who may change the file for others. */
    administrators: z.array(PersonName),
    /** The policy that administrators approved. Every other one is refused. */
    policy: z
      .strictObject({
        hash: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 hash"),
        administration: Administration,
      })
      .optional(),
    /** Changes that wait for a second administrator. */
    pending: z.array(PendingChange).default([]),
    /** Changes of the file, oldest first. */
    log: z.array(
      z.strictObject({
        at: z.iso.datetime(),
        change: z.string(),
        person: z.string(),
        by: z.string(),
        confirmedBy: z.string().optional(),
      }),
    ),
  })
  .superRefine((file, context) => {
    for (const field of ["people", "keys"] as const)
      for (const name of Object.keys(file[field])) {
        const others = field === "people" ? Object.keys(file.people) : namesOf(file);
        const isRepeated = field === "keys" && Object.hasOwn(file.people, name);
        const other = isRepeated ? name : findLookAlike(name, others);
        if (other !== undefined)
          context.addIssue({ code: "custom", path: [field, name], message: `looks like ${other}` });
      }
  });
export type People = Readonly<z.output<typeof PeopleFile>>;

/** Loads the file. Throws a TypeError that starts with the setting and never contains the content. */
export async function loadPeople(path: string): Promise<People> {
  const json = await readProtectedFile({ setting: "people", path, isSecret: true });
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    throw new TypeError(`people: ${path} is not JSON.`);
  }
  if ((given as { version?: unknown } | null)?.version !== version)
    throw new TypeError(
      `people: ${path} was made by another version of fxdesk. Move it away and add the people again: fxdesk people add <name>.`,
    );
  return parsePeople(given, path);
}

function messagesOf(issue: z.core.$ZodIssue): string[] {
  const field = issue.path.join(".");
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => `${[...issue.path, key].join(".")} is not a field of a people file`);
  if (issue.code === "invalid_key") return [`${field} ${issue.issues[0]!.message}`];
  if (issue.code !== "invalid_type") return [`${field} ${issue.message}`];
  return [
    `${field} ${issue.message.endsWith("undefined") ? "is missing" : `must be of type ${issue.expected}`}`,
  ];
}

/** Throws a TypeError that lists each fault with its field. */
function parsePeople(given: unknown, path: string): People {
  const { data, error } = PeopleFile.safeParse(given);
  if (data) return data;
  throw new TypeError(`people: ${path} is invalid: ${error.issues.flatMap(messagesOf).join("; ")}.`);
}

/** Returns a person; undefined if the file does not contain the name. */
export const findPerson = ({ people }: People, name: string): Person | undefined =>
  Object.hasOwn(people, name) ? people[name] : undefined;

/** Returns a person who may act at present; undefined if the name is unknown or locked. */
export function findActivePerson(people: People, name: string): Person | undefined {
  const person = findPerson(people, name);
  return person?.lockedSince === undefined ? person : undefined;
}

/** Returns the service key of a program; undefined if the file contains none with the name. */
export const findServiceKey = ({ keys }: People, name: string): ServiceKey | undefined =>
  Object.hasOwn(keys, name) ? keys[name] : undefined;

/** Returns the names of the people who can release. */
export const releasersOf = (people: People): readonly string[] =>
  Object.keys(people.people).filter((name) => findActivePerson(people, name)?.secret !== undefined);

/** Returns a key for signatures of one purpose, so that none counts as a decision, which the key of the file itself signs. */
export const signingKeyFor = ({ key }: People, purpose: "quotes" | "requests"): Buffer =>
  createHmac("sha256", Buffer.from(key, "base64")).update(purpose).digest();

export const createEpoch = (): string => randomBytes(12).toString("base64url");

const isMissing = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );

/**
 * Changes the file while no other process does. Only with `create` is a missing file created. Throws a TypeError if the file
 * is unsafe or invalid, before or after the change.
 */
export async function updatePeople(
  path: string,
  change: (before: People) => People | Promise<People>,
  { create = false } = {},
): Promise<void> {
  // Clients that only read the file do not need the rest of the store.
  const { replaceFile, withFileLock } = await import("../store/locked-file.js");
  return withFileLock(path, async (target) => {
    const before: People =
      create && (await isMissing(target))
        ? {
            version,
            key: randomBytes(32).toString("base64"),
            people: {},
            keys: {},
            administrators: [],
            pending: [],
            log: [],
          }
        : await loadPeople(path);
    const after = parsePeople(await change(before), path);
    await replaceFile(target, `${JSON.stringify(after, null, 2)}\n`);
  });
}
