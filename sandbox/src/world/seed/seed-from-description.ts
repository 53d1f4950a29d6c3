/** Seeds a world from a description. */
import { Big } from "big.js";
import { addDetails, applyDecision } from "../accounts/account-details";
import type { Account } from "../model/account";
import { findOrOpenAccount, openAccount } from "../accounts/accounts";
import { bankIn, domesticAddress, homeCountryOf, ibanOf } from "../banks/banks";
import { moveMoney } from "../accounts/movements";
import type { Approvals } from "../parties/approvals";
import type { Client, Contact, Parties } from "../parties/parties";
import type { Settings } from "../model/settings";
import type { Beneficiary } from "../model/trade";
import type { World } from "../model/world";
import { rewindWorld, bankBusiness, scheduleBusiness } from "./business";
import type { CompanyDescription, WorldDescription } from "./world-description";
import type { Recurring } from "../model/planned-business";

const toClient = ({ id: clientId, name, address, country, email }: CompanyDescription): Client =>
  Object.freeze({ clientId, name, address, country, email });

/**
 * Returns the parties of a description. Contacts of the first company act for all companies that are not foreign.
 */
export function partiesFromDescription({ companies }: WorldDescription): Parties {
  const own = companies.filter(({ foreign }) => !foreign).map(({ id }) => id);
  const contacts = companies.flatMap((company, index) =>
    company.contacts.map(({ id: contactId, ...contact }): Contact => ({
      contactId,
      ...contact,
      clientIds: index === 0 ? own : [company.id],
    })),
  );
  return { clients: companies.map(toClient), contacts, home: contacts.find(({ active }) => active)! };
}

/** Returns the settings of a description. */
export const settingsFromDescription = ({ settings }: WorldDescription): Partial<Settings> =>
  Object.fromEntries(
    Object.entries({
      quoteSeconds: settings.quote_seconds,
      marketHours: settings.market_hours,
      reusableQuotes: settings.reusable_quotes,
      totalCount: settings.total_count,
      scaApproach: settings.sca_approach,
      redirectUri: settings.redirect_uri,
      living: settings.living,
      latencyMs: settings.latency_ms,
      requestsPerSecond: settings.requests_per_second,
    }).filter(([, value]) => value !== undefined),
  );

/** Seeds a new world up to the time of its clock. Throws a RangeError. */
export function seedFromDescription(world: World, { companies, rates, days_behind }: WorldDescription): void {
  const { start, today } = rewindWorld(world, days_behind);
  for (const [symbol, rate] of Object.entries(rates))
    world.rates.move(symbol.slice(0, 3), symbol.slice(3), new Big(rate), today);
  const business = companies.flatMap((company) => openCompany(world, company));
  scheduleBusiness(world, business, start, today);
  world.runDueEvents();
}

/** Opens a company's accounts and returns its recurring business. */
function openCompany(world: World, company: CompanyDescription): Recurring[] {
  const client = toClient(company);
  for (const { currency, balance, count } of company.accounts)
    for (let n = 0; n < count; n += 1)
      bookOpeningBalance(world, openAccount(world, client, currency), new Big(balance));
  for (const currency of new Set(company.accounts.map((account) => account.currency))) {
    const segregated = {
      type: "dedicated",
      virtual: false,
      country: homeCountryOf(currency),
      currency,
    } as const;
    applyDecision(world, addDetails(world, client, segregated), "confirmed");
  }
  world.approvals.set(client.clientId, toApprovals(company));
  world.beneficiaries.push(...company.counterparties.map((each) => createBeneficiary(world, client, each)));
  const accounts = [
    ...new Set(company.accounts.map(({ currency }) => findOrOpenAccount(world, client, currency))),
  ];
  return [
    ...company.business.map((each) => toRecurring(world, client, each)),
    ...(company.business.length > 0 ? accounts.flatMap(bankBusiness) : []),
  ];
}

function bookOpeningBalance(world: World, account: Account, balance: Big): void {
  if (balance.eq(0)) return;
  const entry = { type: "incoming", reference: "OPENING", information: "Opening balance" } as const;
  moveMoney(world, account, balance, "nostro", entry);
}

/** Returns a disabled approval workflow in which one active contact suffices. */
const noApprovals = ({ contacts }: CompanyDescription): Approvals => ({
  settings: { enabled: false, dual_admin: false, currency: "EUR" },
  config: {
    groups: [{ name: "A", members: contacts.filter(({ active }) => active).map(({ id }) => id) }],
    rules: [
      { min_amount: 0, max_amount: null, currency: "EUR", combinations: [[{ group: "A", approvals: 1 }]] },
    ],
  },
});

function toApprovals(company: CompanyDescription): Approvals {
  if (!company.approvals) return noApprovals(company);
  const { enabled, dual_admin, groups, rules } = company.approvals;
  return { settings: { enabled, dual_admin, currency: "EUR" }, config: { groups, rules } };
}

function createBeneficiary(
  { ids }: World,
  { clientId }: Client,
  { name, currency, country, without_account }: CompanyDescription["counterparties"][number],
): Beneficiary {
  const digits = ids.digits(10);
  const known = { beneficiaryId: `BN${ids.digits(8)}`, clientId, name, currency, bic: bankIn(country).bic };
  if (without_account) return Object.freeze(known);
  const iban = ibanOf(country, digits);
  const domestic = domesticAddress(country, digits);
  return Object.freeze({
    ...known,
    ...(iban !== undefined && { iban }),
    ...(domestic && { accountNumber: domestic.accountNumber, bankIdentifier: domestic.bankIdentifier }),
  });
}

const daysAWeek = 5;

function toRecurring(
  world: World,
  client: Client,
  business: CompanyDescription["business"][number],
): Recurring {
  const account = findOrOpenAccount(world, client, business.currency);
  if (business.kind !== "monthly") {
    const { kind, per_week, amount } = business;
    return { kind, account, aDay: per_week / daysAWeek, typical: Number(amount) };
  }
  const { name, day, amount } = business;
  const to = world.beneficiaries.find(
    (each) => each.clientId === client.clientId && each.name === business.to,
  );
  const code =
    name
      .replace(/[^A-Za-z]/g, "")
      .slice(0, 3)
      .toUpperCase() || "PAY";
  return { kind: "monthly", account, day, name, amount: new Big(amount), code, to, house: "nostro" };
}
