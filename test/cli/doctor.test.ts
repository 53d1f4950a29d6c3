/** Tests `fxdesk config` and `fxdesk doctor`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { faultServer, respond } from "../support/fault-server";
import { closeLater, tempFolder } from "../support/resources";
import { runFxdesk, type Variables, variablesFor, variablesOf } from "./run-command";

let sandbox: Sandbox;
let variables: Variables;

beforeAll(async () => {
  // Not a saved one, whose clock may be behind.
  sandbox = closeLater(await startSandbox());
  const store = join(await tempFolder(), "store.db");
  variables = { ...variablesOf(sandbox), FXDESK_STORE: store, NO_PROXY: "internal.example" };
});

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly message: string;
  readonly remedy?: string;
}

async function diagnose(more: Variables = {}) {
  const { code, stdout } = await runFxdesk(["doctor", "--json"], { variables: { ...variables, ...more } });
  const findings = JSON.parse(stdout) as Finding[];
  return { code, findings, faults: findings.filter(({ state }) => state !== "ok") };
}

describe("fxdesk doctor", () => {
  test("finds nothing wrong with a sandbox", async () => {
    const { code, findings, faults } = await diagnose();
    expect([code, faults]).toEqual([0, []]);
    expect(findings.map(({ check }) => check)).toEqual([
      "Node.js",
      "Address",
      "Proxy",
      "Network",
      "Clock",
      "Credentials",
      "Policy",
      "Store",
    ]);
  });

  test.each<[check: string, more: Variables]>([
    ["Address", { FXDESK_BASE_URL: "", FXDESK_REFRESH_TOKEN: "" }],
    ["Settings", { FXDESK_TIMEOUT_MS: "soon" }],
    ["Settings", { FXDESK_PROXY: "socks5://desk:canary@proxy.example.com" }],
    ["Settings", { FXDESK_CA: "/nowhere/ca.pem" }],
    ["Network", { FXDESK_BASE_URL: "http://127.0.0.1:9" }],
    ["Credentials", { FXDESK_ACCESS_TOKEN: "canary-token", FXDESK_REFRESH_TOKEN: "" }],
    ["Policy", { FXDESK_POLICY: "/nowhere/policy.json" }],
    ["People", { FXDESK_PEOPLE: "/nowhere/people.json" }],
  ])("names a problem with %s: %j", async (check, more) => {
    const { code, findings, faults } = await diagnose(more);
    expect([code, faults]).toEqual([1, [expect.objectContaining({ check, state: "failed" })]]);
    expect(faults[0]!.remedy).toBeTruthy();
    expect(JSON.stringify(findings)).not.toContain("canary");
  });

  test.each<[variable: string, more: Variables]>([
    ["FXDESK_CLIENT_ID", { FXDESK_CLIENT_ID: "" }],
    ["FXDESK_CLIENT_ID", { FXDESK_CLIENT_ID: "client-unknown" }],
    ["FXDESK_ACCESS_TOKEN", { FXDESK_ACCESS_TOKEN: "…" }],
  ])("says that %s must be corrected: %j", async (variable, more) => {
    const { faults } = await diagnose(more);
    expect(faults).toMatchObject([{ check: "Credentials", remedy: expect.stringContaining(variable) }]);
    expect(faults[0]!.remedy!.match(/FXDESK_\w+/g)).toEqual([variable]);
  });

  test("names a store that is none", async () => {
    const store = join(await tempFolder(), "store.db");
    await writeFile(store, "not a database", { mode: 0o600 });
    expect((await diagnose({ FXDESK_STORE: store })).faults).toMatchObject([{ check: "Store" }]);
  });

  test("finds nothing wrong with a service whose page is large", async () => {
    // The page of the sandbox shows the latest calls.
    for (let count = 0; count < 3; count += 1) await runFxdesk(["call", "trades.list"], { variables });
    expect((await diagnose()).faults).toEqual([]);
  });

  test("compares the clock with the service", async () => {
    const headers = { date: new Date(Date.now() + 600_000).toUTCString() };
    const server = closeLater(await faultServer(respond(200, "[]", headers)));
    const { faults } = await diagnose({ ...variablesFor(server), FXDESK_XS2A_URL: "" });
    expect(faults).toMatchObject([
      { check: "Clock", message: expect.stringMatching(/^(599|60\d) s behind/) },
    ]);
  });
});

test("fxdesk config names the source of each setting, and shows no secret", async () => {
  const given = {
    ...variables,
    FXDESK_PROXY_CREDENTIALS: "desk:canary-password",
    HTTPS_PROXY: "http://desk:canary-other@proxy.example.com:3128",
  };
  const { code, stdout } = await runFxdesk(["config", "--client-id", "c-9", "--json"], { variables: given });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      { setting: "clientId", value: "c-9", source: "--client-id" },
      { setting: "baseUrl", value: sandbox.baseUrl, source: "FXDESK_BASE_URL" },
      { setting: "accessToken", value: "set", source: "FXDESK_ACCESS_TOKEN" },
      { setting: "proxyCredentials", value: "set", source: "FXDESK_PROXY_CREDENTIALS" },
      { setting: "proxy", value: "http://proxy.example.com:3128", source: "HTTPS_PROXY" },
      { setting: "noProxy", value: "internal.example", source: "NO_PROXY" },
    ]),
  );
  for (const secret of ["canary", variables.FXDESK_ACCESS_TOKEN!]) expect(stdout).not.toContain(secret);
  const misplaced = { ...variables, FXDESK_PROXY: "http://desk:canary-third@proxy.example.com:3128" };
  const shown = await runFxdesk(["config"], { variables: misplaced });
  expect(shown.stdout).toContain("http://proxy.example.com:3128");
  expect(shown.stdout).not.toContain("canary");
});
