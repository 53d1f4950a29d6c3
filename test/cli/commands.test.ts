import { type AddressInfo, createServer } from "node:net";
import { operations } from "@fxdesk/toolkit/operations";
import { procedures } from "../../core/procedures/all";
import manifest from "../../package.json";
import { untilEvent } from "../support/eventually";
import { runFxdesk } from "./run-command";

describe("help", () => {
  test("lists the commands and the exit codes", async () => {
    const { code, stdout } = await runFxdesk(["--help"]);
    expect(code).toBe(0);
    for (const word of ["call", "operations", "mcp", "sandbox", "store", "openapi", "7  Sent"])
      expect(stdout).toContain(word);
  });

  test.each(["call", "operations", "mcp", "sandbox", "store", "openapi"])(
    "fxdesk %s --help",
    async (command) => {
      const { code, stdout, stderr } = await runFxdesk([command, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: fxdesk ${command}`);
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    },
  );

  test("names the fields inside an object flag", async () => {
    const { stdout } = await runFxdesk(["call", "transactions.reconcile", "--help"]);
    const words = stdout.replaceAll(/\s+/g, " ");
    expect(words).toMatch(
      /--items <json> Expected payments, such as open invoices. Each entry requires amount, currency; may include /,
    );
    const payment = await runFxdesk(["call", "payments.initiate", "--help"]);
    expect(payment.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /--instructed-amount <json>.*The object requires currency, amount\./,
    );
  });

  test("of an operation is derived from its declaration", async () => {
    const { stdout } = await runFxdesk(["call", "trades.book", "--help"]);
    expect(stdout).toContain("--quote-id <text>");
    expect(stdout).toContain("@<file> reads the value from a file");
    expect(stdout).toContain("mortage_repayment");
    expect(stdout).toMatch(/409 +A conflict that can be corrected; see the error details. \(exit code 5\)/);
    expect(stdout).toMatch(/502 .*\(exit code 7\)/);
    expect(stdout).toContain("fxdesk call trades.book --quote-id <quote-id> --reason charitable_aid --yes");
  });
});

test("--version is the version of the package", async () => {
  expect((await runFxdesk(["--version"])).stdout).toBe(`${manifest.version}\n`);
});

describe("fxdesk operations", () => {
  test.each([
    [["BOOK", "trade"], ["trades.book"]],
    [["standing order"], ["payments.initiate"]],
    [["Dauerauftrag"], ["payments.initiate"]],
  ])("%j finds by name, title, summary or keywords", async (words, expected) => {
    const { code, stdout } = await runFxdesk(["operations", ...words, "--json"]);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(expected),
    );
  });

  test("reports that no operation contains the words", async () => {
    const { code, stdout, stderr } = await runFxdesk(["operations", "trades", "submarine"]);
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toMatch(/^No operation contains "trades" and "submarine"/);
  });

  test("lists each operation with its effect", async () => {
    const { stdout } = await runFxdesk(["operations"]);
    for (const { name, effect } of operations)
      expect(stdout).toMatch(new RegExp(`^  ${name.replace(".", "\\.")} +${effect} `, "m"));
  });

  test("--json prints the same as data", async () => {
    const { stdout } = await runFxdesk(["operations", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      ...operations.map(({ name, tool, title, summary, effect, method, path, server }) => {
        return { name, tool, title, summary, effect, method, path, server };
      }),
      ...procedures.map(({ name, tool, title, summary, effect, uses }) => {
        return { name, tool, title, summary, effect, uses };
      }),
    ]);
  });
});

describe("fxdesk openapi", () => {
  test("prints the document of all operations with the given addresses", async () => {
    const { stdout } = await runFxdesk(["openapi", "--base-url", "https://api.example.com/"]);
    const document = JSON.parse(stdout) as { info: { version: string }; paths: Record<string, object> };
    expect(document.info.version).toBe(manifest.version);
    expect(Object.values(document.paths).flatMap((path) => Object.keys(path))).toHaveLength(
      operations.length,
    );
    expect(stdout).toContain('"url": "https://api.example.com"');
  });
});

describe("a port in use", () => {
  const server = createServer();
  beforeAll(() => untilEvent(server.listen(0, "127.0.0.1"), "listening"));
  afterAll(() => untilEvent(server.close(), "close"));

  test.each([["sandbox"], ["mcp", "--http"]])("is reported by fxdesk %s %s", async (...command) => {
    const { port } = server.address() as AddressInfo;
    const variables = { FXDESK_BASE_URL: "http://127.0.0.1:1", FXDESK_CLIENT_ID: "c" };
    const { code, stderr } = await runFxdesk([...command, "--port", String(port)], { variables });
    const message = `Port ${port} is already in use. Choose another with --port, or 0 for any free port.\n`;
    expect({ code, stderr }).toEqual({ code: 2, stderr: message });
  });
});

describe("fxdesk sandbox", () => {
  test.each([
    ["--quote-seconds", "0", "a number above zero"],
    ["--market-hours", "weekdays", "always or real"],
    ["--sca-approach", "embedded", "redirect or oauth"],
    ["--now", "soon", "a date and time"],
    ["--now", "2026-02-30T09:30:00Z", "a date and time"],
  ])("does not start with %s %s", async (flag, value, message) => {
    const { code, stderr } = await runFxdesk(["sandbox", flag, value]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag} must be ${message}`);
  });

  test.each([
    ["--smtp-url", "localhost:25", "--smtp-url must be an smtp:// or smtps:// URL"],
    ["--now", "9999-12-31T00:00:00Z", "--now must be from 2000-01-01T00:00:00.000Z to"],
    ["--world", "nowhere.yaml", "Included worlds: exporter, group, empty."],
    ["--world", "package.json", "package.json, line 2: name is unknown."],
  ])("does not start with %s %s, an error of the sandbox", async (flag, value, message) => {
    const { code, stderr } = await runFxdesk(["sandbox", flag, value]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each(["999.1.1.1", "203.0.113.7"])("does not start at the foreign address %s", async (host) => {
    const { code, stderr } = await runFxdesk(["sandbox", "--port", "0", "--host", host]);
    expect([code, stderr]).toEqual([2, `--host must be an address of this machine, not ${host}.\n`]);
  });
});

describe("tool selection of fxdesk mcp", () => {
  test.each([
    [["--toolsets", "trade"], {}, 'There is no toolset "trade". Did you mean trades'],
    [["--tools", "list_trade"], {}, 'There is no tool "list_trade". Did you mean list_trades'],
    [[], { FXDESK_MCP_READ_ONLY: "maybe" }, "FXDESK_MCP_READ_ONLY must be true or false"],
    [[], { FXDESK_MCP_ALLOW: "all" }, "--allow takes change or money"],
  ])("refuses %j with %j before it serves", async (flags, variables, message) => {
    const connection = { FXDESK_BASE_URL: "http://127.0.0.1:9", FXDESK_CLIENT_ID: "C", ...variables };
    const { code, stderr } = await runFxdesk(["mcp", "--http", ...flags], { variables: connection });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain("FXDESK_MCP_TOKEN");
  });
});
