/** Browser sessions. They only allow reading; each decision requires the secret again. */
import { randomBytes } from "node:crypto";
import type { People } from "../../core/releases/people";

interface Session {
  readonly person: string;
  /** Hash in the people file at sign-in: a changed secret ends the session. */
  readonly secretHash: string;
  lastUsedAt: number;
}

const idleTimeoutMs = 15 * 60_000;
/** Upper bound; the least recently used session is dropped. */
const maxSessions = 100;

export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** Starts a session and returns its token for the cookie. */
  start(person: string, { secrets }: People): string {
    const token = randomBytes(32).toString("base64url");
    this.#sessions.set(token, { person, secretHash: secrets[person]!, lastUsedAt: Date.now() });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions) this.#sessions.delete(oldest!);
    return token;
  }

  /** Returns the person of a session and renews it; undefined if it expired or the secret was changed. */
  personOf(token: string, { secrets }: People): string | undefined {
    const session = this.#sessions.get(token);
    if (!session) return undefined;
    this.#sessions.delete(token);
    const { person, secretHash, lastUsedAt } = session;
    if (
      Date.now() - lastUsedAt > idleTimeoutMs ||
      !Object.hasOwn(secrets, person) ||
      secrets[person] !== secretHash
    )
      return undefined;
    this.#sessions.set(token, { ...session, lastUsedAt: Date.now() });
    return person;
  }

  end(token: string): void {
    this.#sessions.delete(token);
  }
}
