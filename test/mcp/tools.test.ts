/** Tools derived from the operations, as models and hosts see them. */
import { Ajv2020 as Ajv } from "ajv/dist/2020";
import formats from "ajv-formats";
import { contract, type Declaration, operations } from "@fxdesk/toolkit/operations";
import { declarationsOf } from "../../core/spec/service";
import { fxdeskService } from "../../core/client/fxdesk-service";
import type { Field } from "../../core/spec/fields";
import { requiresKey } from "../../core/spec/check";
import {
  type AllowableEffect,
  notOfferedError,
  type Offer,
  parseAllowedEffects,
  selectTools,
} from "../../mcp/offered-tools";
import { textOf } from "./support/clients";
import { instructionsFor, titleFor } from "../../mcp/instructions";
import { targetOf } from "../../mcp/target";
import { argumentName } from "../../mcp/render/names";
import type { Tool } from "../../mcp/protocol";
import type { JsonObject } from "../../mcp/render/content";
import { listedFields, buildInventory, toolsOf } from "../../mcp/inventory";

const everything: readonly AllowableEffect[] = ["change", "money"];

/** Returns the offered tools of the contract alone. */
const ofContract = buildInventory(contract);
const offered = (offer: Offer) => selectTools(ofContract, offer).tools;
const tools = offered({ allow: everything });
const declared = new Map<string, Declaration>(operations.map((each) => [each.tool, each]));
const toolCases = tools.map((tool) => [tool.name, tool, declared.get(tool.name)!] as const);

/** Estimates the tokens of a tool definition, four bytes each. */
const tokensOf = ({ name, description, inputSchema }: Tool) =>
  Math.ceil(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) / 4);

/** Returns a schema and all schemas inside it, with their paths. */
function* schemasIn(schema: JsonObject, path = "input"): Generator<[string, JsonObject]> {
  yield [path, schema];
  for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, JsonObject>))
    yield* schemasIn(inner, `${path}.${name}`);
  if (schema.items) yield* schemasIn(schema.items as JsonObject, `${path}[]`);
}

test("has one tool for each operation, sorted by name", () => {
  expect(tools.map(({ name }) => name)).toEqual(operations.map(({ tool }) => tool).toSorted());
});

test.each(toolCases)("%s is described for models and hosts", (name, tool, operation) => {
  const { effect, summary, title } = operation;
  expect(name).toMatch(/^[a-z][a-z0-9_]{1,39}$/);
  expect(tool.title).toBe(title);
  expect(tool.description.length).toBeGreaterThanOrEqual(summary.length);
  expect(tool.description).not.toMatch(/undefined|\[object/);
  expect(tool.description.includes("Call only after the user confirms")).toBe(effect === "money");
  expect(tool.annotations).toMatchObject({
    readOnlyHint: effect === "read",
    destructiveHint: effect === "money" || /^(delete|update)_/.test(name),
  });
  const isRepeatable = ["PATCH", "DELETE"].includes(operation.method);
  expect(tool.annotations.idempotentHint ?? false).toBe(effect !== "read" && isRepeatable);
  expect(tool.annotations.openWorldHint ?? true).toBe(true);
});

test.each(toolCases)(
  "%s accepts only fields for models, in a schema of every host",
  (_name, tool, operation) => {
    const { properties, required = [] } = tool.inputSchema;
    const fields = listedFields(operation);
    const { continue: _, request_key: key, ...others } = (properties ?? {}) as JsonObject;
    expect(Object.keys(others).toSorted()).toEqual(
      fields.map((field) => argumentName(field.name)).toSorted(),
    );
    expect(key !== undefined).toBe(operation.effect === "money");
    const isNeeded = ({ name, required: isRequired }: Field) => isRequired && !operation.lookedUp?.[name];
    const needed = fields.filter(isNeeded).map((field) => argumentName(field.name));
    const asked = requiresKey(operation) ? ["request_key"] : [];
    expect((required as string[]).toSorted()).toEqual([...needed, ...asked].toSorted());
    for (const [path, schema] of schemasIn(tool.inputSchema)) {
      expect([path, Object.keys(schema).filter((each) => refusedKeywords.test(each))]).toEqual([path, []]);
      const [type, nullable = "null"] = [schema.type].flat();
      expect([path, typeof type, nullable]).toEqual([path, "string", "null"]);
      for (const property of Object.keys(schema.properties ?? {}))
        expect(property).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      if (schema.type === "object") expect([path, schema.properties]).toEqual([path, expect.any(Object)]);
    }
  },
);

const refusedKeywords = /^(x-.*|\$ref|\$defs|\$schema|anyOf|oneOf|allOf|not|if|title|id)$/;

/** Returns the offered tools of the complete fxdesk service. */
const ofFxdesk = buildInventory(fxdeskService);
const offeredByFxdesk = (offer: Offer) => selectTools(ofFxdesk, offer).tools;

/** Tools with many fields; bench/ reports the tokens of all tools. */
const large = new Set([
  "initiate_payment",
  "initiate_bulk_payment",
  "replace_approvals_config",
  "reconcile_transactions",
  "order_trade",
  "prepare_payment_run",
  "initiate_payment_run",
]);

const all = toolsOf([...declarationsOf(fxdeskService), ...fxdeskService.quoteProcedures!]);

test("marks local tools as closed, and withdrawing as destructive", () => {
  const closed = all
    .filter(({ tool }) => tool.annotations.openWorldHint === false)
    .map(({ tool }) => tool.name);
  expect(closed).toEqual(expect.arrayContaining(["cancel_release", "convert_statement", "get_release"]));
  const cancel = all.find(({ tool }) => tool.name === "cancel_release")!;
  expect(cancel.tool.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
});

test("publishes schemas that strict hosts compile, with null where null is right", () => {
  const strict = formats(new Ajv({ strict: true }));
  for (const { tool } of all)
    for (const schema of [tool.inputSchema, tool.outputSchema ?? {}])
      expect(() => strict.compile(schema)).not.toThrow();
  const config = all.find(({ tool }) => tool.name === "replace_approvals_config")!;
  const isValid = strict.compile(config.tool.inputSchema);
  const rule = { min_amount: "0", max_amount: null, currency: "EUR", combinations: [] };
  expect([isValid({ groups: [], rules: [rule] }), isValid.errors]).toEqual([true, null]);
  expect(isValid({ groups: [], rules: [{ ...rule, min_amount: null }] })).toBe(false);
});

test("has annotations that are true of the effect of every tool", () => {
  for (const { tool, effect } of all) {
    const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations;
    expect([tool.name, readOnlyHint]).toEqual([tool.name, effect === "read"]);
    if (effect === "read") expect([tool.name, destructiveHint]).toEqual([tool.name, false]);
    if (effect === "money") expect([tool.name, destructiveHint]).toEqual([tool.name, true]);
    if (effect === "read") expect([tool.name, idempotentHint]).toEqual([tool.name, undefined]);
  }
});

test("describes every property of input and output, at every depth", () => {
  const undescribed = all.flatMap(({ tool: { name, inputSchema, outputSchema = { type: "object" } } }) =>
    [...schemasIn(inputSchema), ...schemasIn(outputSchema, "output")]
      .filter(([path, { description }]) => /\.\w+$/.test(path) && !description)
      .map(([path]) => `${name}: ${path}`),
  );
  expect(undescribed).toEqual([]);
});

test("the default set takes at most 3,400 tokens as it is sent to hosts without cards, without output schemas", () => {
  const sent = offeredByFxdesk({}).map((tool) => ({ ...tool, outputSchema: undefined, _meta: undefined }));
  expect(Buffer.byteLength(JSON.stringify({ tools: sent })) / 4).toBeLessThanOrEqual(3_400);
});

test("needs at most 350 tokens per tool, and 860 for seven named ones", () => {
  const costs = all.map(({ tool }) => [tool.name, tokensOf(tool)] as const);
  expect(costs.filter(([name, tokens]) => tokens > (large.has(name) ? 860 : 350))).toEqual([]);
});

describe("tools offered by the operator", () => {
  const namesOf = (offer: Offer) => offeredByFxdesk(offer).map(({ name }) => name);
  const inSet = (set: string) => ofFxdesk.toolsets[set]!;
  /** The tools of sections that only read. */
  const readsOf = (...sections: readonly string[]) =>
    declarationsOf(fxdeskService)
      .filter(({ name, effect }) => effect === "read" && sections.includes(name.split(".")[0]!))
      .map(({ tool }) => tool);

  test("are the daily ones by default", () => {
    const beside = ["get_release", "cancel_release"];
    expect(namesOf({ allow: everything })).toEqual([...inSet("daily"), ...beside].toSorted());
    expect(namesOf({ allow: ["money"] })).toContain("get_release");
    expect(namesOf({ allow: ["change"] })).not.toContain("get_release");
    expect(namesOf({})).toEqual(
      expect.arrayContaining(["get_cash_position", "find_transactions", "list_trades"]),
    );
    expect(namesOf({})).not.toContain("book_trade");
  });

  test.each(Object.keys(ofFxdesk.toolsets))("in the toolset %s name no tool that is not offered", (set) => {
    const names = ofFxdesk.tools.map(({ tool }) => tool.name);
    for (const allow of [[], ["money"], everything] as const) {
      const listed = offeredByFxdesk({ toolsets: [set], allow });
      const own = new Set(listed.map(({ name }) => name));
      const named = listed.flatMap((tool) =>
        names.filter((name) => !own.has(name) && new RegExp(`\\b${name}\\b`).test(JSON.stringify(tool))),
      );
      expect([allow, named]).toEqual([allow, []]);
      for (const { description, inputSchema } of listed)
        expect(JSON.stringify([description, inputSchema])).not.toContain('description":""');
      expect(listed.length).toBeLessThanOrEqual(set === "all" ? 100 : set === "daily" ? 20 : 24);
    }
  });

  test("in a toolset of trades or payments get quotes, consents, releases and outcomes along", () => {
    const quoting = buildInventory({
      ...fxdeskService,
      operations: [
        ...fxdeskService.operations,
        { ...declared.get("get_trade")!, name: "quotes.create", tool: "create_quote", quotes: {} as never },
      ],
    });
    const namesIn = (set: string) =>
      selectTools(quoting, { toolsets: [set], allow: everything }).tools.map(({ name }) => name);
    const outcomes = ["get_release", "list_releases", "cancel_release", "find_outcome"];
    expect(namesIn("trades")).toEqual(expect.arrayContaining(["create_quote", ...outcomes]));
    expect(namesIn("payments")).toEqual(
      expect.arrayContaining(["create_consent", "get_consent_status", "connect_bank_accounts", ...outcomes]),
    );
  });

  test("that exist and are not offered name the toolset to switch on", () => {
    const textFor = (name: string) => {
      const tool = ofFxdesk.tools.find((each) => each.tool.name === name)!;
      return textOf(notOfferedError(tool, selectTools(ofFxdesk, {}), ofFxdesk)!);
    };
    expect(textFor("initiate_payment")).toMatch(/toolset payments:.*effect money/);
    expect(textFor("get_consent")).toMatch(/toolset consents:/);
  });

  test.each<[string, Offer, readonly string[]]>([
    ["all", { toolsets: ["all"], allow: everything }, inSet("all")],
    ["tools alone", { tools: ["get_consent"] }, ["get_consent"]],
    ["only allowed tools", { tools: ["get_trade", "book_trade"] }, ["get_trade"]],
    [
      "only reads, despite other settings",
      { toolsets: ["trades"], allow: everything, readOnly: true },
      readsOf("trades"),
    ],
  ])("%s", (_, offer, names) => {
    expect(namesOf(offer)).toEqual(names.toSorted());
  });

  test("are listed as incomplete in the instructions, with the operator as contact", () => {
    const instructions = (offer: Offer) =>
      instructionsFor(selectTools(ofFxdesk, offer), { environment: "sandbox" });
    expect(instructions({})).toContain("ask the operator");
    expect(instructions({})).toContain("A watch_ tool");
    expect(instructions({ toolsets: ["login"] })).not.toContain("A watch_ tool");
    expect(instructions({ allow: everything, readOnly: true })).toContain("only reads");
  });

  test.each<[string, Offer, RegExp, RegExp]>([
    [
      "by default",
      {},
      /has more tools \(payments, consents, approvals, statements by e-mail\)/,
      /offers no tools/i,
    ],
    ["all", { toolsets: ["all"] }, /only reads/, /has more tools|offers no tools/i],
    [
      "no allowed tool",
      { tools: ["book_trade"], readOnly: true },
      /offers no tools: .*this server allows none of the chosen ones.*ask/,
      /daily|has more tools|list_/,
    ],
    [
      "no chosen tool",
      { toolsets: [] },
      /offers no tools: none was chosen.*ask/,
      /daily|has more tools|list_/,
    ],
  ])("the instructions are true of what is offered: %s", (_, offer, says, not) => {
    const instructions = instructionsFor(selectTools(ofFxdesk, offer), { environment: "sandbox" });
    expect(instructions).toMatch(says);
    expect(instructions).not.toMatch(not);
  });
});

test("accepts no redirect or notification address in any tool", () => {
  expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toMatch(/_uri"/);
});

describe("--allow", () => {
  test.each([
    { allow: [], effects: ["read"] },
    { allow: ["change"], effects: ["read", "change"] },
    { allow: ["money"], effects: ["read", "money"] },
    { allow: everything, effects: ["read", "change", "money"] },
  ] as const)("$allow lists only those tools, and the instructions say it", ({ allow, effects }) => {
    const selected = selectTools(ofContract, { allow, toolsets: ["all"] });
    expect(new Set(selected.tools.map(({ name }) => declared.get(name)!.effect))).toEqual(new Set(effects));
    const instructions = instructionsFor(selected, { environment: "sandbox" });
    expect(instructions.includes("only reads")).toBe(allow.length === 0);
    expect(instructions.includes("explicitly confirmed")).toBe(
      (effects as readonly string[]).includes("money"),
    );
    expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2_048);
  });

  test("is parsed, and other values are refused", () => {
    expect(parseAllowedEffects(["change", "money"])).toEqual(["change", "money"]);
    expect(parseAllowedEffects(["change, money"])).toEqual(["change", "money"]);
    expect(() => parseAllowedEffects(["read"])).toThrow('--allow takes change or money, not "read".');
  });
});

describe("names the connection", () => {
  test.each([
    [
      { environment: "api", domain: "example.com", clientId: "C-1" },
      "production, client C-1, at api.example.com",
    ],
    [{ domain: "example.com" }, "production, at api.example.com"],
    [{ environment: "api", baseUrl: "https://sandbox.example.com/v1" }, "sandbox, at sandbox.example.com"],
    [{ environment: "api", baseUrl: "http://127.0.0.1:8080" }, "environment unknown, at 127.0.0.1:8080"],
    [{}, "environment unknown"],
  ])("%j", (settings, words) => {
    const connection = targetOf(settings);
    expect(titleFor(connection)).toBe(`fxdesk (${words})`);
    expect(instructionsFor(selectTools(ofFxdesk, {}), connection)).toContain(`The connection: ${words}.`);
  });
});
