/** Consents, with the requested and the granted access. */
import type { ConsentStatus } from "../common/enumerations";
import type { Client } from "../parties/parties";
import type { Decision } from "./decision";
import type { OperationValues } from "@fxdesk/toolkit/operations";
import { DomainError } from "../common/domain-error";
import {
  type Account,
  type AccountReference,
  cashAccountType,
  toAccountReference,
  findReferencedAccount,
} from "./account";

/** Access as requested: lists of accounts by use, or a keyword for all accounts. */
type Access = OperationValues["consents.create"]["access"];

const listedUses = ["accounts", "balances", "transactions"] as const;
const accessUses = [...listedUses, "ownerName"] as const;
export type AccessUse = (typeof accessUses)[number];

/** Uses that each keyword opens. */
const usesByKeyword = {
  availableAccounts: ["accounts"],
  availableAccountsWithBalance: ["accounts", "balances"],
  allPsd2: listedUses,
} as const satisfies Record<string, readonly AccessUse[]>;

const keywords = Object.keys(usesByKeyword) as (keyof typeof usesByKeyword)[];

/** Readable accounts by use. */
export type Grant = Readonly<Record<AccessUse, readonly Account[]>>;

type AccessListName = AccessUse | "trustedBeneficiaries";

type Lists = Readonly<Partial<Record<AccessListName, readonly AccountReference[] | undefined>>>;

const requestedLists = ({ accounts, balances, transactions, additionalInformation }: Access): Lists => ({
  accounts,
  balances,
  transactions,
  ...additionalInformation,
});

const definedValues = <T>(values: readonly (T | undefined)[]): T[] =>
  values.filter((value): value is T => value !== undefined);

/** True if the person chooses the accounts: the lists are present but empty. */
export const letsPersonChoose = (access: Access): boolean =>
  definedValues(Object.values(requestedLists(access))).some(({ length }) => length === 0);

const keywordsIn = (access: Access) => keywords.filter((word) => access[word] !== undefined);

const toInconsistencyError = (message: string) => new DomainError("parameter-not-consistent", message);

/** Throws a DomainError if the access requests nothing or contradicts itself. */
function assertConsistent(access: Access): void {
  const requestedKeywords = keywordsIn(access);
  const lists = definedValues(Object.values(requestedLists(access)));
  const namesSome = lists.some(({ length }) => length > 0);
  if (requestedKeywords.length + lists.length === 0)
    throw new DomainError("format-error", "The access requests nothing.");
  if (requestedKeywords.length > 1 || (requestedKeywords.length > 0 && lists.length > 0))
    throw toInconsistencyError("The access requests both all accounts and individual ones.");
  if (namesSome && letsPersonChoose(access))
    throw toInconsistencyError("The access names accounts and also leaves the choice to the person.");
  if (namesSome && access.restrictedTo)
    throw toInconsistencyError("The access names accounts and also restricts account types.");
  if (access.additionalInformation && listedUses.every((use) => access[use] === undefined))
    throw toInconsistencyError("The access requests only additional information.");
}

const resolveReferences = (references: readonly AccountReference[], accounts: readonly Account[]) =>
  references.map((reference) => {
    const account = findReferencedAccount(accounts, reference);
    if (account) return account;
    const message = "The access names an unknown account.";
    throw new DomainError("reference-unknown", message, JSON.stringify(reference));
  });

/** Returns the client's accounts of the requested types. */
function eligibleAccounts(accounts: readonly Account[], { restrictedTo }: Access): readonly Account[] {
  if (restrictedTo?.length === 0) throw new DomainError("format-error", "restrictedTo names no type.");
  if (restrictedTo && !restrictedTo.includes(cashAccountType))
    throw new DomainError(
      "reference-unknown",
      "There is no account of these types.",
      restrictedTo.join(", "),
    );
  return accounts;
}

/**
 * Returns the accounts that an access opens, or all candidates if the person chooses them. Throws a DomainError if the
 * access contradicts itself or names an account of another client.
 */
export function grantFor(ownAccounts: readonly Account[], access: Access): Grant {
  assertConsistent(access);
  const all = eligibleAccounts(ownAccounts, access);
  const lists = requestedLists(access);
  const requestedKeywords = keywordsIn(access);
  const opensAll = (list: AccessListName) =>
    lists[list]?.length === 0 ||
    requestedKeywords.some((word) => (usesByKeyword[word] as readonly AccessListName[]).includes(list));
  const accountsFor = (list: AccessListName) =>
    opensAll(list) ? all : resolveReferences(lists[list] ?? [], all);
  const [balances, transactions] = [accountsFor("balances"), accountsFor("transactions")];
  const accounts = [...new Set([...accountsFor("accounts"), ...balances, ...transactions])];
  const withOwner = requestedKeywords.some((word) => access[word] === "allAccountsWithOwnerName");
  const ownerName = withOwner ? all : accountsFor("ownerName");
  if ([...ownerName, ...accountsFor("trustedBeneficiaries")].some((account) => !accounts.includes(account)))
    throw toInconsistencyError(
      "The access requests additional information on an account that it does not include.",
    );
  return { accounts, balances, transactions, ownerName };
}

/** Restricts a grant to some accounts. */
export function narrowGrant(grant: Grant, accounts: readonly Account[]): Grant {
  const narrowUse = (use: AccessUse) => [use, grant[use].filter((account) => accounts.includes(account))];
  return Object.fromEntries(accessUses.map(narrowUse)) as Grant;
}

/** Replaces empty lists by the person's choices. Trusted beneficiaries are not supported and are dropped. */
export function accessWithChoices(access: Access, grant: Grant): Access {
  const { accounts, balances, transactions, additionalInformation } = access;
  const chosen = <T>(use: AccessUse, list: T[] | undefined) =>
    list?.length === 0 ? grant[use].map(toAccountReference) : list;
  return {
    ...access,
    accounts: chosen("accounts", accounts),
    balances: chosen("balances", balances),
    transactions: chosen("transactions", transactions),
    additionalInformation: additionalInformation && {
      ownerName: chosen("ownerName", additionalInformation.ownerName),
    },
  };
}

/** Lines covered by a delta report: from the line count at the previous report to the current count. */
export interface ReportSpan {
  readonly after: number;
  readonly until: number;
}

export interface ConsentTerms {
  /** Requested access; after authorisation, with the person's choices filled in. */
  access: Access;
  readonly recurringIndicator: boolean;
  /** Last valid day. */
  readonly validUntil: string;
  readonly frequencyPerDay: number;
}

/** Unattended calls of one kind on one day. */
export interface ReadCount {
  readonly times: number;
  readonly lastAt: Date;
  /** Pages read of the last report. */
  readonly pages: ReadonlySet<number>;
}

export interface Consent extends ConsentTerms {
  readonly consentId: string;
  readonly client: Client;
  /** Accounts the consent opens, or may open while it is not yet authorised. */
  grant: Grant;
  readonly decision: Decision;
  /** Unattended reads by resource, on the most recent day with reads. */
  unattended: { readonly day: string; readonly reads: Map<string, ReadCount> };
  /** Last transaction report by account. */
  readonly reported: Map<string, ReportSpan>;
  /** Until then, old entries are also readable. */
  allHistoryUntil: Date;
  status: ConsentStatus;
  /** Date of the last status change. */
  lastActionDate: string;
}
