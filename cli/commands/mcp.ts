/** fxdesk mcp: the operations as tools for AI assistants. */

import { extensionVariables } from "../../core/client/settings";
import type { Service } from "../../core/declaration/service";
import type { Serving } from "../../mcp";
import { type ParsedArguments, UsageError } from "../arguments";
import type { Command } from "../command";
import { asUsageError, clientOptions, connectionFlags, connectionHelp, settingsFrom } from "../connection";
import { outcomeUnknown, success } from "../exit";
import { notListening, portFrom } from "../port";
import { type Terminal, write } from "../terminal";
import { stopSignals } from "../until-stopped";
import type { ClientCore } from "../../core/client/methods";

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
  return asUsageError(() => serviceFrom(environment));
}

/** Loads the client when it is first needed: an assistant that only asks for the list of tools gets it sooner. */
const connectWith = (parsed: ParsedArguments, { environment }: Terminal, service: Service | undefined) => {
  const options = clientOptions(settingsFrom(parsed, environment));
  return async (): Promise<ClientCore> => {
    const { createClient } = await import("../../core/client/client.js");
    return asUsageError(() => (service ? createClient(options, service) : createClient(options)));
  };
};

async function overHttp(parsed: ParsedArguments, terminal: Terminal): Promise<number> {
  const { allowedFrom, serveHttp } = await import("../../mcp/index.js");
  const [port, host] = [portFrom(parsed), parsed.text("host")];
  const token = terminal.environment[tokenVariable];
  const allow = asUsageError(() => allowedFrom(parsed.texts("allow") ?? []));
  const client = await connectWith(parsed, terminal, await extendedService(terminal))();
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

async function overStdio(parsed: ParsedArguments, terminal: Terminal): Promise<number> {
  const { allowedFrom, serveStdio } = await import("../../mcp/index.js");
  const allow = asUsageError(() => allowedFrom(parsed.texts("allow") ?? []));
  const service = await extendedService(terminal);
  const connect = connectWith(parsed, terminal, service);
  // Other commands end with their reader. Here a call that commits money may be under way.
  terminal.stdout.removeAllListeners("error");
  const settings = settingsFrom(parsed, terminal.environment);
  const server = serveStdio({ connect, settings, allow, ...(service && { service }) });
  await Promise.race([untilAsked(server), server.left]);
  await server.close();
  return 0;
}

export const mcpCommand: Command = {
  usage: "fxdesk mcp [flags]",
  description:
    "Serves the operations as tools to AI assistants, on standard input and output or over HTTP. Only those that " +
    "read, unless more is allowed.",
  flags: [
    { name: "http", description: "Serve over HTTP instead of standard input and output." },
    {
      name: "port",
      value: "<number>",
      description: "With --http: port to listen on; any free one by default.",
    },
    {
      name: "host",
      value: "<address>",
      description: "With --http: address to listen on; 127.0.0.1 by default.",
    },
    {
      name: "allow",
      value: "<change|money>",
      repeats: true,
      description:
        "Also offer tools that change something, or that move money. May be repeated; neither implies the other.",
    },
  ],
  unlisted: connectionFlags(),
  more: [
    `With --http, clients must send the token in ${tokenVariable} when it is set.`,
    "With --allow beside it, it must be: at least 16 characters that nobody can guess.",
    connectionHelp(),
  ],
  run: (parsed, terminal) => {
    // A log that nobody reads any more must not end the process.
    terminal.stderr.on("error", () => undefined);
    return (parsed.switched("http") ? overHttp : overStdio)(parsed, terminal);
  },
};
