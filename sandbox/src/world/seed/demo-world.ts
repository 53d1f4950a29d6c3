/** Seeds the default world: the demo company with up to a year of business, and a second company. */
import { Big } from "big.js";
import { findOrOpenAccount } from "../accounts/accounts";
import { moveMoney } from "../accounts/movements";
import { rewindWorld, maxDaysBehind, demoBusiness, scheduleBusiness } from "./business";
import { scheduleTrades } from "./trades";
import { bankIn, domesticAddress, ibanOf, homeCountryOf } from "../banks/banks";
import type { Beneficiary } from "../model/trade";
import { addDetails, applyDecision } from "../accounts/account-details";
import { demo } from "../parties/parties";
import type { World } from "../model/world";

const currencies = ["EUR", "GBP", "USD", "JPY"];
const openingBalances = { EUR: "600000", GBP: "120000", USD: "180000", JPY: "18000000" };

const segregated = { type: "dedicated", virtual: false } as const;
const pooled = { type: "pooled", virtual: false } as const;

/** Seeds account details of all companies. The demo company has every type except virtual, in every status. */
function seedAccountDetails(world: World): void {
  for (const client of world.clients.values())
    for (const currency of currencies) {
      const at = { country: homeCountryOf(currency), currency };
      applyDecision(
        world,
        addDetails(world, client, { ...segregated, ...at, alias: `Main ${currency}` }),
        "confirmed",
      );
      applyDecision(world, addDetails(world, client, { ...pooled, ...at }), "confirmed");
    }
  const benelux = { ...segregated, country: "NL", currency: "EUR", alias: "Benelux sales" };
  applyDecision(world, addDetails(world, demo, benelux), "confirmed");
  addDetails(world, demo, { ...segregated, country: "FR", currency: "EUR" });
  applyDecision(world, addDetails(world, demo, { ...segregated, country: "IE", currency: "EUR" }), "failed");
}

/** Seeds the demo company's approval workflow: one signature for small payments, two for large ones. */
function seedApprovals(world: World): void {
  world.approvals.set(demo.clientId, {
    settings: { enabled: true, dual_admin: false, currency: "EUR" },
    config: {
      groups: [
        { id: "group-a", name: "A", members: ["contact-demo", "contact-second-admin"] },
        { id: "group-b", name: "B", members: ["contact-approver"] },
      ],
      rules: [
        {
          id: "rule-1",
          min_amount: 0,
          max_amount: 10_000,
          currency: "EUR",
          combinations: [[{ group: "A", approvals: 1 }], [{ group: "B", approvals: 1 }]],
        },
        {
          id: "rule-2",
          min_amount: 10_000,
          max_amount: null,
          currency: "EUR",
          combinations: [
            [
              { group: "A", approvals: 1 },
              { group: "B", approvals: 1 },
            ],
            [{ group: "A", approvals: 2 }],
          ],
        },
      ],
    },
  });
}

/** Suppliers and customers of the demo company. */
const companies: readonly (readonly [name: string, currency: string, country: string])[] = [
  ["Alpenblick Maschinen AG", "EUR", "DE"],
  ["Brouwer Logistiek BV", "EUR", "NL"],
  ["Ferme Duval SARL", "EUR", "FR"],
  ["Nordsee Werften GmbH", "EUR", "DE"],
  ["Thistle & Sons Ltd", "GBP", "GB"],
  ["Pennine Castings Ltd", "GBP", "GB"],
  ["Severn Freight plc", "GBP", "GB"],
  ["Lakeside Components Inc", "USD", "US"],
  ["Prairie Data LLC", "USD", "US"],
  ["Redwood Instruments Inc", "USD", "US"],
  ["Aoyama Denki KK", "JPY", "JP"],
  ["Minato Seimitsu KK", "JPY", "JP"],
];

/** Supplier without a known account. */
const unknownAccount = "Severn Freight plc";

const createPartners = ({ ids }: World, clientId: string): Beneficiary[] =>
  companies.map(([name, currency, country]) => {
    const digits = ids.digits(10);
    const iban = ibanOf(country, digits);
    const domestic = domesticAddress(country, digits);
    const known = { beneficiaryId: `BN${ids.digits(8)}`, clientId, name, currency, bic: bankIn(country).bic };
    if (name === unknownAccount) return Object.freeze(known);
    return Object.freeze({
      ...known,
      ...(iban && { iban }),
      ...(domestic && { accountNumber: domestic.accountNumber, bankIdentifier: domestic.bankIdentifier }),
    });
  });

/** Seeds a new world with `daysBehind` days of business up to the time of its clock. Throws a RangeError. */
export function seedDemoWorld(world: World, daysBehind = maxDaysBehind): void {
  const { today, start } = rewindWorld(world, daysBehind);
  for (const client of world.clients.values())
    for (const [currency, amount] of Object.entries(openingBalances))
      moveMoney(world, findOrOpenAccount(world, client, currency), new Big(amount), "nostro", {
        type: "incoming",
        reference: "OPENING",
        information: "Opening balance",
      });
  seedAccountDetails(world);
  seedApprovals(world);
  world.beneficiaries.push(...createPartners(world, demo.clientId));
  scheduleBusiness(
    world,
    demoBusiness((currency) => findOrOpenAccount(world, demo, currency)),
    start,
    today,
  );
  scheduleTrades(world, start, today);
  world.runDueEvents();
}
