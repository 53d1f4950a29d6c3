/** The `fxdesk mcp install` command: adds the MCP server to the configuration of a host, or takes it out. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { environmentName, extensionVariables, settingsOf } from "../../core/call/settings";
import { redactLocation } from "../../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "../command-line/arguments";
import { type Command, paragraph } from "../command-line/command";
import { loadProfile, profileFlag, requestedProfile } from "../settings/profile";
import { type Terminal, write, writeStderr } from "../terminal/terminal";
import { configFileOf, hosts } from "./hosts";
import type { ServerEntry } from "./config-edits";

const loadEdits = () => import("./config-edits.js");

type Environment = Terminal["environment"];

/** Separates the variables that may stand in a file from those with secrets, also passwords within an address. */
async function variablesOf(
  environment: Environment,
): Promise<{ shown: Record<string, string>; secret: string[] }> {
  // Loaded here, because `fxdesk mcp` starts with this module and needs no declarations.
  const { fxdeskService } = await import("../../core/client/fxdesk-service.js");
  const shown: Record<string, string> = {};
  const secret: string[] = [];
  for (const setting of settingsOf(fxdeskService)) {
    const name = environmentName(setting.name);
    const value = environment[name];
    if (!value) continue;
    if (setting.secret || redactLocation(value) !== value || /:\/\/[^/]*@/.test(value)) secret.push(name);
    else shown[name] = value;
  }
  for (const name of Object.values(extensionVariables))
    if (environment[name]) shown[name] = environment[name];
  return { shown, secret };
}

/** Returns the absolute paths of Node.js and this program, because hosts start programs without the PATH of a shell. */
function programOf(): { command: string; args: string[] } {
  const program = join(__dirname, "..", "main.js");
  if (/[\\/]_npx[\\/]/.test(program))
    throw new UsageError(
      "This copy is in the cache of npx, which may be deleted. Install the toolkit with npm install -g and run the command again.",
    );
  return { command: process.execPath, args: [program, "mcp"] };
}

/** Renders the changed lines with up to three unchanged lines around them. */
function renderDiff(before: string, after: string): string {
  const [old, changed] = [before, after].map((text) =>
    text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/),
  );
  const shorter = Math.min(old!.length, changed!.length);
  let start = 0;
  while (start < shorter && old![start] === changed![start]) start += 1;
  let end = 0;
  while (end < shorter - start && old!.at(-1 - end) === changed!.at(-1 - end)) end += 1;
  const around = 3;
  return [
    ...old!.slice(Math.max(0, start - around), start).map((line) => `  ${line}`),
    ...old!.slice(start, old!.length - end).map((line) => `- ${line}`),
    ...changed!.slice(start, changed!.length - end).map((line) => `+ ${line}`),
    ...changed!.slice(changed!.length - end, changed!.length - end + around).map((line) => `  ${line}`),
  ].join("\n");
}

/** Replaces a file at once, with its permissions; follows a link to the file. */
async function replaceFile(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  await mkdir(dirname(target), { recursive: true });
  const { mode } = await stat(target).catch(() => ({ mode: 0o600 }));
  const temporary = `${target}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode, flag: "wx" });
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

const readText = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });

/** Asks on a terminal. Throws a UsageError without one. */
async function confirm({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  if ((stdin as { isTTY?: boolean }).isTTY !== true)
    throw new UsageError("Nothing was changed. Add --yes to write the change without a question.");
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(question)).trim());
  } finally {
    prompt.close();
  }
}

const clientNames = Object.keys(hosts).join("|");

const passedFlags: readonly Flag[] = [
  { name: "toolsets", value: "<names>", description: "Toolsets that the server offers." },
  {
    name: "allow",
    value: "<effects>",
    description: "Effects that the server allows beyond reading: change, money.",
  },
];

async function entryFor(
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<{ entry: ServerEntry; secret: readonly string[]; profile: string | undefined }> {
  const { command, args } = programOf();
  const profile = requestedProfile(parsed, terminal);
  if (profile !== undefined) await loadProfile(profile, parsed, terminal);
  const flags = passedFlags.flatMap(({ name }) => {
    const value = parsed.string(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const { shown, secret } = await variablesOf(terminal.environment);
  const env = { ...shown, ...(profile !== undefined && { [environmentName("profile")]: profile }) };
  return {
    entry: { command, args: [...args, ...flags], ...(Object.keys(env).length > 0 && { env }) },
    secret,
    profile,
  };
}

export const mcpInstallCommand: Command = {
  usage: `fxdesk mcp install --client <${clientNames}> [flags]`,
  description:
    "Adds the MCP server to the configuration file of a host. Shows the change and asks before it writes; the rest of the file stays " +
    "as it is. Secrets are never written: use --profile, or add them to env of the entry.",
  flags: [
    { name: "client", value: `<${clientNames}>`, description: "The host." },
    profileFlag,
    ...passedFlags,
    { name: "undo", description: "Take the server out of the file." },
    { name: "yes", description: "Write the change without a question." },
  ],
  helpSections: [
    paragraph(
      "Settings that are set as environment variables now and are not secret, such as FXDESK_DOMAIN, are written into the entry.",
    ),
  ],
  async run(parsed, terminal) {
    const client = parsed.string("client") ?? "";
    const host = Object.hasOwn(hosts, client) ? hosts[client] : undefined;
    if (!host) throw new UsageError(`--client must be one of ${clientNames}.`);
    const file = configFileOf(host, terminal.environment);
    const { changeEntry, UnchangeableFile } = await loadEdits();
    const isUndo = parsed.boolean("undo") === true;
    const made = isUndo ? undefined : await entryFor(parsed, terminal);
    const entry = made && { ...(host.statesType && { type: "stdio" as const }), ...made.entry };
    const before = await readText(file);
    let after: string;
    try {
      after = changeEntry(before, host.location, entry);
    } catch (error) {
      if (!(error instanceof UnchangeableFile)) throw error;
      throw new UsageError(`${file} was not changed: ${error.message}. Correct it, or edit it by hand.`);
    }
    if (after === before) {
      await write(terminal.stdout, `${file} needs no change.\n`);
      return;
    }
    await write(terminal.stdout, `${file}\n\n${renderDiff(before, after)}\n\n`);
    if (parsed.boolean("yes") !== true && !(await confirm(terminal, "Write this change? [y/N] "))) {
      await writeStderr(terminal, "Nothing was changed.\n");
      return;
    }
    if ((await readText(file)) !== before)
      throw new UsageError(`${file} was changed meanwhile. Nothing was written; run the command again.`);
    await replaceFile(file, after);
    const notes = [
      `${isUndo ? "Taken out of" : "Added to"} ${host.title}. Restart it to apply the change.`,
      made && made.profile === undefined && made.secret.length > 0
        ? `Not written, because they are secret: ${made.secret.join(", ")}. Add them to env of the entry, or log in and use --profile.`
        : made && made.profile === undefined
          ? `The server takes its credentials from the environment of ${host.title}. To keep them elsewhere, log in with fxdesk login and use --profile.`
          : undefined,
    ];
    await write(terminal.stdout, `${notes.filter(Boolean).join("\n")}\n`);
  },
};
