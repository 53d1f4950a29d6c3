/** The sandbox: the account, trade and payment service, played on this machine. */
import { contract, type Service } from "@fxdesk/toolkit/operations";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { assemble } from "./assemble";
import type { AnyBehaviour } from "./behaviour";
import { type ControlPlane, controlPlane } from "./control";
import { type Demo, demoOf } from "./demo";
import { extensionModule } from "./extensions";
import { type SavedSandbox, saveState, parseSavedState } from "./saved-sandbox";
import { type MailDelivery, type Mail, checkMailDelivery } from "./world/outbox";
import type { WorldSetup, LoggedRequest, SandboxState } from "./sandbox-state";
import type { StartFork } from "./sandbox-session";
import { readWorld } from "./world-file";
import { settingsFromDescription } from "./world/seed/seed-from-description";
import { type Settings, resolveSettings, defaultSettings } from "./world/settings";
import { copyState } from "./world/state-serialization";

export type { AnyBehaviour, Behaviour, Call } from "./behaviour";
export type { Result } from "./result";
export { controls, type ControlPlane } from "./control";
export type { Mail } from "./world/outbox";
export { HttpError } from "./http-error";
export { includedWorlds, WorldFileError, worldSchema } from "./world-file";
export type { SavedSandbox } from "./saved-sandbox";
export { SavedSandboxError } from "./saved-sandbox-error";
export type { LoggedRequest } from "./sandbox-state";
export { demo } from "./world/parties/parties";

export interface SandboxOptions extends Partial<Settings> {
  /** Any free one by default. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Every identifier, amount and name follows from it. */
  readonly seed?: string;
  /** Where the sandbox's time starts, from 2000 to 2069; it then moves with the requests, not the machine's clock. */
  readonly now?: Date;
  /** For how many days there has been business: from 1 to 365, which is the default. Fewer start sooner. */
  readonly daysBehind?: number;
  /**
   * What there is and goes on: a YAML file, or one of the included worlds: "exporter", "group" and "empty". What is said
   * beside it goes before what it says.
   */
  readonly world?: string;
  /** What it plays: the contract by default. */
  readonly service?: Service;
  /** What stands behind operations of one's own, by name. */
  readonly behaviours?: Readonly<Record<string, AnyBehaviour>>;
  /** Where files are left: e-mails in its folder `outbox`. Without it they are kept in memory. */
  readonly dataDir?: string;
  /** A mail server that e-mails are sent to instead, as smtp://user:password@host:port. */
  readonly smtpUrl?: string;
  /** What another sandbox saved: this one goes on from there. It says itself what its world is and how it is set. */
  readonly saved?: SavedSandbox;
}

/** Where a sandbox is reached, and where it leaves e-mails. */
export type ForkOptions = Pick<SandboxOptions, "port" | "host" | "dataDir" | "smtpUrl">;

export interface Sandbox {
  readonly baseUrl: string;
  /** The same origin: open-banking paths begin with /v1/. */
  readonly xs2aUrl: string;
  /** The demo company's credentials, by setting: the same whatever the seed. A service's own are there too. */
  readonly demo: Demo;
  /** The module that declares quotes to clients: for FXDESK_EXTENSIONS, and for FXDESK_EXTENSION_EFFECTS. */
  readonly extension: { readonly path: string; readonly effects: readonly string[] };
  /** What was asked, the last 1,000 requests in the order of their responses. */
  readonly requests: readonly LoggedRequest[];
  /** The e-mails that were sent, or would have been. */
  readonly mails: readonly Mail[];
  /** Makes the next calls of an operation respond with a documented status. Throws when it is not documented. */
  force(operation: string, status: number, options?: { readonly times?: number }): void;
  /** What can be done to the sandbox that no caller can: the same as under /_sandbox/. */
  readonly control: ControlPlane;
  /** Moves the sandbox's time forward; what is due until then happens. Throws a RangeError when that leads beyond the year 2069. */
  advance(milliseconds: number): void;
  /** Everything that it holds, as JSON: world, time, log and faults. What is under way at this moment is not in it. */
  save(): SavedSandbox;
  /** Starts another sandbox that goes on from this moment, for itself. Its e-mails are kept in memory unless said otherwise. */
  fork(options?: ForkOptions): Promise<Sandbox>;
  close(): Promise<void>;
}

/** Those that have a value: a caller may leave an option undefined. */
const definedOptions = (options: SandboxOptions): SandboxOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** What a world is made from: what a file says, and before that what the options say. */
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

/** What a saved sandbox says itself. */
const worldOptions = [
  "seed",
  "now",
  "daysBehind",
  "world",
  ...(Object.keys(defaultSettings) as (keyof Settings)[]),
] as const;

/** From where a sandbox goes on: what was saved, or a new world. */
function resolveStart(options: SandboxOptions): WorldSetup | SandboxState {
  if (options.saved === undefined) return worldSetupFrom(options);
  const other = worldOptions.find((name) => options[name] !== undefined);
  if (other !== undefined)
    throw new RangeError(`${other} cannot be given with saved: a saved sandbox has a ${other} of its own.`);
  return parseSavedState(options.saved);
}

async function prepareMailDelivery({ dataDir, smtpUrl }: SandboxOptions): Promise<MailDelivery> {
  const delivery = { folder: dataDir === undefined ? undefined : resolve(dataDir, "outbox"), smtpUrl };
  await checkMailDelivery(delivery);
  return delivery;
}

/** Starts a sandbox that goes on from a state, which is the sandbox's from then on. */
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
 * Starts a sandbox with a world of its own, or where one was saved. Listens until it is closed. Rejects with a RangeError
 * when an option cannot be, with a WorldFileError when a world file cannot, with a SavedSandboxError when what was saved
 * cannot.
 */
export async function startSandbox(allOptions: SandboxOptions = {}): Promise<Sandbox> {
  const options = definedOptions(allOptions);
  return startSandboxFrom(resolveStart(options), options);
}
