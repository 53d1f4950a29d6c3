/** What a consent asks for and what it opens. */
import type { OperationValues } from "@fxdesk/toolkit/operations";
import { DomainError } from "../domain-error";
import type { Account } from "../accounts/account";
import { type AccountReference, cashAccountType, referenceTo, referredTo } from "./references";

/** As a caller asks for it: lists of accounts by use, or everything of a kind. */
export type Access = OperationValues["consents.create"]["access"];

const listed = ["accounts", "balances", "transactions"] as const;
const uses = [...listed, "ownerName"] as const;
export type Use = (typeof uses)[number];

/** What the words for everything open. */
const opens = {
  availableAccounts: ["accounts"],
  availableAccountsWithBalance: ["accounts", "balances"],
  allPsd2: listed,
} as const satisfies Record<string, readonly Use[]>;

const words = Object.keys(opens) as (keyof typeof opens)[];

/** The accounts that may be read, by use. */
export type Grant = Readonly<Record<Use, readonly Account[]>>;

/** What lists of accounts are asked for. */
type Listed = Use | "trustedBeneficiaries";

type Lists = Readonly<Partial<Record<Listed, readonly AccountReference[] | undefined>>>;

const listsOf = ({ accounts, balances, transactions, additionalInformation }: Access): Lists => ({
  accounts,
  balances,
  transactions,
  ...additionalInformation,
});

const given = <T>(values: readonly (T | undefined)[]): T[] =>
  values.filter((value): value is T => value !== undefined);

/** Whether the accounts are left to the person: the lists are there, and empty. */
export const leavesChoice = (access: Access): boolean =>
  given(Object.values(listsOf(access))).some(({ length }) => length === 0);

const wordsIn = (access: Access) => words.filter((word) => access[word] !== undefined);

const inconsistent = (message: string) => new DomainError("parameter-not-consistent", message);

/** Throws a DomainError when the access asks for nothing, or for things that exclude each other. */
function checkAccess(access: Access): void {
  const asked = wordsIn(access);
  const lists = given(Object.values(listsOf(access)));
  const namesSome = lists.some(({ length }) => length > 0);
  if (asked.length + lists.length === 0)
    throw new DomainError("format-error", "The access asks for nothing.");
  if (asked.length > 1 || (asked.length > 0 && lists.length > 0))
    throw inconsistent("The access asks for all accounts and for some.");
  if (namesSome && leavesChoice(access))
    throw inconsistent("The access names accounts, and leaves them to the person.");
  if (namesSome && access.restrictedTo)
    throw inconsistent("The access names accounts, and restricts their types.");
  if (access.additionalInformation && listed.every((use) => access[use] === undefined))
    throw inconsistent("The access asks for additional information only.");
}

const named = (references: readonly AccountReference[], accounts: readonly Account[]) =>
  references.map((reference) => {
    const account = referredTo(accounts, reference);
    if (account) return account;
    const message = "The access names an account that is not there.";
    throw new DomainError("reference-unknown", message, JSON.stringify(reference));
  });

/** The client's accounts of the types that are asked for. */
function eligible(accounts: readonly Account[], { restrictedTo }: Access): readonly Account[] {
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
 * The accounts an access may open; where it leaves them to the person, those there are to choose from. Throws a DomainError
 * when it contradicts itself, or asks for accounts that are not the client's.
 */
export function grantFor(held: readonly Account[], access: Access): Grant {
  checkAccess(access);
  const all = eligible(held, access);
  const lists = listsOf(access);
  const asked = wordsIn(access);
  const everywhere = (list: Listed) =>
    lists[list]?.length === 0 || asked.some((word) => (opens[word] as readonly Listed[]).includes(list));
  const opened = (list: Listed) => (everywhere(list) ? all : named(lists[list] ?? [], all));
  const [balances, transactions] = [opened("balances"), opened("transactions")];
  const accounts = [...new Set([...opened("accounts"), ...balances, ...transactions])];
  const withOwner = asked.some((word) => access[word] === "allAccountsWithOwnerName");
  const ownerName = withOwner ? all : opened("ownerName");
  if ([...ownerName, ...opened("trustedBeneficiaries")].some((account) => !accounts.includes(account)))
    throw inconsistent("The access asks for additional information on an account that it does not open.");
  return { accounts, balances, transactions, ownerName };
}

/** What of a grant is of some accounts. */
export function narrowed(grant: Grant, accounts: readonly Account[]): Grant {
  const of = (use: Use) => [use, grant[use].filter((account) => accounts.includes(account))];
  return Object.fromEntries(uses.map(of)) as Grant;
}

/** The access with what the person chose in the place of empty lists; nobody's trusted beneficiaries are shown. */
export function granted(access: Access, grant: Grant): Access {
  const { accounts, balances, transactions, additionalInformation } = access;
  const chosen = <T>(use: Use, list: T[] | undefined) =>
    list?.length === 0 ? grant[use].map(referenceTo) : list;
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
