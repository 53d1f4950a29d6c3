/** Seeds the default world: the demo company with up to a year of business, and a second company. */
import { join } from "node:path";
import { addDetails, applyDecision } from "../accounts/account-details";
import { homeCountryOf } from "../banks/banks";
import type { World } from "../model/world";
import { demo } from "../parties/parties";
import { maxDaysBehind, rewindWorld, scheduleBusiness } from "./business";
import { addCounterparties, businessOf, openAccounts } from "./seed-from-description";
import { scheduleTrades } from "./trades";
import type { CompanyDescription, WorldDescription } from "./world-description";
import { readWorld, worldsFolder } from "./world-file";

let description: WorldDescription | undefined;

/** Returns the companies of the demo world. Read on first use, because a restored world does not need them. */
export const demoDescription = (): WorldDescription =>
  (description ??= readWorld(join(worldsFolder, "demo.yaml")));

const segregated = { type: "dedicated", virtual: false } as const;
const pooled = { type: "pooled", virtual: false } as const;

/** Seeds account details of all companies. The demo company has every type except virtual, in every status. */
function seedAccountDetails(world: World, companies: readonly CompanyDescription[]): void {
  for (const company of companies)
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
  const { companies } = demoDescription();
  const demoCompany = companies[0]!;
  for (const company of companies) openAccounts(world, company);
  seedAccountDetails(world, companies);
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
