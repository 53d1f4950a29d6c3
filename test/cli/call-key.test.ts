/** Tests --key: a repeated call is sent once. */
import { faultServer, type FaultServer, respond } from "../support/fault-server";
import { runFxdesk } from "./run-command";

let server: FaultServer;
beforeEach(async () => {
  server = await faultServer(respond(201, '{"trade_id":"t-1","bank_account":{}}'));
});
afterEach(() => server.close());

const book = (...flags: readonly string[]) =>
  runFxdesk(["call", "trades.book", "--quote-id", "q-1", "--reason", "other", ...flags], {
    variables: {
      FXDESK_BASE_URL: server.url,
      FXDESK_CLIENT_ID: "c-1",
      FXDESK_ACCESS_TOKEN: "token",
      FXDESK_ACTOR: "jane",
    },
  });

const jsonLines = (stderr: string) =>
  stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("repeating a booking prints the recorded outcome", async () => {
  const first = await book("--yes");
  const again = await book("--yes");
  expect([first.code, again.code]).toEqual([0, 0]);
  expect(again.stdout).toBe(first.stdout);
  expect(first.stderr).toMatch(/^Journal entry [\w-]+, reference FX-[\w-]+\.\n/);
  expect(again.stderr).toMatch(
    /^Note: nothing was sent now; .* earlier call with the same key\. Journal entry/,
  );
  expect(server.heads).toHaveLength(1);

  const entry = /entry ([\w-]+),/.exec(first.stderr)![1]!;
  const shown = await runFxdesk(["journal", "show", entry, "--json"]);
  expect(shown.stdout).toContain('"jane"');
  expect(shown.stdout).toContain('"cli"');
});

test("--json prints the journal entry, also in errors", async () => {
  const { stderr } = await book("--yes", "--json", "--key", "K-1");
  const [told] = jsonLines(stderr);
  expect(told).toMatchObject({ code: "journal", entry: expect.any(String) as string, replayed: false });
  const args = ["--quote-id", "q-2", "--reason", "other", "--yes", "--json", "--key", "K-1"];
  const variables = {
    FXDESK_BASE_URL: server.url,
    FXDESK_CLIENT_ID: "c-1",
    FXDESK_ACCESS_TOKEN: "token",
  };
  const other = await runFxdesk(["call", "trades.book", ...args], { variables });
  expect(other.code).toBe(5);
  expect(jsonLines(other.stderr)).toEqual([
    expect.objectContaining({
      code: "conflict",
      outcome: "not-sent",
      journal: { entry: told!.entry, replayed: false },
    }),
  ]);
  expect(server.heads).toHaveLength(1);
});

test("rejects an invalid key as a usage error", async () => {
  const { code, stderr } = await book("--yes", "--key", " ");
  expect(code).toBe(2);
  expect(stderr).toContain("--key must be text of 1 to 200 characters");
  expect(server.heads).toHaveLength(0);
});
