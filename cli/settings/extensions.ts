/** Loads the user's extension module. */
import { extensionVariables } from "../../core/call/settings";
import type { Service } from "../../core/spec/service";
import { UsageError } from "../command-line/arguments";
import { columns, section } from "../command-line/help";
import type { Terminal } from "../terminal/terminal";

export const extensionsHelp = section(
  "Extensions (your own operations), as environment variables",
  columns([
    [
      extensionVariables.path,
      "Absolute path of a CommonJS module with your operations, procedures, watches and interceptors.",
    ],
    [
      extensionVariables.effects,
      "Names of its operations, separated by commas, whose declared effect is trusted although they are not GET requests. " +
        "All other operations that are not GET requests count as money.",
    ],
  ]),
)!;

/** Loads a service on demand: commands that do not need its operations start faster without it. */
export type ServiceLoader = () => Promise<Service>;

/** Returns the service with the extension that the environment names. */
export async function loadExtendedService(service: Service, { environment }: Terminal): Promise<Service> {
  const { serviceFrom } = await import("../../core/client/extensions.js");
  try {
    return serviceFrom(environment, service);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
