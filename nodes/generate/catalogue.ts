/** Generates the catalogue of the nodes, from which programs and assistants write flows. */
import type { z } from "zod";
import { checkInput } from "../../core/spec/check";
import { callerFieldDocs, describeOperation, type FieldDoc } from "../../core/spec/describe-operation";
import { type Callable, fieldsOfRule } from "../../core/spec/operation";
import { declarationsOf, type Service } from "../../core/spec/service";
import { isWatch } from "../../core/spec/watch";
import { elementOf, isRequired, kindOf, metaOf, optionsOf, shapeOf } from "../../core/values/kind";
import { exampleConnection, nodeTypeOf } from "../shared/node-names";
import type { TypedValue } from "../shared/typed-values";
import { type Control, controlsOf } from "./controls";
import { nodeDefinitionsOf } from "./editor-file";
import { paletteGroupsOf } from "./palette";

/** Texts for fields whose names say what they take. */
const textsByName: readonly (readonly [RegExp, string])[] = [
  [/iban$/i, "DE89370400440532013000"],
  [/^buy_currency$/, "USD"],
  [/until$/i, "2099-01-29"],
];

/** Texts for fields without an example; the first valid one is used. */
const candidateTexts = [
  "example",
  "EUR",
  "DE",
  "100.00",
  "2026-01-30",
  "2026-01-30T16:30Z",
  "2026-01-30T16:30",
  "openid",
  "00000000-0000-4000-8000-000000000000",
  "DE89370400440532013000",
  "https://example.com/",
  "EURUSD",
  "08:00",
  "payments/sepa-credit-transfers/1234",
  "/accounts/00000000-0000-4000-8000-000000000000/statements/00000000-0000-4000-8000-000000000000/file",
];

/** Returns a valid value where the schema allows to find one: of an object, the required properties or else the first. */
function exampleValue(name: string, schema: z.ZodType): unknown {
  const [given] = metaOf(schema).examples ?? optionsOf(schema) ?? [];
  if (given !== undefined) return given;
  const element = elementOf(schema);
  if (element) return [exampleValue(name, element)];
  switch (kindOf(schema)) {
    case "object": {
      const parts = Object.entries(shapeOf(schema));
      const required = parts.filter(([, each]) => isRequired(each));
      const shown = required.length > 0 ? required : parts.slice(0, 1);
      return Object.fromEntries(shown.map(([part, each]) => [part, exampleValue(part, each)]));
    }
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    default:
      return [
        ...textsByName.flatMap(([names, text]) => (names.test(name) ? text : [])),
        ...candidateTexts,
      ].find((text) => schema.safeParse(text).success);
  }
}

/** Day of the checks of examples: the catalogue does not depend on the day of the build. */
const checkDay = new Date("2026-01-02T12:00:00Z");

/** Returns the names of the fields that the example of a call needs: the required ones, and those that rules add. */
function neededFields(callable: Callable, fields: readonly FieldDoc[]): readonly string[] {
  const examples = new Map(fields.map(({ name, schema }) => [name, exampleValue(name, schema)]));
  const needed = new Set(fields.flatMap(({ name, requirement }) => (requirement === "required" ? name : [])));
  for (const _ of fields) {
    const input = Object.fromEntries([...needed].map((name) => [name, examples.get(name)]));
    const missing = checkInput(callable, input, checkDay).flatMap(({ field, message, rule }) => {
      const broken = rule && callable.rules?.find(({ description }) => description === message);
      return broken ? fieldsOfRule(broken) : field.split(".").slice(0, 1);
    });
    const next = missing.find((name) => examples.has(name) && !needed.has(name));
    if (next === undefined) break;
    needed.add(next);
  }
  return [...needed];
}

/** Returns a value as the form of a node stores it. */
function typedExample(value: unknown, { control }: Control): TypedValue {
  if (control === "json") return { type: "json", value: JSON.stringify(value) };
  return { type: control === "number" ? "num" : "str", value: [value].flat().join(",") };
}

/** A field of a node, as the property `fields` stores it. */
interface CatalogueField {
  readonly name: string;
  readonly title: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly example?: TypedValue;
}

function catalogueField({ requirement, ...field }: FieldDoc, control: Control): CatalogueField {
  const { name, title, type, description, schema } = field;
  const example = field.default ?? exampleValue(name, schema);
  return {
    name,
    title,
    type,
    required: requirement === "required",
    description,
    ...(control.options && { choices: control.options }),
    ...(field.default !== undefined && { default: field.default }),
    ...(example !== undefined && { example: typedExample(example, control) }),
  };
}

/** A node of the palette. */
export interface CatalogueNode {
  readonly type: string;
  readonly label: string;
  readonly group: string;
  /** True for daily work. */
  readonly isDaily: boolean;
  readonly effect: string;
  readonly summary: string;
  readonly inputs: 0 | 1;
  readonly outputs: readonly string[];
  readonly fields: readonly CatalogueField[];
  /** Conditions over several fields. */
  readonly rules: readonly string[];
  /** msg.payload after a success. */
  readonly payload: readonly {
    readonly description: string;
    readonly fields: readonly {
      readonly path: string;
      readonly type: string;
      readonly description?: string;
    }[];
  }[];
  /** A flow with the required fields, without its tab. */
  readonly example: readonly object[];
}

/** Returns the example flow of a node: an Inject node, unless the node starts the flow, the node and a Debug node. */
function exampleFlow(type: string, isTrigger: boolean, fields: Readonly<Record<string, TypedValue>>) {
  const on = (x: number) => ({ z: "tab", x, y: 80 });
  const button = {
    id: "start",
    type: "inject",
    ...on(120),
    props: [{ p: "payload" }],
    repeat: "",
    wires: [["node"]],
  };
  const node = { id: "node", type, ...on(340), connection: exampleConnection.id, fields };
  const end = {
    id: "end",
    type: "debug",
    ...on(560),
    active: true,
    tosidebar: true,
    complete: "true",
    wires: [],
  };
  return isTrigger ? [{ ...node, wires: [["end"], []] }, end] : [button, { ...node, wires: [["end"]] }, end];
}

function catalogueNode(callable: Callable, group: string, isDaily: boolean, label: string): CatalogueNode {
  const page = describeOperation(callable);
  const docs = callerFieldDocs(page);
  const byName = new Map(docs.map((field) => [field.name, field]));
  const fields = controlsOf(page).map((control) => catalogueField(byName.get(control.name)!, control));
  const needed = new Set(neededFields(callable, docs));
  const filled = fields.flatMap(({ name, example }) =>
    needed.has(name) && example ? [[name, example] as const] : [],
  );
  const isTrigger = isWatch(callable);
  return {
    type: nodeTypeOf(callable),
    label,
    group,
    isDaily,
    effect: callable.effect,
    summary: page.summary,
    inputs: isTrigger ? 0 : 1,
    outputs: isTrigger ? ["changes", "status"] : ["result"],
    fields,
    rules: page.rules.map(({ description }) => description),
    payload: page.responses.map(({ description, body }) => ({
      description,
      fields: [...(body?.fields ?? []), ...(body?.entries?.fields ?? [])].map((field) => ({
        path: field.path,
        type: field.type,
        ...(field.description && { description: field.description }),
      })),
    })),
    example: exampleFlow(nodeTypeOf(callable), isTrigger, Object.fromEntries(filled)),
  };
}

/** Returns the nodes of operations, procedures and watches, in palette order. */
export function catalogueOf(service: Service): readonly CatalogueNode[] {
  const labels = new Map(nodeDefinitionsOf(service).map(({ type, metadata }) => [type, metadata.title]));
  return paletteGroupsOf(declarationsOf(service)).flatMap(({ category, isDaily, members }) =>
    members.map((each) => catalogueNode(each, category, isDaily, labels.get(nodeTypeOf(each))!)),
  );
}
