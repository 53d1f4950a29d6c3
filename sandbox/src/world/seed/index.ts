/** How a world begins: a company with a year behind it, and a neighbour. */
import { Big } from "big.js";
import { accountIn } from "../accounts/accounts";
import { move } from "../ledger/movements";
import { demo } from "../parties/parties";
import type { World } from "../world";
import { seedAccountDetails } from "./account-details";
import { seedApprovals } from "./approvals";
import { beginning, yearBehind } from "./beginning";
import { demoBusiness, scheduleBusiness } from "./business";
import { partners } from "./partners";
import { scheduleTrades } from "./trades";

/** What stands in each account at the beginning. */
const openingBalances = { EUR: "600000", GBP: "120000", USD: "180000", JPY: "18000000" };

/** Fills a new world up to the time of its clock, with so many days of business behind it. Throws a RangeError. */
export function seed(world: World, daysBehind = yearBehind): void {
  const { today, start } = beginning(world, daysBehind);
  for (const client of world.clients.values())
    for (const [currency, amount] of Object.entries(openingBalances))
      move(world, accountIn(world, client, currency), new Big(amount), "nostro", {
        type: "incoming",
        reference: "OPENING",
        information: "Opening balance",
      });
  seedAccountDetails(world);
  seedApprovals(world);
  world.beneficiaries.push(...partners(world, demo.clientId));
  scheduleBusiness(
    world,
    demoBusiness((currency) => accountIn(world, demo, currency)),
    start,
    today,
  );
  scheduleTrades(world, start, today);
  world.catchUp();
}
