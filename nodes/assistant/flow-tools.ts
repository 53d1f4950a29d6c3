/** Flows as tools of an MCP server: what they take, and the calls that wait for their results. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Tool, Toolbox, ToolResult } from "../../mcp";

/** The kinds of values that a flow takes. */
const kinds = {
  text: z.string(),
  number: z.number(),
  whole: z.int(),
  boolean: z.boolean(),
  date: z.iso.date(),
} as const;

export type FlowFieldKind = keyof typeof kinds;
export const flowFieldKinds = Object.keys(kinds) as FlowFieldKind[];

/** One argument of a flow's tool. */
export interface FlowField {
  readonly name: string;
  readonly kind: FlowFieldKind;
  readonly description: string;
  readonly required: boolean;
}

/** What a flow offers to a model. */
export interface FlowToolSpec {
  /** Such as `notify_treasurer`. */
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  /** Whether it does more than read; offered only where the server allows changes. */
  readonly changes: boolean;
  readonly fields: readonly FlowField[];
  /** After so long a model is told that there is no result. */
  readonly timeoutMs: number;
}

const toolName = /^[a-z][a-z0-9_]{0,63}$/;
const fieldName = /^[a-z][a-z0-9_]{0,63}$/i;

/** Throws a TypeError that says what is wrong with a form. */
function assertFits({ tool, description, fields }: FlowToolSpec): void {
  if (!toolName.test(tool))
    throw new TypeError(
      `The name of a tool has small letters, digits and _ alone, such as notify_treasurer, not ${JSON.stringify(tool)}.`,
    );
  if (description.trim() === "") throw new TypeError("A model chooses a tool by its description: write one.");
  for (const { name, kind } of fields) {
    if (!fieldName.test(name))
      throw new TypeError(`An argument has letters, digits and _ alone, not ${JSON.stringify(name)}.`);
    if (!Object.hasOwn(kinds, kind)) throw new TypeError(`${name} is one of ${flowFieldKinds.join(", ")}.`);
    if (fields.filter((each) => each.name === name).length > 1)
      throw new TypeError(`There are two arguments ${name}.`);
  }
}

const schemaOf = (fields: readonly FlowField[]) =>
  z.strictObject(
    Object.fromEntries(
      fields.map(({ name, kind, description, required }) => {
        const schema = kinds[kind].meta({ description });
        return [name, required ? schema : schema.optional()];
      }),
    ),
  );

const text = (words: string, more: Partial<ToolResult> = {}): ToolResult => ({
  content: [{ type: "text", text: words }],
  ...more,
});

const failed = (words: string): ToolResult => text(words, { isError: true });

/** What a flow gives, as a model reads it: an object as such, too. */
function resultOf(payload: unknown): ToolResult {
  if (typeof payload === "string") return text(payload);
  const json = JSON.stringify(payload) ?? "done";
  const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  return text(json, isObject ? { structuredContent: payload as Record<string, unknown> } : {});
}

interface Waiting {
  readonly tool: string;
  end(result: ToolResult): void;
}

interface Offered {
  readonly tool: Tool;
  readonly changes: boolean;
  call(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** What an input is sent into a flow with: `id` stands for the call. */
export type Start = (input: Readonly<Record<string, unknown>>, id: string) => void;

/** The flows that one server offers. */
export class FlowTools {
  readonly #offered = new Map<string, Offered>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(private readonly allowsChanges: boolean) {}

  /** Offers a flow, until what is returned is called. Throws a TypeError where its form does not fit. */
  offer(spec: FlowToolSpec, start: Start): () => void {
    assertFits(spec);
    if (this.#offered.has(spec.tool)) throw new TypeError(`There is another tool ${spec.tool}.`);
    const schema = schemaOf(spec.fields);
    const { tool, title, description, changes, timeoutMs } = spec;
    this.#offered.set(tool, {
      tool: {
        name: tool,
        title: title || tool,
        description,
        inputSchema: z.toJSONSchema(schema, { target: "draft-7" }) as Tool["inputSchema"],
        annotations: {
          readOnlyHint: !changes,
          destructiveHint: changes,
          ...(changes && { idempotentHint: false }),
          openWorldHint: true,
        },
      },
      changes,
      call: async (input, signal) => {
        const { data, error } = schema.safeParse(input);
        if (!error) return this.#begin(tool, timeoutMs, signal, (id) => start(data, id));
        const wrong = error.issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
        return failed(`${tool} was not called: ${wrong.join("; ")}.`);
      },
    });
    return () => {
      this.#offered.delete(tool);
      for (const [id, waiting] of this.#waiting)
        if (waiting.tool === tool)
          this.#end(id, failed(`${tool}: its flow was deployed anew. Call it again.`));
    };
  }

  /** Gives the result of a call. False where nobody waits for it any more. */
  answer(id: unknown, payload: unknown): boolean {
    return this.#end(id, resultOf(payload));
  }

  /** The same for one that went wrong. */
  fail(id: unknown, message: string): boolean {
    return this.#end(id, failed(message));
  }

  /** A toolbox with the flows beside its own tools, which have their names first. */
  around(toolbox: Toolbox): Toolbox {
    const own = new Set(toolbox.tools.map(({ name }) => name));
    const flows = () =>
      [...this.#offered.values()].filter(
        ({ tool, changes }) => !own.has(tool.name) && (!changes || this.allowsChanges),
      );
    return {
      ...toolbox,
      get tools() {
        return [...toolbox.tools, ...flows().map(({ tool }) => tool)];
      },
      call: async (name, input, signal, caller) => {
        const flow = flows().find(({ tool }) => tool.name === name);
        return flow ? flow.call(input, signal) : toolbox.call(name, input, signal, caller);
      },
      close: async () => {
        for (const [id, { tool }] of this.#waiting) this.fail(id, `${tool}: the server is being stopped.`);
        await toolbox.close();
      },
    };
  }

  #begin(
    tool: string,
    timeoutMs: number,
    signal: AbortSignal,
    start: (id: string) => void,
  ): Promise<ToolResult> {
    const id = randomUUID();
    return new Promise((resolve) => {
      const late = () =>
        this.fail(id, `${tool}: its flow gave no result within ${timeoutMs / 1_000} s. It may go on.`);
      const timer = setTimeout(late, timeoutMs);
      const stop = () => void this.fail(id, `${tool}: the call was cancelled. Its flow may go on.`);
      this.#waiting.set(id, {
        tool,
        end: (result) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", stop);
          resolve(result);
        },
      });
      signal.addEventListener("abort", stop, { once: true });
      start(id);
    });
  }

  #end(id: unknown, result: ToolResult): boolean {
    const waiting = this.#waiting.get(String(id));
    if (!waiting) return false;
    this.#waiting.delete(String(id));
    waiting.end(result);
    return true;
  }
}
