/** How a world begins: a company with a year behind it, and a neighbour. */
import { Big } from "big.js";
import { accountIn } from "../accounts";
import { addDays, dayOf, hourOf } from "../days";
import { move } from "../movements";
import { clients, demo } from "../parties";
import type { World } from "../world";
import { seedAccountDetails } from "./account-details";
import { seedApprovals } from "./approvals";
import { scheduleBusiness } from "./business";
import { partners } from "./partners";
import { scheduleTrades } from "./trades";

/** How long there has been business, unless said otherwise. */
const yearBehind = 365;

/** What stands in each account at the beginning. */
const openingBalances = { EUR: "600000", GBP: "120000", USD: "180000", JPY: "18000000" };

/** Fills a new world up to the time of its clock, with so many days of business behind it. */
export function seed(world: World, daysBehind = yearBehind): void {
  const today = dayOf(world.clock.now());
  const start = addDays(today, -daysBehind);
  world.agenda.run(hourOf(start, 0));
  for (const client of clients)
    for (const [currency, amount] of Object.entries(openingBalances))
      move(world, accountIn(world, client, currency), new Big(amount), "nostro", {
        type: "incoming",
        reference: "OPENING",
        information: "Opening balance",
      });
  seedAccountDetails(world);
  seedApprovals(world);
  world.beneficiaries.push(...partners(world, demo.clientId));
  scheduleBusiness(world, start, today);
  scheduleTrades(world, start, today);
  world.catchUp();
}
