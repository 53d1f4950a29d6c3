/** Seeds a world from a description. */
import { Big } from "big.js";
import { addDetails, applyDecision } from "../accounts/account-details";
import { findOrOpenAccount, openAccount, moveMoney } from "../accounts/accounts";
import { bankIn, domesticAddress, homeCountryOf, ibanOf } from "../banks/banks";
import type { Recurring } from "../model/scheduled-events";
import type { Settings } from "../model/settings";
import type { Beneficiary } from "../model/trade";
import type { World } from "../model/world";
import type { Approvals } from "../parties/approvals";
import type { Contact, Parties } from "../parties/parties";
import { bankBusiness, rewindWorld, scheduleBusiness } from "./business";
import type { CompanyDescription, WorldDescription } from "./world-description";

/**
 * Returns the parties of a description. Contacts of the first company act for all companies that are not foreign.
 */
export function partiesFromDescription({ companies }: WorldDescription): Parties {
  const own = companies.filter(({ foreign }) => !foreign).map(({ id }) => id);
  const clients = companies.map(({ id: clientId, name, address, country, email }) =>
    Object.freeze({ clientId, name, address, country, email }),
  );
  const contacts = companies.flatMap((company, index) =>
    company.contacts.map(({ id: contactId, ...contact }): Contact => ({
      contactId,
      ...contact,
      clientIds: index === 0 ? own : [company.id],
    })),
  );
  return { clients, contacts, home: contacts.find(({ active }) => active)! };
}

/** Returns the settings of a description, which are named in snake case. */
export const settingsFromDescription = ({ settings }: WorldDescription): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** Seeds a new world up to the time of its clock. Throws a RangeError. */
export function seedFromDescription(world: World, { companies, rates, days_behind }: WorldDescription): void {
  const { start, today } = rewindWorld(world, days_behind);
  for (const [symbol, rate] of Object.entries(rates))
    world.rates.move(symbol.slice(0, 3), symbol.slice(3), new Big(rate), today);
  const business = companies.flatMap((company) => seedCompany(world, company));
  scheduleBusiness(world, business, start, today);
  world.runDueEvents();
}

/** Seeds a company and returns its recurring business. */
function seedCompany(world: World, company: CompanyDescription): Recurring[] {
  openAccounts(world, company);
  for (const currency of currenciesOf(company)) {
    const details = {
      type: "dedicated",
      virtual: false,
      country: homeCountryOf(currency),
      currency,
    } as const;
    applyDecision(world, addDetails(world, { clientId: company.id }, details), "confirmed");
  }
  world.approvals.set(company.id, toApprovals(company));
  addCounterparties(world, company);
  return businessOf(world, company);
}

const currenciesOf = ({ accounts }: CompanyDescription) => new Set(accounts.map(({ currency }) => currency));

/** Opens a company's accounts with their opening balances. */
export function openAccounts(world: World, { id: clientId, accounts }: CompanyDescription): void {
  const entry = { type: "incoming", reference: "OPENING", information: "Opening balance" } as const;
  for (const { currency, balance, count } of accounts)
    for (let n = 0; n < count; n += 1) {
      const account = openAccount(world, { clientId }, currency);
      const amount = new Big(balance);
      if (amount.gt(0)) moveMoney(world, account, amount, "nostro", entry);
    }
}

/** Returns the approval workflow of a company. Without one, a single active contact suffices. */
function toApprovals({ approvals, contacts }: CompanyDescription): Approvals {
  if (approvals) {
    const { enabled, dual_admin, groups, rules } = approvals;
    return { settings: { enabled, dual_admin, currency: "EUR" }, config: { groups, rules } };
  }
  const members = contacts.filter(({ active }) => active).map(({ id }) => id);
  const combinations = [[{ group: "A", approvals: 1 }]];
  return {
    settings: { enabled: false, dual_admin: false, currency: "EUR" },
    config: {
      groups: [{ name: "A", members }],
      rules: [{ min_amount: 0, max_amount: null, currency: "EUR", combinations }],
    },
  };
}

export function addCounterparties(world: World, { id: clientId, counterparties }: CompanyDescription): void {
  for (const { name, currency, country, without_account } of counterparties) {
    const digits = world.ids.digits(10);
    const iban = ibanOf(country, digits);
    const domestic = domesticAddress(country, digits);
    const beneficiary: Beneficiary = {
      beneficiaryId: `BN${world.ids.digits(8)}`,
      clientId,
      name,
      currency,
      bic: bankIn(country).bic,
      ...(iban !== undefined && !without_account && { iban }),
      ...(domestic &&
        !without_account && {
          accountNumber: domestic.account_number,
          bankIdentifier: domestic.bank_identifier,
        }),
    };
    world.beneficiaries.push(Object.freeze(beneficiary));
  }
}

/** Returns a company's recurring business, and if there is any, the bank's fees and interest. */
export function businessOf(world: World, company: CompanyDescription): Recurring[] {
  const { id: clientId, business } = company;
  if (business.length === 0) return [];
  const accounts = Array.from(currenciesOf(company), (currency) =>
    findOrOpenAccount(world, { clientId }, currency),
  );
  return [...business.map((each) => toRecurring(world, clientId, each)), ...accounts.flatMap(bankBusiness)];
}

const daysAWeek = 5;

/** Prefix of references, from the letters of a name. */
const codeOf = (name: string) =>
  name
    .replace(/[^A-Za-z]/g, "")
    .slice(0, 3)
    .toUpperCase() || "PAY";

function toRecurring(
  world: World,
  clientId: string,
  business: CompanyDescription["business"][number],
): Recurring {
  const account = findOrOpenAccount(world, { clientId }, business.currency);
  if (business.kind !== "monthly") {
    const { kind, per_week, amount } = business;
    return { kind, account, aDay: per_week / daysAWeek, typical: Number(amount) };
  }
  const { kind, name, day, amount } = business;
  const to = world.beneficiaries.find((each) => each.clientId === clientId && each.name === business.to);
  return { kind, account, day, name, amount: new Big(amount), code: codeOf(name), to, house: "nostro" };
}
