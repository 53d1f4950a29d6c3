/** Extension modules: permitted additions, and trusted files. */
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const getFixing = {
  name: "fixings.get",
  tool: "get_fixing",
  title: "Get fixing",
  summary: "Returns the fixing of a currency pair.",
  effect: "read",
  method: "GET",
  path: "/fixings/{symbol}",
  server: "service",
  credentials: ["accessToken"],
  parameters: { symbol: z.string() },
  responses: { 200: json(z.unknown(), "The fixing.") },
  errors: {},
  contract: "none",
} as const satisfies Declaration;

const extendWith = (change: Partial<Declaration>, trusted: readonly string[] = []): Declaration =>
  extendService(contract, { operations: [{ ...getFixing, ...change }] }, trusted).operations.at(-1)!;

describe("a service with more operations", () => {
  test.each<[string, Partial<Declaration>, string]>([
    ["name", { name: "trades.list" }, "The name trades.list is declared twice."],
    ["tool", { tool: "list_trades" }, "The name list_trades is declared twice."],
    [
      "method and path, whatever its parameters are called",
      { path: "/trades/{symbol}" },
      "fixings.get: the route is taken by trades.get (/trades/{trade_id}).",
    ],
  ])("refuses an operation with an existing %s", (_case, change, message) => {
    expect(() => extendWith(change)).toThrow(new TypeError(message));
  });

  test.each<[string, Partial<Declaration>, string]>([
    ["server", { server: "elsewhere" }, "fixings.get: the service has no server elsewhere."],
    ["credential", { credentials: ["password?"] }, "fixings.get: the service has no credential password?."],
  ])("refuses an unknown %s", (_case, change, message) => {
    expect(() => extendWith(change)).toThrow(new TypeError(message));
  });

  describe("recovers lost responses", () => {
    const entry = { reference: "reference", day: "order_date", identity: "trade_id" };
    const listed = { kind: "listed", reference: "tag", entry } as const;
    const money: Partial<Declaration> = {
      method: "POST",
      query: { tag: z.string().optional() },
      responses: { 201: json(z.object({ id: z.string() }), "Done.") },
      identifiedBy: "id",
    };

    test("from a list that shows the reference", () => {
      expect(extendWith({ ...money, lookup: "trades.list", recovery: listed }).recovery).toBe(listed);
    });

    test.each<[string, Partial<Declaration>]>([
      [
        "recovery needs a list, but orders.list does not return one.",
        { lookup: "orders.list", recovery: listed },
      ],
      [
        "recovery by resending needs the request ID header.",
        { recovery: { kind: "resent", setting: "replaysByRequestId" } },
      ],
      [
        "recovery names the setting replays, but the service has no such setting.",
        {
          headers: { "X-Request-ID": byFxdesk(z.string(), "uuid") },
          recovery: { kind: "resent", setting: "replays" },
        },
      ],
    ])("refuses recovery: %s", (message, change) => {
      expect(() => extendWith({ ...money, ...change })).toThrow(new TypeError(`fixings.get: ${message}`));
    });
  });

  test("refuses pages for operations that are not trusted to read", () => {
    const query = { page: z.int().optional(), page_size: z.int().optional() };
    const search: Partial<Declaration> = {
      method: "POST",
      query,
      pages: { page: "page", size: "page_size", defaultSize: 50 },
    };
    expect(() => extendWith(search)).toThrow(
      new TypeError("fixings.get: paging requires the effect read, but the effect is money"),
    );
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
});

describe("a service with more procedures", () => {
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
  const extended = (change: Partial<Procedure> = {}, trusted: readonly string[] = []) =>
    extendService(fxdeskService, { procedures: [{ ...bookTwice, ...change }] }, trusted);

  test("accepts an effect lower than that of the used operations only if it is trusted", () => {
    const { effectReason: _, ...plain } = bookTwice;
    expect(extended().procedures!.at(-1)!.effect).toBe("money");
    expect(extended({}, ["trades.bookTwice"]).procedures!.at(-1)!.effect).toBe("read");
    expect(() => extendService(fxdeskService, { procedures: [plain] })).toThrow("has the effect money");
  });
});

const declaration = (change = "") => `
  operation({
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
    ${change}
  })`;
const moduleWith = (change = "") =>
  `module.exports = ({ operation, json, z }) => ({ operations: [${declaration(change)}] });`;

describe("an extension module", () => {
  let folder: string;
  let count = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "fxdesk-extension-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function fileWith(content: string, name = `${(count += 1)}.js`): string {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  const named = (path: string, effects?: string) =>
    serviceFrom({ FXDESK_EXTENSIONS: path, ...(effects && { FXDESK_EXTENSION_EFFECTS: effects }) });
  const lastOf = (...given: Parameters<typeof named>) => named(...given).operations.at(-1)!;

  /** Returns the result of a function, or the message of its error. */
  function resultOf(action: () => string): string {
    try {
      return action();
    } catch (error) {
      return (error as Error).message;
    }
  }

  test("is optional", () => {
    expect(serviceFrom({}) === fxdeskService).toBe(true);
    expect(serviceFrom({ FXDESK_EXTENSIONS: "" }) === fxdeskService).toBe(true);
  });

  test("adds operations with the given builders", () => {
    expect(lastOf(fileWith(moduleWith()))).toMatchObject({ name: "fixings.get", effect: "read" });
  });

  test("must have an absolute path", () => {
    expect(() => named("./extension.js")).toThrow(
      'FXDESK_EXTENSIONS must be an absolute path, not "./extension.js".',
    );
  });

  test.each([
    ["the file", "."],
    ["its folder", ".."],
  ])("must not be writable by others: %s", (_case, which) => {
    const path = fileWith(moduleWith());
    const open = which === "." ? path : folder;
    chmodSync(open, 0o702);
    expect(() => named(path)).toThrow(
      `FXDESK_EXTENSIONS names ${open}, which others may write to: chmod go-w ${open}`,
    );
  });

  test("may be writable by the user's private group only", () => {
    // Only root can change the owner of a file.
    const isRoot = process.getuid!() === 0;
    const user = isRoot ? 1000 : process.getuid!();
    const path = fileWith(moduleWith());
    const getuid = jest.spyOn(process, "getuid").mockReturnValue(user);
    for (const group of isRoot ? [user, user + 1] : [process.getgid!()]) {
      if (isRoot) for (const each of [path, folder]) chownSync(each, user, group);
      chmodSync(path, 0o660);
      const read = () => (named(path), "read");
      const refused = `FXDESK_EXTENSIONS names ${path}, which others may write to: chmod go-w ${path}`;
      expect(resultOf(read)).toBe(group === user ? "read" : refused);
    }
    getuid.mockRestore();
  });

  test.each([
    ["no function", "module.exports = {};", "which must export a function that returns its additions."],
    ...[
      ["a function that returns nothing", "() => ({})"],
      ["an unknown key", "() => ({ interceptor: [] })"],
      ["invalid operations", "() => ({ operations: [1] })"],
    ].map(([what, code]): [string, string, string] => [
      what!,
      `module.exports = ${code};`,
      "which cannot be used: it must return at least one of { operations: [...], procedures: [...], watches: [...], interceptors: [...] }.",
    ]),
  ])("is refused if it exports %s", (_case, content, message) => {
    const path = fileWith(content);
    expect(() => named(path)).toThrow(new TypeError(`FXDESK_EXTENSIONS names ${path}, ${message}`));
  });

  test("is refused with the message of its error", () => {
    const path = fileWith(`throw new Error("no licence");`);
    expect(() => named(path)).toThrow(
      `FXDESK_EXTENSIONS names ${path}, which cannot be loaded as a CommonJS module: no licence`,
    );
  });

  test.each([
    [
      "({ operations: [{}] })",
      "operations.0 has no name, tool, title, summary, effect, method, path, server, credentials, responses, errors, contract.",
    ],
    ["({ operations: [null] })", "operations.0 must be an object, not null."],
    [
      `({ operations: [{ ...${declaration()}, path: undefined, errors: undefined }] })`,
      "fixings.get has no path, errors.",
    ],
    [
      "({ procedures: [{ name: 'a.b', run: () => 1 }] })",
      "a.b has no tool, title, summary, effect, input, uses, responses.",
    ],
  ])("is refused if a required field is missing: %s", (code, message) => {
    const path = fileWith(`module.exports = ({ operation, json, z }) => ${code};`);
    expect(() => named(path)).toThrow(
      new TypeError(`FXDESK_EXTENSIONS names ${path}, which cannot be used: ${message}`),
    );
  });

  test("is refused if it declares an operation of the contract", () => {
    const path = fileWith(moduleWith(`name: "trades.list"`));
    expect(() => named(path)).toThrow(
      `FXDESK_EXTENSIONS names ${path}, which cannot be used: The name trades.list is declared twice.`,
    );
  });
});

test("lists a watch of an extension module among the everyday tools", () => {
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
  const extended = extendService(fxdeskService, { watches: [declared] });
  expect(extended.watches!.at(-1)).toBe(declared);
  expect(dailyOf(extended).at(-1)).toBe(declared);
  const higher = watchFor<never>()({ ...watch, uses: ["trades.book"] });
  expect(() => extendService(fxdeskService, { watches: [higher] })).toThrow("has the effect money");
});
