/** Who requests. Only this module creates requesters, so that no caller can give a name as text. */
import { userInfo } from "node:os";
import { findActivePerson, findPerson, findServiceKey, type People } from "./people-file";
import { parseServiceKey } from "./service-key";
import { equalHashes, findTokenHolder, hashToken } from "./token";

/** An authenticated requester: a program, the holder of a token, or the user of the operating system. */
export class Requester {
  private constructor(
    readonly name: string,
    /** Hash of the service key, which the people file confirms. */
    readonly keyHash?: string,
    /** Epoch of the person when they authenticated with a token. */
    readonly epoch?: string,
  ) {}

  /** Throws a TypeError if the text is no service key. */
  static ofServiceKey(serviceKey: string): Requester {
    return new Requester(parseServiceKey(serviceKey), hashToken(serviceKey));
  }

  /** Returns undefined if the token is unknown or its holder is locked. */
  static ofToken(people: People, token: string): Requester | undefined {
    const holder = findTokenHolder(people, token);
    return holder === undefined ? undefined : Requester.ofLogin(people, holder);
  }

  /** Returns undefined if the person is unknown or locked. The name must come from a verified token. */
  static ofLogin(people: People, name: string): Requester | undefined {
    const person = findActivePerson(people, name);
    return person && new Requester(name, undefined, person.epoch);
  }

  /** Returns the user of this process; undefined if the operating system knows no name. */
  static ofProcess(): Requester | undefined {
    try {
      return new Requester(userInfo().username);
    } catch {
      return undefined;
    }
  }
}

/** Returns why the people file does not confirm a requester, or undefined. */
export function findRequesterProblem(
  people: People,
  { name, keyHash, epoch }: Requester,
): string | undefined {
  const serviceKey = findServiceKey(people, name);
  if (keyHash !== undefined)
    return serviceKey && equalHashes(serviceKey.hash, keyHash)
      ? undefined
      : `The service key of ${name} is unknown or was revoked.`;
  if (serviceKey) return `${name} is the name of a service key: set FXDESK_SERVICE_KEY to it.`;
  const person = findPerson(people, name);
  if (person?.lockedSince !== undefined) return `${name} is locked.`;
  return epoch === undefined || person?.epoch === epoch
    ? undefined
    : `${name} was removed, or got another secret: authenticate again.`;
}
