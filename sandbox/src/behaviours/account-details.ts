/** Account details. Contract: endpoints 1 to 6. */
import type { BehavioursOf } from "../calls/behaviour";
import { toPageResponse } from "../calls/responses";
import { DomainError } from "../world/common/domain-error";
import {
  accountOfDetails,
  assignVirtual,
  conflictWithRequested,
  conflictWithVirtual,
  detailsOf,
  isRequestable,
  isVirtualCurrency,
  makePrimary,
  requestAccountDetails,
} from "../world/accounts/account-details";
import type { AccountDetails } from "../world/model/account";
import { bankIn, domesticAddress, ibanOf, internationalAddress } from "../world/banks/banks";
import type { Client } from "../world/parties/parties";
import type { World } from "../world/model/world";

/** Pooled accounts are held by the bank; the payment reference identifies the client. */
const holderOf = ({ type, country }: AccountDetails, client: Client) =>
  type === "pooled"
    ? { name: `${bankIn(country).name} client funds`, address: bankAddressOf(country) }
    : { name: client.name, address: client.address };

function bankAddressOf(country: string): string {
  const { street, postCode, city } = bankIn(country);
  return `${street}, ${postCode} ${city}`;
}

const dedicatedFields = ({ type, alias, primary, createdAt, modifiedAt }: AccountDetails) =>
  type === "dedicated" && {
    alias: alias ?? null,
    primary,
    created: createdAt.toISOString(),
    modified: modifiedAt.toISOString(),
  };

/** Returns the domestic and international addresses of the details. */
const accountAddressesOf = ({ numbers }: AccountDetails) =>
  numbers && {
    domestic: domesticAddress(numbers.country, numbers.digits),
    international: internationalAddress(numbers.country, numbers.digits),
    iban: ibanOf(numbers.country, numbers.digits),
  };

function toDetailsView(world: World, details: AccountDetails, client: Client) {
  const { accountDetailsId, type, country, currency, status } = details;
  const addresses = accountAddressesOf(details);
  const holder = holderOf(details, client);
  return {
    account_id: accountOfDetails(world, details)?.accountId ?? null,
    account_details_id: accountDetailsId,
    account_details_type: type,
    country,
    currency,
    status,
    domestic: addresses?.domestic ?? null,
    international: addresses?.international ?? null,
    financial_institution_name: bankIn(country).name,
    financial_institution_address: bankAddressOf(country),
    account_holder_name: holder.name,
    account_holder_address: holder.address,
    ...dedicatedFields(details),
  };
}

const flatType = ({ type, virtual }: AccountDetails) => {
  if (type === "pooled") return "pooled";
  return virtual ? "virtual" : "segregated";
};

function toFlatView(world: World, details: AccountDetails, client: Client) {
  const { accountDetailsId, country, currency, status, alias, primary } = details;
  const addresses = accountAddressesOf(details);
  const identifiers = addresses?.domestic ?? addresses?.international;
  const holder = holderOf(details, client);
  return {
    account_id: accountOfDetails(world, details)?.accountId ?? null,
    account_detail_id: accountDetailsId,
    account_details_type: flatType(details),
    alias: alias ?? null,
    bank_account_number: identifiers?.account_number ?? null,
    bank_identifier: identifiers?.bank_identifier ?? null,
    bank_identifier_type: identifiers?.bank_identifier_type ?? null,
    bic: bankIn(country).bic,
    country,
    currency,
    financial_institution_name: bankIn(country).name,
    financial_institution_address: bankAddressOf(country),
    holder_name: holder.name,
    holder_address: holder.address,
    iban: addresses?.iban ?? null,
    primary,
    reference_for_payment: client.clientId,
    status,
  };
}

/** Returns the client's own dedicated details. Throws if they are unknown or pooled. */
function dedicatedDetails(world: World, client: Client, id: string): AccountDetails {
  const details = world.accountDetails.get(id.toLowerCase());
  if (details?.clientId !== client.clientId)
    throw new DomainError("account-details-not-found", "The client has no such account details.", id);
  if (details.type === "pooled")
    throw new DomainError(
      "pooled-account",
      "A pooled account cannot be changed.",
      "Only dedicated accounts can.",
    );
  return details;
}

/** Throws if a dedicated account conflicts with the request. */
function assertNoConflict(conflicting: AccountDetails | undefined): void {
  if (!conflicting) return;
  throw new DomainError(
    "virtual-account-exists",
    "A dedicated account in this currency already exists.",
    conflicting.accountDetailsId,
  );
}

export const accountDetails: BehavioursOf<"accountDetails"> = {
  "accountDetails.list": (call) => {
    const { values, client, world } = call;
    const requestedId = values.account_id?.toLowerCase();
    const found = detailsOf(world, client).filter(
      (details) =>
        (values.account_details_type ?? details.type) === details.type &&
        (requestedId === undefined || accountOfDetails(world, details)?.accountId === requestedId) &&
        (values.country ?? details.country) === details.country &&
        (values.currency ?? details.currency) === details.currency &&
        (values.alias ?? details.alias) === details.alias,
    );
    return toPageResponse(call, found, (details) => toDetailsView(world, details, client));
  },

  "accountDetails.listAll": ({ client, world }) => ({
    status: 200,
    body: detailsOf(world, client).map((details) => toFlatView(world, details, client)),
  }),

  "accountDetails.request": ({ values: { currency, country, alias }, client, world }) => {
    if (!isRequestable(currency, country))
      throw new DomainError(
        "account-not-requestable",
        "The account cannot be requested.",
        `Dedicated accounts in ${currency} are not possible in ${country}.`,
      );
    assertNoConflict(conflictWithRequested(world, client, currency));
    requestAccountDetails(world, client, { currency, country, alias });
    return { status: 200 };
  },

  "accountDetails.updateAlias": ({ values, client, world }) => {
    const details = dedicatedDetails(world, client, values.account_details_id);
    details.alias = values.alias;
    details.modifiedAt = world.now;
    return { status: 200, body: toDetailsView(world, details, client) };
  },

  "accountDetails.makeDefault": ({ values, client, world }) => {
    const details = dedicatedDetails(world, client, values.account_details_id);
    if (details.status !== "confirmed")
      throw new DomainError(
        "account-details-not-active",
        "The account details are not active.",
        `Their status is ${details.status}.`,
      );
    makePrimary(world, details);
    return { status: 204 };
  },

  "accountDetails.assignVirtual": ({ values: { currency }, client, world }) => {
    if (!isVirtualCurrency(currency))
      throw new DomainError(
        "account-not-assignable",
        "Virtual accounts cannot be assigned.",
        `Currency ${currency}.`,
      );
    assertNoConflict(conflictWithVirtual(world, client, currency));
    return { status: 200, body: [toFlatView(world, assignVirtual(world, client, currency), client)] };
  },
};
