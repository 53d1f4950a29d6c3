/** Makes changes of the people file: each by an authenticated person, logged, and by two administrators if the policy asks for it. */
import { localOrigin, type Origin } from "./attempts";
import { assertSamePerson, authenticate, type Credentials, PeopleRefusal } from "./authenticate";
import { applyEdits, editsBetween, openChanges, type PendingChange, pendingNow } from "./pending-change";
import { findActivePerson, findPerson, type People, type Person, updatePeople } from "./people-file";

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
  /** The second administrator, if two had to agree. */
  readonly confirmedBy?: string;
  /** Mail address of the person before the change. */
  readonly address: string | undefined;
  /** The change as it waits for a second administrator. Nothing has changed yet. */
  readonly pending?: PendingChange;
}

export interface ChangeRequest {
  readonly change: string;
  readonly by: ChangedBy;
  /** True if people may make this change for themselves. */
  readonly isOwn: boolean;
  /** Where the secret was given. Default: the command line. */
  readonly origin?: Origin;
  /** True if the change ends access, for which one administrator is always enough. */
  readonly endsAccess?: boolean;
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

/** Returns the administrators who can act at present. */
export const ableAdministrators = (people: People): readonly string[] =>
  people.administrators.filter((name) => findActivePerson(people, name)?.secret !== undefined);

/** Throws a PeopleRefusal if fewer administrators are left than `needed`, and fewer than before. */
function assertAdministered(before: People, after: People, needed: number): void {
  const left = ableAdministrators(after).length;
  if (left < needed && left < ableAdministrators(before).length)
    throw new PeopleRefusal(
      needed === 1
        ? "The last administrator must stay: name another one first. Nothing was changed."
        : `The approved policy needs ${needed} administrators: name another one first. Nothing was changed.`,
    );
}

/** Returns the number of administrators who must agree. A policy is replaced as the one before it asks. */
function requiredPeople(
  before: People,
  after: People,
  person: string,
  { by, isOwn, endsAccess = false }: ChangeRequest,
): number {
  if (by === byRoot || endsAccess || (isOwn && by.person === person)) return 1;
  const { people, policy } = (before.policy ?? after.policy)?.administration ?? { people: 1, policy: 1 };
  return before.policy === after.policy ? people : policy;
}

export const appendLog = (
  people: People,
  { person, change, by, confirmedBy, at }: Omit<PeopleChange, "address">,
): People => ({
  ...people,
  log: [...people.log, { at, change, person, by, ...(confirmedBy !== undefined && { confirmedBy }) }].slice(
    -maxLogged,
  ),
});

export const changeNow = (people: People, person: string, change: string, by: string): PeopleChange => ({
  person,
  change,
  by,
  at: new Date(Date.now()).toISOString(),
  address: findPerson(people, person)?.address,
});

/** Authenticates, and updates the file under its lock. Throws a PeopleRefusal if the person was changed in between. */
async function updateAs(
  path: string,
  { by, origin = localOrigin("cli") }: Pick<ChangeRequest, "by" | "origin">,
  update: (before: People) => readonly [People, PeopleChange],
): Promise<PeopleChange> {
  const confirmed = by === byRoot ? undefined : (await authenticate(path, by, origin)).people;
  let made: PeopleChange;
  await updatePeople(path, (before) => {
    // The secret was checked before the lock was taken.
    if (by !== byRoot) assertSamePerson(by.person, confirmed!, before);
    const open = { ...before, pending: openChanges(before.pending, Date.now()) };
    const [after, change] = update(open);
    made = change;
    return after;
  });
  return made!;
}

/** Changes the file if the person may, or records the change if a second administrator must agree. Throws a PeopleRefusal or a TypeError. */
export const changePeople = (
  path: string,
  person: string,
  request: ChangeRequest,
  change: (before: People) => People,
): Promise<PeopleChange> =>
  updateAs(path, request, (before) => {
    assertMayChange(before, person, request);
    const made = changeNow(before, person, request.change, nameOf(request.by));
    const after = change(before);
    const needed = requiredPeople(before, after, person, request);
    assertAdministered(before, after, needed);
    if (needed === 1) return [appendLog(after, made), made];
    const edits = editsBetween(before, after);
    const { epoch } = findPerson(before, made.by)!;
    const { by, at } = made;
    const pending = { ...pendingNow(Date.parse(at)), change: made.change, person, by, epoch, edits };
    const waiting = { ...before, pending: [...before.pending, pending] };
    const requested = { ...made, change: `${made.change}: waits as ${pending.id}` };
    return [appendLog(waiting, requested), { ...made, pending }];
  });

function findPending({ pending }: People, id: string): PendingChange {
  const found = pending.find((each) => each.id === id);
  if (!found)
    throw new PeopleRefusal(
      `No change waits as ${id}: it was confirmed or discarded, or its time is over. Nothing was changed.`,
    );
  return found;
}

const withoutPending = (people: People, { id }: PendingChange): People => ({
  ...people,
  pending: people.pending.filter((each) => each.id !== id),
});

/** Throws a PeopleRefusal unless this administrator may confirm the change of another one. */
function assertMayConfirm(people: People, { id, by: first, epoch, person }: PendingChange, by: ChangedBy) {
  const isPresent = ableAdministrators(people).includes(first) && findPerson(people, first)!.epoch === epoch;
  if (!isPresent)
    throw new PeopleRefusal(
      `${first}, who requested ${id}, was changed since. Discard it and request again.`,
    );
  if (by !== byRoot) {
    assertMayChange(people, person, { change: "", by, isOwn: false });
    if (by.person === first)
      throw new PeopleRefusal(`${first} requested ${id}: another administrator must confirm it.`);
  } else if (process.geteuid?.() !== 0 || ableAdministrators(people).length > 1)
    throw new PeopleRefusal(
      "Only root can confirm without another administrator, and only while there is none.",
    );
}

/** Makes a change that waits for a second administrator. Throws a PeopleRefusal if it cannot be made any more. */
export const confirmChange = (path: string, id: string, by: ChangedBy): Promise<PeopleChange> =>
  updateAs(path, { by }, (before) => {
    const pending = findPending(before, id);
    assertMayConfirm(before, pending, by);
    const changed = applyEdits(before, pending.edits);
    if (!changed)
      throw new PeopleRefusal(
        `${id} is out of date, because the same entry was changed after it was requested. Nothing was changed. Discard it and request again.`,
      );
    const { change, person, by: first } = pending;
    assertAdministered(before, changed, before.policy?.administration.people ?? 1);
    const made = { ...changeNow(before, person, change, first), confirmedBy: nameOf(by) };
    return [appendLog(withoutPending(changed, pending), made), made];
  });

/** Deletes a change that waits for a second administrator. */
export const discardChange = (path: string, id: string, by: Credentials): Promise<PeopleChange> =>
  updateAs(path, { by }, (before) => {
    const pending = findPending(before, id);
    const { change, person } = pending;
    assertMayChange(before, person, { change, by, isOwn: false });
    const made = changeNow(before, person, `${change}: ${id} discarded`, by.person);
    return [appendLog(withoutPending(before, pending), made), made];
  });

/** Changes one person. `change` returns undefined to remove them. */
export const changePerson = (
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
