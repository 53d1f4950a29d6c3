/** Tests every operation on the command line against the sandbox. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { type Declaration, type FxdeskClient } from "@fxdesk/toolkit";
import { operations } from "@fxdesk/toolkit/operations";
import { callFlags } from "../../cli/call/command";
import { fieldFlags } from "../../cli/call/field-flags";
import { mayRespondWith } from "../../core/spec/operation";
import { flagName } from "../../cli/command-line/arguments";
import { eventually } from "../support/eventually";
import { tempFolder } from "../support/resources";
import { sampleInput } from "../support/samples";
import { openSandboxAndClient } from "../support/sandboxes";
import { runFxdesk, variablesOf } from "./run-command";

let sandbox: Sandbox;
let client: FxdeskClient;
let folder: string;

beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient());
  folder = await tempFolder();
});

function flagFor(name: string, value: unknown): string[] {
  const flag = `--${flagName(name)}`;
  if (typeof value === "boolean") return [value ? flag : flag.replace("--", "--no-")];
  return [flag, typeof value === "string" ? value : JSON.stringify(value)];
}

/** Retries while a file is not ready, as a script would by its exit code. */
const callUntilReady = (args: readonly string[]) =>
  eventually(
    async () => {
      const ran = await runFxdesk(args, { variables: variablesOf(sandbox) });
      if (ran.code !== 6) return ran;
      expect(JSON.parse(ran.stdout)).toEqual({ status: "Pending" });
    },
    { withinMs: 50_000, what: `${args[1]} is ready` },
  );

test.each(operations.map((operation) => [operation.name, operation as Declaration] as const))(
  "fxdesk call %s",
  async (name, operation) => {
    const input = await sampleInput(name, client);
    const output = join(folder, name);
    const args = [
      ...Object.entries(input).flatMap(([field, value]) => flagFor(field, value)),
      ...(operation.effect === "money" ? ["--yes"] : []),
      ...(mayRespondWith(operation, "file") ? ["--output", output] : []),
    ];
    const asked = sandbox.requests.length;
    const { code, stdout, stderr } = await callUntilReady(["call", name, ...args]);
    const said = stderr
      .replace("Note: there are more pages. Fetch them with --all.\n", "")
      .replace(operation.effect === "money" ? /^Journal entry [\w-]+(, reference [\w-]+)?\.\n/ : "", "");
    expect({ code, said }).toEqual({ code: 0, said: "" });
    expect(sandbox.requests.slice(asked).map(({ method }) => method)).toContain(operation.method);
    const responds = (kind: string) =>
      Object.values(operation.responses).every((response) => response.kind === kind);
    if (responds("json")) expect(() => JSON.parse(stdout)).not.toThrow();
    if (responds("empty")) expect(stdout).toBe("");
    if (mayRespondWith(operation, "file")) expect((await readFile(output)).length).toBeGreaterThan(0);
  },
);

test("no field shares its name with a flag", () => {
  for (const operation of operations) {
    const names = [...fieldFlags(operation), ...callFlags(operation)].map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(names).not.toContain("help");
  }
});
