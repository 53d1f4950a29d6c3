/**
 * Tests single-use refresh tokens on every surface: each process continues with the tokens of the last one, also if several
 * start at once.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { environmentName } from "@fxdesk/toolkit";
import { listTrades } from "../core/contract/trades";
import { environmentOf, program, spawnFxdesk, type Variables } from "./cli/run-command";
import { fxdeskMcp, revisions } from "./mcp/support/clients";
import { eventually } from "./support/eventually";
import { tempFolder } from "./support/resources";
import { RotatingTokenService } from "./support/rotating-token-service";

let rotating: RotatingTokenService;
/** User settings: the configured refresh token never changes. */
let settings: Record<string, string>;
let variables: Variables;

beforeAll(async () => {
  rotating = await RotatingTokenService.start();
  settings = {
    ...rotating.addresses,
    ...rotating.credentials,
    clientId: "c-1",
    store: join(await tempFolder(), "store.db"),
    storeKey: randomBytes(32).toString("base64"),
  };
  variables = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [environmentName(name), value]),
  );
});

async function onCommandLine(): Promise<void> {
  const { code, stderr } = await spawnFxdesk(["call", listTrades.name], { variables });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

async function onMcpServer(): Promise<void> {
  const environment = environmentOf(variables) as Record<string, string>;
  const client = await revisions["2025-11-25"].stdio(fxdeskMcp([], environment));
  try {
    const result = await client.callTool({ name: listTrades.tool, arguments: {} });
    expect(result).toMatchObject({ structuredContent: { items: [] } });
  } finally {
    await client.close();
  }
}

const surfaces = [onCommandLine, onMcpServer];
const surface = (run: number) => surfaces[run % surfaces.length]!;

test("4 at the same time", async () => {
  const before = rotating.used.length;
  for (let round = 0; round < 3; round += 1) {
    rotating.revoke();
    await Promise.all([0, 1, 2, 3].map((run) => surface(run)()));
  }
  expect({ used: rotating.used.length - before, refusals: rotating.refusals }).toEqual({
    used: 3,
    refusals: 0,
  });
}, 120_000);

test("a process killed during a refresh blocks others until its lease expires", async () => {
  const before = rotating.used.length;
  rotating.revoke();
  rotating.isSilent = true;
  const args = [program, "call", listTrades.name, "--timeout-ms", "2000"];
  const killed = spawn(process.execPath, args, { env: environmentOf(variables), stdio: "ignore" });
  const ended = once(killed, "exit");
  await eventually(() => rotating.unansweredCount > 0, { withinMs: 20_000, what: "the endpoint is asked" });
  killed.kill("SIGKILL");
  await ended;
  rotating.isSilent = false;
  const begun = performance.now();
  await Promise.all([onCommandLine(), onCommandLine()]);
  expect(performance.now() - begun).toBeGreaterThan(3_000);
  expect({ used: rotating.used.length - before, refusals: rotating.refusals }).toEqual({
    used: 1,
    refusals: 0,
  });
}, 120_000);
