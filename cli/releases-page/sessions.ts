/** Who is signed in, in which browser. It lets them look; each decision asks for the secret once more. */
import { randomBytes } from "node:crypto";
import type { People } from "../../core/releases/people";

interface Session {
  readonly person: string;
  /** The secret as the file had it: whoever gets another one signs in again. */
  readonly secretHash: string;
  lastUsedAt: number;
}

const idleTimeoutMs = 15 * 60_000;
/** The one that was used least lately goes, beyond that. */
const maxSessions = 100;

export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** Returns what the browser keeps. */
  start(person: string, { secrets }: People): string {
    const token = randomBytes(32).toString("base64url");
    this.#sessions.set(token, { person, secretHash: secrets[person]!, lastUsedAt: Date.now() });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions) this.#sessions.delete(oldest!);
    return token;
  }

  /** Whose browser has a token; undefined where nobody's has it any more. */
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
