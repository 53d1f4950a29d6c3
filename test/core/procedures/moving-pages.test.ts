/** transactions.find while transactions are booked or removed between its pages. FXDESK_RUNS sets the number of random runs. */
import * as fc from "fast-check";
import { createClient, type FxdeskClient } from "../../../core";
import { closeLater } from "../../support/resources";

const runs = Number(process.env.FXDESK_RUNS ?? 200);

const pageSize = 3;

interface Entry {
  readonly transaction_id: string;
}

/** The transactions of an account, newest first, and what happens to them after each page. */
interface MovingAccount {
  entries: readonly Entry[];
  readonly changes: Iterator<number>;
  /** False for a service that does not report how many transactions there are. */
  readonly reportsTotal: boolean;
  pagesRead: number;
}

let nextId = 0;
const newEntry = (): Entry => ({ transaction_id: `T${(nextId += 1)}` });
const newEntries = (count: number): Entry[] => Array.from({ length: count }, newEntry);

const account = (count: number, changes: Iterable<number>, reportsTotal = true): MovingAccount => ({
  entries: newEntries(count),
  changes: changes[Symbol.iterator](),
  reportsTotal,
  pagesRead: 0,
});

/** Positive: so many transactions are booked, newest first. Negative: so many are removed, newest first. */
function move(moved: MovingAccount): void {
  const { value: change = 0 } = moved.changes.next() as { value?: number };
  moved.entries = change < 0 ? moved.entries.slice(-change) : [...newEntries(change), ...moved.entries];
}

/** Returns a client of a service with these accounts, whose IDs are their positions. */
function clientOf(accounts: readonly MovingAccount[]): FxdeskClient {
  const ids = accounts.map((_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`);
  const answer = (name: string, { account_id: id, page }: Record<string, unknown>) => {
    if (name === "accounts.listCurrencyAccounts") return { body: [{ account_id: 1, currency: "EUR" }] };
    if (name === "accounts.list") return { body: ids.map((account_id) => ({ account_id, currency: "EUR" })) };
    const moved = accounts[ids.indexOf(String(id))]!;
    const first = (Number(page) - 1) * pageSize;
    const body = moved.entries.slice(first, first + pageSize).map(({ transaction_id }) => ({
      transaction_id,
      account_id: id,
      amount: { amount: "1.00", currency: "EUR" },
      credit_debit_indicator: "Credit",
    }));
    const total = moved.reportsTotal ? moved.entries.length : undefined;
    moved.pagesRead += 1;
    move(moved);
    return { body, total };
  };
  return closeLater(
    createClient({
      baseUrl: "http://127.0.0.1:1",
      clientId: "c-1",
      interceptors: [
        async ({ operation, values }) => ({
          status: 200,
          headers: {},
          total: undefined,
          requestId: undefined,
          attempts: 1,
          violations: [],
          ...answer(operation.name, values),
        }),
      ],
    }),
  );
}

async function find(...accounts: MovingAccount[]) {
  const client = clientOf(accounts);
  const { transactions, gaps, complete, count } = await client.transactions.find();
  expect(count).toBe(transactions.length);
  expect(complete).toBe(gaps.length === 0);
  return { ids: transactions.map(({ transaction_id: id }) => id), gaps, complete };
}

const idsOf = ({ entries }: MovingAccount) => entries.map(({ transaction_id: id }) => id);

test.each([
  ["booked", 1],
  ["booked, a whole page of them", pageSize],
  ["removed", -1],
])("an account is read again if transactions are %s while it is read", async (_, change) => {
  const moving = account(7, [change]);
  const { ids, complete } = await find(moving);
  expect([ids, complete]).toEqual([idsOf(moving), true]);
});

test("an account whose pages did not move is read once", async () => {
  const still = account(7, []);
  const moving = account(7, [1]);
  await find(still, moving);
  expect([still.pagesRead, moving.pagesRead > 3]).toEqual([3, true]);
});

test("an account that moves at each reading is read four times and marked as partial", async () => {
  const always = account(
    4,
    (function* () {
      for (;;) yield 1;
    })(),
  );
  const still = account(7, []);
  const { ids, gaps } = await find(always, still);
  expect(gaps).toEqual([
    { account_id: "00000000-0000-4000-8000-000000000000", reason: expect.stringMatching(/./) },
  ]);
  expect(ids).toEqual(expect.arrayContaining(idsOf(still)));
  expect(always.pagesRead).toBeLessThanOrEqual(4 * 4);
});

test("an account without a total is read again if a transaction appears twice", async () => {
  const moving = account(7, [1], false);
  const { ids, complete } = await find(moving);
  expect([ids, complete]).toEqual([idsOf(moving), true]);
});

/** Booked and removed in different readings, so that the total changes with each movement. */
const changes = fc.array(fc.constantFrom(0, 0, 0, 1, 2, pageSize, -1, -2), { maxLength: 14 });

test("a complete result is the list of the account at one moment", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(10), changes, async (count, moves) => {
      const states: string[] = [];
      const moving: MovingAccount = account(count, recordStates());
      function* recordStates() {
        for (let page = 0; ; page += 1) {
          states.push(JSON.stringify(idsOf(moving)));
          yield moves[page] ?? 0;
        }
      }
      const { ids, gaps, complete } = await find(moving);
      expect(new Set(ids).size).toBe(ids.length);
      if (complete) expect(states).toContain(JSON.stringify(ids));
      else expect(gaps).toHaveLength(1);
      if (moves.every((change) => change === 0)) expect(complete).toBe(true);
    }),
    { numRuns: runs },
  );
});
