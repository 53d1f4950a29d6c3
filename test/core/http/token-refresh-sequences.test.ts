/**
 * Random token events and groups of calls: all calls succeed, with one refresh each time it is needed. FXDESK_RUNS sets the
 * number of sequences, FXDESK_SEED the seed.
 */
import * as fc from "fast-check";
import { createClient, FxdeskError, type FxdeskClient } from "../../../core";
import { faultServer, respond } from "../../support/fault-server";
import { newTrade } from "../support/client-fixtures";

const runs = Number(process.env.FXDESK_RUNS ?? 10);
const seed = Number(process.env.FXDESK_SEED ?? 20_261_121);
const concurrentCalls = 4;

/** Event before the calls: none, the token expires, the service revokes it, or the process restarts. */
const event = fc.constantFrom("nothing", "expires", "revoked", "restart", "restart, expired");
const step = fc.record({
  event,
  kind: fc.constantFrom("read", "money"),
  lifetime: fc.integer({ min: 1, max: 90 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A service and its token endpoint. Access tokens expire; refresh tokens work once. */
async function startTokenService(now: () => number) {
  const valid = new Map<string, number>();
  const state = { lifetime: 60, refreshToken: "refresh-0", accessToken: "access-0", given: 0, stale: 0 };
  valid.set("access-0", Infinity);
  const server = await faultServer((socket, number) => {
    const head = server.heads[number - 1]!;
    if (head.startsWith("POST /token")) {
      if (!head.includes(`refresh_token=${state.refreshToken}&`)) {
        state.stale += 1;
        return respond(400, '{"error":"invalid_grant"}')(socket, number);
      }
      state.given += 1;
      state.accessToken = `access-${state.given}`;
      state.refreshToken = `refresh-${state.given}`;
      valid.set(state.accessToken, now() + state.lifetime * 1_000);
      const { accessToken, refreshToken, lifetime } = state;
      const body = { access_token: accessToken, refresh_token: refreshToken, expires_in: lifetime };
      return respond(200, JSON.stringify(body))(socket, number);
    }
    const token = /Bearer (\S+)/.exec(head)?.[1] ?? "";
    if ((valid.get(token) ?? 0) <= now()) return respond(401, "{}")(socket, number);
    return head.startsWith("GET")
      ? respond(200, "[]")(socket, number)
      : respond(201, '{"trade_id":"t-1"}')(socket, number);
  });
  return { server, state, revoke: () => valid.delete(state.accessToken) };
}

/** Expected result: success of the calls, and number of refreshes. */
function expectedResult(
  kind: string,
  token: { isGood: boolean; isFresh: boolean; age: "known" | "unknown" },
) {
  const commits = kind === "money";
  if (!token.isFresh || (commits && token.age === "unknown")) return { succeeds: true, renewals: 1 };
  if (token.isGood) return { succeeds: true, renewals: 0 };
  // A booking is not repeated; the next call refreshes the refused token.
  return commits ? { succeeds: false, renewals: 0 } : { succeeds: true, renewals: 1 };
}

async function runSequence(steps: readonly Step[]): Promise<void> {
  let now = 1_800_000_000_000;
  const clock = jest.spyOn(Date, "now").mockImplementation(() => now);
  const { server, state, revoke } = await startTokenService(() => now);
  const kept = { accessToken: state.accessToken, refreshToken: state.refreshToken as string | undefined };
  const open = () =>
    createClient({
      baseUrl: server.url,
      clientId: "c-1",
      credentials: {
        accessToken: kept.accessToken,
        refreshToken: kept.refreshToken!,
        authClientId: "app",
        authClientSecret: "app-secret",
        onTokens: (tokens) => void Object.assign(kept, tokens),
      },
    });
  let client: FxdeskClient = open();
  const token = { isGood: true, isFresh: true, age: "unknown" as "known" | "unknown" };
  let lifetime = 0;
  try {
    for (const each of steps) {
      state.lifetime = each.lifetime;
      if (each.event.startsWith("restart")) {
        await client.close();
        client = open();
        Object.assign(token, { isFresh: true, age: "unknown" });
      }
      if (each.event.endsWith("expires") || each.event.endsWith("expired")) {
        if (token.age === "known") token.isFresh = false;
        if (lifetime > 0) token.isGood = false;
        now += lifetime * 1_000;
      }
      if (each.event === "revoked") {
        revoke();
        token.isGood = false;
      }
      const { succeeds, renewals } = expectedResult(each.kind, token);
      const before = state.given;
      const call = () => (each.kind === "money" ? client.trades.book(newTrade()) : client.trades.list());
      const ends = await Promise.all(
        Array.from({ length: concurrentCalls }, () =>
          call().then(
            () => "succeeds",
            (error: unknown) => error,
          ),
        ),
      );
      for (const end of ends)
        if (succeeds) expect(end).toBe("succeeds");
        else {
          expect(end).toBeInstanceOf(FxdeskError);
          expect(end).toMatchObject({ code: "unauthorized", outcome: "rejected", attempts: 1 });
        }
      expect(state.given - before).toBe(renewals);
      if (renewals > 0) {
        Object.assign(token, { isGood: true, isFresh: true, age: "known" });
        ({ lifetime } = each);
      } else if (!succeeds) token.isFresh = false;
    }
    expect(state.stale).toBe(0);
    expect(kept).toMatchObject({ accessToken: state.accessToken, refreshToken: state.refreshToken });
  } finally {
    clock.mockRestore();
    await client.close();
    await server.close();
  }
}

test(`refreshes exactly when needed in ${runs} random sequences (seed ${seed})`, async () => {
  const sequences = fc.array(step, { minLength: 3, maxLength: 12 });
  await fc.assert(fc.asyncProperty(sequences, runSequence), { numRuns: runs, seed });
});
