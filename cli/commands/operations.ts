/** The commands `fxdesk operations`, which lists and searches operations and procedures, and `fxdesk openapi`. */
import { type Callable, callablesOf, type Declaration, type Service } from "../../core/operations";
import type { Procedure } from "../../core/spec/procedure";
import { effectDescriptions } from "../../core/spec/operation";
import { bySection, sectionTitle } from "../../core/spec/sections";
import { flagName } from "../command-line/arguments";
import {
  type Command,
  type FindCommand,
  joinSections,
  jsonFlag,
  printResult,
  section,
  version,
} from "../command-line/command";
import { notFound } from "../command-line/exit-codes";
import { printJson, writeStderr } from "../terminal/terminal";

const toListItem = (callable: Callable) => {
  const { name, tool, title, summary, effect } = callable;
  const { method, path, server, uses } = callable as Partial<Declaration & Procedure>;
  return { name, tool, title, summary, effect, method, path, server, uses };
};

/** Renders operations by section with effects and summaries. */
function overview(operations: readonly Callable[]): string {
  const nameWidth = Math.max(...operations.map(({ name }) => name.length));
  const row = ({ name, effect, summary }: Callable) =>
    [`${name.padEnd(nameWidth)}  ${effect}`.padEnd(nameWidth + "  change".length), summary] as const;
  return joinSections(
    ...[...bySection(operations)].map(([name, members]) =>
      section(sectionTitle(name, members), members.map(row)),
    ),
  );
}

/** Returns true if every word occurs in the name, title, summary or keywords. */
function matches({ name, title, summary, keywords = [] }: Callable, words: readonly string[]): boolean {
  const text = [name, title, summary, ...keywords].join("\n").toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

const effects = Object.entries(effectDescriptions).map(
  ([effect, description]) => `${effect}: ${description}`,
);

/** Returns the command that lists operations containing all `words`. */
const listCommand = (service: Service, words: readonly string[]): Command => ({
  usage: "fxdesk operations [words] [--json]",
  description:
    "Lists all operations with their effects, or those that contain every given word in name, title, summary or keywords " +
    `(English or German). Effects: ${effects.join(" ")}`,
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const found = callablesOf(service).filter((callable) => matches(callable, words));
    await printResult(parsed, terminal, found.map(toListItem), found.length > 0 ? overview(found) : "");
    if (found.length > 0) return undefined;
    if (!parsed.boolean("json"))
      await writeStderr(
        terminal,
        `No operation contains ${words.map((word) => JSON.stringify(word)).join(" and ")}. Try fewer or other words, or run fxdesk operations without words for all operations.\n`,
      );
    return notFound;
  },
});

/** Accepts words before and after flags, because no flag of this command takes a value. */
export const operationsCommand =
  (service: Service): FindCommand =>
  (args) => {
    const isFlag = (arg: string) => arg.startsWith("-");
    const words = args.filter((arg) => !isFlag(arg)).flatMap((arg) => arg.split(/\s+/).filter(Boolean));
    return [listCommand(service, words), args.filter(isFlag)];
  };

export const openApiCommand = (service: Service): Command => ({
  usage: "fxdesk openapi [flags]",
  description: "Prints an OpenAPI 3.1 document of all operations.",
  flags: Object.values(service.servers).map(({ setting, description }) => ({
    name: flagName(setting),
    value: "<address>",
    description: `${description} Sets the server address in the document; by default it is a template.`,
  })),
  async run(parsed, terminal) {
    const { openApiDocument } = await import("../../core/openapi/document.js");
    const addresses = Object.entries(service.servers).flatMap(([name, { setting }]) => {
      const address = parsed.string(flagName(setting));
      return address ? [[name, address] as const] : [];
    });
    const document = openApiDocument(service, {
      version: version(),
      servers: Object.fromEntries(addresses),
    });
    await printJson(terminal, document);
  },
});
