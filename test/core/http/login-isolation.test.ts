/**
 * Two logins in one store with random logins, logouts, calls and pauses: neither service ever receives a token of the other.
 * FXDESK_RUNS sets the number of sequences, FXDESK_SEED the seed.
 */
import * as fc from "fast-check";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { createClient, type ClientOptions, FxdeskError } from "../../../core";
import { startLogin, logOut, readTokenAge } from "../../../core/client/login";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { signIn } from "../../support/login";

const runs = Number(process.env.FXDESK_RUNS ?? 8);

const step = fc.record({
  who: fc.constantFrom(0, 1),
  does: fc.constantFrom("login", "login", "logout", "call", "call", "wait", "call as the other"),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

let sandboxes: readonly [Sandbox, Sandbox];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fxdesk-apart-"));
  const start = (seed: string) => startSandbox({ seed, daysBehind: 1 });
  sandboxes = [await start("one"), await start("two")];
});
afterAll(async () => {
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  await rm(folder, { recursive: true, force: true });
});

/** One service, its login and its expected state. */
class LoginSession {
  login: string | undefined;

  constructor(
    readonly sandbox: Sandbox,
    private readonly store: Pick<ClientOptions, "store" | "storeKey">,
  ) {}

  options(login = this.login): ClientOptions {
    const { baseUrl, demo: company } = this.sandbox;
    const settings = {
      environment: "sandbox",
      redirectUri: company.redirectUri,
      authClientId: company.authClientId,
      authClientSecret: company.authClientSecret,
      ...(login !== undefined && { login }),
    };
    return { ...this.store, baseUrl, clientId: demo.clientId, settings };
  }

  async logIn(): Promise<void> {
    const login = await startLogin(fxdeskService, this.options());
    const kept = await login.finish((await signIn(login.address)).searchParams);
    await this.logOut();
    this.login = kept.login;
  }

  async logOut(): Promise<void> {
    await logOut(fxdeskService, this.options());
    this.login = undefined;
  }

  /** `read`, or the code of the error. */
  async call(login = this.login): Promise<string> {
    const client = createClient(this.options(login));
    try {
      await client.accounts.listCurrencyAccounts();
      return "read";
    } catch (error) {
      if (error instanceof FxdeskError) return error.code;
      throw error;
    } finally {
      await client.close();
    }
  }
}

async function runSequence(steps: readonly Step[], run: number): Promise<void> {
  const store = { store: join(folder, `${run}.db`), storeKey: randomBytes(32).toString("base64") };
  const desks = sandboxes.map((sandbox) => new LoginSession(sandbox, store));
  for (const { who, does } of steps) {
    const [desk, other] = [desks[who]!, desks[1 - who]!];
    const sent = desk.sandbox.requests.length;
    if (does === "login") await desk.logIn();
    else if (does === "logout") await desk.logOut();
    // Only the access token expires.
    else if (does === "wait") desk.sandbox.advance(2 * 3_600_000);
    else if (does === "call") expect(await desk.call()).toBe(desk.login ? "read" : "unauthorized");
    else if (other.login !== undefined) {
      // The other service's login does not work here, and is not sent.
      expect(await desk.call(other.login)).toBe("unauthorized");
      expect(desk.sandbox.requests).toHaveLength(sent);
    }
  }
  const known = await Promise.all(desks.map((desk) => readTokenAge(fxdeskService, desk.options())));
  expect(known.map(Boolean)).toEqual(desks.map(({ login }) => login !== undefined));
}

test("never sends a token to the other service", async () => {
  let run = 0;
  const sequence = fc.array(step, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sequence, (steps) => runSequence(steps, (run += 1))),
    { numRuns: runs, endOnFailure: true },
  );
  for (const { requests } of sandboxes) {
    const refusals = requests.flatMap(({ refusal }) => refusal ?? []);
    expect(refusals.filter((refusal) => !refusal.includes("expired"))).toEqual([]);
    expect(requests.filter(({ status }) => status === 200).length).toBeGreaterThan(runs / 2);
  }
});
