/** The demo company, its customers and suppliers, and a second company. */
import { demo } from "../parties/parties";
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
