/** Tests fxdesk call: responses, fields, money calls with preview and key, and errors. */
import { readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { createClient, type FxdeskClient, type Values } from "@fxdesk/toolkit";
import { preview } from "../../cli/call/run";
import { type Fault, faultServer, type FaultServer, inSequence, respond } from "../support/fault-server";
import { operationNamed } from "../support/operations";
import { closeLater, tempFolder } from "../support/resources";
import { makeQuote } from "../support/samples";
import { openSandboxAndClient } from "../support/sandboxes";
import { sandboxVariables } from "../../cli/sandbox/sandbox-package";
import {
  booking,
  failure,
  jsonOf,
  runFxdesk as run,
  usageErrorOf,
  type Variables,
  variablesFor,
  variablesOf,
} from "./run-command";

let sandbox: Sandbox;
let client: FxdeskClient;
let variables: Variables;

const fxdesk = (args: readonly string[], input = "") => run(args, { variables, input });
const refusal = (args: readonly string[], input = "") => usageErrorOf(args, { variables, input });
const call = async <T>(...args: readonly string[]): Promise<T> =>
  JSON.parse((await fxdesk(["call", ...args])).stdout) as T;

const startServer = async (fault: Fault): Promise<FaultServer> => closeLater(await faultServer(fault));

beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient());
  variables = variablesOf(sandbox);
});

const newBooking = async () => [
  "call",
  "trades.book",
  "--quote-id",
  await makeQuote(client),
  "--reason",
  "other",
];

describe("responses", () => {
  test("prints all pages as one list with --all", async () => {
    const all = [];
    for await (const trade of client.trades.list.all()) all.push(trade);
    expect(all.length).toBeGreaterThan(7);
    expect(await call("trades.list", "--page-size", "7", "--all")).toEqual(all);
  });

  test("notes that more pages exist", async () => {
    const [account] = await client.accounts.list({ currencies: "EUR" });
    const args = ["call", "transactions.list", "--account-id", account!.account_id, "--page-size", "3"];
    const { stdout, stderr } = await fxdesk(args);
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect(stderr).toBe("Note: there are more pages. Fetch them with --all.\n");
    expect((await fxdesk([...args, "--json"])).stderr).toBe('{"code":"more_pages"}\n');
    expect((await fxdesk([...args, "--all"])).stderr).toBe("");
  });

  test("prints linked pages as one response with --all", async () => {
    const page = (number: number, next: object) =>
      respond(
        200,
        JSON.stringify({ transactions: { booked: [], information: [{ page: number }], _links: next } }),
      );
    const bank = await startServer(inSequence(page(1, { next: { href: "?page=2" } }), page(2, {})));
    const args = ["openBanking.listTransactions", "--account-id", "A1", "--consent-id", "C1"];
    const { stdout, code } = await run(["call", ...args, "--booking-status", "information", "--all"], {
      variables: { ...variables, FXDESK_XS2A_URL: bank.url },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      transactions: { booked: [], information: [{ page: 1 }, { page: 2 }], _links: {} },
    });
  });

  test("writes files to --output, without the summary", async () => {
    const folder = await tempFolder();
    const service = await startServer(respond(200, "a statement", { "content-type": "application/pdf" }));
    const link = join(folder, "link.pdf");
    const id = "00000000-0000-4000-8000-000000000001";
    await symlink("file.pdf", link);
    const get = (output: string) =>
      run(["call", "statements.getFile", "--account-id", id, "--statement-id", id, "--output", output], {
        variables: variablesFor(service),
      });
    expect(JSON.parse((await get(link)).stdout)).toEqual({
      path: link,
      contentType: "application/pdf",
      size: "a statement".length,
    });
    expect(await readFile(join(folder, "file.pdf"), "utf8")).toBe("a statement");
    expect(JSON.parse((await get("/dev/null")).stdout)).toMatchObject({ size: "a statement".length });
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
    for (const stdout of ["-", "/dev/stdout"])
      expect(await get(stdout)).toEqual({ code: 0, stdout: "a statement", stderr: "" });
    expect(await get(folder)).toEqual(failure(8, `The file could not be written (${folder} is a folder).`));
  });

  test("says whether --output of delivered files is a file or a folder", async () => {
    const folder = await tempFolder();
    const content =
      ":20:A\n:25:TESTDEFF/1\n:28C:1\n:60F:C260101EUR1,\n:61:260115C1,NTRF\n:62F:C260131EUR2,\n-\n";
    const convert = (output: string) =>
      fxdesk(["call", "statements.convert", "--content", content, "--to", "csv", "--output", output]);
    const path = join(folder, "new", "one.csv");
    const file = await convert(path);
    expect(file.stderr).toContain(`saved as ${path}`);
    expect(JSON.parse(file.stdout)).toMatchObject({ file: { path } });
    const many = await convert(join(folder, "many"));
    expect(many.stderr).toContain(`the folder ${join(folder, "many")}`);
    expect(await readFile(JSON.parse(many.stdout).file.path, "utf8")).toBe(await readFile(path, "utf8"));
  });

  test("prints an empty list", async () => {
    const args = ["call", "trades.list", "--all", "--parent-trade-id", "nobody"];
    expect((await fxdesk(args)).stdout).toBe("[]\n");
    expect((await fxdesk([...args, "--table"])).stdout).toBe("(no entries)\n");
  });

  test("prints the entries as lines of JSON, and chosen columns as CSV, for one page, all pages and a main list", async () => {
    const all = [];
    for await (const trade of client.trades.list.all()) all.push(trade);
    const print = async (...args: readonly string[]) => (await fxdesk(["call", ...args])).stdout;
    const lines = (text: string) => text.trimEnd().split(/\r?\n/);
    const pages = ["trades.list", "--page-size", "7", "--all"];
    expect(lines(await print(...pages, "--print", "jsonl")).map((line) => JSON.parse(line))).toEqual(all);
    expect(lines(await print(...pages, "--print", "csv", "--columns", "trade_id,status"))).toEqual([
      "trade_id,status",
      ...all.map(({ trade_id, status }) => `${trade_id},${status}`),
    ]);
    const position = ["cash.getPosition", "--currencies", "EUR", "--balance-types", "InterimAvailable"];
    const [head, first] = lines(await print(...position, "--print", "csv", "--columns", "currency,amount"));
    expect([head, first]).toEqual(["currency,amount", expect.stringMatching(/^EUR,\d+\.\d{2}$/)]);
  });

  test("CSV holds no formula, and refuses a column that is not there", async () => {
    const rows = [{ trade_id: "=1+1", rate: -1.5, note: 'a "b", c' }];
    const { url } = await startServer(respond(200, JSON.stringify(rows)));
    const at = { ...variablesFor({ url }) };
    const args = ["call", "trades.list", "--print", "csv"];
    expect((await run(args, { variables: at })).stdout).toBe(
      'trade_id,rate,note\r\n\'=1+1,-1.5,"a ""b"", c"\r\n',
    );
    expect(await usageErrorOf([...args, "--columns", "trade_idd"], { variables: at })).toContain(
      "Did you mean trade_id",
    );
  });
});

describe("fields", () => {
  test("lists accept repeated flags and commas", async () => {
    const commas = await call<{ trade_type: string }[]>("trades.list", "--trade-type", "spot,ndf");
    expect(new Set(commas.map(({ trade_type }) => trade_type))).toEqual(new Set(["spot", "ndf"]));
    expect(await call("trades.list", "--trade-type", "spot", "--trade-type", "ndf")).toEqual(commas);
  });

  test("codes are taken in small letters, and a currency without account is refused by name", async () => {
    const balances = async (currencies: string) =>
      (await call<{ balances: unknown[] }>("cash.getPosition", "--currencies", currencies)).balances.length;
    expect(await balances("eur, gbp")).toBe(await balances("EUR,GBP"));
    for (const name of ["cash.getPosition", "transactions.find"]) {
      const asked = await fxdesk(["call", name, "--currencies", "EUR,xxx", "--json"]);
      expect(asked.code).toBe(2);
      expect(JSON.parse(asked.stderr)).toMatchObject({
        code: "invalid_input",
        violations: [{ field: "currencies", message: expect.stringMatching(/XXX.*EUR/) }],
      });
    }
  });

  test("--input reads a file or stdin; flags take precedence", async () => {
    const path = join(await tempFolder(), "input.json");
    await writeFile(path, JSON.stringify({ page_size: 2, trade_type: ["spot"] }));
    const list = ["trades.list", "--input"];
    expect(await call(...list, path)).toHaveLength(2);
    expect(await call(...list, path, "--page-size", "1")).toHaveLength(1);
    const { stdout } = await fxdesk(["call", ...list, "-"], '{"page_size": 1}');
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  test("@ reads a value from a file or stdin, and @@ escapes it", async () => {
    const folder = await tempFolder();
    const file = async (name: string, content: string) => {
      const path = join(folder, name);
      await writeFile(path, content);
      return `@${path}`;
    };
    const product = ["--payment-product", "pain.001-sepa-credit-transfers"];
    const bulk = ["call", "payments.initiateBulk", ...product, "--pain001"];
    const document = await file("payment.xml", "<Document>\n<a/></Document>\n");
    expect((await fxdesk([...bulk, document])).stderr).toMatch(/\s<Document>\n<a\/><\/Document>\n$/);
    expect((await fxdesk([...bulk, "@-"], "<Document/>")).stderr).toMatch(/\s<Document\/>\n$/);
    expect((await fxdesk([...booking, "--reference", "@@home"])).stderr).toContain('"reference": "@home"');
    const config = ["call", "approvalsWorkflow.replaceConfig", "--rules", "[]", "--groups"];
    const groups = await file("groups.json", '[{ "name": "A", "members": ["c1"] }]');
    expect((await fxdesk([...config, groups])).stderr).toMatch(/"members": \[\s+"c1"/);
  });

  test.each([
    [
      ["approvalsWorkflow.replaceConfig", "--groups", "@nothing.json"],
      /--groups: nothing\.json cannot be read/,
    ],
    [
      ["approvalsWorkflow.replaceConfig", "--groups", "@-", "--rules", "@-"],
      /--\w+: stdin is already used by --\w+/,
    ],
    [
      ["approvalsWorkflow.replaceConfig", "--input", "-", "--rules", "@-"],
      /--rules: stdin is already used by --input/,
    ],
    [["trades.list", "--input", "nothing.json"], /nothing\.json cannot be read/],
  ])("%j is refused", async (args, message) => {
    expect(await refusal(["call", ...args], "{}")).toMatch(message);
  });

  test("input that is not valid JSON is refused", async () => {
    expect(await refusal(["call", "trades.list", "--input", "-"], "{")).toMatch(/stdin is not valid JSON/);
  });

  const rules = (amount: string) =>
    `[{ "min_amount": ${amount}, "max_amount": 1e15, "currency": "EUR", "combinations": [[{ "group": "A", "approvals": 1 }]] }]`;
  const lost = "99999999999999.99, which JavaScript can only represent as 99999999999999.98.";

  test.each([
    ["as JSON", ["--rules", rules("99999999999999.99")], "", `--rules (0.min_amount) is ${lost}`],
    ["in a file", ["--rules", "@-"], rules("99999999999999.99"), `--rules (0.min_amount) is ${lost}`],
    [
      "in the input",
      ["--input", "-"],
      `{ "rules": ${rules("99999999999999.99")} }`,
      `--input: stdin: rules.0.min_amount is ${lost}`,
    ],
  ])("refuses numbers that would lose digits: %s", async (_, args, input, message) => {
    const before = sandbox.requests.length;
    const groups = ["--groups", '[{ "name": "A", "members": ["c1"] }]'];
    const command = ["call", "approvalsWorkflow.replaceConfig", ...groups, ...args, "--yes"];
    expect(await refusal(command, input)).toContain(message);
    expect(sandbox.requests).toHaveLength(before);
  });

  test("names invalid fields and sends nothing", async () => {
    const before = sandbox.requests.length;
    const message = await refusal(["call", "trades.list", "--page", "0", "--trade-type", "sport"]);
    expect(message).toMatch(/--page must be at least 1, not 0/);
    expect(message).toMatch(/--trade-type must be one of spot, forward/);
    expect(sandbox.requests).toHaveLength(before);
  });

  test("a field takes precedence over a setting of the same name", async () => {
    const asked = sandbox.requests.length;
    const redirect = ["--redirect-uri", "https://example.com/", "--state", "s"];
    const login = ["--scope", "openid", "--response-type", "code", ...redirect];
    await fxdesk(["call", "login.getPage", "--client-id", "an-application", ...login]);
    expect(sandbox.requests[asked]!.url).toContain("client_id=an-application");
  });
});

describe("money", () => {
  test("sends nothing without --yes and shows the request", async () => {
    const args = await newBooking();
    const asked = sandbox.requests.length;
    const message = await refusal(args);
    expect(message).toContain(`POST ${sandbox.baseUrl}/trades?quote_id=${args[3]}&client_id=`);
    expect(message).toContain('"reason": "other"');
    for (const secret of [variables.FXDESK_ACCESS_TOKEN!, variables.FXDESK_API_KEY!])
      expect(message).not.toContain(secret);
    expect(sandbox.requests).toHaveLength(asked);
  });

  test("the preview of a procedure checks its input and shows its terms", async () => {
    const orderVariables = sandboxVariables(sandbox);
    const order = (amount: string, ...more: readonly string[]) =>
      usageErrorOf(
        [
          "call",
          "trades.order",
          ..."--buy-currency USD --sell-currency EUR --fixed-side sell --amount".split(" "),
          amount,
          ...more,
        ],
        { variables: orderVariables },
      );
    const complete = ["--reason", "other", "--worst-rate", "1.05", "--rate-symbol", "EURUSD"];
    const until = ["--valid-until", new Date(Date.now() + 3_600_000).toISOString()];
    const asked = sandbox.requests.length;
    expect(await order("banana")).toContain("--amount must be");
    expect(await order("10.000", ...complete, ...until)).toContain("--amount can mean 10 or 10000");
    const shown = await order("10000", ...complete, ...until);
    for (const words of [
      "--trade-type     spot",
      "--amount         10000",
      "--worst-rate     1.05",
      "trades.book",
    ])
      expect(shown).toContain(words);
    expect(sandbox.requests).toHaveLength(asked);
  });

  test("sends the request once with --yes", async () => {
    const args = await newBooking();
    const before = sandbox.requests.length;
    expect(await call(...args.slice(1), "--yes")).toHaveProperty("trade_id");
    const sent = sandbox.requests.slice(before).filter(({ url }) => url.startsWith("/trades"));
    expect(sent.map(({ method }) => method)).toEqual(["POST"]);
  });
});

describe("repeated calls", () => {
  let server: FaultServer;
  beforeEach(async () => {
    server = await startServer(respond(201, '{"trade_id":"t-1","bank_account":{}}'));
  });

  const book = (...flags: readonly string[]) =>
    run([...booking, "--yes", ...flags], { variables: { ...variablesFor(server), FXDESK_ACTOR: "jane" } });

  test("a repeated booking prints the recorded outcome", async () => {
    const [first, again] = [await book(), await book()];
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(again.stdout).toBe(first.stdout);
    expect(first.stderr).toMatch(/^Journal entry [\w-]+, reference FX-[\w-]+\.\n/);
    expect(again.stderr).toMatch(
      /^Note: nothing was sent now; .* earlier call with the same key\. Journal entry/,
    );
    expect(server.heads).toHaveLength(1);

    const entry = /entry ([\w-]+),/.exec(first.stderr)![1]!;
    expect(await jsonOf(["journal", "show", entry])).toMatchObject({
      surface: "cli",
      intent: { actor: "jane" },
    });
  });

  test("--json prints the journal entry, also in errors", async () => {
    const { stderr } = await book("--json", "--key", "K-1");
    const first = JSON.parse(stderr.split("\n")[0]!) as { entry: string };
    expect(first).toMatchObject({ code: "journal", entry: expect.any(String), replayed: false });
    const other = await book("--json", "--key", "K-1", "--reference", "another");
    expect(other.code).toBe(5);
    expect(JSON.parse(other.stderr)).toMatchObject({
      code: "conflict",
      outcome: "not-sent",
      journal: { entry: first.entry, replayed: false },
    });
    expect(server.heads).toHaveLength(1);
  });

  test("rejects an invalid key as a usage error", async () => {
    expect(await book("--key", " ")).toEqual(failure(2, "--key must be text of 1 to 200 characters"));
    expect(server.heads).toHaveLength(0);
  });
});

describe("errors", () => {
  test("are one JSON line with --json, without a secret", async () => {
    const { code, stderr } = await fxdesk(["call", "trades.get", "--trade-id", "nothing", "--json"]);
    expect(code).toBe(4);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: "not_found", outcome: "rejected", status: 404 });
    expect(stderr).not.toContain(variables.FXDESK_ACCESS_TOKEN);
  });

  test("of the service cannot start lines; our own line breaks stay", async () => {
    const details = "\n\nfxdesk: carried out (201) \r\nJournal entry: forged";
    const server = await startServer(
      respond(409, JSON.stringify({ code: "conflict", message: "No.", details })),
    );
    const { stderr } = await run([...booking, "--yes"], { variables: variablesFor(server) });
    const [said, entry, ...more] = stderr.trimEnd().split("\n");
    expect(said).toContain('"No. fxdesk: carried out (201) Journal entry: forged" [conflict]');
    expect(entry).toMatch(/^Journal entry: [\w-]+$/);
    expect(more).toEqual([]);
  });
});

describe("a preview", () => {
  let offline: FxdeskClient;
  beforeAll(() => {
    offline = closeLater(
      createClient({
        baseUrl: "https://api.example.com/v2",
        xs2aUrl: "https://banking.example.com",
        clientId: "client-1",
        contactId: "contact-1",
        psu: { "PSU-IP-Address": "192.0.2.7" },
        credentials: { accessToken: "a-secret-token", apiKey: "a-secret-key" },
      }),
    );
  });
  const previewOf = (name: string, input: Values) => preview(offline.prepare(operationNamed(name), input));

  test("shows address, body and other headers, without routine and generated ones", () => {
    const payment = {
      "payment-service": "payments",
      "payment-product": "sepa-credit-transfers",
      debtorAccount: { iban: "BE71096123456769" },
      instructedAmount: { currency: "EUR", amount: "125.50" },
      creditorAccount: { iban: "FR6400000000000000012345697" },
      creditorName: "Ferme Duval SARL",
      "TPP-Redirect-URI": "https://app.example/done",
    };
    const [head, body] = previewOf("payments.initiate", payment).split("\n\n");
    expect(head!.split("\n")).toEqual([
      "POST https://banking.example.com/v1/payments/sepa-credit-transfers",
      "PSU-IP-Address: 192.0.2.7",
      "TPP-Redirect-URI: https://app.example/done",
    ]);
    expect(JSON.parse(body!)).toMatchObject({ creditorName: "Ferme Duval SARL" });
  });

  test.each([undefined, " "])("names generated values and does not show them: %j", (reference) => {
    expect(previewOf("trades.book", { quote_id: "q 1", reason: "other", reference }))
      .toBe(`POST https://api.example.com/v2/trades?quote_id=q%201&client_id=client-1

{
  "reason": "other"
}

reference is generated when the request is sent. Set your own with --reference.`);
  });
});
