/** Serves the lists of operations and watches to the editor, and validates form values with the messages of a call. */
import type { Node, NodeAPI } from "node-red";
import { checkInput } from "../../core/spec/check";
import { callerFieldDocs, type OperationDoc, describeOperation } from "../../core/spec/describe-operation";
import { InvalidInput, type Violation } from "../../core/spec/errors";
import { fieldsOfRule, type Callable } from "../../core/spec/operation";
import { callablesOf, declarationsOf, type Service } from "../../core/spec/service";
import { metaOf } from "../../core/values/kind";
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

interface CheckedForm {
  readonly operation: unknown;
  readonly fields: FormFields;
  /** True if empty fields take the property of msg.payload with their name. */
  readonly fromPayload: boolean;
}

/** Returns the fields that decide a violation: those of its rule, or the field that it names. */
function decidingFields({ rules = [] }: Callable, { field, message, rule }: Violation): readonly string[] {
  const broken = rule && rules.find(({ description }) => description === message);
  return broken ? fieldsOfRule(broken) : [field.split(".")[0]!];
}

/**
 * Returns the violations of a form, as a call with these values reports them. What a message will bring is valid until then:
 * fields from a message or from context, and with `fromPayload` the empty fields.
 */
async function formViolations(
  RED: NodeAPI,
  callable: Callable,
  { fields, fromPayload }: CheckedForm,
): Promise<readonly Violation[]> {
  const fixed = Object.fromEntries(Object.entries(fields).filter(([, value]) => isFixed(value)));
  const isKnown = (field: string) =>
    Object.hasOwn(fixed, field) || !(fromPayload || Object.hasOwn(fields, field));
  const node = {} as Node;
  try {
    const input = await createInputReader(callable, { fields: fixed }, { RED, node })({ _msgid: "" });
    const found = checkInput(callable, input, new Date());
    return found.filter((violation) => decidingFields(callable, violation).every(isKnown));
  } catch (error) {
    if (error instanceof InvalidInput) return error.violations;
    throw error;
  }
}

function parseCheckRequest(body: unknown): CheckedForm | undefined {
  const { operation, fields, fromPayload } = (body ?? {}) as Partial<CheckedForm>;
  const isForm = typeof fields === "object" && Object.values(fields).every(isTypedValue);
  return isForm ? { operation, fields, fromPayload: fromPayload === true } : undefined;
}

/** Longest header row that is matched. */
const maxHeaderLength = 2_000;

/** Adds the route that says how the headings of a table are understood. It requires the permission `fxdesk.read`. */
export function serveHeadings(RED: NodeAPI, service: Service): void {
  const known = new Map(declarationsOf(service).map((each) => [each.name, each]));
  RED.httpAdmin.post("/fxdesk/headings", editorAccess(RED, "fxdesk.read"), (request, response) => {
    const { operation, field, header } = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const callable = known.get(String(operation));
    const found = callable && callerFieldDocs(describeOperation(callable)).find(({ name }) => name === field);
    const { matchHeadings } = found ? metaOf(found.schema) : {};
    if (matchHeadings && typeof header === "string" && header.length <= maxHeaderLength)
      response.json({ headings: matchHeadings(header) });
    else response.status(400).json({ message: "Expected a field that takes CSV, and its header row." });
  });
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
      void formViolations(RED, callable, form).then(
        (violations) => response.json({ violations }),
        (error: Error) => response.status(400).json({ message: error.message }),
      );
  });
}
