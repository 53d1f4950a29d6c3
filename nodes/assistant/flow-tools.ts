/** Flows as tools of an MCP server: what they take, and the calls that wait for their results. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Tool, Toolbox, ToolResult } from "../../mcp";

/** The kinds of values that a flow takes. */
const schemaByKind = {
  text: z.string(),
  number: z.number(),
  whole: z.int(),
  boolean: z.boolean(),
  date: z.iso.date(),
} as const;

export type FlowFieldKind = keyof typeof schemaByKind;
export const flowFieldKinds = Object.keys(schemaByKind) as FlowFieldKind[];

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

const toolNamePattern = /^[a-z][a-z0-9_]{0,63}$/;
const fieldNamePattern = /^[a-z][a-z0-9_]{0,63}$/i;

/** Throws a TypeError that says what is wrong with a form. */
function assertValidSpec({ tool, description, fields }: FlowToolSpec): void {
  if (!toolNamePattern.test(tool))
    throw new TypeError(
      `The name of a tool has small letters, digits and _ alone, such as notify_treasurer, not ${JSON.stringify(tool)}.`,
    );
  if (description.trim() === "") throw new TypeError("A model chooses a tool by its description: write one.");
  for (const { name, kind } of fields) {
    if (!fieldNamePattern.test(name))
      throw new TypeError(`An argument has letters, digits and _ alone, not ${JSON.stringify(name)}.`);
    if (!Object.hasOwn(schemaByKind, kind))
      throw new TypeError(`${name} is one of ${flowFieldKinds.join(", ")}.`);
    if (fields.filter((each) => each.name === name).length > 1)
      throw new TypeError(`There are two arguments ${name}.`);
  }
}

const schemaOf = (fields: readonly FlowField[]) =>
  z.strictObject(
    Object.fromEntries(
      fields.map(({ name, kind, description, required }) => {
        const schema = schemaByKind[kind].meta({ description });
        return [name, required ? schema : schema.optional()];
      }),
    ),
  );

const textResult = (content: string, extra: Partial<ToolResult> = {}): ToolResult => ({
  content: [{ type: "text", text: content }],
  ...extra,
});

const failedResult = (message: string): ToolResult => textResult(message, { isError: true });

/** What a flow gives, as a model reads it: an object as such, too. */
function toToolResult(payload: unknown): ToolResult {
  if (typeof payload === "string") return textResult(payload);
  const json = JSON.stringify(payload) ?? "done";
  const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  return textResult(json, isObject ? { structuredContent: payload as Record<string, unknown> } : {});
}

interface PendingCall {
  readonly tool: string;
  finish(result: ToolResult): void;
}

interface RegisteredTool {
  readonly tool: Tool;
  readonly changes: boolean;
  call(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** What an input is sent into a flow with: `id` stands for the call. */
export type StartFlow = (input: Readonly<Record<string, unknown>>, id: string) => void;

/** The flows that one server offers. */
export class FlowTools {
  readonly #registered = new Map<string, RegisteredTool>();
  readonly #pendingCalls = new Map<string, PendingCall>();

  constructor(private readonly allowsChanges: boolean) {}

  /** Offers a flow, until what is returned is called. Throws a TypeError where its form does not fit. */
  register(spec: FlowToolSpec, start: StartFlow): () => void {
    assertValidSpec(spec);
    if (this.#registered.has(spec.tool)) throw new TypeError(`There is another tool ${spec.tool}.`);
    const schema = schemaOf(spec.fields);
    const { tool, title, description, changes, timeoutMs } = spec;
    this.#registered.set(tool, {
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
        if (!error) return this.#startCall(tool, timeoutMs, signal, (id) => start(data, id));
        const problems = error.issues.map(
          ({ path, message }) => `${path.join(".") || "arguments"}: ${message}`,
        );
        return failedResult(`${tool} was not called: ${problems.join("; ")}.`);
      },
    });
    return () => {
      this.#registered.delete(tool);
      for (const [id, pending] of this.#pendingCalls)
        if (pending.tool === tool)
          this.#finish(id, failedResult(`${tool}: its flow was deployed anew. Call it again.`));
    };
  }

  /** Gives the result of a call. False where nobody waits for it any more. */
  complete(id: unknown, payload: unknown): boolean {
    return this.#finish(id, toToolResult(payload));
  }

  /** The same for one that went wrong. */
  fail(id: unknown, message: string): boolean {
    return this.#finish(id, failedResult(message));
  }

  /** A toolbox with the flows beside its own tools, which have their names first. */
  wrapToolbox(toolbox: Toolbox): Toolbox {
    const ownNames = new Set(toolbox.tools.map(({ name }) => name));
    const flows = () =>
      [...this.#registered.values()].filter(
        ({ tool, changes }) => !ownNames.has(tool.name) && (!changes || this.allowsChanges),
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
        for (const [id, { tool }] of this.#pendingCalls)
          this.fail(id, `${tool}: the server is being stopped.`);
        await toolbox.close();
      },
    };
  }

  #startCall(
    tool: string,
    timeoutMs: number,
    signal: AbortSignal,
    start: (id: string) => void,
  ): Promise<ToolResult> {
    const id = randomUUID();
    return new Promise((resolve) => {
      const onTimeout = () =>
        this.fail(id, `${tool}: its flow gave no result within ${timeoutMs / 1_000} s. It may go on.`);
      const timer = setTimeout(onTimeout, timeoutMs);
      const onAbort = () => void this.fail(id, `${tool}: the call was cancelled. Its flow may go on.`);
      this.#pendingCalls.set(id, {
        tool,
        finish: (result) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          resolve(result);
        },
      });
      signal.addEventListener("abort", onAbort, { once: true });
      start(id);
    });
  }

  #finish(id: unknown, result: ToolResult): boolean {
    const pending = this.#pendingCalls.get(String(id));
    if (!pending) return false;
    this.#pendingCalls.delete(String(id));
    pending.finish(result);
    return true;
  }
}
