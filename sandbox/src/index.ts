/** The sandbox: the account, trade and payment service, played on this machine. */
import { contract, type Service } from "@fxdesk/toolkit/operations";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { assemble } from "./assemble";
import type { AnyBehaviour } from "./behaviour";
import { type ControlPlane, controlPlane } from "./control";
import { extensionModule } from "./extensions";
import { type Mail, prepare } from "./outbox";
import type { LoggedRequest } from "./stage";
import { demo, demoCredential } from "./world/parties";
import { type Settings, settingsFrom } from "./world/settings";

export type { AnyBehaviour, Behaviour, Call, Result } from "./behaviour";
export { controls, type ControlPlane } from "./control";
export type { Mail } from "./outbox";
export { Refusal } from "./refusal";
export type { LoggedRequest } from "./stage";
export { demo } from "./world/parties";

export interface SandboxOptions extends Partial<Settings> {
  /** Any free one by default. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Every identifier, amount and name follows from it. */
  readonly seed?: string;
  /** Where the sandbox's time starts, from 2000 to 2069; it then moves with the requests, not the machine's clock. */
  readonly now?: Date;
  /** What it plays: the contract by default. */
  readonly service?: Service;
  /** What stands behind operations of one's own, by name. */
  readonly behaviours?: Readonly<Record<string, AnyBehaviour>>;
  /** Where files are left: e-mails in its folder `outbox`. Without it they are kept in memory. */
  readonly dataDir?: string;
  /** A mail server that e-mails are sent to instead, as smtp://user:password@host:port. */
  readonly smtpUrl?: string;
}

export interface Sandbox {
  readonly baseUrl: string;
  /** The same origin: open-banking paths begin with /v1/. */
  readonly xs2aUrl: string;
  /** The demo company's credentials, by setting: the same whatever the seed. A service's own are there too. */
  readonly demo: Readonly<Record<keyof typeof demo, string>> & Readonly<Record<string, string>>;
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
  close(): Promise<void>;
}

const credentialsOf = ({ credentials }: Service): Record<string, string> =>
  Object.fromEntries(Object.values(credentials).map(({ setting }) => [setting, demoCredential(setting)]));

/** Starts a sandbox with a world of its own. Listens until it is closed. Rejects with a RangeError when an option cannot be. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = "127.0.0.1", seed = "fxdesk", now, service = contract } = options;
  const { dataDir, smtpUrl, behaviours } = options;
  const folder = dataDir === undefined ? undefined : resolve(dataDir, "outbox");
  const settings = settingsFrom(options);
  const beginning = { seed, now, settings };
  const delivery = { folder, smtpUrl };
  await prepare(delivery);
  const { app, stage } = assemble({ service, beginning, delivery, ...(behaviours && { behaviours }) });
  await app.listen({ port, host });
  const { port: taken } = app.server.address() as AddressInfo;
  const baseUrl = `http://${host.includes(":") ? `[${host}]` : host}:${taken}`;
  return {
    baseUrl,
    xs2aUrl: baseUrl,
    demo: { ...credentialsOf(service), ...demo, redirectUri: settings.redirectUri },
    extension: extensionModule,
    requests: stage.requests,
    get mails() {
      return stage.world.outbox.mails;
    },
    force: (operation, status, { times = 1 } = {}) =>
      stage.faults.add(operation, { kind: "status", status }, times),
    advance: (milliseconds) => {
      const { world } = stage;
      world.clock.advance(milliseconds);
      world.catchUp();
    },
    control: controlPlane(stage),
    close: () => app.close(),
  };
}
