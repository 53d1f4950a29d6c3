/** The numbers of the companies' accounts; the demo company's are of every type but virtual, and in every status. */
import { addDetails, decide } from "../accounts/account-details";
import { homeOf } from "../accounts/banks";
import { demo } from "../parties/parties";
import type { World } from "../world";

const segregated = { type: "dedicated", virtual: false } as const;
const pooled = { type: "pooled", virtual: false } as const;
const currencies = ["EUR", "GBP", "USD", "JPY"];

export function seedAccountDetails(world: World): void {
  for (const client of world.clients.values())
    for (const currency of currencies) {
      const at = { country: homeOf(currency), currency };
      decide(
        world,
        addDetails(world, client, { ...segregated, ...at, alias: `Main ${currency}` }),
        "confirmed",
      );
      decide(world, addDetails(world, client, { ...pooled, ...at }), "confirmed");
    }
  const benelux = { ...segregated, country: "NL", currency: "EUR", alias: "Benelux sales" };
  decide(world, addDetails(world, demo, benelux), "confirmed");
  addDetails(world, demo, { ...segregated, country: "FR", currency: "EUR" });
  decide(world, addDetails(world, demo, { ...segregated, country: "IE", currency: "EUR" }), "failed");
}
