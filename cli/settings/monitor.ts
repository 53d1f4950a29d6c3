/** Monitoring of the servers that commands start. */
import type { Monitor } from "../../core/monitoring/monitor";
import type { PolicyService } from "../../core/releases/policy";
import { logVariable } from "../../core/spec/log";
import { parseStoreSettings } from "../../core/store/settings";
import { type Terminal, writeLog } from "../terminal/terminal";
import { asUsageError } from "./connection-settings";
import { section } from "../command-line/command";

/** Environment variable with the token of /metrics. */
const metricsTokenVariable = "FXDESK_METRICS_TOKEN";

export const monitoringSettings: readonly (readonly [variable: string, description: string])[] = [
  [
    metricsTokenVariable,
    "Bearer token that /metrics requires. By default, everyone who reaches the server can read it.",
  ],
  [logVariable, "Format of the log on stderr: text (default), or json for one object a line."],
];

export const monitoringHelp = section(
  "Monitoring: the paths /health, /ready and /metrics",
  monitoringSettings,
);

/** Creates a monitor of the store and the files that the settings name. */
export async function createMonitor(
  settings: Readonly<Record<string, string | undefined>>,
  service: PolicyService,
  terminal: Terminal,
): Promise<Monitor> {
  const { Monitor: ServerMonitor } = await import("../../core/monitoring/monitor.js");
  const { policy, people } = settings;
  const monitored = [{ store: asUsageError(() => parseStoreSettings(settings)), policy, people, service }];
  return new ServerMonitor({
    monitored: () => monitored,
    token: terminal.environment[metricsTokenVariable],
    log: (line) => void writeLog(terminal, "error", line),
  });
}
