/** State as values: copied and written, it is the same again. */
import { Big } from "big.js";
import * as fc from "fast-check";
import {
  copyState,
  type Json,
  deserializeState,
  serializeState,
} from "../../../sandbox/src/world/state-serialization";

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
  $map: "a key of somebody's own",
  nested: { $same: 3, $unknown: [{}] },
};

describe.each(copyMethods)("%s", (_how, again) => {
  test("every kind of value is the same", () => {
    expect(again(odd)).toEqual(odd);
    expect(Object.keys(again(odd))).toEqual(Object.keys(odd));
    expect(again(odd).bytes.toString()).toBe("Grüße");
  });

  test("what is one object stays one, also in a circle", () => {
    const trade: { parent?: object; draws: object[] } = { draws: [] };
    trade.draws.push({ parent: trade });
    const [one, other, byId] = again([trade, trade, new Map([["T1", trade]])] as const);
    expect(one).toBe(other);
    expect(byId.get("T1")).toBe(one);
    expect((one.draws[0] as typeof trade).parent).toBe(one);
    expect(one).not.toBe(trade);
  });

  test("what changes afterwards changes in one place", () => {
    const state = { list: [{ n: 1 }], map: new Map([["a", new Set([1])]]) };
    const other = again(state);
    state.list[0]!.n = 2;
    state.list.push({ n: 3 });
    state.map.get("a")!.add(2);
    expect(other).toEqual({ list: [{ n: 1 }], map: new Map([["a", new Set([1])]]) });
  });

  test("any JSON", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(again({ value })).toEqual({ value })));
  });

  test.each([
    ["a function", () => 1, /function/],
    ["an object of a class", new URL("http://desk.example"), /URL/],
  ])("%s is no state", (_what, value, message) => {
    expect(() => again({ value })).toThrow(message);
  });
});

test("a copy holds the very object that is frozen", () => {
  const account = Object.freeze({ id: 1 });
  expect(copyState({ account }).account).toBe(account);
});

test("what was written otherwise is refused", () => {
  expect(() => deserializeState({ $sum: 1 })).toThrow("$sum is no kind of value.");
});
