/** Checks of secrets and tokens: a bounded record of them, and growing pauses after failed ones, shared by all processes. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { z } from "zod";
import { log } from "../spec/log";
import { replaceFile, withFileLock } from "../store/locked-file";
import { visibleText } from "../values/visible-text";

/** Where a secret or token was given. */
export interface Origin {
  /** For example "cli", "page", "mcp" or "node-red". */
  readonly surface: string;
  /** Network address, or the user of the operating system. */
  readonly address: string;
  /** True if the person already signed in there. Such a check is recorded, but never refused. */
  readonly isSignedIn?: boolean;
}

/** Returns the origin of an attempt of the user of this process, or of the user who started it with sudo. */
export const localOrigin = (surface: string): Origin => ({
  surface,
  address: `${process.env.SUDO_USER ?? userInfo().username}@${hostname()}`,
});

const Attempt = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  surface: z.string(),
  address: z.string(),
  /** As given, also if there is no such person. Absent for a wrong token. */
  name: z.string().optional(),
  isKnown: z.boolean(),
  /** A check that is under way counts as failed. */
  result: z.enum(["checking", "accepted", "failed"]),
});
export type Attempt = Readonly<z.output<typeof Attempt>>;

/** Thrown while a pause after failed attempts lasts. Nothing was checked. */
export class AttemptRefused extends Error {
  override readonly name = "AttemptRefused";
  constructor(readonly retryAfterMs: number) {
    super(
      `Too many failed attempts. Try again in ${Math.ceil(retryAfterMs / 1_000)} seconds; nothing was checked or recorded.`,
    );
  }
}

/** Number of attempts that the file keeps. */
const maxAttempts = 1_000;
const windowMs = 3_600_000;
const freeFailures = 5;
const [firstPauseMs, maxPauseMs] = [15_000, 900_000];
/** Time for which an address counts as that of a person. */
const knownForMs = 30 * 24 * 3_600_000;

/** Returns the pause after a number of failures in a row. */
const pauseAfter = (failures: number): number =>
  failures < freeFailures ? 0 : Math.min(firstPauseMs * 2 ** (failures - freeFailures), maxPauseMs);

const pairOf = ({ name = "", address }: Pick<Attempt, "name" | "address">): string =>
  JSON.stringify([name, address]);

/** Returns the failures within an hour, also of a clock that went back since, that no accepted attempt of the same name and address followed. */
function openFailures(attempts: readonly Attempt[], now: number): readonly Attempt[] {
  const open: Attempt[] = [];
  const accepted = new Set<string>();
  for (const attempt of attempts.toReversed())
    if (attempt.result === "accepted") accepted.add(pairOf(attempt));
    else if (!accepted.has(pairOf(attempt)) && Math.abs(now - Date.parse(attempt.at)) < windowMs)
      open.push(attempt);
  return open;
}

/**
 * Returns the rest of the pause of an attempt. From an address where the person was accepted before, only their own failures
 * there count, so that others cannot keep them out. Elsewhere all failures of the name and of the address count, but those
 * with invented names only for invented names.
 */
function remainingPauseMs(
  attempts: readonly Attempt[],
  attempt: Pick<Attempt, "name" | "address" | "isKnown">,
  now: number,
): number {
  const failures = openFailures(attempts, now);
  const isOwn = (each: Attempt) => pairOf(each) === pairOf(attempt);
  const isUsual = attempts.some(
    (each) => isOwn(each) && each.result === "accepted" && now - Date.parse(each.at) < knownForMs,
  );
  const groups = isUsual
    ? [failures.filter(isOwn)]
    : [
        failures.filter(({ name }) => attempt.name !== undefined && name === attempt.name),
        failures.filter(
          ({ address, isKnown }) => address === attempt.address && (isKnown || !attempt.isKnown),
        ),
      ];
  return Math.max(
    ...groups.map((group) => {
      const latest = Math.max(...group.map(({ at }) => Date.parse(at)));
      return pauseAfter(group.length) - Math.max(0, now - latest);
    }),
  );
}

/** Keeps the newest attempts, and the last accepted one of each name and address. */
function prune(attempts: readonly Attempt[]): readonly Attempt[] {
  if (attempts.length <= maxAttempts) return attempts;
  const lastAccepted = new Map(
    attempts.filter(({ result }) => result === "accepted").map((each) => [pairOf(each), each]),
  );
  const [old, recent] = [attempts.slice(0, -maxAttempts / 2), attempts.slice(-maxAttempts / 2)];
  const kept = old.filter((each) => lastAccepted.get(pairOf(each)) === each);
  return [...kept.slice(-maxAttempts / 4), ...recent];
}

const attemptsPath = (peoplePath: string): string => `${peoplePath}.attempts`;

function parseLine(line: string): readonly Attempt[] {
  try {
    return [Attempt.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}

/** Returns the recorded attempts, oldest first. */
export async function listAttempts(peoplePath: string): Promise<readonly Attempt[]> {
  const text = await readFile(attemptsPath(peoplePath), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").flatMap(parseLine);
}

const updateAttempts = (
  peoplePath: string,
  change: (before: readonly Attempt[]) => readonly Attempt[],
): Promise<void> =>
  withFileLock(attemptsPath(peoplePath), async (target) => {
    const after = prune(change(await listAttempts(peoplePath)));
    await replaceFile(target, after.map((attempt) => `${JSON.stringify(attempt)}\n`).join(""));
  });

/** Characters of a given name that are recorded. */
const maxNameLength = 64;

function createAttempt(
  name: string | undefined,
  isKnown: boolean,
  { surface, address }: Origin,
  result: Attempt["result"],
): Attempt {
  const id = randomBytes(9).toString("base64url");
  const given = name === undefined ? {} : { name: visibleText(name.slice(0, maxNameLength)) };
  return { id, at: new Date(Date.now()).toISOString(), surface, address, ...given, isKnown, result };
}

function logFailure({ surface, address, name }: Attempt): void {
  // The command line shows the failure to its user.
  if (surface === "cli") return;
  const what = name === undefined ? "wrong token" : `wrong secret of ${JSON.stringify(name)}`;
  log("warn", `${what} from ${address} (${surface}).`, { code: "unauthorized" });
}

const assertNoPause = (attempts: readonly Attempt[], attempt: Attempt): void => {
  const pauseMs = remainingPauseMs(attempts, attempt, Date.now());
  if (pauseMs > 0) throw new AttemptRefused(pauseMs);
};

/**
 * Runs a check of a secret and records its result. Throws an AttemptRefused, without a check, while a pause lasts. The attempt
 * is recorded before the check, so that attempts side by side do not get round the pause.
 */
export async function recordAttempt(
  peoplePath: string,
  { name, isKnown, origin }: { readonly name: string; readonly isKnown: boolean; readonly origin: Origin },
  check: () => Promise<boolean>,
): Promise<boolean> {
  const attempt = createAttempt(name, isKnown, origin, "checking");
  const assertAllowed = (attempts: readonly Attempt[]) => {
    if (!origin.isSignedIn) assertNoPause(attempts, attempt);
  };
  // Attempts during a pause need no lock.
  assertAllowed(await listAttempts(peoplePath));
  await updateAttempts(peoplePath, (before) => {
    assertAllowed(before);
    return [...before, attempt];
  });
  const isAccepted = await check();
  const ended: Attempt = { ...attempt, result: isAccepted ? "accepted" : "failed" };
  await updateAttempts(peoplePath, (before) => before.map((each) => (each.id === attempt.id ? ended : each)));
  if (!isAccepted) logFailure(ended);
  return isAccepted;
}

/** Records a wrong token by its network address. Throws an AttemptRefused, and records nothing, while a pause lasts. */
export type RecordWrongToken = (address: string) => Promise<void>;

/** Returns a function that records wrong tokens beside the people file, or in memory if there is none. */
export function createTokenRecorder(peoplePath: string | undefined): RecordWrongToken {
  let kept: readonly Attempt[] = [];
  return async (address) => {
    const attempt = createAttempt(undefined, false, { surface: "mcp", address }, "failed");
    const append = (before: readonly Attempt[]) => {
      assertNoPause(before, attempt);
      return [...before, attempt];
    };
    if (peoplePath === undefined) kept = prune(append(kept));
    else {
      // Attempts during a pause need no lock.
      append(await listAttempts(peoplePath));
      await updateAttempts(peoplePath, append);
    }
    logFailure(attempt);
  };
}
