/** Checks for a halt before each call that changes something is sent. */
import { stat } from "node:fs/promises";
import type { Declaration } from "../spec/operation";
import type { Secrets } from "../http/secrets";
import { createError, FxdeskError } from "../spec/errors";
import { type Middleware, withBeforeWrite } from "./middleware";
import type { StoreSession } from "../store/session";
import type { Halted } from "../store/halt";
import { isPostgres, redactLocation, type StoreSettings } from "../store/settings";

/** Returns the error for a call that was stopped by a halt. */
export const haltedError = ({ name }: Declaration, { message }: Halted): FxdeskError =>
  createError(name, "halted", "not-sent", `${name}: ${message} Nothing was sent.`);

export class HaltChecker {
  #session: Promise<StoreSession> | undefined;
  /** Device and inode of the store file, to detect that it was replaced. */
  #file: string | undefined;

  constructor(
    private readonly store: StoreSettings,
    private readonly environment: string,
    private readonly secrets: Secrets,
  ) {}

  /** Throws an FxdeskError if a halt is in force, or if the store cannot be read. */
  async assertNotHalted(operation: Declaration): Promise<void> {
    try {
      if (!(await this.#storeExists())) return;
      const session = await (this.#session ??= this.#openSession());
      const { findHalt, Halted } = await import("../store/halt.js");
      const halt = await session.use((store) => findHalt(store, this.environment));
      if (halt) throw haltedError(operation, new Halted(halt));
    } catch (error) {
      throw error instanceof FxdeskError ? error : this.#toError(operation, error as Error);
    }
  }

  /** Middleware: stops a change while a halt is in force. Money calls are checked by the journal. */
  readonly stopIfHalted: Middleware = (request, next) => {
    const { operation } = request.call;
    return next(
      operation.effect === "change"
        ? withBeforeWrite(request, () => this.assertNotHalted(operation))
        : request,
    );
  };

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await (await session)?.close();
  }

  /** A store file that does not exist contains no halt, and is not created by the check. */
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
    const { StoreSession } = await import("../store/session.js");
    return new StoreSession(this.store);
  }

  #toError({ name }: Declaration, error: Error): Error {
    const cause = this.secrets.redactError(error);
    return createError(
      name,
      "unavailable",
      "not-sent",
      `${name}: Halts could not be checked: the store ${redactLocation(this.store.location)} cannot be used ` +
        `(${cause.message}). Nothing was sent. Check the store with \`fxdesk store check\`; FXDESK_STORE sets its location.`,
      { retryable: true, cause },
    );
  }
}
