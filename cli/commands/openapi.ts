/** The `fxdesk openapi` command. */
import { openApiDocument } from "../../core/openapi/document";
import { contract, type Service } from "../../core/operations";
import type { Command } from "../command-line/command";
import { flagName } from "../command-line/flag-names";
import { printJson } from "../terminal/terminal";
import { version } from "../version";

export const openApiCommand = (service: Service = contract): Command => ({
  usage: "fxdesk openapi [flags]",
  description: "Prints an OpenAPI 3.1 document of all operations.",
  flags: Object.values(service.servers).map(({ setting, description }) => ({
    name: flagName(setting),
    value: "<address>",
    description: `${description} Sets the server address in the document; by default it is a template.`,
  })),
  async run(parsed, terminal) {
    const addresses = Object.entries(service.servers).flatMap(([name, { setting }]) => {
      const address = parsed.string(flagName(setting));
      return address ? [[name, address] as const] : [];
    });
    const document = openApiDocument(service, {
      version: version(),
      servers: Object.fromEntries(addresses),
    });
    await printJson(terminal, document);
    return 0;
  },
});
