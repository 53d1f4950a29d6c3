/** Changes of the people file, each by an authenticated person and recorded in its log. */
import { localOrigin } from "./attempts";
import { authenticate, type Credentials, PeopleRefusal } from "./authenticate";
import { findLookAlike, PersonName } from "./name";
import {
  createEpoch,
  findActivePerson,
  findPerson,
  MailAddress,
  namesOf,
  type People,
  type Person,
  updatePeople,
} from "./people-file";
import { hashSecret } from "./secret";
import { createToken, hashToken } from "./token";
import { findTotpStep } from "./totp";

/** Reset of a secret by root, which is possible only while one person has a secret. */
export const byRoot = "root";

/** The person who makes a change, or root. */
export type ChangedBy = Credentials | typeof byRoot;

/** A change that was made. */
export interface PeopleChange {
  readonly person: string;
  /** Past participle, for example "secret changed". */
  readonly change: string;
  readonly by: string;
  readonly at: string;
  /** Mail address of the person before the change. */
  readonly address: string | undefined;
}

interface ChangeRequest {
  readonly change: string;
  readonly by: ChangedBy;
  /** True if people may make this change for themselves. */
  readonly isOwn: boolean;
}

/** Number of changes that the file keeps. */
const maxLogged = 1_000;

const nameOf = (by: ChangedBy): string => (by === byRoot ? "root of this machine" : by.person);

/** Throws a PeopleRefusal unless root runs this process and only one person has a secret. */
function assertRootMayReset({ people }: People): void {
  if (process.geteuid?.() !== 0)
    throw new PeopleRefusal("Only root can reset a secret without another administrator.");
  if (Object.values(people).filter(({ secret }) => secret !== undefined).length > 1)
    throw new PeopleRefusal(
      "Root can reset a secret only while one person has one: use --by <administrator>.",
    );
}

function assertMayChange(people: People, person: string, { by, isOwn }: ChangeRequest): void {
  if (by === byRoot) return assertRootMayReset(people);
  if (by.person === person && isOwn) return;
  if (!people.administrators.includes(by.person))
    throw new PeopleRefusal(`${by.person} is no administrator of the people file. Nothing was changed.`);
}

/** Throws a PeopleRefusal if no active administrator with a secret would be left. */
function assertAdministered(people: People): void {
  const isAble = (name: string) => findActivePerson(people, name)?.secret !== undefined;
  if (!people.administrators.some(isAble))
    throw new PeopleRefusal("The last administrator must stay: name another one first. Nothing was changed.");
}

const appendLog = (people: People, { person, change, by, at }: PeopleChange): People => ({
  ...people,
  log: [...people.log, { at, change, person, by }].slice(-maxLogged),
});

/** Authenticates, and changes the file if the person may. Throws a PeopleRefusal or a TypeError. */
export async function changePeople(
  path: string,
  person: string,
  request: ChangeRequest,
  change: (before: People) => People,
): Promise<PeopleChange> {
  const { by } = request;
  const confirmed = by === byRoot ? undefined : (await authenticate(path, by, localOrigin("cli"))).people;
  let made: PeopleChange;
  await updatePeople(path, (before) => {
    // The secret was checked before the lock was taken.
    if (
      by !== byRoot &&
      findActivePerson(before, by.person)?.epoch !== findPerson(confirmed!, by.person)!.epoch
    )
      throw new PeopleRefusal(`${by.person} was changed at the same time. Nothing was changed: try again.`);
    assertMayChange(before, person, request);
    made = {
      person,
      change: request.change,
      by: nameOf(by),
      at: new Date().toISOString(),
      address: findPerson(before, person)?.address,
    };
    const after = change(before);
    assertAdministered(after);
    return appendLog(after, made);
  });
  return made!;
}

/** Changes one person. `change` returns undefined to remove them. */
const changePerson = (
  path: string,
  name: string,
  request: ChangeRequest,
  change: (before: Person) => Person | undefined,
): Promise<PeopleChange> =>
  changePeople(path, name, request, (before) => {
    const person = findPerson(before, name);
    if (!person) throw new PeopleRefusal(`The people file contains no person ${name}. Nothing was changed.`);
    const { [name]: _, ...others } = before.people;
    const after = change(person);
    return after
      ? { ...before, people: { ...before.people, [name]: after } }
      : { ...before, people: others, administrators: before.administrators.filter((each) => each !== name) };
  });

export function assertName(name: string): void {
  const { error } = PersonName.safeParse(name);
  if (error)
    throw new PeopleRefusal(
      `The name ${JSON.stringify(name)} ${error.issues[0]!.message}. Nothing was changed.`,
    );
}

export function assertNewName(people: People, name: string): void {
  const names = namesOf(people);
  if (names.includes(name))
    throw new PeopleRefusal(`The people file already contains ${name}. Nothing was changed.`);
  const lookAlike = findLookAlike(name, names);
  if (lookAlike !== undefined)
    throw new PeopleRefusal(
      `The name ${name} looks like ${lookAlike}, who is already in the people file. Choose another name.`,
    );
}

/** Adds a person to a file. Without a secret they can request, but not release. */
export async function addPerson(
  path: string,
  name: string,
  secret: string | undefined,
  by: Credentials,
): Promise<PeopleChange> {
  assertName(name);
  const hash = secret === undefined ? undefined : await hashSecret(name, secret);
  return changePeople(path, name, { change: "added", by, isOwn: false }, (before) => {
    assertNewName(before, name);
    const person: Person = { epoch: createEpoch(), ...(hash !== undefined && { secret: hash }) };
    return { ...before, people: { ...before.people, [name]: person } };
  });
}

/** Creates the file with its first person, who becomes its administrator. Throws a PeopleRefusal if it contains people. */
export async function createPeople(path: string, name: string, secret: string): Promise<void> {
  assertName(name);
  const hash = await hashSecret(name, secret);
  await updatePeople(
    path,
    (before) => {
      if (Object.keys(before.people).length > 0)
        throw new PeopleRefusal("The people file already contains people: use --by <administrator>.");
      assertNewName(before, name);
      const person: Person = { epoch: createEpoch(), secret: hash };
      const after = { ...before, people: { [name]: person }, administrators: [name] };
      const at = new Date().toISOString();
      return appendLog(after, { person: name, change: "added", by: name, at, address: undefined });
    },
    { create: true },
  );
}

/** Replaces a secret. Ends sessions and makes open decisions of the person invalid. */
export async function changeSecret(
  path: string,
  name: string,
  secret: string,
  by: ChangedBy,
): Promise<PeopleChange> {
  const hash = await hashSecret(name, secret);
  const change = by === byRoot ? "secret reset" : "secret changed";
  return changePerson(path, name, { change, by, isOwn: true }, (before) => ({
    ...before,
    secret: hash,
    epoch: createEpoch(),
  }));
}

/** Removes a person with their secret and token. Makes their open decisions invalid. */
export const removePerson = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePerson(path, name, { change: "removed", by, isOwn: false }, () => undefined);

/** Locks a person: their secret, token, sessions and open decisions become invalid at once. */
export const lockPerson = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePerson(path, name, { change: "locked", by, isOwn: true }, (before) => ({
    ...before,
    epoch: createEpoch(),
    lockedSince: new Date().toISOString(),
  }));

/** Unlocks a person. Their earlier decisions and sessions stay invalid. */
export const unlockPerson = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePerson(path, name, { change: "unlocked", by, isOwn: false }, (before) => {
    const { lockedSince: _, ...unlocked } = before;
    return { ...unlocked, epoch: createEpoch() };
  });

/** Sets or, if undefined, deletes the mail address of a person. */
export async function setMailAddress(
  path: string,
  name: string,
  address: string | undefined,
  by: Credentials,
): Promise<PeopleChange> {
  if (address !== undefined && !MailAddress.safeParse(address).success)
    throw new PeopleRefusal(
      `The address of ${name} must be a mail address, for example anna@example.com, not ${JSON.stringify(address)}.`,
    );
  return changePerson(path, name, { change: "mail address changed", by, isOwn: true }, (before) => {
    const { address: _, ...others } = before;
    return { ...others, ...(address !== undefined && { address }) };
  });
}

/** Sets up one-time codes with the first code of the person's app. Only people themselves can, and only without earlier ones. */
export function setTotp(
  path: string,
  name: string,
  { seed, code }: { readonly seed: string; readonly code: string },
  by: Credentials,
): Promise<PeopleChange> {
  if (by.person !== name) throw new PeopleRefusal(`Only ${name} can set up codes. Nothing was changed.`);
  return changePerson(path, name, { change: "codes set up", by, isOwn: true }, (before) => {
    if (before.totp)
      throw new PeopleRefusal(`${name} already has codes: an administrator can remove them with --remove.`);
    const lastStep = findTotpStep(seed, code, Date.now(), -1);
    if (lastStep === undefined) throw new PeopleRefusal("The code is wrong. Nothing was changed.");
    return { ...before, totp: { seed, lastStep } };
  });
}

/** Removes one-time codes, for example of a lost device. Makes open decisions of the person invalid. */
export const removeTotp = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePerson(path, name, { change: "codes removed", by, isOwn: false }, (before) => {
    const { totp: _, ...others } = before;
    return { ...others, epoch: createEpoch() };
  });

/** Creates the token by which the person authenticates as a requester, replacing the previous one. Returns it. */
export async function issueToken(path: string, name: string, by: Credentials): Promise<string> {
  const token = createToken();
  await changePerson(path, name, { change: "token created", by, isOwn: true }, (before) => ({
    ...before,
    token: hashToken(token),
  }));
  return token;
}

/** Deletes the token of a person. Throws a PeopleRefusal if there is none. */
export const revokeToken = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePerson(path, name, { change: "token deleted", by, isOwn: true }, ({ token, ...before }) => {
    if (token === undefined)
      throw new PeopleRefusal(`The people file contains no token of ${name}. Nothing was changed.`);
    return before;
  });

/** Makes a person an administrator of the file, or ends that. */
export const setAdministrator = (
  path: string,
  name: string,
  isAdministrator: boolean,
  by: Credentials,
): Promise<PeopleChange> => {
  const change = isAdministrator ? "made administrator" : "no administrator any more";
  return changePeople(path, name, { change, by, isOwn: false }, (before) => {
    const person = findPerson(before, name);
    if (isAdministrator && person?.secret === undefined)
      throw new PeopleRefusal(`${name} needs a secret to be an administrator. Nothing was changed.`);
    const others = before.administrators.filter((each) => each !== name);
    return { ...before, administrators: isAdministrator ? [...others, name] : others };
  });
};
