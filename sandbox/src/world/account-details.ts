/** The numbers under which money reaches the accounts of a client. */
import { type Account, accountIn } from "./accounts";
import { homeOf } from "./banks";
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

/** The capabilities: in which countries dedicated accounts can be requested in a currency. */
const capabilities: Readonly<Record<string, readonly string[]>> = {
  EUR: ["AT", "BE", "DE", "ES", "FI", "FR", "GR", "IE", "IT", "LT", "LU", "NL", "PT"],
  GBP: ["GB"],
  USD: ["US"],
  CHF: ["CH"],
  CAD: ["CA"],
  AUD: ["AU"],
  NZD: ["NZ"],
  SGD: ["SG"],
  HKD: ["HK"],
  PLN: ["PL"],
  CZK: ["CZ"],
  SEK: ["SE"],
  NOK: ["NO"],
  DKK: ["DK"],
};

/** Virtual accounts are assigned in every traded currency but these. */
const withoutVirtualAccounts = new Set(["CNY", "INR"]);

export const isRequestable = (currency: string, country: string): boolean =>
  capabilities[currency]?.includes(country) ?? false;
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

/** A client's dedicated details in a currency, but for those that failed. */
const dedicatedIn = (world: World, client: Client, wanted: string): AccountDetails[] =>
  detailsOf(world, client).filter(
    ({ type, currency, status }) => type === "dedicated" && currency === wanted && status !== "failed",
  );

/** What stands in the way of a virtual account: only one dedicated account in a currency can be had with one. */
export const besideVirtual = (world: World, client: Client, currency: string): AccountDetails | undefined =>
  dedicatedIn(world, client, currency)[0];

/** What stands in the way of a requested account: a virtual one in its currency. */
export const besideRequested = (world: World, client: Client, currency: string): AccountDetails | undefined =>
  dedicatedIn(world, client, currency).find(({ virtual }) => virtual);

/** Asks for a dedicated account, once for each currency and country: it is pending until the dealers confirm it. */
export function request(
  world: World,
  client: Client,
  wanted: { readonly currency: string; readonly country: string; readonly alias: string | undefined },
): void {
  if (dedicatedIn(world, client, wanted.currency).some(({ country }) => country === wanted.country)) return;
  const details = addDetails(world, client, {
    ...wanted,
    type: "dedicated",
    virtual: false,
    status: "pending",
  });
  world.agenda.schedule(new Date(world.now.getTime() + confirmationMs), () => {
    if (details.status === "pending") decide(world, details, "confirmed");
  });
}

/** What the dealers say to a request that is pending. The first account of a currency is its primary one. */
export function decide(world: World, details: AccountDetails, status: "confirmed" | "failed"): void {
  details.status = status;
  details.modifiedAt = world.now;
  const isFirst = !detailsOf(world, details).some(
    ({ currency, primary }) => primary && currency === details.currency,
  );
  if (status === "confirmed" && isFirst) makePrimary(world, details);
}

/** Assigns a virtual account in a currency that has no dedicated one. */
export function assignVirtual(world: World, client: Client, currency: string): AccountDetails {
  const country = homeOf(currency);
  const opening = { type: "dedicated", virtual: true, country, currency, status: "pending" } as const;
  const details = addDetails(world, client, opening);
  decide(world, details, "confirmed");
  return details;
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
