/** Schema and checks of a world file. */
import { Country, Currency, isDateTime } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { bankCountries } from "../accounts/banks";
import { timeViolation } from "../calendar/clock";
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
    id: id("As X-Contact-ID has it."),
    name: name("Whose name it is."),
    email: email.meta({ description: "With which the person logs in; every password is demo-password." }),
    active: z.boolean().default(true).meta({ description: "Whether the contact may do anything." }),
  })
  .meta({ description: "A person who acts for the company." });

const Account = z
  .strictObject({
    currency: TradedCurrency,
    balance: Amount.default(0),
    count: z.int().min(1).max(1_000).default(1).meta({ description: "How many such accounts there are." }),
  })
  .meta({ description: "An account. Trades settle on the first one in their currency." });

const Counterparty = z
  .strictObject({
    name: name("Whom the company buys from or sells to."),
    currency: TradedCurrency,
    country: Country.refine(
      (country) => bankCountries.includes(country),
      `must be one of ${bankCountries.join(", ")}`,
    ),
    without_account: z
      .boolean()
      .default(false)
      .meta({ description: "Payments to it need its account to be completed first." }),
  })
  .meta({ description: "A company that pays and is paid." });

const perWeek = z.number().positive().max(5).meta({ description: "On how many of a week's business days." });

const Business = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.enum(["receipts", "payments"]).meta({ description: "What comes in, or goes out." }),
      currency: TradedCurrency,
      per_week: perWeek,
      amount: Amount.meta({ description: "About how much at once." }),
    }),
    z.strictObject({
      kind: z.literal("monthly"),
      name: name("What it is: salaries, a rent."),
      currency: TradedCurrency,
      amount: Amount,
      day: z
        .int()
        .min(1)
        .max(28)
        .meta({ description: "On which day of the month, or the next business day." }),
      to: z.string().optional().meta({ description: "The name of a counterparty." }),
    }),
  ])
  .meta({ description: "What goes on every week or month." });

const Approvals = z
  .strictObject({
    enabled: z.boolean().default(true),
    dual_admin: z
      .boolean()
      .default(false)
      .meta({ description: "Whether a change waits for a second administrator." }),
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
    description: "Who must approve payments from trades, as approvalsWorkflow.replaceConfig takes it.",
  });

const Company = z
  .strictObject({
    id: id("The client_id."),
    name: name("Its name."),
    address: name("Its address, in one line."),
    country: Country,
    email: email.meta({ description: "Its registered address, to which statements go." }),
    foreign: z.boolean().default(false).meta({ description: "Whether the demo token may not speak for it." }),
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
  redirect_uri: z.url("must be an address").optional(),
  living: z.boolean().optional().meta({ description: "Whether business goes on as the clock moves." }),
  latency_ms: z.int().min(0).max(60_000).optional().meta({ description: "How much later responses come." }),
  requests_per_second: z.int().min(1).optional().meta({ description: "Those beyond get 429." }),
});

/** Content of a world file. */
export const WorldDescription = z
  .strictObject({
    version: z.literal(1, "must be 1, the only version there is").meta({ description: "Of this form." }),
    seed: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "From which everything that is left to chance follows." }),
    now: z
      .string()
      .refine((text) => isDateTime(text) && timeViolation(new Date(text)) === undefined, {
        error: "must be a time in UTC, such as 2026-03-02T09:00:00Z",
      })
      .optional()
      .meta({ description: "Where its time starts, to move with the requests." }),
    days_behind: z
      .int()
      .min(1)
      .max(365)
      .default(90)
      .meta({ description: "For how many days there has been business." }),
    companies: z.array(Company).min(1, "must have at least one company"),
    rates: z
      .record(
        z.string().regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD"),
        z.number().positive("must be more than zero"),
      )
      .default({})
      .meta({ description: "What pairs of currencies cost at the beginning." }),
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
      return isTraded ? [] : [{ path: ["rates", symbol], message: "must be two currencies that are traded" }];
    }),
  ];
}

function repeatedIds(companies: readonly CompanyDescription[]): DescriptionViolation[] {
  const seen = new Set<string>();
  const requireUnique = (key: string, path: DescriptionViolation["path"]) => {
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [{ path, message: "is taken already" }];
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
          message: "must have a contact who is active: the demo credentials are theirs",
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
            message: `must be that of an account: there is none in ${each.currency}`,
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
