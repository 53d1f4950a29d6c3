/** State is preserved when copied, or written and read. */
import { Big } from "big.js";
import * as fc from "fast-check";
import {
  copyState,
  type Json,
  deserializeState,
  serializeState,
} from "../../../sandbox/src/session/state-serialization";

const roundTrip = <State>(state: State): State =>
  deserializeState(JSON.parse(JSON.stringify(serializeState(state))) as Json) as State;

const copyMethods = [
  ["copied", copyState],
  ["written and read", roundTrip],
] as const;

const odd = {
  decimals: [new Big("12.50"), new Big("-1e20")],
  time: new Date("2026-03-02T09:00:00.123Z"),
  nothing: undefined,
  none: null,
  limits: [Infinity, -Infinity, 0.1],
  map: new Map<unknown, unknown>([
    ["a", 1],
    [2, new Set(["x"])],
  ]),
  bytes: Buffer.from("Grüße"),
  columns: [Float64Array.of(1.5, 2), BigInt64Array.of(-(2n ** 62n)), Uint32Array.of(2 ** 32 - 1)],
  $map: "a key that starts with $",
  nested: { $same: 3, $unknown: [{}] },
};

describe.each(copyMethods)("%s", (_how, again) => {
  test("preserves every type of value", () => {
    expect(again(odd)).toEqual(odd);
    expect(Object.keys(again(odd))).toEqual(Object.keys(odd));
    expect(again(odd).bytes.toString()).toBe("Grüße");
  });

  test("preserves shared and circular references", () => {
    const trade: { parent?: object; draws: object[] } = { draws: [] };
    trade.draws.push({ parent: trade });
    const [one, other, byId] = again([trade, trade, new Map([["T1", trade]])] as const);
    expect(one).toBe(other);
    expect(byId.get("T1")).toBe(one);
    expect((one.draws[0] as typeof trade).parent).toBe(one);
    expect(one).not.toBe(trade);
  });

  test("isolates the copy from later changes", () => {
    const state = { list: [{ n: 1 }], map: new Map([["a", new Set([1])]]) };
    const other = again(state);
    state.list[0]!.n = 2;
    state.list.push({ n: 3 });
    state.map.get("a")!.add(2);
    expect(other).toEqual({ list: [{ n: 1 }], map: new Map([["a", new Set([1])]]) });
  });

  test("preserves any JSON", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(again({ value })).toEqual({ value })));
  });

  test.each([
    ["a function", () => 1, /function/],
    ["a class instance", new URL("http://desk.example"), /URL/],
  ])("refuses %s", (_what, value, message) => {
    expect(() => again({ value })).toThrow(message);
  });
});

test("shares frozen objects with the copy", () => {
  const account = Object.freeze({ id: 1 });
  expect(copyState({ account }).account).toBe(account);
});

test("refuses an unknown value type", () => {
  expect(() => deserializeState({ $sum: 1 })).toThrow("$sum is not a known value type.");
});
