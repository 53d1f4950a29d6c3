/** Account details: the numbers under which money reaches a client's accounts. */
import type { AccountDetailsStatus, Subset } from "../common/enumerations";
import { type Account, type Numbers, ownNumbers, type AccountDetails } from "../model/account";
import { findOrOpenAccount, findAccountIn } from "./accounts";
import { homeCountryOf } from "../banks/banks";
import { nonDeliverableCurrencies } from "../money/currencies";
import { tradedCurrencies } from "../money/fx";
import type { Client } from "../parties/parties";
import type { World } from "../model/world";

/** Countries of the euro in which dedicated accounts can be requested. */
const euroCountries = new Set(["AT", "BE", "DE", "ES", "FI", "FR", "GR", "IE", "IT", "LT", "LU", "NL", "PT"]);
/** Other currencies in which they can be requested, each in its country. */
const requestableCurrencies = "GBP USD CHF CAD AUD NZD SGD HKD PLN CZK SEK NOK DKK".split(" ");

export const isRequestable = (currency: string, country: string): boolean =>
  currency === "EUR"
    ? euroCountries.has(country)
    : requestableCurrencies.includes(currency) && country === homeCountryOf(currency);

/** True if virtual accounts can be assigned: in every traded currency that is deliverable abroad. */
export const isVirtualCurrency = (currency: string): boolean =>
  tradedCurrencies.includes(currency) && !nonDeliverableCurrencies.has(currency);

/** Time until the dealers confirm a requested account. */
const confirmationMs = 60_000;

type Opening = Pick<AccountDetails, "type" | "virtual" | "country" | "currency"> & {
  readonly alias?: string | undefined;
};

/** Adds pending account details. */
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

/** Returns the account of the details; undefined if they are pooled or not yet opened. */
export const accountOfDetails = (world: World, details: AccountDetails): Account | undefined =>
  details.type === "dedicated" ? findAccountIn(world, details, details.currency) : undefined;

/** Returns the details to which money in a currency is paid; undefined if none are confirmed. */
export const findPrimaryDetails = (
  world: World,
  client: Pick<Client, "clientId">,
  wantedCurrency: string,
): AccountDetails | undefined =>
  detailsOf(world, client).find(({ currency, primary }) => primary && currency === wantedCurrency);

/** Returns a client's dedicated details in a currency, except failed ones. */
const dedicatedDetailsIn = (world: World, client: Client, wantedCurrency: string): AccountDetails[] =>
  detailsOf(world, client).filter(
    ({ type, currency, status }) =>
      type === "dedicated" && currency === wantedCurrency && status !== "failed",
  );

/** Returns the conflict with a virtual account, which must be the only dedicated account in its currency. */
export const conflictWithVirtual = (
  world: World,
  client: Client,
  currency: string,
): AccountDetails | undefined => dedicatedDetailsIn(world, client, currency)[0];

/** Returns the conflict with a requested account: a virtual one in its currency. */
export const conflictWithRequested = (
  world: World,
  client: Client,
  currency: string,
): AccountDetails | undefined => dedicatedDetailsIn(world, client, currency).find(({ virtual }) => virtual);

/**
 * Requests a dedicated account, once per currency and country. It stays pending until the dealers confirm it.
 */
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
  world.scheduledEvents.schedule(world.timeAfter(confirmationMs), "details-are-confirmed", details);
}

/** Confirms details that were not decided otherwise. */
export function confirmIfPending(world: World, details: AccountDetails): void {
  if (details.status === "pending") applyDecision(world, details, "confirmed");
}

/**
 * Applies the dealers' decision to pending details. Confirmed details get numbers and an account; the first of a
 * currency becomes primary.
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

/** Uses the account's own numbers in its home country, else new ones. */
function createNumbers(world: World, { type, clientId, country, currency }: AccountDetails): Numbers {
  if (type === "dedicated") {
    const own = ownNumbers(findOrOpenAccount(world, { clientId }, currency));
    if (own.country === country) return own;
  }
  return { country, digits: world.ids.digits(10) };
}

/** Assigns a virtual account in a currency without a dedicated one. */
export function assignVirtual(world: World, client: Client, currency: string): AccountDetails {
  const opening = { type: "dedicated", virtual: true, country: homeCountryOf(currency), currency } as const;
  const details = addDetails(world, client, opening);
  applyDecision(world, details, "confirmed");
  return details;
}

/** Makes details the primary ones of their currency. */
export function makePrimary(world: World, chosen: AccountDetails): void {
  for (const details of detailsOf(world, chosen)) {
    const primary = details === chosen;
    if (details.currency !== chosen.currency || details.primary === primary) continue;
    details.primary = primary;
    details.modifiedAt = world.now;
  }
}
