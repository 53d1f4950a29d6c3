/** fxdesk mcp: the operations as tools for AI assistants. */
import { type Given, UsageError } from "../arguments";
import type { Command } from "../command";
import { asUsage, clientOptions, connectionFlags, connectionHelp, settingsFrom } from "../connection";
import { notListening, portFrom } from "../port";
import { type Terminal, write } from "../terminal";
import { untilStopped } from "../until-stopped";

const tokenVariable = "FXDESK_MCP_TOKEN";

/** Loads the client when it is first needed: an assistant that only asks for the list of tools gets it sooner. */
const connectWith = (given: Given, { environment }: Terminal) => {
  const options = clientOptions(settingsFrom(given, environment));
  return async () => {
    const { createClient } = await import("../../core/client/client.js");
    return asUsage(() => createClient(options));
  };
};

async function overHttp(given: Given, terminal: Terminal): Promise<number> {
  const [{ allowedFrom, serveHttp }, { operations }] = await Promise.all([
    import("../../mcp/index.js"),
    import("../../core/operations/index.js"),
  ]);
  const [port, host] = [portFrom(given), given.text("host")];
  const token = terminal.environment[tokenVariable];
  const allow = asUsage(() => allowedFrom(given.texts("allow") ?? []));
  const client = await connectWith(given, terminal)();
  const server = await serveHttp({
    client,
    operations,
    allow,
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(token && { token }),
  })
    .catch((error: Error) => {
      throw error instanceof TypeError ? new UsageError(`${error.message} Set ${tokenVariable}.`) : error;
    })
    .catch(notListening);
  await write(terminal.stderr, `The MCP endpoint is ${server.url}. Ctrl-C stops it.\n`);
  await untilStopped();
  await server.close();
  await client.close();
  return 0;
}

async function overStdio(given: Given, terminal: Terminal): Promise<number> {
  const { allowedFrom, serveStdio } = await import("../../mcp/index.js");
  const allow = asUsage(() => allowedFrom(given.texts("allow") ?? []));
  const server = serveStdio({ connect: connectWith(given, terminal), allow });
  await untilStopped();
  await server.close();
  return 0;
}

export const mcpCommand: Command = {
  usage: "fxdesk mcp [flags]",
  says:
    "Serves the operations as tools to AI assistants, on standard input and output or over HTTP. Only those that " +
    "read, unless more is allowed.",
  flags: [
    { name: "http", says: "Serve over HTTP instead of standard input and output." },
    { name: "port", value: "<number>", says: "With --http: port to listen on; any free one by default." },
    { name: "host", value: "<address>", says: "With --http: address to listen on; 127.0.0.1 by default." },
    {
      name: "allow",
      value: "<change|money>",
      repeats: true,
      says: "Also offer tools that change something, or that move money. May be repeated; neither implies the other.",
    },
  ],
  unlisted: connectionFlags(),
  more: [`With --http, clients must send the token in ${tokenVariable} when it is set.`, connectionHelp()],
  run: (given, terminal) => (given.switched("http") ? overHttp : overStdio)(given, terminal),
};
