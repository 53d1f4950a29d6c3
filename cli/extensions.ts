/** What a module of the user's adds. */
import { extensionVariables } from "../core/client/settings";
import type { Service } from "../core/declaration/service";
import { UsageError } from "./arguments";
import { columns, section } from "./help";
import type { Terminal } from "./terminal";

/** What a person reads about them in the help. */
export const extensionsHelp = section(
  "Operations of your own: from the environment",
  columns([
    [
      extensionVariables.path,
      "Absolute path of a CommonJS module that adds operations, procedures, watches, and links round every call.",
    ],
    [
      extensionVariables.effects,
      "Those of its operations, with commas, whose declared effect counts although they are no GET. " +
        "Any other that is no GET counts as money.",
    ],
  ]),
)!;

/** The service with the operations that the environment adds. */
export async function loadExtendedService(service: Service, { environment }: Terminal): Promise<Service> {
  const { serviceFrom } = await import("../core/client/extensions.js");
  try {
    return serviceFrom(environment, service);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
