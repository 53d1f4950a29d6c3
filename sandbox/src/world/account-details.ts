/** The numbers under which money reaches the accounts of a client. */
import { type Account, accountIn } from "./accounts";
import { tradedCurrencies } from "./fx";
import type { Client } from "./parties";
import type { World } from "./world";

export interface AccountDetails {
  readonly accountDetailsId: string;
  readonly clientId: string;
  /** Absent for pooled accounts, which belong to no one client. */
  readonly account?: Account;
  readonly type: "dedicated" | "pooled";
  /** A dedicated account is segregated, with numbers at the bank of its own, or virtual. */
  readonly virtual: boolean;
  readonly country: string;
  readonly currency: string;
  /** From which the numbers are made. */
  readonly digits: string;
  readonly createdAt: Date;
  modifiedAt: Date;
  status: "pending" | "confirmed" | "failed";
  primary: boolean;
  alias: string | undefined;
}

/** Where dedicated accounts can be requested: the capability of a currency and country pair. */
const requestable = new Set([
  "EUR/DE",
  "EUR/NL",
  "EUR/FR",
  "EUR/IE",
  "EUR/BE",
  "EUR/LU",
  "GBP/GB",
  "USD/US",
  "CHF/CH",
  "CAD/CA",
  "AUD/AU",
]);

/** Virtual accounts are assigned in every traded currency but these. */
const withoutVirtualAccounts = new Set(["CNY", "INR"]);

export const isRequestable = (currency: string, country: string): boolean =>
  requestable.has(`${currency}/${country}`);
export const isVirtualCurrency = (currency: string): boolean =>
  tradedCurrencies.includes(currency) && !withoutVirtualAccounts.has(currency);

/** How long the dealers take to confirm a requested account. */
const confirmationMs = 60_000;

type Opening = Pick<AccountDetails, "type" | "virtual" | "country" | "currency" | "status"> & {
  readonly alias?: string | undefined;
  readonly digits?: string;
};

export function addDetails(world: World, client: Pick<Client, "clientId">, opening: Opening): AccountDetails {
  const { clientId } = client;
  const details: AccountDetails = {
    digits: world.ids.digits(10),
    alias: undefined,
    ...opening,
    accountDetailsId: world.ids.uuid(),
    clientId,
    ...(opening.type === "dedicated" && { account: accountIn(world, client, opening.currency) }),
    createdAt: world.now,
    modifiedAt: world.now,
    primary: false,
  };
  world.accountDetails.set(details.accountDetailsId, details);
  return details;
}

export const detailsOf = (
  { accountDetails }: World,
  { clientId }: Pick<Client, "clientId">,
): AccountDetails[] => [...accountDetails.values()].filter((details) => details.clientId === clientId);

/** Asks for a dedicated account, once for each currency and country: it is pending until the dealers confirm it. */
export function request(
  world: World,
  client: Client,
  wanted: { readonly currency: string; readonly country: string; readonly alias: string | undefined },
): void {
  const already = detailsOf(world, client).some(
    ({ type, currency, country, status }) =>
      type === "dedicated" &&
      currency === wanted.currency &&
      country === wanted.country &&
      status !== "failed",
  );
  if (already) return;
  const details = addDetails(world, client, {
    ...wanted,
    type: "dedicated",
    virtual: false,
    status: "pending",
  });
  world.agenda.schedule(new Date(world.now.getTime() + confirmationMs), () => {
    details.status = "confirmed";
    details.modifiedAt = world.now;
  });
}

/** Makes the details the primary ones of their currency, in the place of those that were. */
export function makePrimary(world: World, chosen: AccountDetails): void {
  for (const details of detailsOf(world, chosen)) {
    const primary = details === chosen;
    if (details.currency !== chosen.currency || details.primary === primary) continue;
    details.primary = primary;
    details.modifiedAt = world.now;
  }
}
