/** Checks who a person is. */
import { findActivePerson, loadPeople, type People } from "./people-file";
import { matchesSecret } from "./secret";

/** The people file does not allow the action. Nothing was changed. */
export class PeopleRefusal extends Error {
  override readonly name: string = "PeopleRefusal";
}

/** The secret is wrong, or the person is unknown or locked. */
export class WrongSecret extends PeopleRefusal {
  override readonly name = "WrongSecret";
  constructor(person: string) {
    super(`The secret of ${person} is wrong, or ${person} is locked. Nothing was recorded.`);
  }
}

/** A person together with their secret. */
export interface Credentials {
  readonly person: string;
  readonly secret: string;
}

/** Checks a secret and returns the people file that confirmed it. Throws WrongSecret, and a TypeError if the file is invalid. */
export async function authenticate(path: string, { person, secret }: Credentials): Promise<People> {
  const people = await loadPeople(path);
  if (!(await matchesSecret(findActivePerson(people, person)?.secret, secret))) throw new WrongSecret(person);
  return people;
}
