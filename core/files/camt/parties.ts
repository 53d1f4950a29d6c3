/** Parties, agents and accounts of camt and pain messages. */
import { addressElements } from "../address";
import { removeWhitespace } from "../charset";
import {
  type Account,
  type Counterparty,
  type Entry,
  type PostalAddress,
  toCounterparty,
  withoutUndefined,
} from "../statement";
import { childOf, childrenOf, textOf, type XmlElement } from "../xml";

function addressOf(element: XmlElement | undefined): PostalAddress | undefined {
  if (!element) return undefined;
  const lines = childrenOf(element, "AdrLine").flatMap((line) => line.text.trim() || []);
  const fields: Record<string, string | readonly string[] | undefined> = {};
  for (const [field, name] of Object.entries(addressElements)) fields[field] = textOf(element, name);
  const address = withoutUndefined<PostalAddress>({
    ...fields,
    lines: lines.length > 0 ? lines : undefined,
  } as PostalAddress);
  return Object.keys(address).length > 0 ? address : undefined;
}

/** Returns the number of an account: its IBAN, or else another number. */
export function accountNumberOf(account: XmlElement | undefined): string | undefined {
  const iban = textOf(account, "Id", "IBAN");
  return iban === undefined ? textOf(account, "Id", "Othr", "Id") : removeWhitespace(iban);
}

/** Fields of the bank of a counterparty. */
export function agentOf(agent: XmlElement | undefined): Counterparty {
  const institution = childOf(agent, "FinInstnId");
  return withoutUndefined<Counterparty>({
    bic: textOf(institution, "BICFI") ?? textOf(institution, "BIC"),
    bankName: textOf(institution, "Nm"),
    bankAddress: addressOf(childOf(institution, "PstlAdr")),
    bankCode: textOf(institution, "ClrSysMmbId", "MmbId") ?? textOf(institution, "Othr", "Id"),
  });
}

/** Returns the element of a party: its own, or the one inside that versions from .07 on add. */
const partyElement = (element: XmlElement | undefined) =>
  childOf(element, "Pty") ?? childOf(element, "Agt", "FinInstnId") ?? element;

function partyOf(element: XmlElement | undefined): Counterparty {
  const party = partyElement(element);
  const [organisation, person] = [childOf(party, "Id", "OrgId"), childOf(party, "Id", "PrvtId")];
  return withoutUndefined<Counterparty>({
    name: textOf(party, "Nm"),
    address: addressOf(childOf(party, "PstlAdr")),
    id:
      textOf(organisation, "Othr", "Id") ??
      textOf(person, "Othr", "Id") ??
      textOf(organisation, "AnyBIC") ??
      textOf(organisation, "BICOrBEI"),
    lei: textOf(organisation, "LEI"),
  });
}

/** Returns the creditor's identifier of a direct debit. */
function creditorIdOf(parties: XmlElement | undefined): string | undefined {
  const ids = childrenOf(childOf(partyElement(childOf(parties, "Cdtr")), "Id", "PrvtId"), "Othr");
  return textOf(
    ids.find((id) => textOf(id, "SchmeNm", "Prtry") === "SEPA"),
    "Id",
  );
}

type Parties = Pick<Entry, "counterparty" | "ultimateCounterparty" | "creditorId">;

/**
 * Returns the other party of a transaction: the debtor of a credit. Parties keep their roles when a payment is reversed, and
 * banks disagree on returns, so that there the account owner's side is recognised by the account number.
 */
export function partiesOf(
  transaction: XmlElement,
  { creditDebit, reversal = false }: Pick<Entry, "creditDebit" | "reversal">,
  account: Account,
): { [F in keyof Parties]: Parties[F] | undefined } {
  const parties = childOf(transaction, "RltdPties");
  const agents = childOf(transaction, "RltdAgts");
  const roles = (creditDebit === "Credit") === reversal ? ["Cdtr", "Dbtr"] : ["Dbtr", "Cdtr"];
  const isReturn = reversal || childOf(transaction, "RtrInf") !== undefined;
  const found = (isReturn ? roles : roles.slice(0, 1))
    .map((role) => ({
      party: {
        ...partyOf(childOf(parties, role)),
        ...withoutUndefined({ account: accountNumberOf(childOf(parties, `${role}Acct`)) }),
        ...agentOf(childOf(agents, `${role}Agt`)),
      },
      ultimate: textOf(partyElement(childOf(parties, `Ultmt${role}`)), "Nm"),
    }))
    .filter(({ party }) => Object.keys(party).length > 0 && party.account !== account.number);
  const other =
    found.find(({ party }) => party.name !== undefined || party.account !== undefined) ?? found[0];
  return {
    counterparty: toCounterparty(other?.party ?? {}),
    ultimateCounterparty: other?.ultimate,
    creditorId: creditorIdOf(parties),
  };
}
