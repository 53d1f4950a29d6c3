/** Schema and checks of a world file. */
import { Country, Currency, isDateTime } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { bankCountries } from "../banks/banks";
import { timeViolation } from "../common/clock";
import { configViolation } from "../parties/approvals";
import { fitsMinorUnits, maxAmount } from "../money/currencies";
import { tradedCurrencies } from "../money/fx";
import { Big } from "big.js";

const name = (description: string) => z.string().min(1, "must not be empty").max(140).meta({ description });
const id = (description: string) =>
  z
    .string()
    .regex(/^[\w.-]{1,64}$/, "must be at most 64 letters, digits, dots, dashes and underscores")
    .meta({ description });
const TradedCurrency = Currency.refine(
  (currency) => tradedCurrencies.includes(currency),
  `must be one of ${tradedCurrencies.join(", ")}`,
);
const amountMessage = "must be an amount, such as 1250.50";
const Amount = z
  .union(
    [z.number().min(0, "must not be negative"), z.string().regex(/^\d{1,14}(\.\d{1,3})?$/, amountMessage)],
    amountMessage,
  )
  .meta({ description: "An amount in units of its currency." });
const email = z.email("must be an e-mail address");

const Contact = z
  .strictObject({
    id: id("Contact ID, as sent in X-Contact-ID."),
    name: name("Name of the person."),
    email: email.meta({ description: "Login name of the person. Every password is demo-password." }),
    active: z.boolean().default(true).meta({ description: "False to block the contact from all actions." }),
  })
  .meta({ description: "A person who acts for the company." });

const Account = z
  .strictObject({
    currency: TradedCurrency,
    balance: Amount.default(0),
    count: z.int().min(1).max(1_000).default(1).meta({ description: "Number of such accounts." }),
  })
  .meta({ description: "An account. Trades settle on the first account in their currency." });

const Counterparty = z
  .strictObject({
    name: name("Name of the supplier or customer."),
    currency: TradedCurrency,
    country: Country.refine(
      (country) => bankCountries.includes(country),
      `must be one of ${bankCountries.join(", ")}`,
    ),
    without_account: z
      .boolean()
      .default(false)
      .meta({ description: "True if its account is unknown and must be added before a payment." }),
  })
  .meta({ description: "A customer or supplier of the company." });

const perWeek = z
  .number()
  .positive()
  .max(5)
  .meta({ description: "Average number of payments per week, at most one per business day." });

const Business = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.enum(["receipts", "payments"]).meta({ description: "Direction: money in or out." }),
      currency: TradedCurrency,
      per_week: perWeek,
      amount: Amount.meta({ description: "Typical amount of a payment." }),
    }),
    z.strictObject({
      kind: z.literal("monthly"),
      name: name("Purpose, for example salaries or rent."),
      currency: TradedCurrency,
      amount: Amount,
      day: z
        .int()
        .min(1)
        .max(28)
        .meta({ description: "Day of the month; moved to the next business day if needed." }),
      to: z.string().optional().meta({ description: "Name of a counterparty." }),
    }),
  ])
  .meta({ description: "Recurring business, weekly or monthly." });

const Approvals = z
  .strictObject({
    enabled: z.boolean().default(true),
    dual_admin: z
      .boolean()
      .default(false)
      .meta({ description: "True if changes need a second administrator." }),
    groups: z.array(z.strictObject({ name: z.enum(["A", "B", "C"]), members: z.array(z.string()).min(1) })),
    rules: z.array(
      z.strictObject({
        min_amount: z.number().min(0),
        max_amount: z.number().nullable(),
        currency: z.literal("EUR").default("EUR"),
        combinations: z.array(z.array(z.strictObject({ group: z.string(), approvals: z.int().min(1) }))),
      }),
    ),
  })
  .meta({
    description: "Approval rules for payments from trades, as in approvalsWorkflow.replaceConfig.",
  });

const Company = z
  .strictObject({
    id: id("Value of client_id."),
    name: name("Name of the company."),
    address: name("Address in one line."),
    country: Country,
    email: email.meta({ description: "Registered e-mail address, which receives statements." }),
    foreign: z
      .boolean()
      .default(false)
      .meta({ description: "True if the demo token may not act for the company." }),
    contacts: z.array(Contact).default([]),
    accounts: z.array(Account).default([]),
    counterparties: z.array(Counterparty).default([]),
    business: z.array(Business).default([]),
    approvals: Approvals.optional(),
  })
  .meta({ description: "A client of the service." });

const Settings = z.strictObject({
  quote_seconds: z.number().positive().optional(),
  market_hours: z.enum(["always", "real"]).optional(),
  reusable_quotes: z.boolean().optional(),
  total_count: z.boolean().optional(),
  sca_approach: z.enum(["redirect", "oauth"]).optional(),
  redirect_uri: z.url("must be a URL").optional(),
  living: z.boolean().optional().meta({ description: "True if business continues as the clock moves." }),
  latency_ms: z
    .int()
    .min(0)
    .max(60_000)
    .optional()
    .meta({ description: "Delay of each response in milliseconds." }),
  requests_per_second: z.int().min(1).optional().meta({ description: "Requests above this limit get 429." }),
});

/** Content of a world file. */
export const WorldDescription = z
  .strictObject({
    version: z
      .literal(1, "must be 1, the only supported version")
      .meta({ description: "Version of the file format." }),
    seed: z.string().min(1).optional().meta({ description: "Seed of all random values." }),
    now: z
      .string()
      .refine((text) => isDateTime(text) && timeViolation(new Date(text)) === undefined, {
        error: "must be a time in UTC, such as 2026-03-02T09:00:00Z",
      })
      .optional()
      .meta({ description: "Start time. The clock then moves with each request." }),
    days_behind: z
      .int()
      .min(1)
      .max(365)
      .default(90)
      .meta({ description: "Number of days of past business." }),
    companies: z.array(Company).min(1, "must have at least one company"),
    rates: z
      .record(
        z.string().regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD"),
        z.number().positive("must be more than zero"),
      )
      .default({})
      .meta({ description: "Initial rates of currency pairs." }),
    settings: Settings.default({}),
  })
  .meta({ title: "A world of the fxdesk sandbox" });

export type WorldDescription = z.output<typeof WorldDescription>;
export type CompanyDescription = WorldDescription["companies"][number];

/** A violation in a description: its path, and what is required. */
export interface DescriptionViolation {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Returns violations that a schema cannot express: duplicate and unresolved names, and amounts out of range.
 */
export function findContradictions({ companies, rates }: WorldDescription): DescriptionViolation[] {
  return [
    ...repeatedIds(companies),
    ...companies.flatMap((company, index) =>
      companyViolations(company).map(({ path, message }) => ({
        path: ["companies", index, ...path],
        message,
      })),
    ),
    ...homeCompanyViolations(companies),
    ...Object.keys(rates).flatMap((symbol) => {
      const [base, quoted] = [symbol.slice(0, 3), symbol.slice(3)];
      const isTraded =
        [base, quoted].every((currency) => tradedCurrencies.includes(currency)) && base !== quoted;
      return isTraded ? [] : [{ path: ["rates", symbol], message: "must be two traded currencies" }];
    }),
  ];
}

function repeatedIds(companies: readonly CompanyDescription[]): DescriptionViolation[] {
  const seen = new Set<string>();
  const requireUnique = (key: string, path: DescriptionViolation["path"]) => {
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [{ path, message: "is already used" }];
  };
  return companies.flatMap(({ id: clientId, contacts }, index) => [
    ...requireUnique(`company ${clientId}`, ["companies", index, "id"]),
    ...contacts.flatMap((contact, contactIndex) => [
      ...requireUnique(`contact ${contact.id}`, ["companies", index, "contacts", contactIndex, "id"]),
      ...requireUnique(`e-mail ${contact.email.toLowerCase()}`, [
        "companies",
        index,
        "contacts",
        contactIndex,
        "email",
      ]),
    ]),
  ]);
}

/** The demo credentials belong to the first contact of the first company. */
const homeCompanyViolations = ([first]: readonly CompanyDescription[]): DescriptionViolation[] => [
  ...(first!.contacts.some(({ active }) => active)
    ? []
    : [
        {
          path: ["companies", 0],
          message: "must have an active contact, to whom the demo credentials belong",
        },
      ]),
  ...(first!.foreign
    ? [{ path: ["companies", 0, "foreign"], message: "must not be true for the first company" }]
    : []),
];

function companyViolations(company: CompanyDescription): DescriptionViolation[] {
  const { accounts, counterparties, business, contacts, approvals } = company;
  const heldCurrencies = new Set(accounts.map(({ currency }) => currency));
  const amounts = [
    ...accounts.map(({ currency, balance }, n) => ({
      currency,
      amount: balance,
      path: ["accounts", n, "balance"],
    })),
    ...business.map(({ currency, amount }, n) => ({ currency, amount, path: ["business", n, "amount"] })),
  ];
  return [
    ...amounts.flatMap(({ currency, amount, path }) => {
      const value = new Big(amount);
      if (!fitsMinorUnits(value, currency))
        return [{ path, message: `has too many decimals for ${currency}` }];
      return value.gt(maxAmount(currency)) ? [{ path, message: "is more than an account can hold" }] : [];
    }),
    ...business.flatMap((each, n): DescriptionViolation[] => {
      const path = ["business", n];
      if (!heldCurrencies.has(each.currency))
        return [
          {
            path: [...path, "currency"],
            message: `must be the currency of an account; there is none in ${each.currency}`,
          },
        ];
      const partners = counterparties.filter(({ currency }) => currency === each.currency);
      if (each.kind !== "monthly")
        return partners.length > 0
          ? []
          : [{ path: [...path, "currency"], message: `needs a counterparty in ${each.currency}` }];
      if (each.to === undefined || partners.some((partner) => partner.name === each.to)) return [];
      return [{ path: [...path, "to"], message: `must be the name of a counterparty in ${each.currency}` }];
    }),
    ...(approvals
      ? [
          configViolation(approvals, (contactId) =>
            contacts.some((each) => each.id === contactId && each.active),
          ),
        ]
          .filter((violation) => violation !== undefined)
          .map((message) => ({ path: ["approvals"], message: `cannot be used: ${message}` }))
      : []),
  ];
}
