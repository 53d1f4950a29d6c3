/** fxdesk operations: what there is to call. */
import { contract, type Declaration, type Service } from "../../core/operations";
import { bySection, sectionTitle } from "../../core/declaration/sections";
import { type Command, jsonFlag } from "../command";
import { columns, page, section } from "../help";
import { printJson, write } from "../terminal";

const listed = ({ name, tool, title, summary, effect, method, path, server }: Declaration) => ({
  name,
  tool,
  title,
  summary,
  effect,
  method,
  path,
  server,
});

/** Sections with their operations, effects and summaries, for people. */
function overview(operations: readonly Declaration[]): string {
  const longest = Math.max(...operations.map(({ name }) => name.length));
  const row = ({ name, effect, summary }: Declaration) =>
    [`${name.padEnd(longest)}  ${effect}`.padEnd(longest + "  change".length), summary] as const;
  return page(
    ...[...bySection(operations)].map(([name, members]) =>
      section(sectionTitle(name), columns(members.map(row))),
    ),
  );
}

export const operationsCommand = ({ operations }: Service = contract): Command => ({
  usage: "fxdesk operations [--json]",
  description:
    "Lists the operations of the service and what each does: read changes nothing, change changes or asks for " +
    "something, money commits or moves money or changes who may approve it.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    if (parsed.switched("json")) await printJson(terminal, operations.map(listed));
    else await write(terminal.stdout, overview(operations));
    return 0;
  },
});
