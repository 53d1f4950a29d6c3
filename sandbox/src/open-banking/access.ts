/** What a consent asks for and what it opens. */
import type { BehavioursOf } from "../behaviour";
import { Refusal } from "../refusal";
import type { Account } from "../world/accounts";
import type { Client } from "../world/parties";
import type { World } from "../world/world";
import { type AccountReference, referenceTo, referredTo } from "./references";

type Asked = Parameters<BehavioursOf<"consents">["consents.create"]>[0]["values"];

/** As a caller asks for it: lists of accounts by use, or everything of a kind. */
export type Access = Asked["access"];

const uses = ["accounts", "balances", "transactions"] as const;
export type Use = (typeof uses)[number];

/** What the words for everything open. */
const opens = {
  availableAccounts: ["accounts"],
  availableAccountsWithBalance: ["accounts", "balances"],
  allPsd2: uses,
} as const satisfies Record<string, readonly Use[]>;

const words = Object.keys(opens) as (keyof typeof opens)[];

/** The accounts that may be read, by use. */
export type Grant = Readonly<Record<Use, readonly Account[]>>;

function named(accounts: readonly Account[], references: readonly AccountReference[] = []): Account[] {
  return references.map((reference) => {
    const account = referredTo(accounts, reference);
    if (!account)
      throw new Refusal(
        400,
        "RESOURCE_UNKNOWN",
        "The access names an account that is not there.",
        JSON.stringify(reference),
      );
    return account;
  });
}

/**
 * The accounts an access opens; an empty list leaves the choice to the person, who opens all. Throws a Refusal when it
 * asks for nothing, for two kinds of thing at once, or for accounts that are not the client's.
 */
export function grantFor(world: World, client: Client, access: Access): Grant {
  const all = world.accountsOf(client);
  const asked = words.filter((word) => access[word] !== undefined);
  const lists = uses.filter((use) => access[use] !== undefined);
  if (asked.length + lists.length === 0)
    throw new Refusal(400, "FORMAT_ERROR", "The access asks for nothing.");
  if (asked.length > 1 || (asked.length > 0 && lists.length > 0))
    throw new Refusal(400, "PARAMETER_NOT_CONSISTENT", "The access asks for all accounts and for some.");
  const opened = (use: Use): readonly Account[] => {
    if (asked.some((word) => (opens[word] as readonly Use[]).includes(use))) return all;
    return access[use]?.length === 0 ? all : named(all, access[use]);
  };
  const balances = opened("balances");
  const transactions = opened("transactions");
  const accounts = new Set([...opened("accounts"), ...balances, ...transactions]);
  return { accounts: [...accounts], balances, transactions };
}

/** The access with what the person chose in the place of empty lists. */
export const chosen = (access: Access, grant: Grant): Access => ({
  ...access,
  ...Object.fromEntries(
    uses.filter((use) => access[use]?.length === 0).map((use) => [use, grant[use].map(referenceTo)]),
  ),
});

/** Whether the names of the accounts' owners may be read too. */
export const withOwnerName = ({ additionalInformation, ...access }: Access): boolean =>
  additionalInformation?.ownerName !== undefined ||
  words.some((word) => access[word] === "allAccountsWithOwnerName");
