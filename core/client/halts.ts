/** Whether a halt is in force, asked each time before a call leaves that changes something. */
import { stat } from "node:fs/promises";
import type { Declaration } from "../declaration/operation";
import type { Secrets } from "../credentials/secrets";
import { FxdeskError, Unavailable } from "../errors";
import type { KeptStore } from "../journal/kept-store";
import type { Halted } from "../store/halt";
import { isPostgres, shownPlace, type StoreSettings } from "../store/settings";

/** The error for a call that does not leave, because a halt is in force. */
export const haltedCall = ({ name }: Declaration, { message }: Halted): FxdeskError =>
  new FxdeskError(`${name}: ${message} Nothing was sent.`, {
    operation: name,
    code: "halted",
    outcome: "not-sent",
  });

export class Halts {
  #kept: Promise<KeptStore> | undefined;
  /** Which file it is: another one may have come in its place. */
  #file: string | undefined;

  constructor(
    private readonly store: StoreSettings,
    private readonly environment: string,
    private readonly secrets: Secrets,
  ) {}

  /** Throws an FxdeskError where a halt is in force, and where nobody can tell. */
  async assertNone(operation: Declaration): Promise<void> {
    try {
      if (!(await this.#isThere())) return;
      const kept = await (this.#kept ??= this.#open());
      const { haltOf, Halted } = await import("../store/halt.js");
      const halt = await kept.read(({ database }) => haltOf(database.run, this.environment));
      if (halt) throw haltedCall(operation, new Halted(halt));
    } catch (error) {
      throw error instanceof FxdeskError ? error : this.#asFailure(operation, error as Error);
    }
  }

  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    await (await kept)?.close();
  }

  /** A file that nobody has made holds no halt. */
  async #isThere(): Promise<boolean> {
    const { place } = this.store;
    if (isPostgres(place)) return true;
    const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    const file = found && `${found.dev} ${found.ino}`;
    if (file !== this.#file) void this.close();
    this.#file = file;
    return file !== undefined;
  }

  async #open(): Promise<KeptStore> {
    const { KeptStore } = await import("../journal/kept-store.js");
    return new KeptStore(this.store);
  }

  #asFailure({ name }: Declaration, error: Error): Error {
    const cause = this.secrets.redactError(error);
    return new Unavailable(
      `${name}: Nobody can tell whether calls are halted: the store, ${shownPlace(this.store.place)}, cannot be used ` +
        `(${cause.message}). Nothing was sent. fxdesk store check looks through it, and FXDESK_STORE says where it is.`,
      { operation: name, code: "unavailable", outcome: "not-sent", retryable: true, cause },
    );
  }
}
