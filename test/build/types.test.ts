/** Tests the generated declaration files: names, and agreement with the schemas. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { clientTypes, inputName } from "../../build/client-types";
import { typeFiles } from "../../build/types";
import { type Declaration, json, operations } from "../../core/operations";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { splitName } from "../../core/spec/sections";
import { declare } from "../core/support/declare";
import { compile } from "../support/consumer-project";

const root = join(__dirname, "../..");

test("match the built files", async () => {
  for (const [path, text] of Object.entries(typeFiles(fxdeskService)))
    expect(await readFile(join(root, "dist", path), "utf8")).toBe(text);
});

test("are all exported, and none hides another", async () => {
  const entry = await readFile(join(root, "dist/core/index.d.ts"), "utf8");
  const lists = [...entry.matchAll(/\{([^}]*)\}/g)].flatMap(([, names]) => names!.match(/\w+/g) ?? []);
  const explicit = new Set<string>(lists);
  const named = [...clientTypes(operations).matchAll(/^export (?:type|interface) (\w+)/gm)];
  expect(named.length).toBeGreaterThan(90);
  expect(named.map(([, name]) => name).filter((name) => explicit.has(name!))).toEqual([]);
});

/** Input fields that are narrower than the inferred type, because their options are generated and typed as string. */
const narrower: Readonly<Record<string, readonly string[]>> = {
  "payments.initiate": ["dayOfExecution", "monthsOfExecution"],
};

/** Compares each generated type with the type inferred from the schemas. */
function agreement(declaration: Declaration): string {
  const { name, tool } = declaration;
  const [section, method] = splitName(declaration);
  const declared = `Named<"${name}">`;
  const call = `FxdeskClient["${section}"]["${method}"]`;
  const apart = (narrower[name] ?? []).map((field) => JSON.stringify(field)).join(" | ") || "never";
  return `export type ${tool} = AllTrue<[
  Agrees<InputOf<${declared}>, toolkit.${inputName(declaration)}, ${apart}>,
  Agrees<ValuesOf<${declared}>, OperationValues["${name}"], ${apart}>,
  Same<Read<OutputOf<${declared}>>, Read<Awaited<ReturnType<${call}>>>>,
  Same<Read<ResponseOf<${declared}>>, Read<Awaited<ReturnType<${call}["response"]>>>>,
  Same<Results<Inferred["${section}"]["${method}"]>, Results<${call}>>,
]>;`;
}

const comparison = `
import type * as toolkit from "@fxdesk/toolkit";
import type { Client, FxdeskClient, OutputOf, ResponseOf } from "@fxdesk/toolkit";
import type { InputOf, OperationValues, ValuesOf } from "@fxdesk/toolkit/operations";
import type { operations } from ${JSON.stringify(join(root, "core/contract/all"))};

type Named<Name extends string> = Extract<(typeof operations)[number], { readonly name: Name }>;

/** True for identical types, including optional, null and readonly. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Type of parsed JSON: an optional field is present or missing. */
type Read<T> = T extends (...args: never) => unknown
  ? T
  : T extends object
    ? { [K in keyof T]: {} extends Pick<T, K> ? Read<Exclude<T[K], undefined>> : Read<T[K]> }
    : T;

type Without<T, Names> = { [K in keyof T as K extends Names ? never : K]: T[K] };

/** Compares exceptions in one direction only; empty inputs accept nothing else. */
type Agrees<Inferred, Written, Apart> = keyof Inferred extends never
  ? Same<Record<string, never>, Written>
  : Written extends Inferred
    ? Same<Without<Inferred, Apart>, Without<Written, Apart>>
    : false;

type Inferred = Client<typeof operations>;

/** Result type of a promise, an iterable or a plain value. */
type Told<R> = R extends AsyncIterable<infer Each> ? Read<Each>[] : Read<Awaited<R>>;

/** Result types of a method and its companions, by name. */
type Results<M> = { [K in keyof M]: M[K] extends (...args: never) => infer R ? Told<R> : never };

type AllTrue<Each extends readonly true[]> = Each;
`;

test("agree with the schemas of every operation", async () => {
  const code = [comparison, ...operations.map(agreement)].join("\n");
  const options = { skipLibCheck: true, exactOptionalPropertyTypes: true, lib: ["es2023", "es2024.string"] };
  expect(await compile({ "agreement.cts": code }, options)).toBe("");
});

/** What an example of a document stands on when it begins in the middle. */
const exampleDeclarations = [
  ["client", 'declare const client: import("@fxdesk/toolkit").FxdeskClient;'],
  ["clientId", "declare const clientId: string;"],
] as const;

/** Examples in TypeScript of the README and the guides, completed to modules. */
async function documentedExamples(): Promise<Record<string, string>> {
  const guides = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  const examples: Record<string, string> = {};
  for (const path of ["README.md", ...guides.map((name) => `docs/${name}`)]) {
    const text = await readFile(join(root, path), "utf8");
    for (const [index, [, code]] of [...text.matchAll(/^```ts\n(.*?)^```/gms)].entries()) {
      const missing = exampleDeclarations.filter(
        ([name]) => !new RegExp(`(const|,|\\{) ${name}\\b`).test(code!),
      );
      examples[`${path.replace(/\W/g, "-")}-${index}.mts`] = [
        code,
        ...missing.map(([, declaration]) => declaration),
        "export {};",
      ].join("\n");
    }
  }
  return examples;
}

test("a strict consumer names every type that it passes and receives, and compiles the documented examples", async () => {
  const code = `import type {
  CallMethod, CashPosition, CashPositionTotal, ChangeBatch, ClientOrders, CreatedResource, Declaration, DecisionInput,
  Change, Delivery, FxdeskClient, InitialChanges, ListMethod, OrderInput, OrderTerms, Procedure, Reconciliation,
  ReconciliationMatched, ReleaseListOptions, ReleaseReport, ReleaseReportList, Snapshot, Watch, WatchMethod,
} from "@fxdesk/toolkit";

export async function cash(client: FxdeskClient): Promise<readonly CashPositionTotal[]> {
  const position: CashPosition = await client.cash.getPosition();
  return position.totals;
}
export const matches = (reconciliation: Reconciliation): readonly ReconciliationMatched[] => reconciliation.matched;
export async function orders(each: ClientOrders, input: OrderInput, decision: DecisionInput): Promise<ReleaseReport> {
  const options: ReleaseListOptions = {};
  const list: ReleaseReportList = await each.list(options);
  const first: ReleaseReport | undefined = list.releases[0];
  return first ? each.decide(first.release, decision) : each.order(input);
}
export async function watch(client: FxdeskClient, each: Watch): Promise<Change | undefined> {
  const initial: InitialChanges = await client.readInitialChanges(each, {});
  const batch: ChangeBatch = await client.changesSince(each, {});
  return initial.gaps.length > 0 ? undefined : batch.changes[0];
}
export const created = (client: FxdeskClient, each: Declaration): Promise<readonly CreatedResource[]> =>
  client.listCreatedResources(each);
export type Others = [CallMethod<never, never, never>, ListMethod<never, never, never>, WatchMethod<never, never>];
export type Declared = [Delivery, Procedure, Snapshot<unknown>, OrderTerms];
`;
  const examples = await documentedExamples();
  expect(Object.keys(examples).length).toBeGreaterThan(5);
  expect(await compile({ "main.mts": code, ...examples })).toBe("");
});

test("document types, fields and methods", () => {
  const text = clientTypes(operations);
  for (const documented of [
    /\/\*\* Quote to book\. \*\/\n  quote_id: string;/,
    /Books an FX trade from a quote .*\.\n(?: +\*.*\n)+ +readonly book: CallMethod<.*BookTradeInput.*ConfirmedTrade/,
    / \* Returned by .*`trades\.list`.*\n \*\/\nexport interface BookedTrade \{/,
    /Default: 50\. \*\/\n  page_size\?: number \| undefined;/,
    /\/\*\* Date \(UTC\) by which .*YYYY-MM-DD\. \*\/\n  maturity_date: string;/,
  ])
    expect(text).toMatch(documented);
});

test("type names are unique", () => {
  const Fixing = z.object({ rate: z.number() });
  const typesOf = (parts: Partial<Declaration>) =>
    clientTypes([declare({ name: "fixings.get", tool: "get_fixing", ...parts }) as Declaration]);
  const responses = (id: string) => ({ 200: json(Fixing.clone(Fixing.def).meta({ id }), "The fixing.") });
  for (const name of ["GetFixingInput", "ServiceResponse"])
    expect(() => typesOf({ responses: responses(name) })).toThrow(`The type name ${name} is used twice.`);
  const body = z.object({ amount: z.number().default(1) }).meta({ id: "Fixing" });
  expect(() => typesOf({ method: "POST", body, responses: { 200: json(body, "The same.") } })).toThrow(
    "The type name Fixing is used twice.",
  );
});
