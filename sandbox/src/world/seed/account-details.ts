/** The numbers of the demo company's accounts: of every type and in every status. */
import { accountIn } from "../accounts";
import { addDetails, makePrimary } from "../account-details";
import { homeOf } from "../banks";
import { demo } from "../parties";
import type { World } from "../world";

const segregated = { type: "dedicated", virtual: false } as const;
const pooled = { type: "pooled", virtual: false, status: "confirmed" } as const;

export function seedAccountDetails(world: World): void {
  for (const currency of ["EUR", "GBP", "USD", "JPY"]) {
    const { digits } = accountIn(world, demo, currency);
    const country = homeOf(currency);
    const alias = `Main ${currency}`;
    makePrimary(
      world,
      addDetails(world, demo, { ...segregated, country, currency, status: "confirmed", alias, digits }),
    );
    addDetails(world, demo, { ...pooled, country, currency });
  }
  addDetails(world, demo, {
    ...segregated,
    country: "NL",
    currency: "EUR",
    status: "confirmed",
    alias: "Benelux sales",
  });
  addDetails(world, demo, { ...segregated, country: "FR", currency: "EUR", status: "pending" });
  addDetails(world, demo, { ...segregated, country: "IE", currency: "EUR", status: "failed" });
}
