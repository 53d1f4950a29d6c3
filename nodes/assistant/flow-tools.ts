/** Flows as tools of an MCP server: their schemas and the calls that wait for results. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isObject } from "../../core/values/json";
import type { Tool, Toolbox, ToolResult } from "../../mcp";

/** Schema per argument kind. */
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

/** Definition of a tool from the form of its node. */
export interface FlowToolSpec {
  /** Tool name, for example `notify_treasurer`. */
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  /** True if the flow does more than read. Such tools are offered only if the server allows changes. */
  readonly changes: boolean;
  readonly fields: readonly FlowField[];
  /** Time limit after which the call fails. */
  readonly timeoutMs: number;
}

const toolNamePattern = /^[a-z][a-z0-9_]{0,63}$/;
const fieldNamePattern = /^[a-z][a-z0-9_]{0,63}$/i;

/** Throws a TypeError that names the invalid part of the form. */
function assertValidSpec({ tool, description, fields }: FlowToolSpec): void {
  if (!toolNamePattern.test(tool))
    throw new TypeError(
      `Tool names consist of lower-case letters, digits and _, such as notify_treasurer, not ${JSON.stringify(tool)}.`,
    );
  if (description.trim() === "")
    throw new TypeError("The description is missing. Models choose a tool by its description.");
  for (const { name, kind } of fields) {
    if (!fieldNamePattern.test(name))
      throw new TypeError(`Argument names consist of letters, digits and _, not ${JSON.stringify(name)}.`);
    if (!Object.hasOwn(schemaByKind, kind))
      throw new TypeError(`The kind of ${name} must be one of ${flowFieldKinds.join(", ")}.`);
    if (fields.filter((each) => each.name === name).length > 1)
      throw new TypeError(`Two arguments have the name ${name}.`);
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

/** Converts the payload of a flow to a tool result. Objects are also returned as structured content. */
function toToolResult(payload: unknown): ToolResult {
  if (typeof payload === "string") return textResult(payload);
  const json = JSON.stringify(payload) ?? "done";
  return textResult(json, isObject(payload) ? { structuredContent: payload } : {});
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

/** Sends the input of a call into a flow. `id` identifies the call. */
export type StartFlow = (input: Readonly<Record<string, unknown>>, id: string) => void;

/** Registry of the flows that one MCP server offers as tools. */
export class FlowTools {
  readonly #registered = new Map<string, RegisteredTool>();
  readonly #pendingCalls = new Map<string, PendingCall>();

  constructor(private readonly allowsChanges: boolean) {}

  /** Registers a flow. Returns a function that removes it. Throws a TypeError if its form is invalid. */
  register(spec: FlowToolSpec, start: StartFlow): () => void {
    assertValidSpec(spec);
    if (this.#registered.has(spec.tool))
      throw new TypeError(`Another node already offers the tool ${spec.tool}.`);
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
          this.#finish(
            id,
            failedResult(`${tool}: the flow was redeployed during the call. Call the tool again.`),
          );
    };
  }

  /** Completes a call. Returns false if it no longer waits for a result. */
  complete(id: unknown, payload: unknown): boolean {
    return this.#finish(id, toToolResult(payload));
  }

  /** Fails a call. Returns false if it no longer waits for a result. */
  fail(id: unknown, message: string): boolean {
    return this.#finish(id, failedResult(message));
  }

  /** Adds the flows to a toolbox. On a name clash, the toolbox's own tool wins. */
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
          this.fail(id, `${tool}: the server is shutting down.`);
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
        this.fail(
          id,
          `${tool}: the flow returned no result within ${timeoutMs / 1_000} s. It may still be running.`,
        );
      const timer = setTimeout(onTimeout, timeoutMs);
      const onAbort = () =>
        void this.fail(id, `${tool}: the call was cancelled. The flow may still be running.`);
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
