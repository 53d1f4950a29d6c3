/** Tests that a watch appears on every surface by its declaration alone. */
import { z } from "zod";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { createClient, type Client } from "../core";
import { operationsDocument } from "../build/operations-document";
import { typeFiles } from "../build/types";
import { contract, defineService, json, operations, watchFor } from "../core/operations";
import { nodeFiles } from "../nodes/generate/node-files";
import { variablesOf } from "./cli/run-command";
import { runForOutput, withAssistant } from "./support/surfaces";

const watchNames = watchFor<Client<typeof operations>>()({
  name: "accounts.watchNames",
  tool: "watch_account_names",
  title: "Watch account names",
  summary: "Tells accounts that come.",
  uses: ["accounts.list"],
  input: { codes: z.array(z.string().length(3)).min(1).meta({ description: "Such as EUR." }) },
  output: json(z.object({ id: z.string(), currency: z.string() }), "An account."),
  defaultStart: "beginning",
  everyMs: 60_000,
  async read({ client }, { codes }) {
    const accounts = await client.accounts.list({ currencies: codes.join(",") });
    return { entries: accounts.map(({ account_id: id, currency }) => ({ id, currency })), gaps: [] };
  },
  identify: ({ id }) => id,
  state: ({ currency }) => ({ currency }),
});

const service = defineService({ ...contract, watches: [watchNames] });

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const connect = () => {
  const { baseUrl, demo } = sandbox;
  const { clientId, contactId, accessToken } = demo;
  return createClient({ baseUrl, clientId, contactId, credentials: { accessToken } }, service);
};

test("as an iterator and a polling method, with types", async () => {
  const client = connect();
  const { changes } = await client.accounts.watchNames.since({ codes: ["EUR"] }, { consumer: "asks" });
  expect(changes.map(({ entry }) => entry?.currency.toLowerCase())).toEqual(["eur"]);
  for await (const change of client.accounts.watchNames({ codes: ["EUR"] })) {
    expect(change).toMatchObject({ watch: "accounts.watchNames", kind: "new", repeated: false });
    await change.ack();
    break;
  }
  expect(() => client.accounts.watchNames({ codes: [] })).toThrow("codes");
  await client.close();
});

test("in the declarations of the client", () => {
  const text = typeFiles(service)["core/client/fxdesk-client.d.ts"]!;
  expect(text).toContain("readonly watchNames: WatchMethod<[input: WatchAccountNamesInput], ");
});

test("as a tool and as a resource", async () => {
  const client = connect();
  await withAssistant({ client, toolsets: ["watches"] }, async (assistant) => {
    const { tools } = await assistant.listTools();
    expect(tools).toMatchObject([
      {
        name: "watch_account_names",
        title: "Watch account names",
        description: "Tells accounts that come.",
        inputSchema: {
          properties: { codes: { description: "Such as EUR." }, cursor: { type: "string" } },
          required: ["codes"],
        },
        annotations: { readOnlyHint: true },
      },
    ]);
    const asked = await assistant.callTool({ name: "watch_account_names", arguments: { codes: ["EUR"] } });
    expect(asked.structuredContent).toMatchObject({
      count: 1,
      changes: [{ kind: "new", entry: { currency: "EUR" } }],
    });
    const { resourceTemplates } = await assistant.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "fxdesk://watches/watch_account_names{?codes,cursor}",
    ]);
  });
  await client.close();
});

test("as a command, with its help", async () => {
  const variables = variablesOf(sandbox);
  const told = await runForOutput(["watch", "account-names", "--codes", "EUR", "--once"], variables, service);
  expect(JSON.parse(told)).toMatchObject({ watch: "accounts.watchNames", kind: "new" });
  expect(await runForOutput(["watch", "account-names", "--help"], {}, service)).toContain("Such as EUR.");
  expect(await runForOutput(["watch"], {}, service)).toContain("account-names");
});

test("as a node: runtime, form, words and help", () => {
  const files = nodeFiles(service);
  const type = "fxdesk-watch-account-names";
  expect(files["fxdesk.js"]).toContain(`registerType("${type}", watch("accounts.watchNames"))`);
  expect(files["fxdesk.html"]).toContain(`registerType("${type}", {`);
  expect(files["locales/en-US/forms.json"]).toContain("Such as EUR.");
  expect(files["locales/en-US/fxdesk.html"]).toContain("Tells accounts that come.");
});

test("as a section of the documentation", () => {
  const document = operationsDocument([watchNames]);
  expect(document).toContain("`fxdesk watch account-names`");
  expect(document).toContain("`accounts.watchNames`, calls `accounts.list`");
});

test.each([
  ["an operation that is not there", { uses: ["accounts.lose"] }, "`uses` lists accounts.lose"],
  ["what does more than read", { uses: ["trades.book"] }, "has the effect money"],
  ["the name of another", { name: "accounts.list" }, "The name accounts.list is declared twice"],
  ["days looked back without a day", { overlapDays: 3 }, "must be declared together"],
])("%s is refused", (_, flaw, message) => {
  expect(() => defineService({ ...contract, watches: [{ ...watchNames, ...flaw }] })).toThrow(message);
});
