/** Whether a halt is in force, asked each time before a call leaves that changes something. */
import { stat } from "node:fs/promises";
import type { Declaration } from "../declaration/operation";
import type { Secrets } from "../credentials/secrets";
import { FxdeskError, Unavailable } from "../errors";
import type { StoreSession } from "../journal/store-session";
import type { Halted } from "../store/halt";
import { isPostgres, redactLocation, type StoreSettings } from "../store/settings";

/** The error for a call that does not leave, because a halt is in force. */
export const haltedError = ({ name }: Declaration, { message }: Halted): FxdeskError =>
  new FxdeskError(`${name}: ${message} Nothing was sent.`, {
    operation: name,
    code: "halted",
    outcome: "not-sent",
  });

export class HaltChecker {
  #session: Promise<StoreSession> | undefined;
  /** Which file it is: another one may have come in its place. */
  #file: string | undefined;

  constructor(
    private readonly store: StoreSettings,
    private readonly environment: string,
    private readonly secrets: Secrets,
  ) {}

  /** Throws an FxdeskError where a halt is in force, and where nobody can tell. */
  async assertNotHalted(operation: Declaration): Promise<void> {
    try {
      if (!(await this.#storeExists())) return;
      const session = await (this.#session ??= this.#openSession());
      const { findHalt, Halted } = await import("../store/halt.js");
      const halt = await session.use(({ database }) => findHalt(database.run, this.environment));
      if (halt) throw haltedError(operation, new Halted(halt));
    } catch (error) {
      throw error instanceof FxdeskError ? error : this.#toError(operation, error as Error);
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await (await session)?.close();
  }

  /** A file that nobody has made holds no halt. */
  async #storeExists(): Promise<boolean> {
    const { location } = this.store;
    if (isPostgres(location)) return true;
    const found = await stat(location).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    const file = found && `${found.dev} ${found.ino}`;
    if (file !== this.#file) void this.close();
    this.#file = file;
    return file !== undefined;
  }

  async #openSession(): Promise<StoreSession> {
    const { StoreSession } = await import("../journal/store-session.js");
    return new StoreSession(this.store);
  }

  #toError({ name }: Declaration, error: Error): Error {
    const cause = this.secrets.redactError(error);
    return new Unavailable(
      `${name}: Nobody can tell whether calls are halted: the store, ${redactLocation(this.store.location)}, cannot be used ` +
        `(${cause.message}). Nothing was sent. fxdesk store check looks through it, and FXDESK_STORE says where it is.`,
      { operation: name, code: "unavailable", outcome: "not-sent", retryable: true, cause },
    );
  }
}
