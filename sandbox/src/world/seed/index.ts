/** How a world begins: a company with a year behind it, and a neighbour. */
import { Big } from "big.js";
import { findOrOpenAccount } from "../accounts/accounts";
import { moveMoney } from "../ledger/movements";
import { demo } from "../parties/parties";
import type { World } from "../world";
import { seedAccountDetails } from "./account-details";
import { seedApprovals } from "./approvals";
import { rewindWorld, maxDaysBehind } from "./rewind-world";
import { demoBusiness, scheduleBusiness } from "./business";
import { createPartners } from "./partners";
import { scheduleTrades } from "./trades";

/** What stands in each account at the beginning. */
const openingBalances = { EUR: "600000", GBP: "120000", USD: "180000", JPY: "18000000" };

/** Fills a new world up to the time of its clock, with so many days of business behind it. Throws a RangeError. */
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
