/** Extension modules: permitted additions, and trusted files. */
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Declaration, serviceFrom } from "@fxdesk/toolkit";
import {
  byFxdesk,
  contract,
  dailyOf,
  extendService,
  json,
  type Procedure,
  procedureFor,
  watchFor,
} from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { tempFolder } from "../../support/resources";
import { declare } from "../support/declare";

const fixing = {
  name: "fixings.get",
  tool: "get_fixing",
  path: "/fixings/{symbol}",
  parameters: { symbol: z.string() },
};

const extendWith = (change: Partial<Declaration>, trusted: readonly string[] = []): Declaration =>
  extendService(contract, { operations: [{ ...declare(fixing), ...change }] }, trusted).operations.at(-1)!;

const entry = { reference: "reference", day: "order_date", identity: "trade_id" };
const listed = { kind: "listed", reference: "tag", entry } as const;
const money: Partial<Declaration> = {
  effect: "money",
  method: "POST",
  query: { tag: z.string().optional() },
  responses: { 201: json(z.object({ id: z.string() }), "Done.") },
  identifiedBy: "id",
};

test("adds an operation whose lost responses are found in a list", () => {
  expect(extendWith({ ...money, lookup: "trades.list", recovery: listed }).recovery).toBe(listed);
});

test.each<[message: string, change: Partial<Declaration>]>([
  ["trades.list is declared twice", { name: "trades.list" }],
  ["list_trades is declared twice", { tool: "list_trades" }],
  ["the route is taken by trades.get", { path: "/trades/{symbol}" }],
  ["the service has no server elsewhere", { server: "elsewhere" }],
  ["the service has no credential password?", { credentials: ["password?"] }],
  ["orders.list does not return one", { ...money, lookup: "orders.list", recovery: listed }],
  ["needs the request ID header", { ...money, recovery: { kind: "resent", setting: "replaysByRequestId" } }],
  [
    "the service has no such setting",
    {
      ...money,
      headers: { "X-Request-ID": byFxdesk(z.string(), "uuid") },
      recovery: { kind: "resent", setting: "replays" },
    },
  ],
])("refuses an operation: %s", (message, change) => {
  expect(() => extendWith(change)).toThrow(message);
});

test("refuses pages for operations that are not trusted to read", () => {
  const query = { page: z.int().optional(), page_size: z.int().optional() };
  const pages = { page: "page", size: "page_size", defaultSize: 50 };
  const search: Partial<Declaration> = { method: "POST", query, pages };
  expect(() => extendWith(search)).toThrow("paging requires the effect read, but the effect is money");
  expect(extendWith(search, ["fixings.get"]).effect).toBe("read");
});

test.each<[Declaration["method"], Declaration["effect"], readonly string[], Declaration["effect"]]>([
  ["GET", "read", [], "read"],
  ["GET", "money", [], "money"],
  ["POST", "read", [], "money"],
  ["POST", "change", ["fixings.other"], "money"],
  ["POST", "change", ["fixings.get"], "change"],
])("treats a %s declared %s, trusted %j, as %s", (method, effect, trusted, counts) => {
  expect(extendWith({ method, effect }, trusted).effect).toBe(counts);
});

test("accepts a procedure with a lower effect than its operations only if it is trusted", () => {
  const bookTwice: Procedure = procedureFor()({
    name: "trades.bookTwice",
    tool: "book_twice",
    title: "Book twice",
    summary: "Books twice.",
    effect: "read",
    effectReason: "It only looks.",
    uses: ["trades.list", "trades.book"],
    input: {},
    output: json(z.object({ count: z.int() }), "How many."),
    run: () => Promise.resolve({ count: 0 }),
  });
  const extended = (procedure: Procedure, trusted: readonly string[] = []) =>
    extendService(fxdeskService, { procedures: [procedure] }, trusted).procedures!.at(-1)!.effect;
  const { effectReason: _, ...plain } = bookTwice;
  expect(extended(bookTwice)).toBe("money");
  expect(extended(bookTwice, ["trades.bookTwice"])).toBe("read");
  expect(() => extended(plain)).toThrow("has the effect money");
});

test("lists an added watch among the everyday tools", () => {
  const watch = {
    name: "fixings.watch",
    tool: "watch_fixings",
    title: "Watch fixings",
    summary: "Tells fixings.",
    uses: ["trades.list"],
    input: {},
    output: json(z.object({ id: z.string() }), "A fixing."),
    defaultStart: "now",
    everyMs: 60_000,
    read: async () => ({ entries: [], gaps: [] }),
    identify: ({ id }: { id: string }) => id,
    state: () => ({}),
  } as const;
  const declared = watchFor<never>()(watch);
  expect(dailyOf(extendService(fxdeskService, { watches: [declared] })).at(-1)).toBe(declared);
  const higher = watchFor<never>()({ ...watch, uses: ["trades.book"] });
  expect(() => extendService(fxdeskService, { watches: [higher] })).toThrow("has the effect money");
});

describe("an extension module", () => {
  const declaration = `{
    name: "fixings.get",
    tool: "get_fixing",
    title: "Get fixing",
    summary: "Returns the fixing of a currency pair.",
    effect: "read",
    method: "GET",
    path: "/fixings",
    server: "service",
    credentials: [],
    responses: { 200: json(z.unknown(), "The fixing.") },
    errors: {},
    contract: "none",
  }`;
  const exporting = (additions: string) => `module.exports = ({ operation, json, z }) => (${additions});`;
  const adding = exporting(`{ operations: [operation(${declaration})] }`);

  async function fileWith(content: string): Promise<string> {
    const path = join(await tempFolder(), "extension.js");
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }
  const load = (path: string) => serviceFrom({ FXDESK_EXTENSIONS: path });

  test("is optional", () => {
    expect(serviceFrom({})).toBe(fxdeskService);
    expect(() => serviceFrom({ FXDESK_EXTENSIONS: " " })).toThrow("FXDESK_EXTENSIONS must not be blank");
  });

  test("adds operations with the given builders", async () => {
    const path = await fileWith(adding);
    expect(load(path).operations.at(-1)).toMatchObject({ name: "fixings.get", effect: "read" });
  });

  test("must have an absolute path", () => {
    expect(() => load("./extension.js")).toThrow("FXDESK_EXTENSIONS must be an absolute path");
  });

  test("must not be writable by others, nor its folder", async () => {
    const path = await fileWith(adding);
    for (const open of [path, dirname(path)]) {
      chmodSync(open, 0o702);
      expect(() => load(path)).toThrow(`\`chmod go-w ${open}\``);
      chmodSync(open, 0o700);
    }
  });

  test("may be writable by the user's private group only", async () => {
    // Only root can change the owner of a file.
    const isRoot = process.getuid!() === 0;
    const user = isRoot ? 1000 : process.getuid!();
    const path = await fileWith(adding);
    const getuid = jest.spyOn(process, "getuid").mockReturnValue(user);
    for (const group of isRoot ? [user, user + 1] : [process.getgid!()]) {
      if (isRoot) for (const each of [path, dirname(path)]) chownSync(each, user, group);
      chmodSync(path, 0o660);
      if (group === user) expect(() => load(path)).not.toThrow();
      else expect(() => load(path)).toThrow(`\`chmod go-w ${path}\``);
    }
    getuid.mockRestore();
  });

  test.each([
    ["must export a function", "module.exports = {};"],
    ["must return at least one of", exporting("{}")],
    ["must return at least one of", exporting("{ interceptor: [] }")],
    ["must return at least one of", exporting("{ operations: [1] }")],
    ["no licence", `throw new Error("no licence");`],
    ["operations.0 has no name, tool,", exporting("{ operations: [{}] }")],
    ["operations.0 must be an object, not null", exporting("{ operations: [null] }")],
    [
      "fixings.get has no path, errors.",
      exporting(`{ operations: [{ ...${declaration}, path: undefined, errors: undefined }] }`),
    ],
    ["a.b has no tool,", exporting("{ procedures: [{ name: 'a.b', run: () => 1 }] }")],
    ["trades.list is declared twice", adding.replace("fixings.get", "trades.list")],
  ])("is refused with its path and the reason: %s", async (reason, content) => {
    const path = await fileWith(content);
    expect(() => load(path)).toThrow(`FXDESK_EXTENSIONS names ${path}`);
    expect(() => load(path)).toThrow(reason);
  });
});
