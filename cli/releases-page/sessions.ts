/** Who is signed in, in which browser. It lets them look; each decision asks for the secret once more. */
import { randomBytes } from "node:crypto";
import type { People } from "../../core/releases/people";

interface Session {
  readonly person: string;
  /** The secret as the file had it: whoever gets another one signs in again. */
  readonly kept: string;
  lastAt: number;
}

const idleMs = 15 * 60_000;
/** The one that was used least lately goes, beyond that. */
const most = 100;

export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** Returns what the browser keeps. */
  begin(person: string, { secrets }: People): string {
    const token = randomBytes(32).toString("base64url");
    this.#sessions.set(token, { person, kept: secrets[person]!, lastAt: Date.now() });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > most) this.#sessions.delete(oldest!);
    return token;
  }

  /** Whose browser has a token; undefined where nobody's has it any more. */
  personOf(token: string, { secrets }: People): string | undefined {
    const session = this.#sessions.get(token);
    if (!session) return undefined;
    this.#sessions.delete(token);
    const { person, kept, lastAt } = session;
    if (Date.now() - lastAt > idleMs || !Object.hasOwn(secrets, person) || secrets[person] !== kept)
      return undefined;
    this.#sessions.set(token, { ...session, lastAt: Date.now() });
    return person;
  }

  end(token: string): void {
    this.#sessions.delete(token);
  }
}
