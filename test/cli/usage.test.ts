/** Tests help, usage errors, and the commands that need no connection. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { operations } from "@fxdesk/toolkit/operations";
import { procedures } from "../../core/procedures/all";
import { watches } from "../../core/watches/all";
import { watchCommandName } from "../../cli/command-line/arguments";
import manifest from "../../package.json";
import { listen, tempFolder } from "../support/resources";
import { failure, jsonOf, runFxdesk, usageErrorOf, type Variables } from "./run-command";

const commands = {
  "": [
    "call",
    "operations",
    "login",
    "whoami",
    "config",
    "doctor",
    "watch",
    "mcp",
    "sandbox",
    "store",
    "halt",
    "completion",
    "openapi",
  ],
  store: ["backup", "check", "confirm", "forget", "move", "restore"],
  journal: ["list", "export", "verify", "show", "receipt", "resolve", "erase", "recover"],
  releases: ["list", "show", "release", "refuse", "cancel", "run", "serve"],
  people: [
    "add",
    "list",
    "secret",
    "lock",
    "unlock",
    "remove",
    "administrator",
    "address",
    "token",
    "totp",
    "passkey",
    "attempts",
  ],
  keys: ["issue", "list", "revoke"],
};

/** Settings of a connection that is never opened. */
let variables: Variables;
beforeAll(async () => {
  const folder = await tempFolder();
  variables = {
    FXDESK_BASE_URL: "http://127.0.0.1:9",
    FXDESK_CLIENT_ID: "C",
    FXDESK_AUTH_CLIENT_ID: "an-application",
    FXDESK_AUTH_CLIENT_SECRET: "its-secret",
    FXDESK_REDIRECT_URI: "http://127.0.0.1:1880/callback",
    FXDESK_STORE: join(folder, "store.db"),
    FXDESK_PEOPLE: join(folder, "people.json"),
  };
  await runFxdesk(["people", "add", "anna"], { variables, input: "long enough by far" });
});

const helpOf = async (...words: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await runFxdesk([...words, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};

test("completion in a real bash knows commands, operations, watches and flags", async () => {
  const { stdout: script } = await runFxdesk(["completion", "bash"]);
  const complete = (...words: readonly string[]) => {
    const typed = ["fxdesk", ...words].map((word) => `'${word}'`).join(" ");
    const input = `${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _fxdesk; echo "\${COMPREPLY[*]}"`;
    return execFileSync("bash", ["--norc"], { input, encoding: "utf8" }).trim().split(" ");
  };
  expect(complete("jou")).toEqual(["journal"]);
  expect(complete("journal", "re")).toEqual(expect.arrayContaining(["receipt", "resolve", "recover"]));
  expect(complete("call", "trades.bo")).toEqual(["trades.book"]);
  expect(complete("call", "trades.book", "--quote")).toEqual(["--quote-id"]);
  expect(complete("watch", "marg")).toEqual(["margin-calls"]);
  expect(complete("watch", "margin-calls", "--sin")).toEqual(["--since"]);
  expect((await runFxdesk(["completion", "zsh"])).stdout).toContain(script);
  expect(await runFxdesk(["completion", "csh"])).toMatchObject({ code: 2, stdout: "" });
});

describe("help", () => {
  test.each(Object.entries(commands))("of fxdesk %s and of each of its commands", async (group, names) => {
    const words = group.split(" ").filter(Boolean);
    const overview = await helpOf(...words);
    for (const name of names) {
      expect(overview).toMatch(new RegExp(`^ {2}${name} `, "m"));
      const stdout = await helpOf(...words, name);
      expect(stdout).toContain(`Usage: ${["fxdesk", ...words, name].join(" ")}`);
      for (const line of stdout.split("\n").filter((each) => !each.startsWith("Usage: ")))
        expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  test("lists the exit codes", async () => {
    expect(await helpOf()).toContain("7  The outcome");
  });

  test("of a watch is derived from its declaration", async () => {
    const { stdout: list } = await runFxdesk(["watch"]);
    for (const watch of watches) {
      const name = watchCommandName(watch);
      expect(list).toContain(`  ${name} `);
      const stdout = await helpOf("watch", name);
      expect(stdout).toContain(`Usage: fxdesk watch ${name}`);
      for (const { description } of watch.rules ?? []) expect(stdout).toContain(description);
    }
  });

  test("of an operation is derived from its declaration", async () => {
    const stdout = await helpOf("call", "trades.book");
    for (const words of [
      "--quote-id <text>",
      "@<file> reads the value from a file",
      "mortage_repayment",
      "fxdesk call trades.book --quote-id <quote-id> --reason charitable_aid --yes",
    ])
      expect(stdout).toContain(words);
    expect(stdout).toMatch(
      /409 +There is a conflict that you can correct; see the error details. \(exit code 5\)/,
    );
    expect(stdout).toMatch(/502 .*\(exit code 7\)/);
  });

  test.each([
    ["transactions.reconcile", "--items <json> .* Each entry requires amount, currency; may include "],
    ["payments.initiate", "--instructed-amount <json>.*The object requires currency, amount\\."],
    [
      "payments.initiate",
      `Example .*--debtor-account '{"iban":"<iban>"}' .*--creditor-name <creditor-name> --yes`,
    ],
    ["transactions.reconcile", `Example .* --items '\\[{"amount":"<amount>","currency":"<currency>"}\\]'`],
  ])("of %s shows the fields inside an object, and those that a rule requires: %s", async (name, words) => {
    expect((await helpOf("call", name)).replaceAll(/\s+/g, " ")).toMatch(new RegExp(words));
  });
});

test("--version is the version of the package", async () => {
  expect((await runFxdesk(["--version"])).stdout).toBe(`${manifest.version}\n`);
});

describe("usage errors", () => {
  const id = "0d6f1f1e-8c5b-4b0a-9b58-1c1a7f2f9a11";
  const limits = ["soon", "0", "2147483648"].flatMap((limit) =>
    ["--timeout-ms", "--queue-timeout-ms"].map((flag): [string, string] => [
      `call trades.list ${flag} ${limit}`,
      `${flag} must be a whole number from 1 to 2147483647, not `,
    ]),
  );

  test.each<[line: string, message: string, variables?: Variables]>([
    ["toString", 'There is no command "toString"'],
    ["opertions", "Did you mean operations"],
    ["hlp", "Did you mean help"],
    ["trades list", "fxdesk call trades.list --help"],
    ["listTrades", "fxdesk call trades.list --help"],
    ["list_trades", "fxdesk call trades.list --help"],
    ["--profile desk whoami", "Flags follow the command"],
    ["call trades.list -o table", "no flag -o. Did you mean --print?"],
    ["call trades.list --csv", "Did you mean --print?"],
    ["call trades.list --output csv", "Did you mean --print?"],
    ["call trades.list --jsonl", "Did you mean --print?"],
    ["call transactions.find --from 2026-10-01", "Did you mean --period?"],
    ["call trades.list --trade x", "Did you mean --trade-type or --parent-trade-id?"],
    ["call trades.list --print xml", "--print must be json, jsonl, csv or table"],
    ["call trades.list --print json --columns a", "--columns works with --print csv or table"],
    ["call trades.list --print csv --table", "exclude each other"],
    ["operations --trades", "no flag --trades"],
    ["call", "Name an operation"],
    ["call trade.lst", "Did you mean trades.list"],
    ["call list_trades", "Did you mean trades.list"],
    ["call trades", "trades.book, trades.list or trades.get"],
    ["call trades.watchPayments", "fxdesk watch trade-payments"],
    ["call trades.list --page_siz 1", "--page-size"],
    ["call trades.list --page", "--page needs a value"],
    ["call trades.list --table=yes", "--table takes no value"],
    ["call trades.list spot", 'Unexpected argument "spot"'],
    ["call trades.list --page 1 --page 2", "--page may be given only once"],
    ["call trades.list --base-url ftp://a.example", "--base-url must be an http or https address"],
    ["call trades.list", "FXDESK_BASE_URL or --base-url must be", { FXDESK_BASE_URL: "nowhere" }],
    ["call trades.list", "FXDESK_TIMEOUT_MS or --timeout-ms must be", { FXDESK_TIMEOUT_MS: "soon" }],
    ...limits,
    ["sandbox --port eighty", "--port must be a number"],
    ["sandbox --quote-seconds 0", "--quote-seconds must be a number above zero"],
    ["sandbox --market-hours weekdays", "--market-hours must be always or real"],
    ["sandbox --sca-approach embedded", "--sca-approach must be redirect or oauth"],
    ["sandbox --now soon", "--now must be a date and time"],
    ["sandbox --now 2026-02-30T09:30:00Z", "--now must be a date and time"],
    ["sandbox --now 9999-12-31T00:00:00Z", "--now must be from 2000-01-01T00:00:00.000Z to"],
    ["sandbox --smtp-url localhost:25", "--smtp-url must be an smtp:// or smtps:// URL"],
    ["sandbox --world nowhere.yaml", "Included worlds: exporter, group, empty."],
    ["sandbox --world package.json", "package.json, line 2: name is unknown."],
    ["sandbox --port 0 --host 999.1.1.1", "--host must be an address of this machine, not 999.1.1.1."],
    ["sandbox --port 0 --host 203.0.113.7", "--host must be an address of this machine, not 203.0.113.7."],
    ["mcp --http --toolsets trade", 'There is no toolset "trade". Did you mean trades'],
    ["mcp --http --tools list_trade", 'There is no tool "list_trade". Did you mean list_trades'],
    ["mcp --http", "FXDESK_MCP_READ_ONLY must be true or false", { FXDESK_MCP_READ_ONLY: "maybe" }],
    ["mcp --http", "--allow takes change or money", { FXDESK_MCP_ALLOW: "all" }],
    ["halt now", "now"],
    ["halt --environment sandbx", "--environment must be api or sandbox"],
    ["resume --environment=", "--environment must be api or sandbox"],
    [
      "journal",
      "Name a command: fxdesk journal list, export, verify, show, receipt, resolve, erase, recover or reconcile.",
    ],
    ["journal lst", 'There is no command "lst"'],
    ["journal show", "<id> is missing: fxdesk journal"],
    ["journal show no-such", "Journal entry no-such does not exist"],
    [`journal resolve ${id} --outcome done`, "--note <text> is required"],
    [`journal resolve ${id} --note x`, "--outcome <done|rejected|not-sent> is required"],
    [`journal resolve ${id} --note x --outcome unknown`, "--outcome must be done, rejected or not-sent, not"],
    ["journal list --state gone", "--state must be intended, sent, done, rejected, not-sent or unknown, not"],
    ["journal list --limit 0", "--limit must be a whole number of at least 1"],
    ["journal verify --head 12", "--head must be a number, a colon and 64 hex digits"],
    ["journal verify --file /nowhere/export.jsonl", "--file cannot be read: ENOENT"],
    ["store", "backup, check, confirm, forget, move or restore"],
    ["store mend", "backup, check, confirm, forget, move or restore"],
    ["store check", "FXDESK_STORE or --store must be the absolute path", { FXDESK_STORE: "store.db" }],
    ["store check", "FXDESK_STORE_KEY is required", { FXDESK_STORE: "postgres://localhost/x" }],
    ["store forget --json", "<id or client> is missing: fxdesk store forget <id or client>"],
    ["store confirm", "--by <name> is required"],
    ["store confirm --by anna --store /nowhere/store.db", "There is no store at /nowhere/store.db"],
    ["store restore /nowhere/backup.db", "/nowhere/backup.db does not exist"],
    ["store backup x --store /nowhere/store.db", "There is no store at /nowhere/store.db"],
    [
      "store backup x --store postgres://localhost/x",
      "pg_dump",
      { FXDESK_STORE_KEY: Buffer.alloc(32).toString("base64") },
    ],
    ["store forget first --store /nowhere/store.db", "There is no store at /nowhere/store.db"],
    ["store move --to store.db", "--to must be the absolute path"],
    ["store move --to postgres://localhost/x", "FXDESK_STORE_KEY_TO is required"],
    ["releases", "Name a command: fxdesk releases list"],
    ["releases sell", 'There is no command "sell"'],
    ["releases release", "<id> is missing"],
    ["releases release R-1", "--as <name> is required"],
    ["releases show R-NONE", "Release R-NONE does not exist."],
    ["releases serve --host 0.0.0.0", "--host 0.0.0.0 is reachable from other machines"],
    ["releases serve --host 0.0.0.0 --behind-proxy", "--address is required with --behind-proxy"],
    ["releases serve --address http://a.example", "--address must be an https address"],
    ["releases serve --address a.example", "--address must be an https address"],
    ["releases serve --tls-cert /none.pem", "--tls-cert: /none.pem cannot be read"],
    ["releases serve --tls-cert package.json", "--tls-cert and --tls-key must be given together"],
    [
      "releases serve --tls-cert package.json --tls-key package.json",
      "--tls-cert and --tls-key must be a matching pair",
    ],
    [
      "mcp --http --host 0.0.0.0",
      "--host 0.0.0.0 is reachable from other machines",
      { FXDESK_MCP_TOKEN: "a-token-of-32-characters-or-more" },
    ],
    ["mcp --http --behind-proxy --address https://a.example", "requires a token"],
    ["mcp --http", "The token must have at least 32 characters", { FXDESK_MCP_TOKEN: "x" }],
    ["releases serve --port x", "--port must be a number"],
    [
      "releases serve --port 0",
      "FXDESK_MAIL_SERVER and FXDESK_MAIL_FROM must be set together",
      { FXDESK_MAIL_SERVER: "smtps://mail.example.com" },
    ],
    [
      "releases serve --port 0",
      "FXDESK_MAIL_SERVER must be the URL of a mail server",
      { FXDESK_MAIL_SERVER: "mail.example.com", FXDESK_MAIL_FROM: "fxdesk@example.com" },
    ],
    ["login", "--profile <name> is required"],
    [
      "login --profile a",
      "FXDESK_AUTH_CLIENT_ID or --auth-client-id is needed",
      { FXDESK_AUTH_CLIENT_ID: "" },
    ],
    ["login --profile a", "FXDESK_REDIRECT_URI or --redirect-uri is needed", { FXDESK_REDIRECT_URI: "" }],
    ["login --profile a --redirect-uri https://desk.example/back", "is not an http address of this machine"],
    ["watch transaction", "Did you mean transactions"],
    ["watch trades --since 2026-01-01", "--since must be now or beginning"],
    ["watch trades --every soon", "--every must be a number of seconds"],
    ["watch balances", "At least one of below and above must be given"],
  ])("fxdesk %s: %s", async (line, message, more = {}) => {
    const given = { variables: { ...variables, ...more } };
    expect(await usageErrorOf(line.split(" "), given)).toContain(message);
  });

  test.each([
    "call trades.list --access-token",
    "call trades.list --auth-client-secret",
    "store check --store-key",
    "store move --to /x/store.db --store-key-to",
  ])("a secret is not accepted as an argument or repeated: %s", async (line) => {
    for (const args of [`${line} canary`, `${line}=canary`])
      expect(await usageErrorOf(args.split(" "))).not.toContain("canary");
  });

  test.each(["sandbox", "mcp --http", "releases serve"])("fxdesk %s reports a port in use", async (line) => {
    const port = await listen(createServer());
    expect(await usageErrorOf([...line.split(" "), "--port", String(port)], { variables })).toBe(
      `Port ${port} is already in use. Choose another with --port, or 0 for any free port.\n`,
    );
  });
});

describe("fxdesk help", () => {
  test.each([
    ["help", "--help"],
    ["help call trades.list", "call trades.list --help"],
    ["help journal list", "journal list --help"],
  ])("%s is %s", async (line, same) => {
    const { code, stdout } = await runFxdesk(line.split(" "));
    expect([code, stdout]).toEqual([0, (await runFxdesk(same.split(" "))).stdout]);
  });
});

test("no misspelling leads to a command or an operation that changes something", async () => {
  const changing = ["halt", "resume", "logout"];
  const alphabet = "aehlmnoprst";
  const misspellings = (word: string) =>
    Array.from(word).flatMap((_, at) => [
      word.slice(0, at) + word.slice(at + 1),
      ...Array.from(alphabet, (letter) => word.slice(0, at) + letter + word.slice(at + 1)),
    ]);
  const suggestedFor = async (args: readonly string[]) =>
    /Did you mean (.*)\?/.exec((await runFxdesk(args, { variables })).stderr)?.[1]?.split(" or ") ?? [];
  for (const word of changing.flatMap(misspellings).filter((each) => !changing.includes(each)))
    for (const suggested of await suggestedFor([word])) expect(changing).not.toContain(suggested);
  const risky = operations.filter(({ effect }) => effect !== "read").map(({ name }) => name);
  for (const name of risky)
    for (const suggested of await suggestedFor(["call", `${name}x`])) expect(risky).not.toContain(suggested);
});

describe("fxdesk operations", () => {
  test.each([
    ["BOOK trade", "trades.book"],
    ["standing order", "payments.initiate"],
    ["Dauerauftrag", "payments.initiate"],
  ])("%s finds %s by name, title, summary or keywords", async (words, expected) => {
    expect(await jsonOf(["operations", ...words.split(" ")])).toContainEqual(
      expect.objectContaining({ name: expected }),
    );
  });

  test("reports that no operation contains the words", async () => {
    expect(await runFxdesk(["operations", "trades", "submarine"])).toEqual(
      failure(4, 'No operation contains "trades" and "submarine"'),
    );
  });

  test("lists each operation with its effect, as text and as data", async () => {
    const { stdout } = await runFxdesk(["operations"]);
    for (const { name, effect } of operations)
      expect(stdout).toMatch(new RegExp(`^  ${name.replace(".", "\\.")} +${effect} `, "m"));
    expect(await jsonOf(["operations"])).toEqual([
      ...operations.map(({ name, tool, title, summary, effect, method, path, server }) => {
        return { name, tool, title, summary, effect, method, path, server };
      }),
      ...procedures.map(({ name, tool, title, summary, effect, uses }) => {
        return { name, tool, title, summary, effect, uses };
      }),
    ]);
    expect(await jsonOf(["watch"])).toHaveLength(watches.length);
    expect(new Set(watches.map(watchCommandName)).size).toBe(watches.length);
  });
});

test("fxdesk openapi prints the document of all operations with the given addresses", async () => {
  const { stdout } = await runFxdesk(["openapi", "--base-url", "https://api.example.com/"]);
  const document = JSON.parse(stdout) as { info: { version: string }; paths: Record<string, object> };
  expect(document.info.version).toBe(manifest.version);
  expect(Object.values(document.paths).flatMap((path) => Object.keys(path))).toHaveLength(operations.length);
  expect(stdout).toContain('"url": "https://api.example.com"');
});
