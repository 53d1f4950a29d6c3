/** Changes of the people file. Each throws a PeopleRefusal or a TypeError if it is not made. */
import type { Origin } from "./attempts";
import { type Credentials, PeopleRefusal } from "./authenticate";
import {
  ableAdministrators,
  appendLog,
  byRoot,
  type ChangedBy,
  changeNow,
  changePeople,
  changePerson,
  type PeopleChange,
} from "./change-people";
import { findLookAlike, PersonName } from "./name";
import {
  createEpoch,
  findPerson,
  MailAddress,
  namesOf,
  type People,
  type Person,
  updatePeople,
} from "./people-file";
import { type PasskeyResponse, readNewPasskey } from "./passkey";
import { hashSecret } from "./secret";
import { createToken, hashToken } from "./token";
import { findTotpStep } from "./totp";

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
      return appendLog(after, changeNow(before, name, "added", name));
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
  changePerson(path, name, { change: "locked", by, isOwn: true, endsAccess: true }, (before) => ({
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
    // Otherwise a stolen secret would be enough to set up codes.
    if (before.passkeys)
      throw new PeopleRefusal(
        `${name} already has passkeys: an administrator can remove them with \`fxdesk people passkey ${name} --remove\`.`,
      );
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

/**
 * Adds a passkey. Only people themselves can, with a second factor if they have one: a stolen secret alone adds none. Throws a
 * PeopleRefusal if the response of the browser is invalid.
 */
export async function addPasskey(
  path: string,
  response: PasskeyResponse,
  by: Credentials,
  origin: Origin,
): Promise<PeopleChange> {
  const passkey = await readNewPasskey(response);
  const request = { change: "passkey added", by, isOwn: true, origin };
  return changePerson(path, by.person, request, (before) => {
    const { totp, passkeys = [] } = before;
    if ((totp ?? passkeys[0]) && by.code === undefined && by.passkey === undefined)
      throw new PeopleRefusal(
        `${by.person} needs a code or an earlier passkey to add one. Nothing was changed.`,
      );
    if (!passkey || passkeys.some(({ id }) => id === passkey.id))
      throw new PeopleRefusal("The response of the browser is invalid. Nothing was changed: try again.");
    return { ...before, passkeys: [...passkeys, passkey] };
  });
}

/** Removes all passkeys, for example of a lost device. Makes open decisions of the person invalid. */
export const removePasskeys = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePerson(path, name, { change: "passkeys removed", by, isOwn: false }, (before) => {
    const { passkeys: _, ...others } = before;
    return { ...others, epoch: createEpoch() };
  });

/** Creates the token by which the person authenticates as a requester, replacing the previous one. */
export async function issueToken(
  path: string,
  name: string,
  by: Credentials,
): Promise<PeopleChange & { readonly token: string }> {
  const token = createToken();
  const change = await changePerson(path, name, { change: "token created", by, isOwn: true }, (before) => ({
    ...before,
    token: hashToken(token),
  }));
  return { ...change, token };
}

/** Deletes the token of a person. Throws a PeopleRefusal if there is none. */
export const revokeToken = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePerson(
    path,
    name,
    { change: "token deleted", by, isOwn: true, endsAccess: true },
    ({ token, ...before }) => {
      if (token === undefined)
        throw new PeopleRefusal(`The people file contains no token of ${name}. Nothing was changed.`);
      return before;
    },
  );

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

/** Approves a policy, after which every other one is refused. */
export const approvePolicy = (
  path: string,
  policy: NonNullable<People["policy"]>,
  by: Credentials,
): Promise<PeopleChange> => {
  const request = { change: `policy ${policy.hash.slice(0, 16)} approved`, by, isOwn: false };
  return changePeople(path, by.person, request, (before) => {
    const needed = Math.max(policy.administration.people, policy.administration.policy);
    if (ableAdministrators(before).length < needed)
      throw new PeopleRefusal(
        `The policy needs ${needed} administrators with a secret: name another one first. Nothing was changed.`,
      );
    return { ...before, policy };
  });
};
