/** Booking trades: all of it, or nothing. */
import { Big } from "big.js";
import { Outbox } from "../../../sandbox/src/outbox";
import { steppedClock } from "../../../sandbox/src/world/clock";
import { offer } from "../../../sandbox/src/world/market";
import { demo } from "../../../sandbox/src/world/parties";
import type { Trade } from "../../../sandbox/src/world/trades";
import { book } from "../../../sandbox/src/world/trading";
import { World } from "../../../sandbox/src/world/world";
import { checkBooks } from "../support/books";
import { fingerprint } from "../support/fingerprint";

let world: World;
beforeEach(() => {
  world = new World(steppedClock(new Date("2026-11-20T10:00:00Z")), "trading", new Outbox(undefined));
  world.catchUp();
});

const bookOne = (amount: string, terms: { readonly parent?: Trade } = {}) => {
  const offered = offer(world, {
    clientId: demo.clientId,
    type: "forward",
    buyCurrency: "USD",
    sellCurrency: "EUR",
    fixed: "sell",
    amount: new Big(amount),
    valueDate: "2027-02-24",
  });
  return book(world, { ...offered.terms, ...terms, reference: undefined });
};

describe("what cannot be booked leaves nothing", () => {
  // 2^62 US cents are more than the books can hold; so many euro cents would still fit.
  test.each(["45000000000000000", "1e17"])("of %s EUR, more than the books can hold", (amount) => {
    bookOne("1000");
    const before = fingerprint(world);
    expect(() => bookOne(amount)).toThrow("more than the books can hold");
    expect(fingerprint(world)).toBe(before);
    checkBooks(world);
  });

  test("of more than is left of a forward", () => {
    const parent = bookOne("1000");
    const before = fingerprint(world);
    expect(() => bookOne("1001", { parent })).toThrow("more than is left");
    expect(fingerprint(world)).toBe(before);
    checkBooks(world);
  });
});
