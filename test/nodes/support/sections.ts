/** User actions with a node of a section: drag it, fill its form, deploy, and run it. */
import { callerFields, operations, type Declaration } from "@fxdesk/toolkit/operations";
import type { Sandbox } from "@fxdesk/sandbox";
import { nodeTypeOf } from "../../../nodes/shared/node-names";
import { sampleInput, sandboxClient } from "../../support/samples";
import type { Editor } from "./browser";
import { injectNode } from "./flows";
import type { FlowNode, NodeRed } from "./node-red";

export type Section = readonly [name: string, operation: Declaration];

const sectionOf = ({ name }: Declaration) => name.split(".")[0]!;

/** First operation with fields of each section. */
export const sections: readonly Section[] = [...new Set(operations.map(sectionOf))].map((name) => {
  const own = operations.filter((operation: Declaration) => sectionOf(operation) === name);
  return [name, own.find((operation: Declaration) => callerFields(operation).length > 0)!] as const;
});

/** Vertical position of a section on the canvas. */
const rowOf = (section: string) => 40 + 50 * sections.findIndex(([name]) => name === section);

/** The Inject node that starts a section's node. */
export const startNodeOf = ([section]: Section): FlowNode => ({
  ...injectNode(`start-${section}`, []),
  name: "start",
  x: 100,
  y: rowOf(section),
});

/** Returns the text to type for a value. */
const toTypedText = (value: unknown): string =>
  Array.isArray(value) && typeof value[0] !== "object"
    ? value.join(",")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** Expects all of it to go well, with a connection and the section's Inject node on the canvas. */
export async function expectSectionToRun(
  [section, operation]: Section,
  { editor, nodeRed, sandbox }: { editor: Editor; nodeRed: NodeRed; sandbox: Sandbox },
): Promise<void> {
  const client = sandboxClient(sandbox);
  const input = await sampleInput(operation.name, client);
  await client.close();
  const id = await editor.drag(nodeTypeOf(operation), 400, rowOf(section));

  await editor.edit(id);
  expect(await editor.labels()).toEqual(
    expect.arrayContaining(callerFields(operation).map(({ title }) => title)),
  );
  for (const [field, value] of Object.entries(input)) await editor.fill(field, toTypedText(value));
  await editor.done();
  await editor.waitForValidity(id, "valid");
  await editor.wire(`start-${section}`, id);
  await editor.deploy();

  const own = (await nodeRed.json<FlowNode[]>("/flows")).find((node) => node.id === id);
  expect(own).toMatchObject({ type: nodeTypeOf(operation), connection: "connection", version: 1 });
  expect(Object.keys(own!.fields as object)).toEqual(expect.arrayContaining(Object.keys(input)));
  await nodeRed.inject(`start-${section}`);
  expect(await nodeRed.waitForStatus(id, ({ fill }) => fill !== "blue")).toMatchObject({ fill: "green" });
  await editor.waitForSuccess(id);
}
