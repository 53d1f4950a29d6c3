/** Administration of service keys. */
import { assertName, assertNewName } from "./administration";
import { type Credentials, PeopleRefusal } from "./authenticate";
import { changePeople, type PeopleChange } from "./change-people";
import { findServiceKey } from "./people-file";
import { formatServiceKey, KeyScope } from "./service-key";
import { createToken, hashToken } from "./token";

/**
 * Adds a program to the file and creates its key, of which the file has only the hash. Throws a PeopleRefusal if the name is
 * taken or a scope is invalid.
 */
export async function issueServiceKey(
  path: string,
  name: string,
  scope: KeyScope,
  by: Credentials,
): Promise<PeopleChange & { readonly key: string }> {
  assertName(name);
  const { data, error } = KeyScope.safeParse(scope);
  if (!data) {
    const { path: field, message } = error.issues[0]!;
    throw new PeopleRefusal(`The scope is invalid: ${field.join(".")} ${message}. Nothing was changed.`);
  }
  const key = formatServiceKey(name, createToken());
  const change = await changePeople(
    path,
    name,
    { change: "service key issued", by, isOwn: false },
    (before) => {
      assertNewName(before, name);
      return { ...before, keys: { ...before.keys, [name]: { ...data, hash: hashToken(key) } } };
    },
  );
  return { ...change, key };
}

/** Deletes a key: it sends nothing any more, nor do its open requests. Throws a PeopleRefusal if there is none. */
export const revokeServiceKey = (path: string, name: string, by: Credentials): Promise<PeopleChange> =>
  changePeople(
    path,
    name,
    { change: "service key revoked", by, isOwn: false, endsAccess: true },
    (before) => {
      if (!findServiceKey(before, name))
        throw new PeopleRefusal(`The people file contains no service key ${name}. Nothing was changed.`);
      const { [name]: _, ...keys } = before.keys;
      return { ...before, keys };
    },
  );
