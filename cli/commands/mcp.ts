/** fxdesk mcp: the operations as tools for AI assistants. */
import type { ClientCore } from "../../core/client/client";
import { extensionVariables } from "../../core/client/settings";
import type { Service } from "../../core/operations/definition";
import type { Serving } from "../../mcp";
import { type Given, UsageError } from "../arguments";
import type { Command } from "../command";
import { asUsage, clientOptions, connectionFlags, connectionHelp, settingsFrom } from "../connection";
import { outcomeUnknown, success } from "../exit";
import { notListening, portFrom } from "../port";
import { type Terminal, write } from "../terminal";
import { stopSignals } from "../until-stopped";

const tokenVariable = "FXDESK_MCP_TOKEN";

/** What asks twice within this time asked once: a terminal signals fxdesk and npx, and npx passes it on to fxdesk. */
const echoMs = 250;

/** Ends the process at once; the log says of which calls nobody knows what became of them. */
function endNow(server: Serving): never {
  const lines = server.unfinished();
  for (const line of lines) console.error(line);
  process.exit(lines.length > 0 ? outcomeUnknown : success);
}

/** Resolves when a person or the system asks the process to stop. Who asks again does not wait for what is under way. */
function untilAsked(server: Serving): Promise<void> {
  let askedAt: number | undefined;
  return new Promise((resolve) => {
    const stop = () => {
      if (askedAt !== undefined && performance.now() - askedAt > echoMs) endNow(server);
      askedAt ??= performance.now();
      resolve();
    };
    for (const signal of stopSignals) process.on(signal, stop);
  });
}

/** The service with the user's extension; undefined where there is none. */
async function extendedService({ environment }: Terminal): Promise<Service | undefined> {
  if (!environment[extensionVariables.path]) return undefined;
  const { serviceFrom } = await import("../../core/client/extensions.js");
  return asUsage(() => serviceFrom(environment));
}

/** Loads the client when it is first needed: an assistant that only asks for the list of tools gets it sooner. */
const connectWith = (given: Given, { environment }: Terminal, service: Service | undefined) => {
  const options = clientOptions(settingsFrom(given, environment));
  return async (): Promise<ClientCore> => {
    const { createClient } = await import("../../core/client/client.js");
    return asUsage(() => (service ? createClient(options, service) : createClient(options)));
  };
};

async function overHttp(given: Given, terminal: Terminal): Promise<number> {
  const { allowedFrom, serveHttp } = await import("../../mcp/index.js");
  const [port, host] = [portFrom(given), given.text("host")];
  const token = terminal.environment[tokenVariable];
  const allow = asUsage(() => allowedFrom(given.texts("allow") ?? []));
  const client = await connectWith(given, terminal, await extendedService(terminal))();
  const server = await serveHttp({
    client,
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
  await untilAsked(server);
  await server.close();
  await client.close();
  return 0;
}

async function overStdio(given: Given, terminal: Terminal): Promise<number> {
  const { allowedFrom, serveStdio } = await import("../../mcp/index.js");
  const allow = asUsage(() => allowedFrom(given.texts("allow") ?? []));
  const service = await extendedService(terminal);
  const connect = connectWith(given, terminal, service);
  // Other commands end with their reader. Here a call that commits money may be under way.
  terminal.stdout.removeAllListeners("error");
  const settings = settingsFrom(given, terminal.environment);
  const server = serveStdio({ connect, settings, allow, ...(service && { service }) });
  await Promise.race([untilAsked(server), server.left]);
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
  more: [
    `With --http, clients must send the token in ${tokenVariable} when it is set.`,
    "With --allow beside it, it must be: at least 16 characters that nobody can guess.",
    connectionHelp(),
  ],
  run: (given, terminal) => {
    // A log that nobody reads any more must not end the process.
    terminal.stderr.on("error", () => undefined);
    return (given.switched("http") ? overHttp : overStdio)(given, terminal);
  },
};
