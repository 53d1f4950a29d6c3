/** The `fxdesk mcp` command: serves tools to AI assistants. */
import { extensionVariables, optionsFromSettings } from "../../core/call/settings";
import { factsOf, log } from "../../core/spec/log";
import type { Service } from "../../core/spec/service";
import type { Offer, RunningServer } from "../../mcp";
import { type ParsedArguments, UsageError } from "../command-line/arguments";
import { type Command, type FindCommand, paragraph, section } from "../command-line/command";
import { listenFlags, listenOptionsFrom, portFlag, throwListenError } from "../command-line/listening";
import { createMonitor, monitoringHelp } from "../settings/monitor";
import { asUsageError, loadExtendedService } from "../settings/connection-settings";
import { outcomeUnknown, success } from "../command-line/exit-codes";
import { connectionAndProfileOptions, type Settings, effectiveSettings } from "../settings/profile";
import { mcpInstallCommand } from "../mcp-install/command";
import { StopRequests, type Terminal, writeReady } from "../terminal/terminal";
import type { ClientCore } from "../../core/api/client-types";

export const tokenVariable = "FXDESK_MCP_TOKEN";

/** Environment variables used if the flag is not given. */
export const offerVariables = {
  toolsets: "FXDESK_MCP_TOOLSETS",
  tools: "FXDESK_MCP_TOOLS",
  "read-only": "FXDESK_MCP_READ_ONLY",
  allow: "FXDESK_MCP_ALLOW",
  release: "FXDESK_MCP_RELEASE",
} as const;

/** Environment variables of the company's authorization server. */
export const loginVariables = {
  issuer: ["FXDESK_MCP_ISSUER", "Address of the company's authorization server, as in `iss` of its tokens."],
  audience: ["FXDESK_MCP_AUDIENCE", "`aud` of its tokens. Default: the address of the MCP endpoint."],
  personClaim: [
    "FXDESK_MCP_PERSON_CLAIM",
    "Claim with the name that the person has in the people file. Default: `sub`.",
  ],
} as const;

/** Returns the company login, if an issuer is set. */
function loginFrom({ environment }: Terminal, { people }: Settings) {
  const [issuer, audience, personClaim] = (["issuer", "audience", "personClaim"] as const).map((name) => {
    const [variable] = loginVariables[name];
    if (environment[variable] === "") throw new UsageError(`${variable} is empty: set or remove it.`);
    return environment[variable];
  });
  if (issuer === undefined) return undefined;
  if (people === undefined)
    throw new UsageError(`${loginVariables.issuer[0]} needs FXDESK_PEOPLE: tokens name people of that file.`);
  return { issuer, audience, personClaim };
}

/** Parses a boolean environment variable. */
function parseSwitch(variable: string, value: string | undefined): boolean {
  if (!value || value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw new UsageError(`${variable} must be true or false, not ${JSON.stringify(value)}.`);
}

/** Reads from flags, otherwise from the environment, which tools are offered. */
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
  const release = parsed.string("release") ?? (environment[offerVariables.release] || "required");
  // "asked" is the former name of "required".
  if (release !== "required" && release !== "asked" && release !== "never")
    throw new UsageError(`--release must be required or never, not ${JSON.stringify(release)}.`);
  if (release === "never" && settings.policy !== undefined)
    throw new UsageError(
      "`--release never` is not allowed if FXDESK_POLICY names a policy. Remove one of the two.",
    );
  return {
    ...(release === "never" && { release }),
    allow: asUsageError(() => mcp.parseAllowedEffects(given("allow"))),
    ...(toolsets.length > 0 && { toolsets }),
    ...(tools.length > 0 && { tools }),
    readOnly: parsed.boolean("read-only") ?? parseSwitch(readOnly, environment[readOnly]),
  };
}

/** Flags that apply to --http alone, as their descriptions say. */
const httpFlags = [portFlag("Port to listen on. Default: any free port."), ...listenFlags].map((flag) => ({
  ...flag,
  description: `With --http: ${flag.description.charAt(0).toLowerCase()}${flag.description.slice(1)}`,
}));

/** Ends the process at once and logs the calls whose outcome is unknown. */
function exitNow(server: RunningServer): never {
  const lines = server.unfinishedCalls();
  for (const line of lines) console.error(line);
  process.exit(lines.length > 0 ? outcomeUnknown : success);
}

/** Resolves at the first stop signal. A second one ends the process without waiting for calls in flight. */
async function untilStopRequested(server: RunningServer): Promise<void> {
  const stopRequests = new StopRequests();
  await stopRequests.next();
  void stopRequests
    .waitForDuplicates()
    .then(() => stopRequests.next())
    .then(() => exitNow(server));
}

/** Returns the service with the user's extension; undefined if there is none. */
const loadExtension = async (terminal: Terminal): Promise<Service | undefined> =>
  terminal.environment[extensionVariables.path] === undefined ? undefined : loadExtendedService(terminal);

/** Loads the client on first use, so that tools/list is answered sooner. */
const createConnect = (
  settings: Settings,
  service: Service | undefined,
  { allow = [], readOnly, release }: Offer,
  requesters: "user of this process" | "holders of tokens",
) => {
  const onRecovered = (line: string) => log("info", line);
  const connection = { ...asUsageError(() => optionsFromSettings(settings)), onRecovered };
  return async (): Promise<ClientCore> => {
    const { createClient } = await import("../../core/client/client.js");
    const { Requester } = await import("../../core/people/requester.js");
    const requester = requesters === "user of this process" ? Requester.ofProcess() : undefined;
    const options = { ...connection, requester };
    const client = asUsageError(() => (service ? createClient(options, service) : createClient(options)));
    // Also executes released requests of other processes.
    if (allow.includes("money") && readOnly !== true)
      client.orders
        .start(release === "never" ? {} : { release: "needed" })
        .catch((error: Error) => log("error", error.message, factsOf(error)));
    return client;
  };
};

async function serveOverHttp(parsed: ParsedArguments, terminal: Terminal): Promise<void> {
  const mcp = await import("../../mcp/index.js");
  const listening = await listenOptionsFrom(parsed);
  const token = terminal.environment[tokenVariable];
  const settings = await effectiveSettings(parsed, terminal);
  const offer = offerFrom(parsed, terminal, settings, mcp);
  const login = loginFrom(terminal, settings);
  const client = await createConnect(settings, await loadExtension(terminal), offer, "holders of tokens")();
  asUsageError(() => mcp.selectTools(mcp.inventoryFor(client.service), offer));
  const monitor = await createMonitor(settings, client.service, terminal);
  const server = await mcp
    .serveHttp({
      client,
      ...offer,
      ...listening,
      monitor,
      login,
      ...(token && { token }),
      ...(settings.people !== undefined && { people: settings.people }),
    })
    .catch(throwListenError)
    .catch((error: Error) => {
      throw error instanceof TypeError
        ? new UsageError(
            `${error.message} Set ${tokenVariable}, or create personal tokens with fxdesk people token.`,
          )
        : error;
    });
  const stopRequested = untilStopRequested(server);
  await writeReady(terminal, `The MCP endpoint is ${server.url}. Press Ctrl-C to stop.`);
  await stopRequested;
  await server.close();
  await client.close();
}

async function serveOverStdio(parsed: ParsedArguments, terminal: Terminal): Promise<void> {
  const mcp = await import("../../mcp/index.js");
  const settings = await effectiveSettings(parsed, terminal);
  const offer = offerFrom(parsed, terminal, settings, mcp);
  const service = await loadExtension(terminal);
  const createClientOnce = createConnect(settings, service, offer, "user of this process");
  const connection: { client?: ClientCore } = {};
  const connect = async () => (connection.client = await createClientOnce());
  // Unlike other commands, this one must not end with its reader: a money call may be in flight.
  terminal.stdout.removeAllListeners("error");
  const server = asUsageError(() =>
    mcp.serveStdio({ connect, settings, ...offer, ...(service && { service }) }),
  );
  await Promise.race([untilStopRequested(server), server.disconnected]);
  await server.close();
  await connection.client?.close();
}

const mcpCommand: Command = {
  ...connectionAndProfileOptions(),
  usage: "fxdesk mcp [flags]",
  description:
    "Serves operations, procedures and watches as tools to AI assistants, over standard input and output (stdio) or HTTP. By " +
    "default it offers only the everyday tools that read.",
  flags: [
    { name: "http", description: "Serve over HTTP instead of standard input and output." },
    ...httpFlags,
    {
      name: "allow",
      value: "<change|money>",
      repeats: true,
      description:
        "Also offer tools that change something (change) or move money (money). The two permissions are independent; repeat the flag for both.",
    },
    {
      name: "toolsets",
      value: "<names>",
      repeats: true,
      description:
        "Toolsets to offer: daily (default), all, watches, or sections, for example trades,payments.",
    },
    {
      name: "tools",
      value: "<names>",
      repeats: true,
      description: "Tools to offer by name, in addition to --toolsets. Without --toolsets, only these.",
    },
    {
      name: "release",
      value: "<required|never>",
      description:
        "Whether money calls wait for release by a person. required (default): as the policy says; those that no rule of it " +
        "names always wait, as all do without a policy. never: they do not wait, and each result states this.",
    },
    { name: "read-only", negatable: true, description: "Offer only tools that read, regardless of --allow." },
  ],
  helpSections: [
    section("Commands (add --help for details)", [["install", mcpInstallCommand.description]]),
    paragraph(
      `With --http, clients send the token in ${tokenVariable}, if it is set, or a personal token (fxdesk people token).`,
    ),
    paragraph(
      `Environment variables for these flags: ${Object.values(offerVariables).join(", ")}. Flags take precedence.`,
    ),
    paragraph(
      `--http with --allow requires a token: a personal one, or ${tokenVariable} with at least 32 random characters.`,
    ),
    section(
      "Company login (with --http): access tokens of people, as JWT (see docs/mcp.md)",
      Object.values(loginVariables),
    ),
    monitoringHelp,
    ...connectionAndProfileOptions().helpSections,
  ],
  run: (parsed, terminal) => {
    // A closed stderr must not end the process.
    terminal.stderr.on("error", () => undefined);
    return (parsed.boolean("http") ? serveOverHttp : serveOverStdio)(parsed, terminal);
  },
};

/** `fxdesk mcp`, and `fxdesk mcp install`. */
const findMcpCommand: FindCommand = ([word, ...rest]) =>
  word === "install" ? [mcpInstallCommand, rest] : [mcpCommand, word === undefined ? [] : [word, ...rest]];

export const mcpCommands: FindCommand = Object.assign(findMcpCommand, { words: ["install"] });
