/** What a person says with their secret, the same on every channel. */
import { type ReleaseDesk, ReleaseRefusal } from "./desk";
import { isSecretOf, type People, peopleAt } from "./people";
import { everyMoneyCall, type Policy, policyAt } from "./policy";
import type { Release, Said } from "./release";

/** The files that say who may decide: their paths. Without a policy, it is that of who asks for every call that commits money. */
export interface DecisionFiles {
  readonly policy?: string | undefined;
  readonly people: string;
}

/** The secret is not that person's. */
export class WrongSecret extends ReleaseRefusal {
  constructor(person: string) {
    super(`That is not the secret of ${person}. Nothing was decided.`);
  }
}

/** The policy in force for a release. Throws a TypeError that says what is wrong with its file. */
export async function policyFor(
  { sealed: { asker } }: Release,
  policy: string | undefined,
  { secrets }: People,
): Promise<Policy> {
  if (policy !== undefined) return policyAt(policy);
  const names = [...Object.keys(secrets), ...(asker === undefined ? [] : [asker])];
  return everyMoneyCall([...new Set(names)]);
}

/**
 * Decides as the person whose secret is given. Throws a ReleaseRefusal where it does not count, and a TypeError where the files
 * do not fit.
 */
export async function decideAs(
  desk: ReleaseDesk,
  id: string,
  files: DecisionFiles,
  { secret, ...said }: Said,
): Promise<Release> {
  const people = await peopleAt(files.people);
  if (!(await isSecretOf(people, said.person, secret))) throw new WrongSecret(said.person);
  const { release } = await desk.get(id);
  return desk.decide(id, { ...said, policy: await policyFor(release, files.policy, people), people });
}
