/** Tests the lifetime of codes and tokens, and that expired ones are freed. */
import { setImmediate as nextTask } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { accessTokenSeconds, Tokens, TtlMap } from "../../../sandbox/src/world/tokens/tokens";
import { Random } from "../../../sandbox/src/world/common/random";

interface Grant {
  readonly holder: string;
}

const day = 86_400;
const at = (seconds: number) => new Date(Date.UTC(2026, 2, 2) + seconds * 1_000);

const tokensWithLimit = (maxRefreshTokens: number) =>
  new Tokens<Grant>(new Random("tokens"), {
    refreshTokenSeconds: 28 * day,
    maxRefreshTokens,
    holderOf: ({ holder }) => holder,
    permanent: { accessToken: "standing", refreshToken: "always", grant: { holder: "house" } },
  });

const ada = { holder: "ada" };
const bound = { redirect_uri: "https://desk.example/", client_id: "desk" };

test("accepts a code once, within a minute, with its binding", () => {
  const tokens = tokensWithLimit(1);
  const redeem = (shown: Readonly<Record<string, string>>, seconds = 59) => {
    const code = tokens.issueCode(ada, bound, at(0));
    return [tokens.redeemCode(code, shown, at(seconds)), tokens.redeemCode(code, bound, at(seconds))];
  };
  expect(redeem({ ...bound })).toEqual([ada, undefined]);
  expect(redeem(bound, 60)).toEqual([undefined, undefined]);
  expect(redeem({ ...bound, client_id: "another" })).toEqual([undefined, undefined]);
  expect(redeem({ redirect_uri: bound.redirect_uri })).toEqual([undefined, undefined]);
});

test("accepts an access token for an hour and reports it as expired for another day", () => {
  const tokens = tokensWithLimit(1);
  const { accessToken } = tokens.issue(ada, at(0));
  const check = (seconds: number) => tokens.check(accessToken, at(seconds));
  expect(check(accessTokenSeconds - 1)).toBe(ada);
  expect([check(accessTokenSeconds), check(accessTokenSeconds + day - 1)]).toEqual(["expired", "expired"]);
  expect([check(accessTokenSeconds + day), tokens.check("nothing", at(0))]).toEqual(["unknown", "unknown"]);
});

test.each([1, 3])("accepts the last %i refresh tokens of each holder", (limit) => {
  const tokens = tokensWithLimit(limit);
  const others = tokens.issue({ holder: "bruno" }, at(0)).refreshToken;
  const issued = Array.from({ length: 5 }, () => tokens.issue({ ...ada }, at(0)).refreshToken);
  const isGood = (token: string, seconds = 0) => tokens.redeemRefreshToken(token, at(seconds)) !== undefined;
  expect(issued.map((token) => isGood(token))).toEqual(issued.map((_token, index) => index >= 5 - limit));
  expect([isGood(others, 28 * day - 1), isGood(others, 28 * day)]).toEqual([true, false]);
});

test("keeps the initial tokens, each for its own purpose", () => {
  const tokens = tokensWithLimit(1);
  tokens.issue({ holder: "house" }, at(0));
  const later = at(1_000 * day);
  expect([tokens.check("standing", later), tokens.redeemRefreshToken("always", later)]).toEqual([
    { holder: "house" },
    { holder: "house" },
  ]);
  expect([tokens.check("always", later), tokens.redeemRefreshToken("standing", later)]).toEqual([
    "unknown",
    undefined,
  ]);
});

test("does not return expired entries, even without later additions", () => {
  const map = new TtlMap<string>(60);
  map.set("first", "1", at(0));
  map.set("second", "2", at(30));
  expect([map.get("first", at(59)), map.get("first", at(60)), map.get("second", at(60))]).toEqual([
    "1",
    undefined,
    "2",
  ]);
});

describe("frees invalid codes and tokens", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;

  /** True once the referenced object was collected, which is never before the current task ends. */
  async function isGone(reference: WeakRef<object>): Promise<boolean> {
    await nextTask();
    collectGarbage();
    return reference.deref() === undefined;
  }

  test.each<[string, number, (tokens: Tokens<Grant>, grant: Grant, now: Date) => unknown]>([
    ["an unredeemed code", 60, (tokens, grant, now) => tokens.issueCode(grant, bound, now)],
    ["a pair of tokens", 28 * day, (tokens, grant, now) => tokens.issue(grant, now)],
  ])("%s", async (_what, life, give) => {
    const tokens = tokensWithLimit(10);
    const giveAnother = (seconds: number) => {
      const grant = { holder: `at ${seconds}` };
      give(tokens, grant, at(seconds));
      return new WeakRef(grant);
    };
    const first = giveAnother(0);
    const second = giveAnother(life - 1);
    expect(await isGone(first)).toBe(false);
    giveAnother(life);
    expect([await isGone(first), await isGone(second)]).toEqual([true, false]);
    expect(tokens.check("standing", at(life))).toEqual({ holder: "house" });
  });
});
