/** The `fxdesk keys` commands: service keys, by which programs request. */
import { PeopleRefusal } from "../../core/people/authenticate";
import { issueServiceKey, revokeServiceKey } from "../../core/people/issue-service-key";
import { loadPeople } from "../../core/people/people-file";
import { type KeyScope, keyEffects } from "../../core/people/service-key";
import { findOperationFault } from "../../core/releases/policy";
import { type Flag, type ParsedArguments, requiredText, UsageError } from "../command-line/arguments";
import {
  commandGroup,
  type FindCommand,
  jsonFlag,
  type MemberCommand,
  printResult,
} from "../command-line/command";
import { refusalAsUsage, type ServiceLoader, settingsFrom } from "../settings/connection-settings";
import { peoplePath } from "../settings/people-settings";
import { table } from "../terminal/table";
import { writeStderr } from "../terminal/terminal";
import { options } from "./command";
import { byFlag, personCommand, report } from "./person-command";

const scopeFlags: readonly Flag[] = [
  {
    name: "effects",
    value: `<${keyEffects.join(",")}>`,
    description: "Only calls with these effects. Default: both.",
  },
  {
    name: "operations",
    value: "<names>",
    description: "Only these operations, separated by commas; trades.order for orders. Default: all.",
  },
  {
    name: "until",
    value: "<date>",
    description: "Last day on which the key is valid (UTC). Default: no end.",
  },
  {
    name: "per-request",
    value: "<amount>",
    description: "Largest amount of one request, in the currency of the policy.",
  },
  { name: "per-day", value: "<amount>", description: "Largest sum of a day, in the currency of the policy." },
];

const listOf = (parsed: ParsedArguments, flag: string): string[] | undefined =>
  parsed
    .string(flag)
    ?.split(",")
    .map((word) => word.trim());

async function scopeFrom(parsed: ParsedArguments, loadService: ServiceLoader): Promise<KeyScope> {
  const operations = listOf(parsed, "operations");
  const service = operations && (await loadService());
  for (const name of operations ?? []) {
    const fault = findOperationFault(name, service!);
    if (fault !== undefined) throw new UsageError(`--operations: ${name} ${fault}.`);
  }
  const given = {
    effects: listOf(parsed, "effects"),
    operations,
    until: parsed.string("until"),
    perRequest: parsed.string("per-request"),
    perDay: parsed.string("per-day"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as KeyScope;
}

const issueCommand = (loadService: ServiceLoader): MemberCommand =>
  personCommand(
    {
      requiredFlags: "--by <name>",
      description:
        "Issues the service key of a program, and prints it once. The program passes it in FXDESK_SERVICE_KEY and then " +
        "requests under this name. A service key cannot release.",
      flags: [byFlag, ...scopeFlags],
    },
    async ({ name, path, parsed, terminal, credentials }) => {
      requiredText(parsed, byFlag);
      const scope = await scopeFrom(parsed, loadService);
      const issued = await issueServiceKey(path, name, scope, await credentials());
      const text = `Service key of ${name}, shown only once; ${path} stores its hash:`;
      await writeStderr(terminal, `${await report(issued, text, terminal)}\n`);
      return issued.key;
    },
  );

const revoke = personCommand(
  {
    requiredFlags: "--by <name>",
    description: "Revokes a service key. Nothing is sent for it any more, nor are its open requests.",
    flags: [byFlag],
  },
  async ({ name, path, parsed, credentials }) => {
    requiredText(parsed, byFlag);
    await revokeServiceKey(path, name, await credentials());
    return `The service key of ${name} was revoked.`;
  },
);

const list: MemberCommand = {
  description: "Lists the service keys with their scopes and limits.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const { keys } = await refusalAsUsage(PeopleRefusal, () => loadPeople(path));
    const rows = Object.entries(keys).map(([name, { effects, operations, until, perRequest, perDay }]) => ({
      name,
      effects: effects?.join(","),
      operations: operations?.join(","),
      until,
      per_request: perRequest,
      per_day: perDay,
    }));
    await printResult(parsed, terminal, rows, table(rows, { width: terminal.stdout.columns }));
  },
};

export const keysCommands = (loadService: ServiceLoader): FindCommand =>
  commandGroup({
    name: "fxdesk keys",
    description:
      "Service keys of programs that request, in the people file. Issuing and revoking need the secret of an administrator.",
    options,
    commands: { issue: issueCommand(loadService), list, revoke },
  });
