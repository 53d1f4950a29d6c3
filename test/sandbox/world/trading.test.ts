/** Trades in the ledger: atomic booking, funding, drawdowns and settlement. */
import { Big } from "big.js";
import { findOrOpenAccount } from "../../../sandbox/src/world/accounts/accounts";
import { receivePayment } from "../../../sandbox/src/world/trades/incoming-payments";
import { balanceAccount, type Bucket } from "../../../sandbox/src/world/ledger/ledger";
import {
  type PriceRequest,
  createOffer,
  type Offer,
  createDrawdownOffer,
} from "../../../sandbox/src/world/trades/pricing";
import { demo } from "../../../sandbox/src/world/parties/parties";
import { statusOf, type Trade } from "../../../sandbox/src/world/model/trade";
import { bookTrade, cancelTrade } from "../../../sandbox/src/world/trades/trading";
import type { World } from "../../../sandbox/src/world/model/world";
import { checkBooks } from "../support/check-books";
import { fingerprint } from "../support/fingerprint";
import { worldAt } from "../support/world";

let world: World;
beforeEach(() => {
  world = worldAt("2026-11-20T10:00:00Z", "trading");
});

const bookOne = (
  amount: string,
  { parent, ...terms }: Partial<PriceRequest> & { readonly parent?: Trade } = {},
) => {
  const offered = createOffer(world, {
    clientId: demo.clientId,
    type: "forward",
    buyCurrency: "USD",
    sellCurrency: "EUR",
    fixed: "sell",
    amount: new Big(amount),
    valueDate: "2027-02-24",
    ...terms,
  });
  return bookTrade(world, { ...offered.terms, ...(parent && { parent }), reference: undefined });
};

const passTo = (time: string) => {
  world.clock.advance(Date.parse(time) - world.clock.now().getTime());
  world.runDueEvents();
};
const account = (currency: string) => findOrOpenAccount(world, demo, currency);
const payIn = (amount: string, currency = "EUR", reference = "FUNDS") =>
  receivePayment(world, account(currency), new Big(amount), { reference, information: "Funds" });
const balance = (currency: string, bucket: Bucket) =>
  world.ledger.balance(balanceAccount(account(currency), bucket)).toFixed();
afterEach(() => checkBooks(world));

describe("a refused booking changes nothing", () => {
  test("of more than the rest of a forward", () => {
    const parent = bookOne("1000");
    const before = fingerprint(world);
    expect(() => bookOne("1001", { parent })).toThrow(
      expect.objectContaining({ details: expect.stringContaining("more than is left") as string }),
    );
    expect(fingerprint(world)).toBe(before);
  });
});

/** Draws from a forward, by default for its maturity. */
function draw(parent: Trade, amount: string, valueDate = parent.maturityDate): Trade {
  const offered = createDrawdownOffer(world, parent, {
    fixed: "sell",
    amount: new Big(amount),
    valueDate,
  }) as Offer;
  return bookTrade(world, { ...offered.terms, reference: undefined });
}

describe("a forward funded in advance", () => {
  test("can be drawn, and its funds move to the drawdown", () => {
    const parent = bookOne("1000");
    payIn("1000", "EUR", parent.tradeId);
    const drawdown = draw(parent, "400");
    expect([drawdown.funded, parent.funded].map(Number)).toEqual([400, 600]);
    expect([statusOf(drawdown), statusOf(parent)]).toEqual(["Funds in Full", "Funds in Full"]);
    expect(balance("EUR", "RequiredFunds")).toBe("0");
  });

  test("in part, is drawn from the unfunded part first", () => {
    const parent = bookOne("1000");
    payIn("500", "EUR", parent.tradeId);
    const drawdown = draw(parent, "600");
    expect([drawdown.funded, parent.funded].map(Number)).toEqual([100, 400]);
    expect(balance("EUR", "RequiredFunds")).toBe("500");
    cancelTrade(world, drawdown);
    expect([balance("EUR", "RequiredFunds"), balance("EUR", "InterimAvailable")]).toEqual(["600", "100"]);
  });
});

describe("a forward with unfunded drawdowns at maturity", () => {
  test("stays open with the deposit for them until they are funded", () => {
    payIn("100");
    const parent = bookOne("1000", { type: "window_forward" });
    draw(parent, "600");
    payIn("400");
    passTo("2027-02-24T16:00:00Z");
    expect([parent.settled, statusOf(parent), balance("EUR", "InitialMargin")]).toEqual([
      true,
      "Funds in Full",
      "30",
    ]);
    payIn("1000");
    passTo("2027-02-25T16:00:00Z");
    expect([statusOf(parent), balance("EUR", "InitialMargin")]).toEqual(["Closed", "0"]);
  });

  test("is cancelled with them if nothing was funded", () => {
    const parent = bookOne("1000", { type: "window_forward" });
    const drawdown = draw(parent, "1000");
    passTo("2027-02-25T16:00:00Z");
    expect([statusOf(parent), statusOf(drawdown)]).toEqual(["Created", "Created"]);
    passTo("2027-03-08T16:00:00Z");
    expect([statusOf(parent), statusOf(drawdown)]).toEqual(["Cancelled", "Cancelled"]);
  });
});

describe("the fee", () => {
  const fees = (currency: string) =>
    [...world.ledger.lines(balanceAccount(account(currency), "InterimAvailable"))]
      .filter(({ entry }) => entry.information.startsWith("Fee"))
      .map(({ amount }) => Number(amount));

  test("that cannot be collected at settlement stays required until it can", () => {
    const spot = bookOne("100000", { type: "spot", valueDate: undefined });
    payIn("100000");
    passTo("2026-11-25T16:00:00Z");
    expect([statusOf(spot), fees("EUR"), balance("EUR", "RequiredFunds")]).toEqual(["Closed", [], "20"]);
    payIn("50");
    passTo("2026-11-26T16:00:00Z");
    expect([fees("EUR"), balance("EUR", "RequiredFunds")]).toEqual([[-20], "0"]);
  });

  test("of a forward covers the undrawn part only, because drawdowns pay their own", () => {
    payIn("200000");
    draw(bookOne("100000", { type: "window_forward" }), "90000");
    passTo("2027-02-24T16:00:00Z");
    expect(fees("EUR")).toEqual([-2, -18]);
  });
});

describe("a non-delivered trade", () => {
  const ndf = (buyCurrency: string, sellCurrency: string, amount: string) =>
    bookOne(amount, { type: "ndf", buyCurrency, sellCurrency });
  const moveRate = (base: string, quoted: string, rate: string) =>
    world.rates.move(base, quoted, new Big(rate), "2026-11-20");

  test("settles in the deliverable currency, on either side", () => {
    moveRate("USD", "INR", "80");
    const trade = ndf("USD", "INR", "800000");
    moveRate("USD", "INR", "100");
    payIn("100", "USD");
    passTo("2027-02-24T16:00:00Z");
    expect([trade.difference?.currency, trade.fee.currency]).toEqual(["USD", "USD"]);
    const gained = trade.difference!.amount.minus(trade.fee.amount).plus(100);
    expect([statusOf(trade), balance("USD", "InterimAvailable")]).toEqual(["Closed", gained.toFixed()]);
    expect(Number(gained)).toBeGreaterThan(1_000);
    expect([...world.accounts.values()].map(({ currency }) => currency)).not.toContain("INR");
  });

  test("requires its loss from the fixing until it is paid", () => {
    moveRate("USD", "INR", "80");
    const trade = ndf("INR", "USD", "10000");
    moveRate("USD", "INR", "160");
    passTo("2027-02-23T16:00:00Z");
    const loss = trade.difference!.amount.neg();
    expect([Number(loss) > 4_000, balance("USD", "RequiredFunds")]).toEqual([true, loss.toFixed()]);
    passTo("2027-06-01T16:00:00Z");
    expect([statusOf(trade), balance("USD", "RequiredFunds")]).toEqual(["Created", loss.toFixed()]);
    payIn("6000", "USD");
    passTo("2027-06-02T16:00:00Z");
    expect([statusOf(trade), balance("USD", "RequiredFunds")]).toEqual(["Closed", "0"]);
  });
});
