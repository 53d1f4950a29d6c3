/** Checks who a person is. */
import { AttemptRefused, type Origin, recordAttempt } from "./attempts";
import { type PasskeyResponse, usePasskey } from "./passkey";
import {
  findActivePerson,
  findPerson,
  loadPeople,
  type People,
  type Person,
  updatePeople,
} from "./people-file";
import { matchesSecret } from "./secret";
import { findTotpStep } from "./totp";

/** The people file does not allow the action. Nothing was changed. */
export class PeopleRefusal extends Error {
  override readonly name: string = "PeopleRefusal";
}

/** The secret is wrong, or the person is unknown or locked. */
export class WrongSecret extends PeopleRefusal {
  override readonly name = "WrongSecret";
  constructor(person: string) {
    super(
      `The secret of ${person} is wrong, or ${person} is locked, or the code or passkey is wrong or was used. No decision was recorded.`,
    );
  }
}

/** Too many attempts failed, or too many wait. Nothing was checked. */
export class TooManyAttempts extends PeopleRefusal {
  override readonly name = "TooManyAttempts";
}

/** A person together with their secret. */
export interface Credentials {
  readonly person: string;
  readonly secret: string;
  /** One-time code of the person's authenticator app. */
  readonly code?: string | undefined;
  /** Response of the person's passkey, which only a browser can give. */
  readonly passkey?: PasskeyResponse | undefined;
}

/** What proved who a person is. */
export type Factor = "secret" | "totp" | "passkey";

export interface Authentication {
  /** The people file that confirmed the person. */
  readonly people: People;
  readonly factors: readonly Factor[];
}

/** Checks of one kind in this process: each takes about 64 MB, so few run at a time. */
class Lane {
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();
  constructor(private readonly maxWaiting: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.maxWaiting)
      throw new TooManyAttempts("Too many attempts are waiting. Try again in a minute; nothing was checked.");
    this.#waiting += 1;
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Attempts with invented names do not delay real people, and no attempts delay people who are signed in. */
const lanes = { signedIn: new Lane(50), known: new Lane(50), invented: new Lane(10) };

/** Changes an active person as `use` returns them; false if it returns undefined. Under the lock, so that each use counts once. */
async function useFactor(
  path: string,
  name: string,
  use: (person: Person) => Promise<Person | undefined> | Person | undefined,
): Promise<boolean> {
  let isValid = false;
  await updatePeople(path, async (before) => {
    const person = findActivePerson(before, name);
    const after = person && (await use(person));
    if (!after) return before;
    isValid = true;
    return { ...before, people: { ...before.people, [name]: after } };
  });
  return isValid;
}

/** Checks a one-time code and marks it as used. */
const useCode = (path: string, name: string, code: string): Promise<boolean> =>
  useFactor(path, name, (person) => {
    const { seed, lastStep } = person.totp ?? {};
    const step = seed === undefined ? undefined : findTotpStep(seed, code, Date.now(), lastStep!);
    return step === undefined ? undefined : { ...person, totp: { seed: seed!, lastStep: step } };
  });

/**
 * Checks a secret, and the second factors that are given. Throws WrongSecret or TooManyAttempts, and a TypeError if the
 * file is invalid. Takes as long for an unknown person as for a wrong secret, so that timing reveals no names.
 */
export async function authenticate(
  path: string,
  { person, secret, code, passkey }: Credentials,
  origin: Origin,
): Promise<Authentication> {
  const people = await loadPeople(path);
  const isKnown = findPerson(people, person) !== undefined;
  const lane = origin.isSignedIn ? lanes.signedIn : isKnown ? lanes.known : lanes.invented;
  const check = async () =>
    (await matchesSecret(findActivePerson(people, person)?.secret, secret)) &&
    (code === undefined || (await useCode(path, person, code))) &&
    (passkey === undefined || (await useFactor(path, person, (used) => usePasskey(used, passkey))));
  const isAccepted = await lane
    .run(() => recordAttempt(path, { name: person, isKnown, origin }, check))
    .catch((error: Error) => {
      throw error instanceof AttemptRefused ? new TooManyAttempts(error.message) : error;
    });
  if (!isAccepted) throw new WrongSecret(person);
  return {
    people,
    factors: [
      "secret",
      ...(code === undefined ? [] : ["totp" as const]),
      ...(passkey ? ["passkey" as const] : []),
    ],
  };
}

/** Throws a PeopleRefusal if a person was locked, removed or given another secret since an authentication. */
export function assertSamePerson(name: string, authenticated: People, present: People): void {
  if (findActivePerson(present, name)?.epoch !== findPerson(authenticated, name)!.epoch)
    throw new PeopleRefusal(
      `${name} was changed at the same time. Nothing was changed or decided: try again.`,
    );
}
