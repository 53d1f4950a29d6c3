/** Tests that a behaviour with an undocumented status or shape does not compile. */
import { join } from "node:path";
import { compile } from "../support/consumer-project";

const root = join(__dirname, "../..");
const behaviour = join(root, "sandbox/src/calls/behaviour");

/** Compiler options of the repository, with the declarations from source. */
const options = {
  skipLibCheck: true,
  exactOptionalPropertyTypes: true,
  lib: ["es2023", "es2024.string"],
  paths: {
    "@fxdesk/toolkit/operations": [join(root, "core/operations.ts")],
    "@fxdesk/toolkit/schema": [join(root, "core/values/index.ts")],
    "@fxdesk/toolkit/formats": [join(root, "core/files.ts")],
  },
};

const settings = (enabled: string) => `{ enabled: ${enabled}, dual_admin: false, currency: "EUR" }`;

type Case = readonly [what: string, operation: string, response: string];

const right: readonly Case[] = [
  ["a documented status and body", "approvalsWorkflow.getSettings", `status: 200, body: ${settings("true")}`],
  ["no body, where none is documented", "accountDetails.request", "status: 200"],
  ["another media type", "payments.getStatus", `status: 200, asText: "application/xml", body: "<Document/>"`],
];

const wrong: readonly Case[] = [
  ["an undocumented status", "approvalsWorkflow.getSettings", `status: 201, body: ${settings("true")}`],
  ["another shape", "approvalsWorkflow.getSettings", `status: 200, body: ${settings('"yes"')}`],
  ["a field too few", "trades.get", `status: 200, body: { trade_id: "T1" }`],
  ["no body, where one is documented", "trades.list", "status: 200"],
  ["a body, where none is documented", "accountDetails.makeDefault", "status: 204, body: {}"],
  ["text, where it is JSON", "accounts.get", `status: 200, asText: "text/plain", body: "1"`],
];

/** One line per case, starting on the second line of the file. */
const source = [
  `import type { BehavioursOf } from ${JSON.stringify(behaviour)};`,
  ...[...right, ...wrong].map(
    ([, name, response], index) =>
      `export const c${index}: BehavioursOf<"${name.split(".")[0]}">["${name}"] = () => ({ ${response} });`,
  ),
].join("\n");

test("only documented responses compile", async () => {
  const errors = await compile({ "behaviour.cts": source }, options);
  const lines = new Set([...errors.matchAll(/behaviour\.cts\((\d+),/g)].map(([, line]) => Number(line) - 2));
  const refused = [...right, ...wrong].filter((_, index) => lines.has(index)).map(([what]) => what);
  expect(refused).toEqual(wrong.map(([what]) => what));
  expect(errors).not.toMatch(/^(?!.*behaviour\.cts).*error TS/m);
});
