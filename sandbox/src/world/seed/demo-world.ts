/** Seeds the default world: the demo company with up to a year of business, and a second company. */
import { Big } from "big.js";
import { findOrOpenAccount } from "../accounts/accounts";
import { moveMoney } from "../accounts/movements";
import { demo } from "../parties/parties";
import type { World } from "../model/world";
import { seedAccountDetails } from "./account-details";
import { seedApprovals } from "./approvals";
import { rewindWorld, maxDaysBehind } from "./rewind-world";
import { demoBusiness, scheduleBusiness } from "./business";
import { createPartners } from "./partners";
import { scheduleTrades } from "./trades";

const openingBalances = { EUR: "600000", GBP: "120000", USD: "180000", JPY: "18000000" };

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
