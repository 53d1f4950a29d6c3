/**
 * Seeds account details of all companies. The demo company has details of every type except virtual, in every status.
 */
import { addDetails, applyDecision } from "../accounts/account-details";
import { homeCountryOf } from "../banks/banks";
import { demo } from "../parties/parties";
import type { World } from "../model/world";

const segregated = { type: "dedicated", virtual: false } as const;
const pooled = { type: "pooled", virtual: false } as const;
const currencies = ["EUR", "GBP", "USD", "JPY"];

export function seedAccountDetails(world: World): void {
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
