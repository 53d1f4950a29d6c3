/** Tests fxdesk login, logout, whoami and profiles against the sandbox. */
import { chmod, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { randomBytes, randomUUID } from "node:crypto";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { profilesPath } from "../../core/http/profiles";
import {
  applicationOf,
  freeRedirectUri,
  login,
  openPage,
  signIn,
  startWaitingCommand,
} from "../support/login";
import { runFxdesk, type Variables } from "./run-command";

let sandbox: Sandbox;
let store: Variables;
let first: Variables;
beforeEach(async () => {
  sandbox = await startSandbox({ redirectUri: await freeRedirectUri(), daysBehind: 5 });
  store = {
    FXDESK_STORE: join(process.env.XDG_STATE_HOME!, `login-${randomUUID()}.db`),
    FXDESK_STORE_KEY: randomBytes(32).toString("base64"),
  };
  first = { ...applicationOf(sandbox), ...store };
  await rm(profilesPath(), { force: true });
});
afterEach(() => sandbox.close());

const whoami = async (profile: string, variables: Variables = store) => {
  const { code, stdout, stderr } = await runFxdesk(["whoami", "--profile", profile, "--json"], { variables });
  return { code, stderr, ...(stdout && (JSON.parse(stdout) as Record<string, unknown>)) };
};

const callWithProfile = (profile: string, ...flags: string[]) =>
  runFxdesk(["call", "trades.list", "--profile", profile, ...flags], { variables: store });

test("logs in, and commands use the profile", async () => {
  const ran = await login("desk", first, ["--json"]);

  expect([ran.code, ran.status]).toEqual([0, 200]);
  expect(JSON.parse(ran.stdout)).toEqual({
    profile: "desk",
    environment: "sandbox",
    clientId: demo.clientId,
    clientIds: [demo.clientId],
  });
  expect(ran.html).toContain("Logged in");
  expect((await callWithProfile("desk")).code).toBe(0);
  const { code } = await runFxdesk(["call", "trades.list"], {
    variables: { ...store, FXDESK_PROFILE: "desk" },
  });
  expect(code).toBe(0);
  expect(sandbox.requests.filter(({ url }) => url === "/token")).toHaveLength(1);
});

test("whoami prints environment, client and the age of the token", async () => {
  await login("desk", first);

  expect(await whoami("desk")).toMatchObject({
    code: 0,
    profile: "desk",
    environment: "sandbox",
    address: sandbox.baseUrl,
    clientId: demo.clientId,
    reachable: true,
    authorised: true,
    accessToken: { ageMs: expect.any(Number), remainingMs: expect.any(Number) },
  });
  const { stdout } = await runFxdesk(["whoami", "--profile", "desk"], { variables: store });
  expect(stdout).toMatch(
    /Environment +sandbox\n.*Client +client-demo\n.*Reachable +yes\n.*Authorised +yes\n/s,
  );
  expect(stdout).toMatch(/Access token +0 minutes old, expires in 59 minutes/);
});

test("whoami prints the error", async () => {
  await login("desk", first);
  const other = await runFxdesk(["whoami", "--profile", "desk", "--client-id", "client-other", "--json"], {
    variables: store,
  });
  expect(JSON.parse(other.stdout)).toMatchObject({ reachable: true, authorised: false });
  expect(other.code).toBe(3);

  await sandbox.close();
  expect(await whoami("desk")).toMatchObject({ code: 6, reachable: false });
});

test("a profile replaces the service settings of the environment", async () => {
  await login("desk", first);
  const elsewhere = {
    ...store,
    FXDESK_ENVIRONMENT: "api",
    FXDESK_BASE_URL: "http://127.0.0.1:9",
    FXDESK_CLIENT_ID: "client-other",
    FXDESK_ACCESS_TOKEN: "another-token",
    FXDESK_API_KEY: "another-key",
  };
  expect(await whoami("desk", elsewhere)).toMatchObject({
    code: 0,
    environment: "sandbox",
    clientId: demo.clientId,
  });
});

test("no flag sends a profile to another service", async () => {
  await login("desk", first);
  const before = sandbox.requests.length;
  const flags = {
    environment: "api",
    domain: "example.com",
    "base-url": "http://127.0.0.1:9",
    "auth-url": "http://127.0.0.1:9",
    "xs2a-url": "http://127.0.0.1:9",
    "auth-client-id": "another",
  };
  for (const [flag, value] of Object.entries(flags)) {
    const { code, stderr } = await callWithProfile("desk", `--${flag}`, value);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`--${flag} cannot be changed for the profile desk`),
    ]);
  }
  expect(sandbox.requests).toHaveLength(before);
});

test("logout prevents calls and deletes all secrets", async () => {
  await login("desk", first);
  await callWithProfile("desk");
  const before = sandbox.requests.length;

  const out = await runFxdesk(["logout", "--profile", "desk"], { variables: store });
  expect([out.code, out.stdout]).toEqual([0, "Logged out of the profile desk.\n"]);
  const { code, stderr } = await callWithProfile("desk");
  expect([code, stderr]).toEqual([3, expect.stringContaining("fxdesk login --profile desk")]);
  expect(sandbox.requests).toHaveLength(before);
  const check = await runFxdesk(["store", "check", "--json"], { variables: store });
  expect(JSON.parse(check.stdout)).toMatchObject({ tokens: 0, faults: [] });
  expect(await readFile(profilesPath(), "utf8")).not.toContain("secrets");

  const again = await runFxdesk(["logout", "--profile", "desk"], { variables: store });
  expect([again.code, again.stdout]).toEqual([0, "The profile desk was not logged in.\n"]);
});

test("a repeated login needs no settings and deletes the previous tokens", async () => {
  await login("desk", first);
  const { code } = await login("desk", store);
  expect(code).toBe(0);
  expect((await callWithProfile("desk")).code).toBe(0);
  const check = await runFxdesk(["store", "check", "--json"], { variables: store });
  expect(JSON.parse(check.stdout)).toMatchObject({ tokens: 1 });

  await runFxdesk(["logout", "--profile", "desk"], { variables: store });
  const { FXDESK_AUTH_CLIENT_SECRET, ...others } = first;
  const secret = { FXDESK_AUTH_CLIENT_SECRET: FXDESK_AUTH_CLIENT_SECRET! };
  expect((await login("desk", { ...store, ...secret })).code).toBe(0);
  const missing = await runFxdesk(["login", "--profile", "new"], { variables: others });
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining("FXDESK_AUTH_CLIENT_SECRET is needed"),
  ]);
});

test("lists profiles from a file readable only by this user", async () => {
  expect(await runFxdesk(["profiles", "--json"])).toMatchObject({ code: 0 });
  await login("desk", first);
  const { stdout } = await runFxdesk(["profiles", "--json"]);
  expect(JSON.parse(stdout)).toContainEqual({
    profile: "desk",
    environment: "sandbox",
    service: sandbox.baseUrl,
    clientId: demo.clientId,
    loggedInAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  const path = profilesPath();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const written = await readFile(path, "utf8");
  for (const secret of [demo.authClientSecret, demo.apiKey]) expect(written).not.toContain(secret);

  await chmod(path, 0o644);
  const { code, stderr } = await callWithProfile("desk");
  expect([code, stderr]).toEqual([1, expect.stringContaining(`chmod 600 ${path}`)]);
  await chmod(path, 0o600);
});

test("rejects a login without access to the configured client", async () => {
  const harbour = "erin.walsh@harbour-textiles.example";
  const variables = { ...first, FXDESK_CLIENT_ID: demo.clientId };
  const { code, status, stderr } = await login("wrong", variables, [], harbour);
  expect([code, status]).toEqual([3, 400]);
  expect(stderr).toContain("cannot act for client-demo, only for client-other. Nothing was stored.");
  const { stdout } = await runFxdesk(["profiles", "--json"]);
  expect(stdout).not.toContain("wrong");
});

describe("while login waits", () => {
  test("ignores a callback with another state", async () => {
    const { address, ran } = await startWaitingCommand(["login", "--profile", "desk"], first);
    const back = await signIn(address);
    const changed = (change: (url: URL) => void) => {
      const url = new URL(back);
      change(url);
      return url;
    };

    const wrongState = changed(({ searchParams }) => searchParams.set("state", "guessed"));
    const noState = changed(({ searchParams }) => searchParams.delete("state"));
    const wrongPath = changed((url) => (url.pathname = "/elsewhere"));
    const wrongHost = changed((url) => (url.hostname = "localhost"));
    const statuses = [wrongState, noState, wrongPath, wrongHost].map(
      async (url) => (await openPage(url)).status,
    );
    expect(await Promise.all(statuses)).toEqual([400, 400, 404, 404]);
    expect((await fetch(back, { method: "POST" })).status).toBe(404);

    expect((await openPage(back)).status).toBe(200);
    expect((await ran).code).toBe(0);
    await expect(openPage(back)).rejects.toThrow("fetch failed");
  });

  test("a refusal ends the login and saves nothing", async () => {
    const { address, ran } = await startWaitingCommand(["login", "--profile", "refused"], first);
    const asked = new URL(address).searchParams;
    const back = new URL(asked.get("redirect_uri")!);
    back.search = new URLSearchParams({ error: "access_denied", state: asked.get("state")! }).toString();
    expect(await openPage(back)).toMatchObject({
      status: 400,
      html: expect.stringContaining("access_denied"),
    });
    expect(await ran).toMatchObject({ code: 3, stderr: expect.stringContaining("refused (access_denied)") });
    expect((await runFxdesk(["profiles", "--json"])).stdout).not.toContain("refused");
  });

  test("the address contains a code challenge unless disabled", async () => {
    const asked = async (flags: readonly string[]) => {
      const { address, ran } = await startWaitingCommand(["login", "--profile", "desk", ...flags], first);
      await openPage(await signIn(address));
      expect((await ran).code).toBe(0);
      return Object.fromEntries(new URL(address).searchParams);
    };
    const plain = {
      scope: "openid",
      response_type: "code",
      client_id: demo.authClientId,
      redirect_uri: sandbox.demo.redirectUri,
      state: expect.stringMatching(/^[\w-]{43}$/),
    };
    expect(await asked([])).toEqual({
      ...plain,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(await asked(["--pkce", "none"])).toEqual(plain);
  });
});

test.each([
  ["no name", [], {}, "--profile <name> is required"],
  [
    "no application",
    ["--profile", "a"],
    { FXDESK_AUTH_CLIENT_ID: "" },
    "FXDESK_AUTH_CLIENT_ID or --auth-client-id is needed",
  ],
  [
    "no address to return to",
    ["--profile", "a"],
    { FXDESK_REDIRECT_URI: "" },
    "FXDESK_REDIRECT_URI or --redirect-uri is needed",
  ],
  [
    "a return elsewhere",
    ["--profile", "a", "--redirect-uri", "https://desk.example/back"],
    {},
    "is not an http address of this machine",
  ],
])("with %s nobody is asked to log in", async (_what, flags, variables, message) => {
  const { code, stderr } = await runFxdesk(["login", ...flags], { variables: { ...first, ...variables } });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("reports a port in use", async () => {
  const { ran, address } = await startWaitingCommand(["login", "--profile", "desk"], first);
  const { code, stderr } = await runFxdesk(["login", "--profile", "other"], { variables: first });
  expect([code, stderr]).toEqual([2, expect.stringContaining("its port is already in use")]);
  await openPage(await signIn(address));
  await ran;
});

test("another store key does not open a profile", async () => {
  await login("desk", first);
  const variables = { ...store, FXDESK_STORE_KEY: randomBytes(32).toString("base64") };
  const { code, stderr } = await runFxdesk(["whoami", "--profile", "desk"], { variables });
  expect([code, stderr]).toEqual([3, expect.stringContaining("another FXDESK_STORE_KEY")]);
  // A repeated login requires the application's secret.
  expect((await login("desk", { ...first, ...variables })).code).toBe(0);
  expect(await whoami("desk", variables)).toMatchObject({ code: 0 });
});
