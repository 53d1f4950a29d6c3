/** How a world begins: a company with a year behind it. */
import { Big } from "big.js";
import { accountIn } from "./accounts";
import { move } from "./movements";
import { clients } from "./parties";
import type { World } from "./world";

const openingBalances = { EUR: "250000", GBP: "120000", USD: "180000", JPY: "12000000" };

export function seed(world: World): void {
  world.catchUp();
  for (const client of clients)
    for (const [currency, amount] of Object.entries(openingBalances))
      move(world, accountIn(world, client, currency), new Big(amount), "nostro", {
        type: "incoming",
        reference: "OPENING",
        information: "Opening balance",
      });
}
