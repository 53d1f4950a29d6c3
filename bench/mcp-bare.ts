/** Generates the source of a plain MCP server with the given tools, as in the documentation of the SDK. */

type Schema = Readonly<Record<string, unknown>>;

interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations: unknown;
}

const quoted = (value: unknown) => JSON.stringify(value);

const zodSourceByType: Readonly<Record<string, (schema: Schema) => string>> = {
  string: ({ enum: values }) => (values ? `z.enum(${quoted(values)})` : "z.string()"),
  integer: () => "z.int()",
  number: () => "z.number()",
  boolean: () => "z.boolean()",
  array: ({ items }) => `z.array(${zodSource((items ?? {}) as Schema)})`,
  object: objectSource,
};

function objectSource({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
    const optional = (required as string[]).includes(name) ? "" : ".optional()";
    return `${quoted(name)}: ${zodSource(schema)}${optional}`;
  });
  return `z.strictObject({ ${fields.join(", ")} })`;
}

function zodSource(schema: Schema): string {
  const base = zodSourceByType[String(schema.type)]?.(schema) ?? "z.unknown()";
  return schema.description ? `${base}.describe(${quoted(schema.description)})` : base;
}

const registrationSource = ({ name, title, description, inputSchema, annotations }: Tool) => `
server.registerTool(
  ${quoted(name)},
  {
    title: ${quoted(title)},
    description: ${quoted(description)},
    inputSchema: ${zodSource(inputSchema)},
    annotations: ${quoted(annotations)},
  },
  async () => ({ content: [] }),
);`;

export const bareServerSource = (tools: readonly Tool[]): string => `
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
${tools.map(registrationSource).join("")}
  return server;
});
`;
