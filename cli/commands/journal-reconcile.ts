/** The `fxdesk journal reconcile` command. */
import type { JournalReconciliation } from "../../core/journal/reconciliation";
import { isDay } from "../../core/values/values";
import { type Flag, type ParsedArguments, UsageError, validText } from "../command-line/arguments";
import { columns, joinSections, jsonFlag, type MemberCommand, printResult } from "../command-line/command";
import { failed } from "../command-line/exit-codes";
import { refusalAsUsage, type ServiceLoader } from "../settings/connection-settings";
import { withClient } from "../settings/connected-client";
import { connectionAndProfileOptions } from "../settings/profile";
import { table } from "../terminal/table";
import { printable } from "../terminal/terminal";

const foundDifferences = 1;

const dayFlags = {
  from: {
    name: "from",
    value: "<date>",
    description: "First day (UTC), as YYYY-MM-DD. Default: six days before the last.",
  },
  to: { name: "to", value: "<date>", description: "Last day (UTC), as YYYY-MM-DD. Default: today." },
} satisfies Record<string, Flag>;

const dayFrom = (parsed: ParsedArguments, { name }: Flag) =>
  validText(parsed, name, "an existing day as YYYY-MM-DD", isDay);

function render(found: JournalReconciliation, width: number | undefined): string {
  const { from, to, listed, entries, inProgress, differences, unread, notCompared } = found;
  const rows = [
    ["Period", `${from} to ${to}`],
    ["Listed by the service", String(listed)],
    ["Entries", String(entries)],
    ...(inProgress > 0 ? [["In progress", String(inProgress)] as const] : []),
    ...notCompared.map(
      ({ environment, client, operation, entries: count }) =>
        ["Not compared", printable(`${count} ${operation} of ${client} at ${environment}`)] as const,
    ),
    ...unread.map((reason) => ["Incomplete", printable(reason)] as const),
    ["Differences", String(differences.length)],
  ] as const;
  return joinSections(
    columns(rows),
    differences.length > 0 ? table(differences, { width }).trimEnd() : undefined,
  );
}

export const reconcile = (loadService: ServiceLoader): MemberCommand => ({
  ...connectionAndProfileOptions(),
  description:
    "Compares the journal with the trades of the service, for the calls of one environment and client: trades without an entry, " +
    "entries without a trade, unknown outcomes, and trades that differ from their quotes. Exits with code 1 if there are " +
    `differences, and with code ${failed} if it could not read everything.`,
  flags: [...Object.values(dayFlags), jsonFlag],
  async run(parsed, terminal) {
    const period = { from: dayFrom(parsed, dayFlags.from), to: dayFrom(parsed, dayFlags.to) };
    const found = await withClient(await loadService(), parsed, terminal, (client) =>
      refusalAsUsage(UsageError, () => client.reconcileJournal(period)),
    );
    await printResult(parsed, terminal, found, render(found, terminal.stdout.columns));
    if (found.unread.length > 0) return failed;
    return found.differences.length > 0 ? foundDifferences : undefined;
  },
});
