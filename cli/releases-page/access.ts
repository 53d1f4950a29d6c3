/** Access to the releases page: browser sessions, guesses of secrets, and requests from elsewhere. */
import { randomBytes } from "node:crypto";
import { WrongSecret } from "../../core/people/authenticate";
import { findActivePerson, type People } from "../../core/people/people-file";
import type { IncomingMessage } from "node:http";

interface Session {
  readonly person: string;
  /** Epoch of the person at sign-in: a changed secret or a lock ends the session. */
  readonly epoch: string;
  readonly startedAt: number;
  readonly lastUsedAt: number;
}

const idleTimeoutMs = 15 * 60_000;
const maxSessionMs = 8 * 60 * 60_000;
/** Upper bound; the least recently used session is dropped. */
const maxSessions = 100;

/** Browser sessions. They only allow reading; each decision requires the secret again. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** Starts a session and returns its token for the cookie. */
  start(person: string, people: People): string {
    const token = randomBytes(32).toString("base64url");
    const now = Date.now();
    const { epoch } = findActivePerson(people, person)!;
    this.#sessions.set(token, { person, epoch, startedAt: now, lastUsedAt: now });
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
    if (
      now - lastUsedAt > idleTimeoutMs ||
      now - startedAt > maxSessionMs ||
      findActivePerson(people, person)?.epoch !== epoch
    )
      return undefined;
    this.#sessions.set(token, { ...session, lastUsedAt: now });
    return person;
  }

  end(token: string): void {
    this.#sessions.delete(token);
  }
}

const [maxFailures, lockoutMs] = [5, 60_000] as const;
/** Upper bound, because each attempt costs 0.1 seconds and 64 MB. */
const maxQueued = 10;
/** Upper bound of remembered names; the oldest is dropped. */
const maxNames = 1_000;

/** Thrown if a name is locked or the queue is full. No secret was checked. */
export class TooManyAttempts extends Error {
  override readonly name = "TooManyAttempts";
  constructor() {
    super("Too many failed attempts. Try again in one minute; no decision was recorded.");
  }
}

interface FailedAttempts {
  readonly count: number;
  readonly at: number;
}

/** Slows down guessing of secrets: attempts run one at a time, and a name is locked after several failures. */
export class LoginThrottle {
  readonly #failures = new Map<string, FailedAttempts>();
  #queueTail: Promise<unknown> = Promise.resolve();
  #queuedCount = 0;

  /** Runs `work`, which throws WrongSecret for a wrong secret of a name. Throws TooManyAttempts after several. */
  async attempt<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#queuedCount >= maxQueued) throw new TooManyAttempts();
    this.#queuedCount += 1;
    const attempt = this.#queueTail.then(() => this.#runAttempt(name, work));
    this.#queueTail = attempt.catch(() => undefined);
    try {
      return await attempt;
    } finally {
      this.#queuedCount -= 1;
    }
  }

  async #runAttempt<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#failures.get(name);
    const isFresh = before !== undefined && Date.now() - before.at < lockoutMs;
    if (isFresh && before.count >= maxFailures) throw new TooManyAttempts();
    try {
      const result = await work();
      this.#failures.delete(name);
      return result;
    } catch (error) {
      if (error instanceof WrongSecret) this.#recordFailure(name, isFresh ? before.count + 1 : 1);
      throw error;
    }
  }

  #recordFailure(name: string, count: number): void {
    this.#failures.delete(name);
    this.#failures.set(name, { count, at: Date.now() });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxNames) this.#failures.delete(oldest!);
  }
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
