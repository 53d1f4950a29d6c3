/** fxdesk operations: what there is to call. */
import { type Callable, callablesOf, type Declaration, type Service } from "../../core/operations";
import type { Procedure } from "../../core/declaration/procedure";
import { fxdeskService } from "../../core/service";
import { effectDescriptions } from "../../core/declaration/operation";
import { bySection, sectionTitle } from "../../core/declaration/sections";
import { type Command, jsonFlag } from "../command";
import { columns, page, section } from "../help";
import { printJson, write } from "../terminal";

const listed = (callable: Callable) => {
  const { name, tool, title, summary, effect } = callable;
  const { method, path, server, uses } = callable as Partial<Declaration & Procedure>;
  return { name, tool, title, summary, effect, method, path, server, uses };
};

/** Sections with their operations, effects and summaries, for people. */
function overview(operations: readonly Callable[]): string {
  const longest = Math.max(...operations.map(({ name }) => name.length));
  const row = ({ name, effect, summary }: Callable) =>
    [`${name.padEnd(longest)}  ${effect}`.padEnd(longest + "  change".length), summary] as const;
  return page(
    ...[...bySection(operations)].map(([name, members]) =>
      section(sectionTitle(name), columns(members.map(row))),
    ),
  );
}

const effects = Object.entries(effectDescriptions).map(
  ([effect, description]) => `${effect}: ${description}`,
);

export const operationsCommand = (service: Service = fxdeskService): Command => ({
  usage: "fxdesk operations [--json]",
  description: `Lists the operations of the service and what each does: ${effects.join(" ")}`,
  flags: [jsonFlag],
  async run(parsed, terminal) {
    if (parsed.switched("json")) await printJson(terminal, callablesOf(service).map(listed));
    else await write(terminal.stdout, overview(callablesOf(service)));
    return 0;
  },
});
