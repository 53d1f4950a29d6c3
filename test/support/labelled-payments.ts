/** Generates expected items and realistic payments, labelled with the true matches. */
import type { Item, Payment } from "../../core/procedures/reconcile/comparison";
import { seededRandom } from "../chaos/seeded-random";

/** Random choices that a seed repeats. */
function randomChoices(seed: number) {
  const random = seededRandom(seed);
  const between = (least: number, most: number): number => random.integer(least, most);
  return {
    between,
    pick: <T>(all: readonly T[]): T => all[between(0, all.length - 1)]!,
    is: (share: number): boolean => random.next() < share,
  };
}

export interface LabelledCase {
  readonly items: readonly number[];
  /** Payments for all of the items together; empty if nothing was paid. */
  readonly payments: readonly string[];
}

export interface LabelledPayments {
  readonly items: readonly Item[];
  readonly payments: readonly Payment[];
  readonly cases: readonly LabelledCase[];
}

const firsts = "Nord Süd Berg Hafen Stern Wald Löwen Atlantik Ostsee Brücken Kron Silber".split(" ");
const seconds =
  "wind Handel|blick Logistik|tal Werkzeuge|tor Maschinenbau|haus Möbel|mark Textil|feld Agrar|stein Bau".split(
    "|",
  );
const legalForms = ["GmbH", "AG", "GmbH & Co. KG", "Ltd", "S.A.R.L."];

/** Companies with similar names. */
const companies = firsts.flatMap((first, one) =>
  seconds.flatMap((second, two) => {
    const name = `${first}${second}`;
    const form = legalForms[(one + two) % legalForms.length]!;
    return [`${name} ${form}`, `${name}s ${form}`, `${name} ${form === "AG" ? "GmbH" : "AG"}`];
  }),
);

const dayMs = 86_400_000;
const dayAt = (days: number): string =>
  new Date(Date.UTC(2026, 0, 1) + days * dayMs).toISOString().slice(0, 10);

const textOf = (cents: number): string => {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return `${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const withoutAccents = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "");

class CaseBuilder {
  readonly chance: ReturnType<typeof randomChoices>;
  readonly items: Item[] = [];
  readonly payments: Payment[] = [];
  readonly cases: LabelledCase[] = [];
  #number = 90;

  constructor(seed: number) {
    this.chance = randomChoices(seed);
  }

  /** Consecutive numbers, so that one can be a prefix of another. */
  reference(): string {
    this.#number += 1;
    const number = this.#number;
    return this.chance.pick([
      `INV-${number}`,
      `2026-${String(number).padStart(4, "0")}`,
      `RE ${70_000 + number}`,
      `F26/${String(number).padStart(5, "0")}`,
      String(8_800_000 + number),
    ]);
  }

  cents(): number {
    const { chance } = this;
    if (chance.is(0.2)) return chance.between(2, 90) * 10_000;
    return chance.between(12_000, 4_500_000);
  }

  item(values: Partial<Item> = {}): Item {
    const { chance } = this;
    const item = {
      item: this.items.length + 1,
      amount: textOf(this.cents()),
      currency: chance.pick(["EUR", "EUR", "USD", "GBP"]),
      reference: this.reference(),
      party: chance.pick(companies),
      date: dayAt(chance.between(0, 90)),
      ...values,
    };
    this.items.push(item);
    return item;
  }

  /** Returns a name as a bank transmits it. */
  payer(name: string): string {
    const { chance } = this;
    const form = legalForms.find((each) => name.endsWith(` ${each}`))!;
    return chance.pick([
      name,
      name.toUpperCase(),
      withoutAccents(name).toUpperCase(),
      name.replaceAll("ü", "ue").replaceAll("ö", "oe"),
      form === "Ltd" ? name.replace("Ltd", "Limited") : name,
      form === "S.A.R.L." ? name.replace("S.A.R.L.", "SARL") : name.replace("&", "und"),
    ]);
  }

  /** Returns a reference as payers write it. */
  naming(references: readonly string[]): string {
    const { chance } = this;
    const spelled = references.map((each) =>
      chance.pick([each, each.toLowerCase(), each.replace(/[-/ ]/g, chance.is(0.5) ? "" : " ")]),
    );
    const list = spelled.join(chance.pick([", ", " + ", " / ", " und "]));
    return chance.pick([
      `Payment ${list}`,
      `${list} thank you`,
      `Rechnung ${list} vom 12.03.2026`,
      `/RFB/${list}/KD 4711`,
      `Kunde 4711 ${list} abzgl. nichts`,
    ]);
  }

  payment(
    item: Item,
    values: Partial<Payment> & { cents?: number; named?: readonly string[]; days?: number },
  ) {
    const { chance } = this;
    const { cents, named = [item.reference!], days = chance.between(-8, 12), ...rest } = values;
    const text =
      named.length > 0 ? this.naming(named) : chance.pick(["Payment", "Danke", "Ihre Rechnung", ""]);
    const payment = {
      transaction_id: `t${String(this.payments.length + 1).padStart(5, "0")}`,
      amount: cents === undefined ? item.amount : textOf(cents),
      currency: item.currency,
      date: new Date(Date.parse(item.date!) + days * dayMs).toISOString().slice(0, 10),
      counterparty: this.payer(item.party!),
      texts: chance.is(0.5) ? ["NOTPROVIDED", text, "EUR 0.00 fee"] : [text],
      ...rest,
    };
    this.payments.push(payment);
    return payment;
  }

  add(items: readonly Item[], payments: readonly Payment[]): void {
    this.cases.push({
      items: items.map(({ item }) => item),
      payments: payments.map(({ transaction_id: id }) => id),
    });
  }

  /** Splits an amount in cents. */
  parts(cents: number, count: number): number[] {
    const parts: number[] = [];
    let left = cents;
    for (let more = count - 1; more > 0; more -= 1) {
      const part = this.chance.between(Math.ceil(left / (more + 3)), Math.floor(left / (more + 1)));
      parts.push(part);
      left -= part;
    }
    return [...parts, left];
  }
}

const centsOf = ({ amount }: Item): number => Math.round(Number(amount) * 100);

/** Returns an amount that is not round. */
const unevenAmount = (maker: CaseBuilder) =>
  textOf(maker.chance.between(1_200, 450_000) * 10 + maker.chance.between(1, 9));

/** Kinds of cases, with their frequency. */
const caseBuilders: readonly (readonly [count: number, build: (maker: CaseBuilder) => void])[] = [
  /** Paid with its reference. */
  [
    18,
    (maker) => {
      const item = maker.item();
      maker.add([item], [maker.payment(item, {})]);
    },
  ],
  /** Paid late. */
  [
    8,
    (maker) => {
      const item = maker.item({ amount: unevenAmount(maker) });
      const isNamed = maker.chance.is(0.7);
      const days = isNamed ? maker.chance.between(40, 120) : maker.chance.between(20, 55);
      maker.add([item], [maker.payment(item, { days, ...(!isNamed && { named: [] }) })]);
    },
  ],
  /** Paid in part. */
  [
    8,
    (maker) => {
      const item = maker.item();
      const cents = Math.floor((centsOf(item) * maker.chance.between(20, 85)) / 100);
      maker.add([item], [maker.payment(item, { cents })]);
    },
  ],
  /** A bank deducted its fee. */
  [
    9,
    (maker) => {
      const item = maker.item({ amount: textOf(maker.chance.between(60_000, 3_000_000)) });
      const cents =
        centsOf(item) - maker.chance.pick([250, 1_000, 1_500, 2_500, maker.chance.between(50, 2_500)]);
      maker.add([item], [maker.payment(item, { cents })]);
    },
  ],
  /** Paid twice. */
  [
    8,
    (maker) => {
      const item = maker.item();
      const first = maker.payment(item, {});
      const later = Date.parse(first.date) + maker.chance.between(1, 20) * dayMs;
      maker.payment(item, { date: new Date(later).toISOString().slice(0, 10) });
      maker.add([item], [first]);
    },
  ],
  /** Paid in parts. */
  [
    10,
    (maker) => {
      const item = maker.item({ amount: unevenAmount(maker) });
      const all = maker.parts(centsOf(item), maker.chance.between(2, 4));
      const isNamed = maker.chance.is(0.75);
      const payments = all.map((cents, index) =>
        maker.payment(item, { cents, ...(!isNamed && index > 0 && { named: [] }) }),
      );
      maker.add([item], payments);
    },
  ],
  /** Paid together with other items. */
  [
    10,
    (maker) => {
      const first = maker.item({ amount: unevenAmount(maker) });
      const { currency, party, date } = first;
      const items = [
        first,
        ...Array.from({ length: maker.chance.between(1, 3) }, () =>
          maker.item({ currency, party, date, amount: unevenAmount(maker) }),
        ),
      ];
      const cents = items.reduce((sum, each) => sum + centsOf(each), 0);
      const references = items.map(({ reference }) => reference!);
      const named = maker.chance.pick([references, references, references, references.slice(0, 1), []]);
      maker.add(items, [maker.payment(first, { cents, named })]);
    },
  ],
  /** Paid without a reference. */
  [
    10,
    (maker) => {
      const item = maker.item({ amount: unevenAmount(maker) });
      maker.add([item], [maker.payment(item, { named: [] })]);
    },
  ],
  /** Paid in another currency. */
  [
    5,
    (maker) => {
      const item = maker.item({ currency: "EUR" });
      maker.payment(item, { currency: "USD", ...(maker.chance.is(0.3) && { named: [] }) });
      maker.add([item], []);
    },
  ],
  /** Another company of nearly the same name pays the same amount for something else. */
  [
    6,
    (maker) => {
      const place = maker.chance.between(0, companies.length / 3 - 1) * 3;
      const item = maker.item({ amount: unevenAmount(maker), party: companies[place]! });
      const other = companies[place + maker.chance.between(1, 2)]!;
      maker.payment(item, { named: [], counterparty: maker.payer(other) });
      const isPaid = maker.chance.is(0.5);
      maker.add([item], isPaid ? [maker.payment(item, { named: [] })] : []);
    },
  ],
  /** The same amount month by month, and no reference. */
  [
    1,
    (maker) => {
      const first = maker.item({ date: dayAt(5) });
      const { amount, currency, party } = first;
      const items = [
        first,
        ...[36, 64].map((day) => maker.item({ amount, currency, party, date: dayAt(day) })),
      ];
      for (const item of items) maker.add([item], [maker.payment(item, { named: [] })]);
    },
  ],
  /** The first part was paid twice, which cannot be resolved. */
  [
    2,
    (maker) => {
      const item = maker.item({ amount: unevenAmount(maker) });
      const [first, second] = maker.parts(centsOf(item), 2) as [number, number];
      for (const cents of [first, first, second]) maker.payment(item, { cents });
      maker.add([item], []);
    },
  ],
  /** Two companies, and a third one without expected items, number from one. */
  [
    2,
    (maker) => {
      const item = maker.item({ party: companies[0]! });
      const { reference } = item;
      const amount = maker.chance.is(0.5) ? item.amount : textOf(maker.cents());
      const other = maker.item({ party: companies[6]!, reference, amount, currency: item.currency });
      for (const each of [item, other]) maker.add([each], [maker.payment(each, {})]);
      const alone = maker.item({ party: companies[9]! });
      const cents = centsOf(alone) - maker.chance.pick([500, 2_000, Math.floor(centsOf(alone) / 2)]);
      maker.payment(alone, { cents, counterparty: companies[12]! });
      maker.add([alone], []);
    },
  ],
  /** Two swapped digits. */
  [
    1,
    (maker) => {
      const item = maker.item({ amount: unevenAmount(maker) });
      const typed = item.reference!.replace(/(\d)(\d)$/, "$2$1");
      maker.add([item], [maker.payment(item, { named: [typed] })]);
    },
  ],
  /** Paid, and returned by the bank: both name the item, each with a reference in its own words. Sometimes paid again. */
  [
    6,
    (maker) => {
      const item = maker.item();
      const [paid, returned] = ["Invoice", "RETURN"].map(
        (word) => `${word} ${maker.naming([item.reference!])}`,
      );
      const account_id = "one";
      const first = maker.payment(item, { account_id, reference: paid!, texts: [paid!] });
      const back = Date.parse(first.date) + maker.chance.between(1, 5) * dayMs;
      maker.payment(item, {
        account_id,
        cents: -centsOf(item),
        reference: returned!,
        texts: [returned!],
        isReturn: true,
        date: new Date(back).toISOString().slice(0, 10),
      });
      const again = new Date(back + maker.chance.between(1, 9) * dayMs).toISOString().slice(0, 10);
      maker.add([item], maker.chance.is(0.3) ? [maker.payment(item, { account_id, date: again })] : []);
    },
  ],
  /** The customer paid as much for another invoice, or nothing. */
  [
    7,
    (maker) => {
      const item = maker.item();
      const [, before, digits] = /^(.*?)(\d+)$/.exec(item.reference!)!;
      const other = before + String(Number(digits) + 5_000).padStart(digits!.length, "0");
      if (maker.chance.is(0.6)) maker.payment(item, { named: [other] });
      maker.add([item], []);
    },
  ],
];

const frequencies = caseBuilders.flatMap(([count, build]) => Array.from({ length: count }, () => build));

/** Payments without an item: salaries, rents and payments of others. */
function addOthers(maker: CaseBuilder, count: number): void {
  for (let index = 0; index < count; index += 1)
    maker.payment(
      {
        item: 0,
        amount: textOf(maker.cents()),
        currency: "EUR",
        party: maker.chance.pick(companies),
        date: dayAt(40),
      },
      { named: [maker.reference()], days: maker.chance.between(-40, 60) },
    );
}

/** Generates at least `count` cases of all kinds, as one list of items and one of payments. */
export function labelledPayments(seed: number, count: number): LabelledPayments {
  const maker = new CaseBuilder(seed);
  for (const [, build] of caseBuilders) build(maker);
  while (maker.cases.length < count) maker.chance.pick(frequencies)(maker);
  addOthers(maker, Math.floor(count / 5));
  return maker;
}
