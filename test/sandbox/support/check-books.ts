/** Invariants of the books of a world. */
import { Big } from "big.js";
import { totalOf } from "../../../sandbox/src/world/model/payment";
import type { Account } from "../../../sandbox/src/world/model/account";
import { larger } from "../../../sandbox/src/world/money/currencies";
import { balanceAccount, type Bucket } from "../../../sandbox/src/world/ledger/ledger";
import { availableBalance } from "../../../sandbox/src/world/accounts/accounts";
import {
  allocatedAmount,
  finalPaymentStatuses,
  outstandingFunds,
  unpaidCallsTotal,
  remainingAmount,
  type Trade,
} from "../../../sandbox/src/world/model/trade";
import type { World } from "../../../sandbox/src/world/model/world";

const zero = new Big(0);
const sum = (amounts: readonly Big[]): Big => amounts.reduce((total, amount) => total.plus(amount), zero);

type DerivedBucket = Exclude<Bucket, "InterimAvailable">;

/** Computes all balances except the available one from trades and payments. */
const expectedBalances: Readonly<Record<DerivedBucket, (world: World, account: Account) => Big>> = {
  RequiredFunds: (world, account) =>
    sum([
      ...openTrades(world, account, "sell").map(outstandingFunds),
      ...differences(world, account).map((gained) => larger(gained.neg(), zero)),
      ...fees(world, account),
    ]),
  Incoming: (world, account) =>
    sum([
      ...openTrades(world, account, "buy").map((trade) => remainingAmount(trade, "buy")),
      ...differences(world, account).map((gained) => larger(gained, zero)),
    ]),
  InitialMargin: (world, account) =>
    sum(tradesOf(world, account, "sell").map(({ heldDeposit, paidCalls }) => heldDeposit.plus(paidCalls))),
  MarginCall: (world, account) => sum(openTrades(world, account, "sell").map(unpaidCallsTotal)),
  Outgoing: (world, account) =>
    sum([...unpaidPayments(world, account, false), ...committedPayments(world, account)]),
  Processing: (world, account) => sum(unpaidPayments(world, account, true)),
};

const tradesOf = ({ trades }: World, { clientId, currency }: Account, side: "buy" | "sell"): Trade[] =>
  [...trades.values()].filter((trade) => trade.clientId === clientId && trade[side].currency === currency);

/** Trades that are not settled yet. */
const openTrades = (world: World, account: Account, side: "buy" | "sell"): Trade[] =>
  tradesOf(world, account, side).filter(({ ended, settled, type }) => !ended && !settled && type !== "ndf");

const isOf = (account: Account, clientId: string, currency: string) =>
  account.clientId === clientId && account.currency === currency;

/** Unpaid gains and losses of trades without delivery. */
const differences = ({ trades }: World, account: Account): Big[] =>
  [...trades.values()]
    .filter(({ ended, settled }) => !ended && !settled)
    .flatMap(({ clientId, difference }) =>
      difference && isOf(account, clientId, difference.currency) ? [difference.amount] : [],
    );

const fees = ({ trades }: World, account: Account): Big[] =>
  [...trades.values()]
    .filter(({ clientId, fee }) => isOf(account, clientId, fee.currency))
    .map(({ owedFee }) => owedFee);

/** Unpaid payments from trades: in flight, or the others. */
const unpaidPayments = (world: World, account: Account, inFlight: boolean): Big[] =>
  tradesOf(world, account, "buy")
    .filter(({ ended, type }) => !ended && type !== "ndf")
    .flatMap(({ payments }) => payments)
    .filter(
      ({ status }) => !finalPaymentStatuses.has(status) && (status === "Executing Payment") === inFlight,
    )
    .map(({ amount }) => amount);

/** Authorised but unexecuted open-banking payments. Standing orders commit nothing. */
const committedPayments = ({ openBanking }: World, account: Account): Big[] =>
  [...openBanking.payments.values()]
    .filter(({ account: from, order, status }) => from === account && !order && /^ACTC$|^ACSP$/.test(status))
    .map(totalOf);

const derivedBuckets = Object.keys(expectedBalances) as DerivedBucket[];

/** Amounts of a trade allocated beyond its total. */
function tradeOverdrafts(trade: Trade): string[] {
  const { tradeId, funded, ended } = trade;
  const [sell, buy] = [remainingAmount(trade, "sell"), remainingAmount(trade, "buy")];
  const remaining = {
    "to sell": sell,
    "to buy": buy,
    ...(!ended && { "to pay for": sell.minus(funded), "to pay out": buy.minus(allocatedAmount(trade)) }),
  };
  return Object.entries(remaining)
    .filter(([, amount]) => amount.lt(0))
    .map(([label, amount]) => `${tradeId} has ${amount.toFixed()} ${label}`);
}

/** Currencies whose bank books do not sum to zero. */
export function unbalancedCurrencies({ accounts, ledger }: World): string[] {
  const totals = new Map<string, Big>();
  for (const { key, lines } of ledger.state.books) {
    const [owner, , houseCurrency] = key.split("/");
    const currency = accounts.get(owner!)?.currency ?? houseCurrency!;
    totals.set(currency, (totals.get(currency) ?? zero).plus(lines.at(-1)!.balance));
  }
  return [...totals]
    .filter(([, total]) => !total.eq(zero))
    .map(([currency, total]) => `the books in ${currency} sum to ${total.toFixed()}`);
}

/** Balances that differ from the sums of trades and payments. */
const unexpected = (world: World, account: Account): string[] =>
  derivedBuckets.flatMap((bucket) => {
    const shown = world.ledger.balance(balanceAccount(account, bucket));
    const due = expectedBalances[bucket](world, account);
    return shown.eq(due)
      ? []
      : [`${bucket} in ${account.currency} is ${shown.toFixed()}, not ${due.toFixed()}`];
  });

/** Asserts that books balance in every currency, no account is overdrawn, and balances match trades and payments. */
export function checkBooks(world: World): void {
  const accounts = [...world.accounts.values()];
  const overdrawnAccounts = accounts.filter((account) => availableBalance(world, account).lt(0));
  expect([
    ...unbalancedCurrencies(world),
    ...overdrawnAccounts.map(({ currency }) => `an account in ${currency} owes`),
    ...accounts.flatMap((account) => unexpected(world, account)),
    ...[...world.trades.values()].flatMap(tradeOverdrafts),
  ]).toEqual([]);
}

/** Asserts the running balance of each line, and the final balance of the account. */
export function checkLines(world: World): void {
  for (const account of world.accounts.values()) {
    let running = zero;
    for (const { lineId, amount, balance } of world.ledger.lines(
      balanceAccount(account, "InterimAvailable"),
    )) {
      running = running.plus(amount);
      if (!running.eq(balance))
        throw new Error(`${lineId} says ${balance.toFixed()}, not ${running.toFixed()}.`);
    }
    expect(running.toFixed()).toBe(availableBalance(world, account).toFixed());
  }
}
