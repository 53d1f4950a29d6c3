/** The lines of an account read like an array of objects, although they are stored in columns. */
import { Big } from "big.js";
import * as fc from "fast-check";
import { balanceAccount, houseAccount, Ledger } from "../../../sandbox/src/world/ledger/ledger";

const account = balanceAccount({ accountId: "a", currency: "EUR" }, "InterimAvailable");
const house = houseAccount("nostro", "EUR");
const ending = "-0000-4000-8000-000000000000";

interface Booking {
  readonly minute: number;
  readonly cents: number;
}

const minutes = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const euros = (cents: number) => new Big(cents).div(100);

/** Posts an entry with one line of the account and one of the bank. */
function post(ledger: Ledger, minute: number, amount: Big, reference = ""): void {
  const [bookedAt, valueAt] = [minutes(minute), minutes(minute + 1)];
  const entry = { bookedAt, valueAt, type: "credit", kind: "transfer", reference, information: "I" } as const;
  ledger.post(entry, [
    { account, amount },
    { account: house, amount: amount.neg() },
  ]);
}

function booked(bookings: readonly Booking[]): Ledger {
  const ledger = new Ledger(ending);
  for (const { minute, cents } of bookings) post(ledger, minute, euros(cents), `R${cents}`);
  return ledger;
}

const bookings = fc
  .array(fc.record({ minute: fc.nat(20), cents: fc.integer({ min: -1_000, max: 1_000 }) }), { maxLength: 12 })
  .map((all) => all.toSorted((one, other) => one.minute - other.minute));
const index = fc.integer({ min: 0, max: 14 });
const minute = fc.integer({ min: -1, max: 22 });

test("lists the booked lines with the balance after each", () =>
  fc.assert(
    fc.property(bookings, (all) => {
      const lines = [...booked(all).lines(account)];
      let balance = 0;
      expect(lines.map(({ amount, entry }) => [amount.toFixed(2), entry])).toEqual(
        all.map(({ minute: at, cents }) => [
          euros(cents).toFixed(2),
          {
            bookedAt: minutes(at),
            valueAt: minutes(at + 1),
            type: "credit",
            kind: "transfer",
            reference: `R${cents}`,
            information: "I",
          },
        ]),
      );
      expect(lines.map(({ type, valueTime, isDebit }) => [type, valueTime, isDebit])).toEqual(
        all.map(({ minute: at, cents }) => ["credit", minutes(at + 1).getTime(), cents < 0]),
      );
      expect(lines.map((line) => line.balance.toFixed(2))).toEqual(
        all.map(({ cents }) => euros((balance += cents)).toFixed(2)),
      );
    }),
  ));

test("at, slice, filter and between select like an array", () =>
  fc.assert(
    fc.property(bookings, index, index, minute, minute, (all, from, to, begin, end) => {
      const lines = booked(all).lines(account);
      const ids = [...lines].map(({ lineId }) => lineId);
      const of = (some: Iterable<{ readonly lineId: string }>) => [...some].map(({ lineId }) => lineId);
      expect(lines).toHaveLength(all.length);
      expect(lines.at(from)?.lineId).toBe(ids.at(from));
      expect(lines.at(-from)?.lineId).toBe(ids.at(-from));
      expect(of(lines.slice(from, to))).toEqual(ids.slice(from, to));
      expect(of(lines.filter(({ amount }) => amount.gt(0)))).toEqual(
        ids.filter((_, place) => all[place]!.cents > 0),
      );
      const within = (place: number) => begin <= all[place]!.minute && all[place]!.minute < end;
      const some = lines.between(minutes(begin), minutes(Math.max(begin, end)));
      expect(of(some)).toEqual(ids.filter((_, place) => within(place)));
      expect(of(some.slice(from))).toEqual(of(some).slice(from));
    }),
  ));

test("finds a line by its own ID only", () =>
  fc.assert(
    fc.property(bookings, (all) => {
      const ledger = booked(all);
      const lines = ledger.lines(account);
      [...lines].forEach(({ lineId }, place) => {
        expect(lines.indexOf(lineId)).toBe(place);
        expect(lines.find(lineId)?.lineId).toBe(lineId);
      });
      for (const { lineId } of ledger.lines(house)) expect(lines.find(lineId)).toBeUndefined();
    }),
  ));

test.each(["", "0", "zz000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000001"])(
  "finds no line %j",
  (lineId) => {
    expect(
      booked([{ minute: 0, cents: 1 }])
        .lines(account)
        .indexOf(lineId),
    ).toBe(-1);
  },
);

test("excludes later bookings from lines read before", () => {
  const ledger = booked([{ minute: 0, cents: 1 }]);
  const lines = ledger.lines(account);
  post(ledger, 1, euros(5));
  expect(lines).toHaveLength(1);
  expect(ledger.lines(account)).toHaveLength(2);
});

test("refuses amounts that exceed 64 bits of minor units", () => {
  const ledger = new Ledger(ending);
  const much = new Big("30000000000000000.01");
  post(ledger, 0, much);
  expect(() => post(ledger, 0, new Big("1e30"))).toThrow("more than the books can hold");
  expect(() => post(ledger, 0, much)).toThrow("more than the books can hold");
  expect(ledger.balance(account).toFixed(2)).toBe("30000000000000000.01");
  expect(ledger.lines(account)).toHaveLength(1);
});
