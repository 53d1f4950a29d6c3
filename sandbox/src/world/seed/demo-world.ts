/** Seeds the default world: the demo company with up to a year of business, and a second company. */
import { addDetails, applyDecision } from "../accounts/account-details";
import { homeCountryOf } from "../banks/banks";
import type { World } from "../model/world";
import { demo } from "../parties/parties";
import { maxDaysBehind, rewindWorld, scheduleBusiness } from "./business";
import { addCounterparties, businessOf, openAccounts } from "./seed-from-description";
import { scheduleTrades } from "./trades";
import { type CompanyDescription, WorldDescription } from "./world-description";

const contact = (id: string, name: string, active = true) => ({
  id,
  name,
  email: `${name.toLowerCase().replace(" ", ".")}@meridian-tools.example`,
  active,
});

const counterparty = (name: string, currency: string, country: string, without_account = false) => ({
  name,
  currency,
  country,
  without_account,
});

const accounts = [
  { currency: "EUR", balance: 600_000 },
  { currency: "GBP", balance: 120_000 },
  { currency: "USD", balance: 180_000 },
  { currency: "JPY", balance: 18_000_000 },
];

/** Customers pay about every second business day, suppliers are paid slightly less often. */
const business = (currency: string, amount: number) => [
  { kind: "receipts" as const, currency, per_week: 2.5, amount },
  { kind: "payments" as const, currency, per_week: 2.25, amount },
];

export const demoDescription: WorldDescription = WorldDescription.parse({
  version: 1,
  companies: [
    {
      id: demo.clientId,
      name: "Meridian Tools GmbH",
      address: "Werkstrasse 12, 20457 Hamburg",
      country: "DE",
      email: "treasury@meridian-tools.example",
      contacts: [
        contact(demo.contactId, "Ada Lindqvist"),
        contact("contact-second-admin", "Bruno Keller"),
        contact("contact-approver", "Carla Moretti"),
        contact("contact-blocked", "Dirk Blom", false),
      ],
      accounts,
      counterparties: [
        counterparty("Alpenblick Maschinen AG", "EUR", "DE"),
        counterparty("Brouwer Logistiek BV", "EUR", "NL"),
        counterparty("Ferme Duval SARL", "EUR", "FR"),
        counterparty("Nordsee Werften GmbH", "EUR", "DE"),
        counterparty("Thistle & Sons Ltd", "GBP", "GB"),
        counterparty("Pennine Castings Ltd", "GBP", "GB"),
        counterparty("Severn Freight plc", "GBP", "GB", true),
        counterparty("Lakeside Components Inc", "USD", "US"),
        counterparty("Prairie Data LLC", "USD", "US"),
        counterparty("Redwood Instruments Inc", "USD", "US"),
        counterparty("Aoyama Denki KK", "JPY", "JP"),
        counterparty("Minato Seimitsu KK", "JPY", "JP"),
      ],
      business: [
        ...business("EUR", 4_000),
        ...business("GBP", 2_500),
        ...business("USD", 3_500),
        ...business("JPY", 450_000),
        { kind: "monthly", name: "Salaries", currency: "EUR", amount: 18_500, day: 25 },
      ],
    },
    {
      id: "client-other",
      name: "Harbour Textiles Ltd",
      address: "4 Quay Lane, Bristol BS1 4RW",
      country: "GB",
      email: "finance@harbour-textiles.example",
      foreign: true,
      contacts: [{ id: "contact-other", name: "Erin Walsh", email: "erin.walsh@harbour-textiles.example" }],
      accounts,
    },
  ],
});

export const [demoCompany] = demoDescription.companies as [CompanyDescription];

const segregated = { type: "dedicated", virtual: false } as const;
const pooled = { type: "pooled", virtual: false } as const;

/** Seeds account details of all companies. The demo company has every type except virtual, in every status. */
function seedAccountDetails(world: World): void {
  for (const company of demoDescription.companies)
    for (const { currency } of company.accounts) {
      const clientId = company.id;
      const at = { country: homeCountryOf(currency), currency };
      const own = addDetails(world, { clientId }, { ...segregated, ...at, alias: `Main ${currency}` });
      applyDecision(world, own, "confirmed");
      applyDecision(world, addDetails(world, { clientId }, { ...pooled, ...at }), "confirmed");
    }
  const benelux = { ...segregated, country: "NL", currency: "EUR", alias: "Benelux sales" };
  applyDecision(world, addDetails(world, demo, benelux), "confirmed");
  addDetails(world, demo, { ...segregated, country: "FR", currency: "EUR" });
  applyDecision(world, addDetails(world, demo, { ...segregated, country: "IE", currency: "EUR" }), "failed");
}

const oneOf = (group: string) => ({ group, approvals: 1 });

/** Seeds the demo company's approval workflow: one signature for small payments, two for large ones. */
function seedApprovals(world: World): void {
  const small = [[oneOf("A")], [oneOf("B")]];
  const large = [[oneOf("A"), oneOf("B")], [{ group: "A", approvals: 2 }]];
  world.approvals.set(demo.clientId, {
    settings: { enabled: true, dual_admin: false, currency: "EUR" },
    config: {
      groups: [
        { id: "group-a", name: "A", members: ["contact-demo", "contact-second-admin"] },
        { id: "group-b", name: "B", members: ["contact-approver"] },
      ],
      rules: [
        { id: "rule-1", min_amount: 0, max_amount: 10_000, currency: "EUR", combinations: small },
        { id: "rule-2", min_amount: 10_000, max_amount: null, currency: "EUR", combinations: large },
      ],
    },
  });
}

/** Seeds a new world with `daysBehind` days of business up to the time of its clock. Throws a RangeError. */
export function seedDemoWorld(world: World, daysBehind = maxDaysBehind): void {
  const { today, start } = rewindWorld(world, daysBehind);
  for (const company of demoDescription.companies) openAccounts(world, company);
  seedAccountDetails(world);
  seedApprovals(world);
  addCounterparties(world, demoCompany);
  // By account, because the order determines the random amounts.
  const recurringBusiness = businessOf(world, demoCompany);
  const byAccount = [...world.accounts.values()].flatMap((account) =>
    recurringBusiness.filter((recurring) => recurring.account === account),
  );
  scheduleBusiness(world, byAccount, start, today);
  scheduleTrades(world, start, today);
  world.runDueEvents();
}
