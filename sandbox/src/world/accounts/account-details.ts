/** The numbers under which money reaches the accounts of a client. */
import type { AccountDetailsStatus, Subset } from "../enumerations";
import { type Account, type Numbers, ownNumbers } from "./account";
import { findOrOpenAccount, findAccountIn } from "./accounts";
import type { AccountDetails } from "./details";
import { homeCountryOf } from "./banks";
import { nonDeliverableCurrencies } from "../money/currencies";
import { tradedCurrencies } from "../money/fx";
import type { Client } from "../parties/parties";
import type { World } from "../world";

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

export const isRequestable = (currency: string, country: string): boolean =>
  capabilities[currency]?.includes(country) ?? false;
/** Virtual accounts are assigned in every traded currency that is delivered abroad. */
export const isVirtualCurrency = (currency: string): boolean =>
  tradedCurrencies.includes(currency) && !nonDeliverableCurrencies.has(currency);

/** How long the dealers take to confirm a requested account. */
const confirmationMs = 60_000;

type Opening = Pick<AccountDetails, "type" | "virtual" | "country" | "currency"> & {
  readonly alias?: string | undefined;
};

/** Opens details, which are pending until something is decided on them. */
export function addDetails(
  world: World,
  { clientId }: Pick<Client, "clientId">,
  opening: Opening,
): AccountDetails {
  const details: AccountDetails = {
    alias: undefined,
    ...opening,
    accountDetailsId: world.ids.uuid(),
    clientId,
    numbers: undefined,
    createdAt: world.now,
    modifiedAt: world.now,
    status: "pending",
    primary: false,
  };
  world.accountDetails.set(details.accountDetailsId, details);
  return details;
}

export const detailsOf = (
  { accountDetails }: World,
  { clientId }: Pick<Client, "clientId">,
): AccountDetails[] => [...accountDetails.values()].filter((details) => details.clientId === clientId);

/** The account behind details; undefined where they are pooled, and before it is opened. */
export const accountOfDetails = (world: World, details: AccountDetails): Account | undefined =>
  details.type === "dedicated" ? findAccountIn(world, details, details.currency) : undefined;

/** The details that money for a currency goes to; undefined where none are confirmed. */
export const findPrimaryDetails = (
  world: World,
  client: Pick<Client, "clientId">,
  wantedCurrency: string,
): AccountDetails | undefined =>
  detailsOf(world, client).find(({ currency, primary }) => primary && currency === wantedCurrency);

/** A client's dedicated details in a currency, but for those that failed. */
const dedicatedDetailsIn = (world: World, client: Client, wantedCurrency: string): AccountDetails[] =>
  detailsOf(world, client).filter(
    ({ type, currency, status }) =>
      type === "dedicated" && currency === wantedCurrency && status !== "failed",
  );

/** What stands in the way of a virtual account: only one dedicated account in a currency can be had with one. */
export const conflictWithVirtual = (
  world: World,
  client: Client,
  currency: string,
): AccountDetails | undefined => dedicatedDetailsIn(world, client, currency)[0];

/** What stands in the way of a requested account: a virtual one in its currency. */
export const conflictWithRequested = (
  world: World,
  client: Client,
  currency: string,
): AccountDetails | undefined => dedicatedDetailsIn(world, client, currency).find(({ virtual }) => virtual);

/** Asks for a dedicated account, once for each currency and country: it is pending until the dealers confirm it. */
export function requestAccountDetails(
  world: World,
  client: Client,
  requested: { readonly currency: string; readonly country: string; readonly alias: string | undefined },
): void {
  if (
    dedicatedDetailsIn(world, client, requested.currency).some(({ country }) => country === requested.country)
  )
    return;
  const details = addDetails(world, client, { ...requested, type: "dedicated", virtual: false });
  world.agenda.schedule(world.timeAfter(confirmationMs), "details-are-confirmed", details);
}

/** What the dealers say where nobody has said anything else. */
export function confirmIfPending(world: World, details: AccountDetails): void {
  if (details.status === "pending") applyDecision(world, details, "confirmed");
}

/**
 * What the dealers say to a request that is pending. Confirmed, it has numbers and an account behind it; the first of a
 * currency is its primary one.
 */
export function applyDecision(
  world: World,
  details: AccountDetails,
  status: Subset<AccountDetailsStatus, "confirmed" | "failed">,
): void {
  details.status = status;
  details.modifiedAt = world.now;
  if (status === "failed") return;
  details.numbers = createNumbers(world, details);
  if (details.type === "dedicated" && !findPrimaryDetails(world, details, details.currency))
    makePrimary(world, details);
}

/** At home those of the account, which has them from the beginning. */
function createNumbers(world: World, { type, clientId, country, currency }: AccountDetails): Numbers {
  if (type === "dedicated") {
    const own = ownNumbers(findOrOpenAccount(world, { clientId }, currency));
    if (own.country === country) return own;
  }
  return { country, digits: world.ids.digits(10) };
}

/** Assigns a virtual account in a currency that has no dedicated one. */
export function assignVirtual(world: World, client: Client, currency: string): AccountDetails {
  const opening = { type: "dedicated", virtual: true, country: homeCountryOf(currency), currency } as const;
  const details = addDetails(world, client, opening);
  applyDecision(world, details, "confirmed");
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
