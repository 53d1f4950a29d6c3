/** The node “Release”: says yes or no to what a message names, as the person whose secret it holds. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage } from "node-red";
import { InvalidInput } from "../../core/errors";
import type { Said } from "../../core/releases/release";
import { chosenConnection } from "../connection/chosen";
import { failureOf } from "../operation/failure";
import { sourceOf, type TypedValue } from "../operation/sources";
import { failedStatus } from "../operation/status";
import { clientOf } from "../operation/target";

const operation = "releases.decide";

/** Where the values of a decision come from. */
export const decisionFields = ["decision", "release", "seal", "note"] as const;
type DecisionField = (typeof decisionFields)[number];

export interface ReleaseDef extends NodeDef, Readonly<Record<DecisionField, TypedValue>> {
  readonly connection: string;
  /** Who decides, as the policy names them. */
  readonly person: string;
}

interface Secrets {
  secret: unknown;
}

function invalid(field: string, message: string): InvalidInput {
  return new InvalidInput(`${operation}: ${field} ${message}.`, {
    operation,
    code: "invalid_input",
    outcome: "not-sent",
    violations: [{ field, message }],
  });
}

/** A text of the form. */
function needed(field: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw invalid(field, "is needed: fill it in in the node");
  return value;
}

export function releaseNode(RED: NodeAPI): NodeConstructor<Node<Secrets>, ReleaseDef, Secrets> {
  return function ReleaseNode(this: Node<Secrets>, config: ReleaseDef) {
    RED.nodes.createNode(this, config);
    const host = { RED, node: this as unknown as Node };
    const sources = Object.fromEntries(
      decisionFields.map((field) => [field, sourceOf(config[field] ?? { type: "str", value: "" }, host)]),
    ) as Record<DecisionField, ReturnType<typeof sourceOf>>;

    const read = async (field: DecisionField, msg: NodeMessage): Promise<string | undefined> => {
      const value = await sources[field](msg);
      if (value === undefined || value === null || value === "") return undefined;
      if (typeof value !== "string") throw invalid(field, "must be text");
      return value;
    };

    const saidIn = async (msg: NodeMessage): Promise<Said> => {
      const decision = await read("decision", msg);
      if (decision !== "release" && decision !== "refuse")
        throw invalid("decision", "must be release or refuse");
      const seal = await read("seal", msg);
      if (seal === undefined) throw invalid("seal", "is needed: that of the terms that were looked at");
      const note = await read("note", msg);
      const person = needed("person", config.person);
      return { person, secret: needed("secret", this.credentials?.secret), decision, seal, note };
    };

    const decide = async (
      msg: NodeMessage,
      send: (msg: NodeMessage) => void,
      done: (error?: Error) => void,
    ): Promise<void> => {
      try {
        const client = clientOf(operation, chosenConnection(RED, config.connection));
        const said = await saidIn(msg);
        const id = await read("release", msg);
        if (id === undefined) throw invalid("release", "is needed: the release ID");
        const report = await client.orders.decide(id, said);
        this.status({ fill: "green", shape: "dot", text: report.state });
        send(Object.assign(msg, { payload: report }));
        done();
      } catch (error) {
        const failure = failureOf(error);
        this.status(failedStatus(failure));
        done(failure);
      }
    };
    this.on("input", (msg, send, done) => void decide(msg, send, done));
  };
}
