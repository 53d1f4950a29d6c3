/** Checks who a person is. */
import { AttemptRefused, type Origin, recordAttempt } from "./attempts";
import { findActivePerson, findPerson, loadPeople, type People, updatePeople } from "./people-file";
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
      `The secret of ${person} is wrong, or ${person} is locked, or the code is wrong or was used. No decision was recorded.`,
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
}

/** What proved who a person is. */
export type Factor = "secret" | "totp";

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

/** Checks a one-time code and marks it as used. */
async function useCode(path: string, name: string, code: string): Promise<boolean> {
  let isValid = false;
  await updatePeople(path, (before) => {
    const person = findActivePerson(before, name);
    const { seed, lastStep } = person?.totp ?? {};
    if (seed === undefined) return before;
    const step = findTotpStep(seed, code, Date.now(), lastStep!);
    if (step === undefined) return before;
    isValid = true;
    return {
      ...before,
      people: { ...before.people, [name]: { ...person!, totp: { seed, lastStep: step } } },
    };
  });
  return isValid;
}

/**
 * Checks a secret, and a one-time code if one is given. Throws WrongSecret or TooManyAttempts, and a TypeError if the
 * file is invalid. Takes as long for an unknown person as for a wrong secret, so that timing reveals no names.
 */
export async function authenticate(
  path: string,
  { person, secret, code }: Credentials,
  origin: Origin,
): Promise<Authentication> {
  const people = await loadPeople(path);
  const isKnown = findPerson(people, person) !== undefined;
  const lane = origin.isSignedIn ? lanes.signedIn : isKnown ? lanes.known : lanes.invented;
  const check = async () =>
    (await matchesSecret(findActivePerson(people, person)?.secret, secret)) &&
    (code === undefined || (await useCode(path, person, code)));
  const isAccepted = await lane
    .run(() => recordAttempt(path, { name: person, isKnown, origin }, check))
    .catch((error: Error) => {
      throw error instanceof AttemptRefused ? new TooManyAttempts(error.message) : error;
    });
  if (!isAccepted) throw new WrongSecret(person);
  return { people, factors: code === undefined ? ["secret"] : ["secret", "totp"] };
}
