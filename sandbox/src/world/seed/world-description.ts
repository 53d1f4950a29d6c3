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

const Content = z
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

/** Content of a world file. */
export const WorldDescription = Content.transform((description, context) => {
  reportContradictions(description, (message, ...path) =>
    context.addIssue({ code: "custom", path, message }),
  );
  return description;
});

export type WorldDescription = z.output<typeof Content>;
export type CompanyDescription = WorldDescription["companies"][number];

/** Reports a violation: what is required, and the path of the field. */
type Report = (message: string, ...path: (string | number)[]) => void;

/** Reports what a schema cannot express: repeated and unresolved names, and amounts out of range. */
function reportContradictions({ companies, rates }: WorldDescription, report: Report): void {
  reportRepeatedIds(companies, report);
  companies.forEach((company, index) =>
    reportCompany(company, (message, ...path) => report(message, "companies", index, ...path)),
  );
  const [first] = companies;
  if (!first!.contacts.some(({ active }) => active))
    report("must have an active contact, to whom the demo credentials belong", "companies", 0);
  if (first!.foreign) report("must not be true for the first company", "companies", 0, "foreign");
  for (const symbol of Object.keys(rates)) {
    const [base, quoted] = [symbol.slice(0, 3), symbol.slice(3)];
    if (base === quoted || ![base, quoted].every((currency) => tradedCurrencies.includes(currency)))
      report("must be two traded currencies", "rates", symbol);
  }
}

function reportRepeatedIds(companies: readonly CompanyDescription[], report: Report): void {
  const seen = new Set<string>();
  const requireUnique = (key: string, ...path: (string | number)[]) => {
    if (seen.has(key)) report("is already used", ...path);
    seen.add(key);
  };
  companies.forEach(({ id: clientId, contacts }, index) => {
    requireUnique(`company ${clientId}`, "companies", index, "id");
    contacts.forEach((contact, n) => {
      requireUnique(`contact ${contact.id}`, "companies", index, "contacts", n, "id");
      requireUnique(`e-mail ${contact.email.toLowerCase()}`, "companies", index, "contacts", n, "email");
    });
  });
}

function reportCompany(company: CompanyDescription, report: Report): void {
  const { accounts, counterparties, business, contacts, approvals } = company;
  const checkAmount = (currency: string, amount: number | string, ...path: (string | number)[]) => {
    const value = new Big(amount);
    if (!fitsMinorUnits(value, currency)) report(`has too many decimals for ${currency}`, ...path);
    else if (value.gt(maxAmount(currency))) report("is more than an account can hold", ...path);
  };
  accounts.forEach(({ currency, balance }, n) => checkAmount(currency, balance, "accounts", n, "balance"));
  business.forEach(({ currency, amount }, n) => checkAmount(currency, amount, "business", n, "amount"));
  business.forEach((each, n) => {
    const { currency } = each;
    const partners = counterparties.filter((partner) => partner.currency === currency);
    if (!accounts.some((account) => account.currency === currency))
      report(`must be the currency of an account; there is none in ${currency}`, "business", n, "currency");
    else if (each.kind !== "monthly") {
      if (partners.length === 0) report(`needs a counterparty in ${currency}`, "business", n, "currency");
    } else if (each.to !== undefined && !partners.some((partner) => partner.name === each.to))
      report(`must be the name of a counterparty in ${currency}`, "business", n, "to");
  });
  const mayAct = (contactId: string) => contacts.some(({ id: each, active }) => active && each === contactId);
  const violation = approvals && configViolation(approvals, mayAct);
  if (violation !== undefined) report(`cannot be used: ${violation}`, "approvals");
}
