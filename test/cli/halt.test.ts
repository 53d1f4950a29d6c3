/** Tests fxdesk halt and fxdesk resume. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { startFaultServer } from "../core/support/client-fixtures";
import { respond } from "../support/fault-server";
import { runFxdesk } from "./run-command";

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "fxdesk-halt-"))));
afterAll(() => rm(folder, { recursive: true }));

const run = (name: string, args: readonly string[], variables: Record<string, string> = {}) =>
  runFxdesk(args, {
    variables: {
      FXDESK_STORE: join(folder, `${name}.db`),
      FXDESK_STORE_KEY: Buffer.alloc(32, 7).toString("base64"),
      ...variables,
    },
  });

const connection = {
  FXDESK_CLIENT_ID: "c-1",
  FXDESK_ACCESS_TOKEN: "t",
  FXDESK_API_KEY: "k",
};
const book = ["call", "trades.book", "--quote-id", "q-1", "--reason", "other", "--yes"];

test("prints person and reason, stays until resumed, and is shown by store check", async () => {
  const halted = await run("plain", ["halt", "--reason", "wrong rates"]);
  expect(halted).toMatchObject({ code: 0, stderr: "" });
  expect(halted.stdout).toContain(`by ${userInfo().username} on`);
  expect(halted.stdout).toContain("(wrong rates). To end the halt, run `fxdesk resume`.");
  const { stdout } = await run("plain", ["store", "check"]);
  expect(stdout).toMatch(/Halted +\S.*wrong rates/s);
  expect(JSON.parse((await run("plain", ["store", "check", "--json"])).stdout)).toMatchObject({
    halts: [expect.stringContaining("wrong rates")],
  });
  expect((await run("plain", ["resume"])).stdout).toBe("The halt has ended. Calls are sent again.\n");
  expect((await run("plain", ["resume"])).stdout).toBe("There was no halt.\n");
});

test("halts one environment in the name of the actor", async () => {
  const variables = { FXDESK_ENVIRONMENT: "api", FXDESK_ACTOR: "night desk" };
  const { stdout } = await run("two", ["halt", "--environment", "sandbox", "--json"], variables);
  expect(JSON.parse(stdout)).toEqual({
    halts: [{ environment: "sandbox", at: expect.any(Number) as number, by: "night desk" }],
  });
  // FXDESK_ENVIRONMENT does not select the halted environment.
  expect(JSON.parse((await run("two", ["halt", "--json"], variables)).stdout).halts[0]).not.toHaveProperty(
    "environment",
  );
  const ended = await run("two", ["resume", "--environment", "sandbox"]);
  expect(ended.stdout).toMatch(/^One halt has ended\.\nStill in force: .* by night desk\.\n$/);
});

test.each([
  [["halt", "--environment", "sandbx"], "--environment must be api or sandbox"],
  [["resume", "--environment", ""], "--environment must be api or sandbox"],
  [["halt", "now"], "now"],
])("%j is a mistake of usage", async (args, words) => {
  const { code, stderr } = await run("none", args);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test("refuses a booking with its own exit code", async () => {
  await run("booking", ["halt"]);
  const server = await startFaultServer(respond(201, '{"trade_id":"t-1"}'));
  const { code, stderr } = await run("booking", [...book, "--json"], {
    ...connection,
    FXDESK_BASE_URL: server.url,
  });
  expect(server.heads).toHaveLength(0);
  expect({ code, error: JSON.parse(stderr.trim().split("\n").at(-1)!) as object }).toMatchObject({
    code: 5,
    error: { code: "halted", outcome: "not-sent" },
  });
});
