/** Serves the lists of operations and watches to the editor, and validates form values with the messages of a call. */
import type { Node, NodeAPI } from "node-red";
import { checkInput } from "../../core/spec/check";
import { callerFieldDocs, type OperationDoc, describeOperation } from "../../core/spec/describe-operation";
import { InvalidInput, type Violation } from "../../core/spec/errors";
import type { Callable } from "../../core/spec/operation";
import { callablesOf, declarationsOf, type Service } from "../../core/spec/service";
import { createInputReader } from "../shared/input";
import { isTypedValue, type TypedValue } from "../shared/typed-values";
import { editorAccess } from "./serve-texts";

/** Returns the part of the documentation that users need to choose an operation and enter its input. */
const describeForEditor = (doc: OperationDoc) => {
  const { name, title, summary, effect } = doc;
  const fields = callerFieldDocs(doc).map(({ name: field, kind, requirement, description }) => ({
    name: field,
    kind,
    required: requirement === "required",
    description,
  }));
  return { name, title, summary, effect: effect.kind, fields };
};

/** Adds the routes, including operations of extensions. They require the permission `fxdesk.read`. */
export function serveOperations(RED: NodeAPI, service: Service): void {
  const lists = { operations: callablesOf(service), watches: service.watches ?? [] };
  for (const [path, list] of Object.entries(lists))
    RED.httpAdmin.get(`/fxdesk/${path}`, editorAccess(RED, "fxdesk.read"), (_request, response) => {
      response.json(list.map((each: Callable) => describeForEditor(describeOperation(each))));
    });
}

type FormFields = Readonly<Record<string, TypedValue>>;

/** True for values entered in the form. All others are only known when a message arrives. */
const isFixed = ({ type }: TypedValue): boolean => ["str", "num", "json", "bool"].includes(type);

/** Returns the violations of the fixed values. */
async function fixedValueViolations(
  RED: NodeAPI,
  callable: Callable,
  fields: FormFields,
): Promise<readonly Violation[]> {
  const fixed = Object.fromEntries(Object.entries(fields).filter(([, value]) => isFixed(value)));
  const node = {} as Node;
  try {
    const input = await createInputReader(callable, { fields: fixed }, { RED, node })({ _msgid: "" });
    const found = checkInput(callable, input, new Date());
    return found.filter(({ field }) => Object.hasOwn(fixed, field.split(".")[0]!));
  } catch (error) {
    if (error instanceof InvalidInput) return error.violations;
    throw error;
  }
}

function parseCheckRequest(
  body: unknown,
): { readonly operation: unknown; readonly fields: FormFields } | undefined {
  const { operation, fields } = (body ?? {}) as { operation?: unknown; fields?: FormFields };
  const isForm = typeof fields === "object" && Object.values(fields).every(isTypedValue);
  return isForm ? { operation, fields } : undefined;
}

/** Adds the route. It requires the permission `fxdesk.read`, makes no call and needs no connection. */
export function serveInputChecks(RED: NodeAPI, service: Service): void {
  const known = new Map(declarationsOf(service).map((each) => [each.name, each]));
  RED.httpAdmin.post("/fxdesk/check", editorAccess(RED, "fxdesk.read"), (request, response) => {
    const form = parseCheckRequest(request.body);
    const callable = form && known.get(String(form.operation));
    if (!callable)
      response
        .status(400)
        .json({ message: "Expected a JSON body with the name of an operation and its fields." });
    else
      void fixedValueViolations(RED, callable, form.fields).then(
        (violations) => response.json({ violations }),
        (error: Error) => response.status(400).json({ message: error.message }),
      );
  });
}
