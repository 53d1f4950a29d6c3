/** The node “Release”: releases or refuses a pending request in the name of the person whose secret it holds. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage } from "node-red";
import { InvalidInput } from "../../core/spec/errors";
import type { DecisionInput } from "../../core/releases/release";
import type { ReleaseReport } from "../../core/releases/report";
import { findConnection, requireClient } from "../connection/target";
import { catchErrors } from "../shared/errors";
import { createSource, type TypedValue } from "../shared/typed-values";
import { releaseStatus } from "../shared/release-status";
import { Status, translateStatus } from "../shared/status";

const operationName = "releases.decide";

/** Fields of a decision whose source the form sets. */
export const decisionFields = ["decision", "release", "seal", "note"] as const;
type DecisionField = (typeof decisionFields)[number];

export interface ReleaseDef extends NodeDef, Readonly<Record<DecisionField, TypedValue>> {
  readonly connection: string;
  /** Name of the deciding person, as in the policy. */
  readonly person: string;
}

interface Secrets {
  secret: unknown;
}

function invalidInputError(field: string, message: string): InvalidInput {
  return new InvalidInput(`${operationName}: ${field} ${message}.`, {
    operation: operationName,
    code: "invalid_input",
    outcome: "not-sent",
    violations: [{ field, message }],
  });
}

/** Returns a text of the form. Throws InvalidInput if it is empty. */
function requireText(field: string, value: unknown): string {
  if (typeof value !== "string" || value === "")
    throw invalidInputError(field, "is required: fill it in in the node");
  return value;
}

export function releaseNode(RED: NodeAPI): NodeConstructor<Node<Secrets>, ReleaseDef, Secrets> {
  const translate = translateStatus(RED);
  return function ReleaseNode(this: Node<Secrets>, config: ReleaseDef) {
    RED.nodes.createNode(this, config);
    const host = { RED, node: this as unknown as Node };
    const sources = Object.fromEntries(
      decisionFields.map((field) => [field, createSource(config[field] ?? { type: "str", value: "" }, host)]),
    ) as Record<DecisionField, ReturnType<typeof createSource>>;

    const readField = async (field: DecisionField, msg: NodeMessage): Promise<string | undefined> => {
      const value = await sources[field](msg);
      if (value === undefined || value === null || value === "") return undefined;
      if (typeof value !== "string") throw invalidInputError(field, "must be text");
      return value;
    };

    const readDecision = async (msg: NodeMessage): Promise<DecisionInput> => {
      const decision = await readField("decision", msg);
      if (decision !== "release" && decision !== "refuse")
        throw invalidInputError("decision", "must be release or refuse");
      const seal = await readField("seal", msg);
      if (seal === undefined)
        throw invalidInputError("seal", "is required: use the seal of the terms that were reviewed");
      const note = await readField("note", msg);
      const person = requireText("person", config.person);
      const { code } = msg as { code?: unknown };
      if (code !== undefined && typeof code !== "string") throw invalidInputError("code", "must be text");
      const secret = requireText("secret", this.credentials?.secret);
      return { person, secret, code, decision, seal, note };
    };

    const decide = async (msg: NodeMessage): Promise<ReleaseReport> => {
      const client = requireClient(operationName, findConnection(RED, config.connection));
      const decisionInput = await readDecision(msg);
      const id = await readField("release", msg);
      if (id === undefined) throw invalidInputError("release", "is required: set the release ID");
      return client.orders.decide(id, decisionInput, { surface: "node-red" });
    };

    const status = new Status(this as unknown as Node);
    this.on("input", (msg, send, done) => {
      void catchErrors({ status, fail: done }, async () => {
        const report = await decide(msg);
        status.show(releaseStatus(translate, report));
        delete (msg as { code?: unknown }).code;
        send(Object.assign(msg, { payload: report }));
        done();
      });
    });
  };
}
