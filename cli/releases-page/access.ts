/** Access to the releases page: browser sessions, guesses of secrets, and requests from elsewhere. */
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { findActivePerson, type People } from "../../core/people/people-file";
import type { IncomingMessage } from "node:http";

interface Session {
  readonly person: string;
  /** Epoch of the person at sign-in: a changed secret or a lock ends the session. */
  readonly epoch: string;
  readonly startedAt: number;
  readonly lastUsedAt: number;
  /** Wrong secrets given in this session. */
  readonly failures: number;
}

const idleTimeoutMs = 15 * 60_000;
const maxSessionMs = 8 * 60 * 60_000;
/** Upper bound; the least recently used session is dropped. */
const maxSessions = 100;

const maxFailures = 5;

/** Browser sessions. They only allow reading; each decision requires the secret again. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** Starts a session and returns its token for the cookie. */
  start(person: string, people: People): string {
    const token = randomBytes(32).toString("base64url");
    const now = Date.now();
    const { epoch } = findActivePerson(people, person)!;
    this.#sessions.set(token, { person, epoch, startedAt: now, lastUsedAt: now, failures: 0 });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions) this.#sessions.delete(oldest!);
    return token;
  }

  /** Returns the person of a session and renews it; undefined if it expired, or the secret was changed or the person locked. */
  personOf(token: string, people: People): string | undefined {
    const session = this.#sessions.get(token);
    if (!session) return undefined;
    this.#sessions.delete(token);
    const { person, epoch, startedAt, lastUsedAt } = session;
    const now = Date.now();
    // A clock that goes back prolongs no session.
    if (
      Math.abs(now - lastUsedAt) > idleTimeoutMs ||
      Math.abs(now - startedAt) > maxSessionMs ||
      findActivePerson(people, person)?.epoch !== epoch
    )
      return undefined;
    this.#sessions.set(token, { ...session, lastUsedAt: now });
    return person;
  }

  /** Counts a wrong secret. The last one that is allowed ends the session: its browser may be in the wrong hands. */
  reportFailure(token: string): void {
    const session = this.#sessions.get(token);
    if (!session) return;
    const failures = session.failures + 1;
    if (failures < maxFailures) this.#sessions.set(token, { ...session, failures });
    else this.end(token);
  }

  end(token: string): void {
    this.#sessions.delete(token);
  }
}

/** Returns the network address of a browser. A proxy appends the address to the header that it forwards. */
export function addressOf({ headers, socket }: IncomingMessage, behindProxy: boolean): string {
  const forwarded = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)!
    .trim();
  return behindProxy && isIP(forwarded) > 0 ? forwarded : (socket.remoteAddress ?? "unknown");
}

/** True for a form that was not sent by a page of this server, as the browser says. The Origin itself was checked. */
export const isForeignForm = ({ method, headers }: IncomingMessage): boolean =>
  method === "POST" &&
  (headers.origin === undefined || (headers["sec-fetch-site"] ?? "same-origin") !== "same-origin");

const isSecure = (origin: string): boolean => origin.startsWith("https:");

/**
 * Browsers send cookies to all ports of a host, so the name has the port. Its prefix __Host- binds the cookie to one host and
 * to https.
 */
function cookieNameFor(origin: string): string {
  const { port } = new URL(origin);
  return isSecure(origin) ? `__Host-fxdesk-releases-${port || 443}` : `fxdesk-releases-${port || 80}`;
}

/** Returns the Set-Cookie header of a session of the page at `origin`. */
export const sessionCookie = (origin: string, token: string): string =>
  `${cookieNameFor(origin)}=${token}; Path=/; HttpOnly; SameSite=Strict${isSecure(origin) ? "; Secure" : ""}`;

/** Returns the Set-Cookie header that deletes the cookie of a session. */
export const endedCookie = (origin: string): string => `${sessionCookie(origin, "")}; Max-Age=0`;

/** Returns the session tokens of a request. Servers on other ports may have set cookies of the same name. */
export function sessionTokensOf(
  { headers: { cookie = "" } }: IncomingMessage,
  origin: string,
): readonly string[] {
  const name = `${cookieNameFor(origin)}=`;
  return cookie
    .split(/; */)
    .filter((each) => each.startsWith(name))
    .map((each) => each.slice(name.length));
}
