/** Sandbox: simulates the account, trade and payment service on the local machine. */
import { contract, type Service } from "@fxdesk/toolkit/operations";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { assemble } from "./assemble";
import type { AnyBehaviour } from "./calls/behaviour";
import { type ControlPlane, controlPlane } from "./control/control-plane";
import { type Demo, demoOf } from "./session/demo";
import { extensionModule } from "./extensions";
import { type SavedSandbox, saveState, parseSavedState } from "./session/saved-sandbox";
import { type MailDelivery, type Mail, checkMailDelivery } from "./world/model/outbox";
import type { WorldSetup, LoggedRequest, SandboxState } from "./session/sandbox-state";
import type { StartFork } from "./session/sandbox-session";
import { readWorld } from "./world/seed/world-file";
import { settingsFromDescription } from "./world/seed/seed-from-description";
import { type Settings, resolveSettings, defaultSettings } from "./world/model/settings";
import { copyState } from "./session/state-serialization";

export type { AnyBehaviour, Behaviour, Call } from "./calls/behaviour";
export type { Result } from "./calls/behaviour";
export type { ControlPlane } from "./control/control-plane";
export { controls } from "./control/controls";
export type { Mail } from "./world/model/outbox";
export { HttpError } from "./http/http-error";
export { includedWorlds, WorldFileError, worldSchema } from "./world/seed/world-file";
export type { SavedSandbox } from "./session/saved-sandbox";
export { SavedSandboxError } from "./session/saved-sandbox";
export type { LoggedRequest } from "./session/sandbox-state";
export { demo } from "./world/parties/parties";

export interface SandboxOptions extends Partial<Settings> {
  /** Defaults to any free port. */
  readonly port?: number;
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Seed of all identifiers, amounts and names. */
  readonly seed?: string;
  /**
   * Start of the sandbox's time, in the years 2000 to 2069. The clock then advances 0.1 s per request. Defaults to the
   * machine's clock.
   */
  readonly now?: Date;
  /** Days of past business, 1 to 365. Defaults to 365; fewer start faster. */
  readonly daysBehind?: number;
  /**
   * World to simulate: the path of a YAML file, or one of the included worlds "exporter", "group" and "empty". Other
   * options take precedence over the file. Defaults to the demo company.
   */
  readonly world?: string;
  /** Service to simulate. Defaults to the contract. */
  readonly service?: Service;
  /** Handlers of custom operations, by operation name. */
  readonly behaviours?: Readonly<Record<string, AnyBehaviour>>;
  /** Folder for files; e-mails are written to its subfolder `outbox`. Without it, e-mails stay in memory. */
  readonly dataDir?: string;
  /** Mail server to send e-mails to, as smtp://user:password@host:port. */
  readonly smtpUrl?: string;
  /**
   * State saved by another sandbox. It includes seed, time, world and settings, so those options cannot be combined
   * with it.
   */
  readonly saved?: SavedSandbox;
}

/** Address and e-mail delivery of a fork. */
export type ForkOptions = Pick<SandboxOptions, "port" | "host" | "dataDir" | "smtpUrl">;

export interface Sandbox {
  readonly baseUrl: string;
  /** URL of the open-banking interfaces: the same origin, with paths under /v1/. */
  readonly xs2aUrl: string;
  /** The demo company's credentials by setting, including those of a custom service. They do not depend on the seed. */
  readonly demo: Demo;
  /** Module that declares the sandbox's own operations for clients, and the values for FXDESK_EXTENSION_EFFECTS. */
  readonly extension: { readonly path: string; readonly effects: readonly string[] };
  /** The last 1,000 requests, in the order of their responses. */
  readonly requests: readonly LoggedRequest[];
  /** E-mails in the outbox, whether delivered or not. */
  readonly mails: readonly Mail[];
  /**
   * Makes the next calls of an operation respond with a documented status. Throws a TypeError if the status is not
   * documented.
   */
  force(operation: string, status: number, options?: { readonly times?: number }): void;
  /** Controls of the sandbox, as under /_sandbox/. */
  readonly control: ControlPlane;
  /** Moves the sandbox's time forward and runs all events due by then. Throws a RangeError beyond the year 2069. */
  advance(milliseconds: number): void;
  /** Returns the complete state as JSON: world, time, log and faults. Requests in flight are not included. */
  save(): SavedSandbox;
  /** Starts a second sandbox from a copy of the current state. Its e-mails stay in memory by default. */
  fork(options?: ForkOptions): Promise<Sandbox>;
  close(): Promise<void>;
}

/** Drops undefined options, because callers may pass them explicitly. */
const definedOptions = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Combines the world file and the options. Options take precedence. */
function worldSetupFrom(options: SandboxOptions): WorldSetup {
  const { world, seed, now, daysBehind } = options;
  if (world === undefined)
    return { seed: seed ?? "fxdesk", now, settings: resolveSettings(options), daysBehind };
  const file = readWorld(world);
  const description = { ...file, days_behind: daysBehind ?? file.days_behind };
  return {
    seed: seed ?? file.seed ?? "fxdesk",
    now: now ?? (file.now === undefined ? undefined : new Date(file.now)),
    settings: resolveSettings({ ...settingsFromDescription(file), ...options }),
    description,
  };
}

/** Options that a saved sandbox determines. */
const worldOptions = [
  "seed",
  "now",
  "daysBehind",
  "world",
  ...(Object.keys(defaultSettings) as (keyof Settings)[]),
] as const;

/** Returns the saved state, or else the setup of a new world. */
function resolveStart(options: SandboxOptions): WorldSetup | SandboxState {
  if (options.saved === undefined) return worldSetupFrom(options);
  const other = worldOptions.find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new RangeError(`${other} cannot be combined with saved: the saved sandbox determines ${other}.`);
  return parseSavedState(options.saved);
}

async function prepareMailDelivery({ dataDir, smtpUrl }: SandboxOptions): Promise<MailDelivery> {
  const delivery = { folder: dataDir === undefined ? undefined : resolve(dataDir, "outbox"), smtpUrl };
  await checkMailDelivery(delivery);
  return delivery;
}

/** Starts a sandbox from a state and takes ownership of it. */
async function startSandboxFrom(start: WorldSetup | SandboxState, options: SandboxOptions): Promise<Sandbox> {
  const { port = 0, host = "127.0.0.1", service = contract, behaviours } = options;
  const delivery = await prepareMailDelivery(options);
  const sharedOptions = { service, ...(behaviours && { behaviours }) };
  const forks: Sandbox[] = [];
  const fork: StartFork = async (state, forkPort) => {
    const forkedSandbox = await startSandboxFrom(state, { ...sharedOptions, host, port: forkPort });
    forks.push(forkedSandbox);
    return forkedSandbox.baseUrl;
  };
  const { app, session } = assemble({ ...sharedOptions, start, delivery, fork });
  await app.listen({ port, host });
  const { port: boundPort } = app.server.address() as AddressInfo;
  const baseUrl = `http://${host.includes(":") ? `[${host}]` : host}:${boundPort}`;
  return {
    baseUrl,
    xs2aUrl: baseUrl,
    get demo() {
      return demoOf(service, session.world);
    },
    extension: extensionModule,
    requests: session.requests,
    get mails() {
      return session.world.outbox.mails;
    },
    force: (operation, status, { times = 1 } = {}) => {
      session.faults.add(operation, { kind: "status", status }, times);
      session.undoHistory.markChanged();
    },
    advance: (milliseconds) => {
      const { world } = session;
      world.clock.advance(milliseconds);
      world.runDueEvents();
    },
    control: controlPlane(session),
    save: () => saveState(session.state),
    fork: (place = {}) => startSandboxFrom(copyState(session.state), { ...sharedOptions, ...place }),
    close: async () => {
      for (const forkedSandbox of forks) await forkedSandbox.close();
      await app.close();
    },
  };
}

/**
 * Starts a sandbox with a new world or a saved state; it listens until it is closed. Rejects with a RangeError for an
 * invalid option, a WorldFileError for an invalid world file, and a SavedSandboxError for an unreadable saved state.
 */
export async function startSandbox(allOptions: SandboxOptions = {}): Promise<Sandbox> {
  const options = definedOptions(allOptions);
  return startSandboxFrom(resolveStart(options), options);
}
