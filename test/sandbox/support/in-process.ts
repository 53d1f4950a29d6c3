/** Sandbox without a network, for speed; the server is the same. */
import { contract } from "@fxdesk/toolkit/operations";
import type { ControlPlane } from "@fxdesk/sandbox";
import { assemble } from "../../../sandbox/src/assemble";
import { controlPlane } from "../../../sandbox/src/control/control-plane";
import type { WorldSetup, SandboxState } from "../../../sandbox/src/session/sandbox-state";
import type { World } from "../../../sandbox/src/world/model/world";
import { type Settings, defaultSettings } from "../../../sandbox/src/world/model/settings";
import type { Ask } from "./http";

export interface InProcessSandbox {
  readonly ask: Ask;
  readonly control: ControlPlane;
  /** Current world. */
  readonly world: World;
  /** Live view of the complete state. */
  readonly state: SandboxState;
  close(): Promise<void>;
}

/** A quarter of past business: enough data, quick to create. */
const daysBehind = 90;

export const startInProcess = (
  now: Date,
  seed = "fxdesk",
  settings: Partial<Settings> = {},
): InProcessSandbox =>
  startInProcessFrom({ seed, now, daysBehind, settings: { ...defaultSettings, ...settings } });

/** Starts with a new world or from a state. */
export function startInProcessFrom(start: WorldSetup | SandboxState): InProcessSandbox {
  const { app, session } = assemble({ service: contract, start });
  return {
    ask: async (url, { method = "GET", headers = {}, body } = {}) => {
      const response = await app.inject({
        method: method as "GET",
        url,
        headers: { host: "127.0.0.1", ...headers },
        ...(body !== undefined && { payload: body }),
      });
      return {
        status: response.statusCode,
        headers: new Headers(response.headers as Record<string, string>),
        text: response.body,
      };
    },
    control: controlPlane(session),
    get world() {
      return session.world;
    },
    get state() {
      return session.state;
    },
    close: () => app.close(),
  };
}
