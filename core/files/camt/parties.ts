/** Parties, agents and accounts of camt and pain messages. */
import { addressElements } from "../address";
import { removeWhitespace } from "../charset";
import {
  type Account,
  type Counterparty,
  type DraftOf,
  type Entry,
  type PostalAddress,
  put,
} from "../statement";
import { childOf, childrenOf, textOf, type XmlElement } from "../xml";

const addressFields: ReadonlyMap<string, keyof typeof addressElements> = new Map(
  Object.entries(addressElements).map(([field, name]) => [name, field as keyof typeof addressElements]),
);

function addressOf(element: XmlElement | undefined): PostalAddress | undefined {
  if (!element) return undefined;
  const address: DraftOf<PostalAddress> = {};
  const lines: string[] = [];
  for (const { name, text } of element.children) {
    const field = addressFields.get(name);
    const trimmed = text.trim();
    if (trimmed === "") continue;
    if (field) address[field] ??= trimmed;
    else if (name === "AdrLine") lines.push(trimmed);
  }
  if (lines.length > 0) address.lines = lines;
  return hasFields(address) ? address : undefined;
}

function hasFields(value: object): boolean {
  for (const _ in value) return true;
  return false;
}

/** Returns the number of an account: its IBAN, or else another number. */
export function accountNumberOf(account: XmlElement | undefined): string | undefined {
  const iban = textOf(account, "Id", "IBAN");
  return iban === undefined ? textOf(account, "Id", "Othr", "Id") : removeWhitespace(iban);
}

/** Puts the bank of a counterparty. */
export function putAgent(draft: DraftOf<Counterparty>, agent: XmlElement | undefined): void {
  const institution = childOf(agent, "FinInstnId");
  if (!institution) return;
  put(draft, "bic", textOf(institution, "BICFI") ?? textOf(institution, "BIC"));
  put(draft, "bankName", textOf(institution, "Nm"));
  put(draft, "bankAddress", addressOf(childOf(institution, "PstlAdr")));
  put(draft, "bankCode", textOf(institution, "ClrSysMmbId", "MmbId") ?? textOf(institution, "Othr", "Id"));
}

/** Returns the element of a party: its own, or the one inside that versions from .07 on add. */
const partyElement = (element: XmlElement | undefined) =>
  childOf(element, "Pty") ?? childOf(element, "Agt", "FinInstnId") ?? element;

function putParty(draft: DraftOf<Counterparty>, element: XmlElement | undefined): void {
  const party = partyElement(element);
  if (!party) return;
  put(draft, "name", textOf(party, "Nm"));
  put(draft, "address", addressOf(childOf(party, "PstlAdr")));
  const ids = childOf(party, "Id");
  if (!ids) return;
  const [organisation, person] = [childOf(ids, "OrgId"), childOf(ids, "PrvtId")];
  const id =
    textOf(organisation, "Othr", "Id") ??
    textOf(person, "Othr", "Id") ??
    textOf(organisation, "AnyBIC") ??
    textOf(organisation, "BICOrBEI");
  put(draft, "id", id);
  put(draft, "lei", textOf(organisation, "LEI"));
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
    .map((role) => {
      const party: DraftOf<Counterparty> = {};
      putParty(party, childOf(parties, role));
      put(party, "account", accountNumberOf(childOf(parties, `${role}Acct`)));
      putAgent(party, childOf(agents, `${role}Agt`));
      return { party, ultimate: textOf(partyElement(childOf(parties, `Ultmt${role}`)), "Nm") };
    })
    .filter(({ party }) => hasFields(party) && party.account !== account.number);
  const other =
    found.find(({ party }) => party.name !== undefined || party.account !== undefined) ?? found[0];
  return {
    counterparty: other?.party,
    ultimateCounterparty: other?.ultimate,
    creditorId: creditorIdOf(parties),
  };
}
