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
  $map: "a key that starts with $",
  nested: { $same: 3, $unknown: [{}] },
};

describe.each(copyMethods)("%s", (_how, again) => {
  test("preserves every type of value", () => {
    expect(again(odd)).toEqual(odd);
    expect(Object.keys(again(odd))).toEqual(Object.keys(odd));
  });

  test("preserves shared and circular references, independent of the original", () => {
    const trade: { parent?: object; draws: object[] } = { draws: [] };
    trade.draws.push({ parent: trade });
    const [one, other, byId] = again([trade, trade, new Map([["T1", trade]])] as const);
    expect(one).toBe(other);
    expect(byId.get("T1")).toBe(one);
    expect((one.draws[0] as typeof trade).parent).toBe(one);
    trade.draws.pop();
    expect(one.draws).toHaveLength(1);
  });

  test("preserves any JSON", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(again({ value })).toEqual({ value })));
  });

  test("refuses functions and class instances", () => {
    expect(() => again({ value: () => 1 })).toThrow(/function/);
    expect(() => again({ value: new URL("http://desk.example") })).toThrow(/URL/);
  });
});
