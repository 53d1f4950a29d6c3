/** fxdesk mcp: the operations as tools for AI assistants. */

import { extensionVariables } from "../../core/client/settings";
import type { Service } from "../../core/declaration/service";
import type { Offer, RunningServer } from "../../mcp";
import { type ParsedArguments, UsageError } from "../arguments";
import type { Command } from "../command";
import { asUsageError, clientOptions, connectionHelp } from "../connection-settings";
import { outcomeUnknown, success } from "../exit-codes";
import { paragraph } from "../help";
import { throwListenError, portFrom } from "../port";
import { connectionAndProfileFlags, profileHelp, type Settings, effectiveSettings } from "../profile";
import { type Terminal, write } from "../terminal";
import { stopSignals } from "../until-stopped";
import type { ClientCore } from "../../core/client/client-types";

const tokenVariable = "FXDESK_MCP_TOKEN";

/** What a flag says that is not given. */
const offerVariables = {
  toolsets: "FXDESK_MCP_TOOLSETS",
  tools: "FXDESK_MCP_TOOLS",
  "read-only": "FXDESK_MCP_READ_ONLY",
  allow: "FXDESK_MCP_ALLOW",
  release: "FXDESK_MCP_RELEASE",
} as const;

/** A switch in the environment. */
function parseSwitch(variable: string, value: string | undefined): boolean {
  if (!value || value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw new UsageError(`${variable} must be true or false, not ${JSON.stringify(value)}.`);
}

/** Which tools are offered: as the flags say, else the environment. */
function offerFrom(
  parsed: ParsedArguments,
  { environment }: Terminal,
  settings: Settings,
  mcp: typeof import("../../mcp/index.js"),
): Offer {
  const given = (flag: "toolsets" | "tools" | "allow") => {
    const inForce = parsed.strings(flag) ?? [environment[offerVariables[flag]] ?? ""];
    return inForce.flatMap(mcp.splitWords);
  };
  const [toolsets, tools] = [given("toolsets"), given("tools")];
  const readOnly = offerVariables["read-only"];
  const release = parsed.string("release") ?? (environment[offerVariables.release] || "asked");
  if (release !== "asked" && release !== "never")
    throw new UsageError(`--release must be asked or never, not ${JSON.stringify(release)}.`);
  if (release === "never" && settings.policy !== undefined)
    throw new UsageError(
      "--release never contradicts the policy that FXDESK_POLICY names. Set one of the two.",
    );
  return {
    ...(release === "never" && { release }),
    allow: asUsageError(() => mcp.parseAllowedEffects(given("allow"))),
    ...(toolsets.length > 0 && { toolsets }),
    ...(tools.length > 0 && { tools }),
    readOnly: parsed.boolean("read-only") ?? parseSwitch(readOnly, environment[readOnly]),
  };
}

/** What asks twice within this time asked once: a terminal signals fxdesk and npx, and npx passes it on to fxdesk. */
const duplicateSignalMs = 250;

/** Ends the process at once; the log says of which calls nobody knows what became of them. */
function exitNow(server: RunningServer): never {
  const lines = server.unfinishedCalls();
  for (const line of lines) console.error(line);
  process.exit(lines.length > 0 ? outcomeUnknown : success);
}

/** Resolves when a person or the system asks the process to stop. Who asks again does not wait for what is under way. */
function untilStopRequested(server: RunningServer): Promise<void> {
  let requestedAt: number | undefined;
  return new Promise((resolve) => {
    const stop = () => {
      if (requestedAt !== undefined && performance.now() - requestedAt > duplicateSignalMs) exitNow(server);
      requestedAt ??= performance.now();
      resolve();
    };
    for (const signal of stopSignals) process.on(signal, stop);
  });
}

/** The service with the user's extension; undefined where there is none. */
async function loadExtendedService({ environment }: Terminal): Promise<Service | undefined> {
  if (!environment[extensionVariables.path]) return undefined;
  const { serviceFrom } = await import("../../core/client/extensions.js");
  return asUsageError(() => serviceFrom(environment));
}

/** Loads the client when it is first needed: an assistant that only asks for the list of tools gets it sooner. */
const createConnect = (settings: Settings, service: Service | undefined, { allow = [], readOnly }: Offer) => {
  const onRecovered = (line: string) => console.error(`fxdesk: ${line}`);
  const options = { ...clientOptions(settings), onRecovered };
  return async (): Promise<ClientCore> => {
    const { createClient } = await import("../../core/client/client.js");
    const client = asUsageError(() => (service ? createClient(options, service) : createClient(options)));
    // What was ordered before, here or elsewhere, is booked as well.
    if (service && allow.includes("money") && readOnly !== true)
      client.orders.start().catch((error: Error) => console.error(`fxdesk: ${error.message}`));
    return client;
  };
};

async function serveOverHttp(parsed: ParsedArguments, terminal: Terminal): Promise<number> {
  const mcp = await import("../../mcp/index.js");
  const [port, host] = [portFrom(parsed), parsed.string("host")];
  const token = terminal.environment[tokenVariable];
  const settings = await effectiveSettings(parsed, terminal);
  const offer = offerFrom(parsed, terminal, settings, mcp);
  const client = await createConnect(settings, await loadExtendedService(terminal), offer)();
  asUsageError(() => mcp.resolveOffer(mcp.toolListFor(client.service), offer));
  const server = await mcp
    .serveHttp({
      client,
      ...offer,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(token && { token }),
      ...(settings.people !== undefined && { people: settings.people }),
    })
    .catch((error: Error) => {
      throw error instanceof TypeError
        ? new UsageError(
            `${error.message} Set ${tokenVariable}, or give people tokens: fxdesk releases token.`,
          )
        : error;
    })
    .catch(throwListenError);
  const stopRequested = untilStopRequested(server);
  await write(terminal.stderr, `The MCP endpoint is ${server.url}. Ctrl-C stops it.\n`);
  await stopRequested;
  await server.close();
  await client.close();
  return 0;
}

async function serveOverStdio(parsed: ParsedArguments, terminal: Terminal): Promise<number> {
  const mcp = await import("../../mcp/index.js");
  const settings = await effectiveSettings(parsed, terminal);
  const offer = offerFrom(parsed, terminal, settings, mcp);
  const service = await loadExtendedService(terminal);
  const connect = createConnect(settings, service, offer);
  // Other commands end with their reader. Here a call that commits money may be under way.
  terminal.stdout.removeAllListeners("error");
  const server = asUsageError(() =>
    mcp.serveStdio({ connect, settings, ...offer, ...(service && { service }) }),
  );
  await Promise.race([untilStopRequested(server), server.disconnected]);
  await server.close();
  return 0;
}

export const mcpCommand: Command = {
  usage: "fxdesk mcp [flags]",
  description:
    "Serves procedures, operations and watches as tools to AI assistants, on standard input and output or over HTTP: those of " +
    "daily work that read, unless others are chosen and more is allowed.",
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
    {
      name: "toolsets",
      value: "<names>",
      repeats: true,
      description: "What to offer: daily (the default), all, watches, or sections such as trades,payments.",
    },
    {
      name: "tools",
      value: "<names>",
      repeats: true,
      description: "Tools to offer by name, beside the toolsets that are named; alone, only these.",
    },
    {
      name: "release",
      value: "<asked|never>",
      description:
        "Whether what commits money waits for a person's release: asked, the default, as the policy says, and every such " +
        "call where there is none; never: nothing does, and each result says so.",
    },
    { name: "read-only", negatable: true, description: "Only offer tools that read, whatever else is said." },
  ],
  hiddenFlags: connectionAndProfileFlags(),
  helpSections: [
    paragraph(
      `With --http, clients must send the token in ${tokenVariable} when it is set, or that of a person (fxdesk releases token).`,
    ),
    paragraph(`Without these flags: ${Object.values(offerVariables).join(", ")}.`),
    paragraph(
      "With --allow beside it, one of the two must be: the former of at least 16 characters that nobody can guess.",
    ),
    connectionHelp(),
    paragraph(profileHelp),
  ],
  run: (parsed, terminal) => {
    // A log that nobody reads any more must not end the process.
    terminal.stderr.on("error", () => undefined);
    return (parsed.boolean("http") ? serveOverHttp : serveOverStdio)(parsed, terminal);
  },
};
