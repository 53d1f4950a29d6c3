/** Tests fxdesk login, logout, whoami and profiles against the sandbox. */
import { chmod, mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { profilesPath } from "../../core/http/profiles";
import {
  applicationOf,
  freeRedirectUri,
  login,
  openPage,
  signIn,
  startWaitingCommand,
} from "../support/login";
import { tempFolder } from "../support/resources";
import { openSandbox } from "../support/sandboxes";
import {
  failure,
  jsonOf,
  runFxdesk,
  spawnFxdesk,
  storeVariables,
  usageErrorOf,
  type Variables,
} from "./run-command";

let sandbox: Sandbox;
let store: Variables;
let first: Variables;
beforeEach(async () => {
  sandbox = await openSandbox({ redirectUri: await freeRedirectUri(), daysBehind: 5 });
  store = storeVariables(join(await tempFolder(), "store.db"));
  first = { ...applicationOf(sandbox), ...store };
  await rm(profilesPath(), { force: true });
});

const whoami = async (profile: string, variables: Variables = store) => {
  const { code, stdout, stderr } = await runFxdesk(["whoami", "--profile", profile, "--json"], { variables });
  return { code, stderr, ...(stdout && (JSON.parse(stdout) as Record<string, unknown>)) };
};

const callWithProfile = (profile: string, ...flags: string[]) =>
  runFxdesk(["call", "trades.list", "--profile", profile, ...flags], { variables: store });

const logout = () => runFxdesk(["logout", "--profile", "desk"], { variables: store });
const profiles = () => jsonOf<readonly object[]>(["profiles"]);

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

test("without settings, whoami says how to set them, and what else to do", async () => {
  const { code, stderr } = await runFxdesk(["whoami"]);
  expect(code).toBe(2);
  for (const words of ["FXDESK_CLIENT_ID", "FXDESK_DOMAIN", "fxdesk login", "fxdesk sandbox"])
    expect(stderr).toContain(words);
  expect(stderr).not.toContain("listCurrencyAccounts");
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
    expect(await callWithProfile("desk", `--${flag}`, value)).toEqual(
      failure(2, `--${flag} cannot be changed for the profile desk`),
    );
  }
  expect(sandbox.requests).toHaveLength(before);
});

test("logout prevents calls and deletes all secrets", async () => {
  await login("desk", first);
  await callWithProfile("desk");
  const before = sandbox.requests.length;

  expect(await logout()).toMatchObject({ code: 0, stdout: "Logged out of the profile desk.\n" });
  expect(await callWithProfile("desk")).toEqual(failure(3, "fxdesk login --profile desk"));
  expect(sandbox.requests).toHaveLength(before);
  expect(await jsonOf(["store", "check"], store)).toMatchObject({ tokens: 0, faults: [] });
  expect(await readFile(profilesPath(), "utf8")).not.toContain("secrets");
  expect(await logout()).toMatchObject({ code: 0, stdout: "The profile desk was not logged in.\n" });
});

test("a repeated login needs no settings and deletes the previous tokens", async () => {
  await login("desk", first);
  const { code } = await login("desk", store);
  expect(code).toBe(0);
  expect((await callWithProfile("desk")).code).toBe(0);
  expect(await jsonOf(["store", "check"], store)).toMatchObject({ tokens: 1 });

  await logout();
  const { FXDESK_AUTH_CLIENT_SECRET, ...others } = first;
  const secret = { FXDESK_AUTH_CLIENT_SECRET: FXDESK_AUTH_CLIENT_SECRET! };
  expect((await login("desk", { ...store, ...secret })).code).toBe(0);
  expect(await usageErrorOf(["login", "--profile", "new"], { variables: others })).toContain(
    "FXDESK_AUTH_CLIENT_SECRET is needed",
  );
});

test("lists profiles from a file readable only by this user", async () => {
  expect(await profiles()).toEqual([]);
  await login("desk", first);
  expect(await profiles()).toContainEqual({
    profile: "desk",
    environment: "sandbox",
    service: sandbox.baseUrl,
    clientId: demo.clientId,
    loggedInAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  const shown = await spawnFxdesk(["profiles"], { variables: { TZ: "America/Bogota" } });
  expect(shown.stdout).toMatch(/ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT-5$/m);
  const path = profilesPath();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const written = await readFile(path, "utf8");
  for (const secret of [demo.authClientSecret, demo.apiKey]) expect(written).not.toContain(secret);

  await chmod(path, 0o644);
  expect(await callWithProfile("desk")).toEqual(failure(1, `chmod 600 ${path}`));
  await chmod(path, 0o600);
});

test("rejects a login without access to the configured client", async () => {
  const harbour = "erin.walsh@harbour-textiles.example";
  const variables = { ...first, FXDESK_CLIENT_ID: demo.clientId };
  const { code, status, stderr } = await login("wrong", variables, [], harbour);
  expect([code, status]).toEqual([3, 400]);
  expect(stderr).toContain("cannot act for client-demo, only for client-other. Nothing was stored.");
  expect(await profiles()).toEqual([]);
});

describe("while login waits", () => {
  test("ignores a callback with another state", async () => {
    const { address, ran } = await startWaitingCommand(["login", "--profile", "desk"], first);
    const back = await signIn(address);
    const changes: [(url: URL) => void, number][] = [
      [({ searchParams }) => searchParams.set("state", "guessed"), 400],
      [({ searchParams }) => searchParams.delete("state"), 400],
      [(url) => (url.pathname = "/elsewhere"), 404],
      [(url) => (url.hostname = "localhost"), 404],
    ];
    for (const [change, status] of changes) {
      const changed = new URL(back);
      change(changed);
      expect(await openPage(changed)).toMatchObject({ status });
    }
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
    expect(await profiles()).toEqual([]);
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

test("a store that cannot be opened is reported before the browser is needed", async () => {
  const folder = join(await tempFolder(), "folder");
  await mkdir(folder);
  const ran = await runFxdesk(["login", "--profile", "desk"], {
    variables: { ...first, FXDESK_STORE: folder },
  });
  expect(ran).toEqual(failure(1, "FXDESK_STORE"));
  expect(ran.stderr).not.toContain("/authenticate");
  expect(sandbox.requests).toEqual([]);
});

test("reports a port in use", async () => {
  const { ran, address } = await startWaitingCommand(["login", "--profile", "desk"], first);
  expect(await usageErrorOf(["login", "--profile", "other"], { variables: first })).toContain(
    "its port is already in use",
  );
  await openPage(await signIn(address));
  await ran;
});

test("another store key does not open a profile", async () => {
  await login("desk", first);
  const variables = storeVariables(store.FXDESK_STORE!, Buffer.alloc(32, 9));
  expect(await whoami("desk", variables)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("another FXDESK_STORE_KEY") as string,
  });
  const again = await runFxdesk(["login", "--profile", "desk"], { variables: { ...first, ...variables } });
  expect(again).toEqual(failure(1, "another FXDESK_STORE_KEY"));
  expect(again.stderr).not.toContain("/authenticate");
  expect(await whoami("desk", store)).toMatchObject({ code: 0 });
});
