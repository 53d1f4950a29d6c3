/** Decisions by people who authenticate with their secret, shared by all channels. */
import type { ReleaseService } from "./release-service";
import { ReleaseRefusal, type Release, type DecisionInput } from "./release";
import { isSecretOf, type People, loadPeople } from "./people";
import { defaultMoneyPolicy, type Policy, loadPolicy } from "./policy";

/** Paths of the files that define who may decide. Without a policy, every money call needs release by anyone except the requester. */
export interface DecisionFiles {
  readonly policy?: string | undefined;
  readonly people: string;
}

/** The secret is wrong. No decision was recorded. */
export class WrongSecret extends ReleaseRefusal {
  constructor(person: string) {
    super(`The secret of ${person} is wrong. No decision was recorded.`);
  }
}

/** Returns the policy that applies to a release. Throws a TypeError if its file is invalid. */
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
 * Records the decision of the person whose secret is given. Throws a ReleaseRefusal if the decision is not allowed, and a
 * TypeError if a file is invalid.
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
