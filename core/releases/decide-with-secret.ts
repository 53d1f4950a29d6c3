/** What a person says with their secret, the same on every channel. */
import { type ReleaseService, ReleaseRefusal } from "./release-service";
import { isSecretOf, type People, loadPeople } from "./people";
import { defaultMoneyPolicy, type Policy, loadPolicy } from "./policy";
import type { Release, DecisionInput } from "./release";

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
export async function policyForRelease(
  { sealed: { asker } }: Release,
  policy: string | undefined,
  { secrets }: People,
): Promise<Policy> {
  if (policy !== undefined) return loadPolicy(policy);
  const names = [...Object.keys(secrets), ...(asker === undefined ? [] : [asker])];
  return defaultMoneyPolicy([...new Set(names)]);
}

/**
 * Decides as the person whose secret is given. Throws a ReleaseRefusal where it does not count, and a TypeError where the files
 * do not fit.
 */
export async function decideWithSecret(
  service: ReleaseService,
  id: string,
  files: DecisionFiles,
  { secret, ...input }: DecisionInput,
): Promise<Release> {
  const people = await loadPeople(files.people);
  if (!(await isSecretOf(people, input.person, secret))) throw new WrongSecret(input.person);
  const { release } = await service.get(id);
  return service.decide(id, {
    ...input,
    policy: await policyForRelease(release, files.policy, people),
    people,
  });
}
