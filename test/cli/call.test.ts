import { mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { faultServer, type FaultServer, inSequence, respond } from "../support/fault-server";
import { sampleInput } from "../support/samples";
import { openSandbox, openSandboxAndClient } from "../support/sandboxes";
import { runFxdesk as run, type Variables, variablesOf } from "./run-command";

let sandbox: Sandbox;
let client: FxdeskClient;
let variables: Variables;

const fxdesk = (args: readonly string[], input?: string) =>
  run(args, { variables, ...(input !== undefined && { input }) });

beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient());
  variables = variablesOf(sandbox);
});

/** Variables for a server without token endpoint. */
const variablesFor = ({ url }: FaultServer): Variables => ({
  FXDESK_BASE_URL: url,
  FXDESK_CLIENT_ID: "c-1",
  FXDESK_ACCESS_TOKEN: "a-token",
});

const booking = async () => {
  const { quote_id, reason } = await sampleInput("trades.book", client);
  return ["call", "trades.book", "--quote-id", String(quote_id), "--reason", String(reason)];
};

describe("responses", () => {
  test("prints all pages as one list with --all", async () => {
    const { stdout } = await fxdesk(["call", "trades.list", "--page-size", "7", "--all"]);
    const all = [];
    for await (const trade of client.trades.list.all()) all.push(trade);
    expect(all.length).toBeGreaterThan(7);
    expect(JSON.parse(stdout)).toEqual(all);
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
    const bank = await faultServer(inSequence(page(1, { next: { href: "?page=2" } }), page(2, {})));
    const args = ["openBanking.listTransactions", "--account-id", "A1", "--consent-id", "C1"];
    const { stdout, code } = await run(["call", ...args, "--booking-status", "information", "--all"], {
      variables: { ...variables, FXDESK_XS2A_URL: bank.url },
    });
    await bank.close();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      transactions: { booked: [], information: [{ page: 1 }, { page: 2 }], _links: {} },
    });
  });

  test("writes files to --output, without the summary", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fxdesk-cli-"));
    const service = await faultServer(respond(200, "a statement", { "content-type": "application/pdf" }));
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
    const { code, stderr } = await get(folder);
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: `statements.getFile: The file could not be written (${folder} is a folder).\n`,
    });
    await service.close();
    await rm(folder, { recursive: true });
  });

  test("prints an empty list", async () => {
    const args = ["call", "trades.list", "--all", "--parent-trade-id", "nobody"];
    expect((await fxdesk(args)).stdout).toBe("[]\n");
    expect((await fxdesk([...args, "--table"])).stdout).toBe("(no entries)\n");
  });
});

describe("fields", () => {
  test("lists accept repeated flags and commas", async () => {
    const commas = await fxdesk(["call", "trades.list", "--trade-type", "spot,ndf"]);
    const repeated = await fxdesk(["call", "trades.list", "--trade-type", "spot", "--trade-type", "ndf"]);
    const types = (JSON.parse(commas.stdout) as { trade_type: string }[]).map(({ trade_type }) => trade_type);
    expect(new Set(types)).toEqual(new Set(["spot", "ndf"]));
    expect(repeated.stdout).toBe(commas.stdout);
  });

  test("--input reads a file or stdin; flags take precedence", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fxdesk-cli-"));
    const path = join(folder, "input.json");
    await writeFile(path, JSON.stringify({ page_size: 2, trade_type: ["spot"] }));
    const fromFile = await fxdesk(["call", "trades.list", "--input", path]);
    expect(JSON.parse(fromFile.stdout)).toHaveLength(2);
    const flagWins = await fxdesk(["call", "trades.list", "--input", path, "--page-size", "1"]);
    expect(JSON.parse(flagWins.stdout)).toHaveLength(1);
    const fromStdin = await fxdesk(["call", "trades.list", "--input", "-"], '{"page_size": 1}');
    expect(JSON.parse(fromStdin.stdout)).toHaveLength(1);
    await rm(folder, { recursive: true });
  });

  test("@ reads a value from a file or stdin, and @@ escapes it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fxdesk-cli-"));
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
    const book = ["call", "trades.book", "--quote-id", "q", "--reason", "other", "--reference", "@@home"];
    expect((await fxdesk(book)).stderr).toContain('"reference": "@home"');
    const config = ["call", "approvalsWorkflow.replaceConfig", "--rules", "[]", "--groups"];
    const groups = await file("groups.json", '[{ "name": "A", "members": ["c1"] }]');
    expect((await fxdesk([...config, groups])).stderr).toMatch(/"members": \[\s+"c1"/);
    await rm(folder, { recursive: true });
  });

  test.each([
    [["--groups", "@nothing.json"], /--groups: nothing\.json cannot be read/],
    [["--groups", "@-", "--rules", "@-"], /--\w+: stdin is already used by --\w+/],
    [["--input", "-", "--rules", "@-"], /--rules: stdin is already used by --input/],
  ])("%j is refused", async (args, message) => {
    const { code, stderr } = await fxdesk(["call", "approvalsWorkflow.replaceConfig", ...args], "{}");
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test.each([
    ["nothing.json", "", /nothing\.json cannot be read/],
    ["-", "{", /stdin is not valid JSON/],
  ])("--input %s that holds %j is refused", async (path, content, message) => {
    const { code, stderr } = await fxdesk(["call", "trades.list", "--input", path], content);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
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
    const { code, stderr } = await fxdesk(
      ["call", "approvalsWorkflow.replaceConfig", ...groups, ...args, "--yes"],
      input,
    );
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(sandbox.requests).toHaveLength(before);
  });

  test("names invalid fields and sends nothing", async () => {
    const before = sandbox.requests.length;
    const { code, stderr } = await fxdesk(["call", "trades.list", "--page", "0", "--trade-type", "sport"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--page must be at least 1, not 0/);
    expect(stderr).toMatch(/--trade-type must be one of spot, forward/);
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
    const before = sandbox.requests.length;
    const args = await booking();
    const asked = sandbox.requests.length;
    const { code, stdout, stderr } = await fxdesk(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`POST ${sandbox.baseUrl}/trades?quote_id=${args[3]}&client_id=`);
    expect(stderr).toContain('"reason": "payment_for_goods"');
    for (const secret of [variables.FXDESK_ACCESS_TOKEN!, variables.FXDESK_API_KEY!])
      expect(stderr).not.toContain(secret);
    expect(asked).toBeGreaterThan(before);
    expect(sandbox.requests).toHaveLength(asked);
  });

  test("sends the request once with --yes", async () => {
    const asked = await booking();
    const before = sandbox.requests.length;
    const { code, stdout } = await fxdesk([...asked, "--yes"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty("trade_id");
    const sent = sandbox.requests.slice(before).filter(({ url }) => url.startsWith("/trades"));
    expect(sent.map(({ method }) => method)).toEqual(["POST"]);
  });
});

describe("exit codes", () => {
  test.each([
    [403, 3],
    [404, 4],
    [502, 6],
  ])("a read that is answered %i ends with %i", async (status, expected) => {
    const other = await openSandbox();
    other.force("trades.list", status, { times: 100 });
    const { code, stdout, stderr } = await run(["call", "trades.list", "--timeout-ms", "50000"], {
      variables: variablesOf(other),
    });
    expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
    expect(stderr).toContain(`(${status})`);
  });

  test.each([
    [409, 5],
    [502, 7],
  ])("a booking that is answered %i ends with %i", async (status, expected) => {
    const args = await booking();
    sandbox.force("trades.book", status);
    expect((await fxdesk([...args, "--yes"])).code).toBe(expected);
  });

  test("exits with 6 if the service is unreachable", async () => {
    const { code, stderr } = await run(["call", "trades.list"], {
      variables: { ...variables, FXDESK_BASE_URL: "http://127.0.0.1:1", FXDESK_TIMEOUT_MS: "50000" },
    });
    expect(code).toBe(6);
    expect(stderr).toMatch(/cannot be reached/);
  });
});

describe("errors", () => {
  test.each(["soon", "0", "2147483648"])("name the flag of a limit that does not fit: %s", async (limit) => {
    const asked = sandbox.requests.length;
    for (const flag of ["--timeout-ms", "--queue-timeout-ms"]) {
      const { code, stdout, stderr } = await fxdesk(["call", "trades.list", flag, limit]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(`${flag} must be a whole number from 1 to 2147483647, not `);
      expect(stderr).toContain(limit);
    }
    expect(sandbox.requests).toHaveLength(asked);
  });

  test.each([
    [{ FXDESK_BASE_URL: "nowhere" }, "FXDESK_BASE_URL or --base-url must be an http or https address"],
    [{ FXDESK_TIMEOUT_MS: "soon" }, "FXDESK_TIMEOUT_MS or --timeout-ms must be a whole number"],
  ])("name the variable and flag of an invalid setting: %j", async (changed, message) => {
    const wrong = { ...variables, ...changed };
    const { code, stderr } = await run(["call", "trades.list"], { variables: wrong });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("are one JSON line with --json, without a secret", async () => {
    const { stderr } = await run(["call", "trades.get", "--trade-id", "nothing", "--json"], { variables });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: "not_found", outcome: "rejected", status: 404 });
    expect(stderr).not.toContain(variables.FXDESK_ACCESS_TOKEN);
  });

  test("suggest corrections", async () => {
    expect((await fxdesk(["call", "trade.lst"])).stderr).toContain("Did you mean trades.list");
    expect((await fxdesk(["call", "list_trades"])).stderr).toContain("Did you mean trades.list");
    expect((await fxdesk(["call", "trades"])).stderr).toContain("trades.book, trades.list or trades.get");
    expect((await fxdesk(["call", "trades.list", "--page_siz", "1"])).stderr).toContain("--page-size");
    expect((await fxdesk(["opertions"])).stderr).toContain("Did you mean operations");
  });

  test.each([
    [["call"], /Name an operation/],
    [["call", "trades.list", "--page"], /--page needs a value/],
    [["call", "trades.list", "--table=yes"], /--table takes no value/],
    [["call", "trades.list", "spot"], /Unexpected argument "spot"/],
    [["operations", "--trades"], /no flag --trades/],
    [["call", "trades.list", "--page", "1", "--page", "2"], /--page may be given only once/],
    [
      ["call", "trades.list", "--base-url", "ftp://example.com"],
      /--base-url must be an http or https address/,
    ],
    [["toString"], /There is no command "toString"/],
    [["sandbox", "--port", "eighty"], /--port must be a number/],
  ])("fxdesk %j exits with 2 and a reason", async (args, message) => {
    const { code, stdout, stderr } = await fxdesk(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("of the service cannot start lines; our own line breaks stay", async () => {
    const details = "\n\nfxdesk: carried out (201) \r\nJournal entry: forged";
    const body = JSON.stringify({ code: "conflict", message: "No.", details });
    const server = await faultServer(respond(409, body));
    const given = { variables: variablesFor(server) };
    const book = ["call", "trades.book", "--quote-id", "q-1", "--reason", "other", "--yes"];
    const [said, entry, ...more] = (await run(book, given)).stderr.trimEnd().split("\n");
    expect(said).toContain("No. fxdesk: carried out (201) Journal entry: forged [conflict]");
    expect(entry).toMatch(/^Journal entry: [\w-]+$/);
    expect(more).toEqual([]);
    await server.close();
  });
});

describe("secrets", () => {
  test.each(["access-token", "auth-client-secret"])(
    "--%s is not accepted, and its value is not repeated",
    async (flag) => {
      for (const args of [[`--${flag}`, "canary"], [`--${flag}=canary`]]) {
        const { code, stderr } = await fxdesk(["call", "trades.list", ...args]);
        expect(code).toBe(2);
        expect(stderr).toContain("in the environment");
        expect(stderr).not.toContain("canary");
      }
    },
  );
});
