/** fxdesk openapi: the contract as an OpenAPI document. */
import { openApiDocument } from "../../core/openapi/document";
import { operations as allOperations, type Declaration } from "../../core/operations";
import type { Command } from "../command";
import { printJson } from "../terminal";
import { version } from "../version";

export const openApiCommand = (operations: readonly Declaration[] = allOperations): Command => ({
  usage: "fxdesk openapi [flags]",
  says: "Prints an OpenAPI 3.1 document of all operations.",
  flags: [
    { name: "base-url", value: "<address>", says: "Address of the JSON interface, instead of a template." },
    { name: "xs2a-url", value: "<address>", says: "Address of the open-banking interfaces." },
  ],
  async run(given, terminal) {
    const [service, xs2a] = [given.text("base-url"), given.text("xs2a-url")];
    const servers = { ...(service && { service }), ...(xs2a && { xs2a }) };
    await printJson(terminal, openApiDocument(operations, { version: version(), servers }));
    return 0;
  },
});
