/** The nodes “Tool” and “Tool result”: the start and end of a flow that is a tool. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage } from "node-red";
import type { FlowField } from "./flow-tools";
import type { McpServerNode } from "./mcp-server-node";

export interface ToolDef extends NodeDef {
  readonly server: string;
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly changes: boolean;
  readonly fields: readonly FlowField[];
  readonly timeoutSeconds: string | number;
}

/** Content of `msg.fxdesk` in the flow of a tool. */
interface ToolCall {
  readonly tool: string;
  readonly tool_call: string;
  readonly server: string;
}

const maxSeconds = 3_600;

function parseSeconds(value: string | number): number {
  const seconds = Number(value);
  if (!(seconds > 0 && seconds <= maxSeconds))
    throw new TypeError(
      `The time limit must be more than 0 and at most ${maxSeconds} seconds, not ${value}.`,
    );
  return seconds;
}

export function toolNode(RED: NodeAPI): NodeConstructor<Node, ToolDef, object> {
  return function FlowTool(this: Node, config: ToolDef) {
    RED.nodes.createNode(this, config);
    try {
      const server = RED.nodes.getNode(config.server) as McpServerNode | null;
      if (!server) throw new TypeError("Choose an MCP server in the node.");
      const { tool, title, description, changes, fields } = config;
      const spec = {
        tool,
        title,
        description,
        changes,
        fields,
        timeoutMs: parseSeconds(config.timeoutSeconds) * 1_000,
      };
      const unregister = server.flows.register(spec, (payload, id) => {
        const call: ToolCall = { tool, tool_call: id, server: config.server };
        this.send({ payload, topic: tool, fxdesk: call } as NodeMessage);
      });
      this.on("close", unregister);
      this.status({ fill: "green", shape: "dot", text: server.path });
    } catch (error) {
      this.error((error as Error).message);
      this.status({ fill: "red", shape: "ring", text: (error as Error).message });
    }
  };
}

interface ResultMessage extends NodeMessage {
  readonly fxdesk?: Partial<ToolCall>;
  /** Set by Catch nodes. */
  readonly error?: { readonly message?: string };
}

export function toolResultNode(RED: NodeAPI): NodeConstructor<Node, NodeDef, object> {
  return function FlowToolResult(this: Node, config: NodeDef) {
    RED.nodes.createNode(this, config);
    this.on("input", (msg, _send, done) => {
      const { payload, fxdesk: { tool_call: id, tool = "", server = "" } = {}, error } = msg as ResultMessage;
      const { flows } = (RED.nodes.getNode(server) as McpServerNode | null) ?? {};
      if (id === undefined)
        return done(
          new Error("msg.fxdesk contains no tool call. Keep the msg.fxdesk that the Tool node sent."),
        );
      const isDelivered = error ? flows?.fail(id, error.message ?? "failed") : flows?.complete(id, payload);
      if (!isDelivered) this.warn("The result arrived too late: the call has timed out or was cancelled.");
      this.status({ fill: isDelivered && !error ? "green" : "yellow", shape: "dot", text: tool });
      done();
    });
  };
}
