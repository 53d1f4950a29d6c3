/** A statement as ISO 20022 writes it: camt.053.001.02, bank to customer statement. */
import { type Balance, type Counterparty, type Entry, isIban } from "@fxdesk/toolkit/formats";
import type { AccountStatement } from "../world/statements/statement";
import { notProvided } from "../world/open-banking/pain001";
import { entryReference } from "../world/open-banking/references";
import { elements, type Xml, xmlDeclaration } from "./xml";

const indicators = { Credit: "CRDT", Debit: "DBIT" } as const;

const amountOf = ({ amount, creditDebit }: Pick<Entry, "amount" | "creditDebit">, currency: string): Xml => ({
  Amt: { "@Ccy": currency, "#text": amount },
  CdtDbtInd: indicators[creditDebit],
});

const onDay = (day: string): Xml => ({ Dt: day });

const balanceOf = (type: "OPBD" | "CLBD", balance: Balance, currency: string): Xml => ({
  Tp: { CdOrPrtry: { Cd: type } },
  ...amountOf(balance, currency),
  Dt: onDay(balance.date),
});

const accountId = (number: string): Xml => (isIban(number) ? { IBAN: number } : { Othr: { Id: number } });

const agent = (bic: string | undefined): Xml | undefined =>
  bic === undefined ? undefined : { FinInstnId: { BIC: bic } };

/** A text in pieces of at most so many characters. */
const pieces = (text: string, length: number): string[] =>
  text.match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];

/** As much of a text as fits into so many characters; nothing of an empty one. */
const cut = (text: string | undefined, length: number): string | undefined => pieces(text ?? "", length)[0];

type TransactionCode = readonly [domain: string, family: string, subFamily: string];

const unknownCode: TransactionCode = ["XTND", "NTAV", "NTAV"];

/** ISO 20022 bank transaction codes of what SWIFT transaction types say of a credit and of a debit. */
const codes: Readonly<Record<string, Readonly<Record<Entry["creditDebit"], TransactionCode>>>> = {
  NFEX: { Credit: ["FORX", "SPOT", "OTHR"], Debit: ["FORX", "SPOT", "OTHR"] },
  NMAR: { Credit: ["FORX", "FWRD", "OTHR"], Debit: ["FORX", "FWRD", "OTHR"] },
  NCHG: { Credit: ["ACMT", "MCOP", "CHRG"], Debit: ["ACMT", "MDOP", "CHRG"] },
  NINT: { Credit: ["ACMT", "MCOP", "INTR"], Debit: ["ACMT", "MDOP", "INTR"] },
  NTRF: { Credit: ["PMNT", "RCDT", "OTHR"], Debit: ["PMNT", "ICDT", "OTHR"] },
  NRTI: { Credit: ["PMNT", "ICDT", "RRTN"], Debit: ["PMNT", "RCDT", "RRTN"] },
};

/** What an entry is, in the words of ISO 20022. */
export const bankTransactionCode = (swift: string, creditDebit: Entry["creditDebit"]): TransactionCode =>
  codes[swift]?.[creditDebit] ?? unknownCode;

function transactionCode({ transactionCode: swift = "NMSC", creditDebit }: Entry): Xml {
  const [domain, family, subFamily] = bankTransactionCode(swift, creditDebit);
  return {
    Domn: { Cd: domain, Fmly: { Cd: family, SubFmlyCd: subFamily } },
    Prtry: { Cd: swift, Issr: "SWIFT" },
  };
}

/** The debtor of a credit, the creditor of a debit: their parts of the parties and of the agents. */
function otherSide({ name, account, bic }: Counterparty, { creditDebit }: Entry): Xml {
  const role = creditDebit === "Credit" ? "Dbtr" : "Cdtr";
  return {
    RltdPties: {
      [role]: { Nm: cut(name, 140) },
      [`${role}Acct`]: account === undefined ? undefined : { Id: accountId(account) },
    },
    RltdAgts: bic === undefined ? undefined : { [`${role}Agt`]: agent(bic) },
  };
}

function entryOf(entry: Entry, currency: string): Xml {
  const { bookingDate, valueDate, customerReference, endToEndId, bankReference, remittance } = entry;
  const reference = bankReference === undefined ? undefined : entryReference(bankReference);
  return {
    NtryRef: reference,
    ...amountOf(entry, currency),
    Sts: "BOOK",
    BookgDt: onDay(bookingDate),
    ValDt: onDay(valueDate),
    AcctSvcrRef: reference,
    BkTxCd: transactionCode(entry),
    NtryDtls: {
      TxDtls: {
        Refs: {
          AcctSvcrRef: reference,
          InstrId: cut(customerReference, 35),
          EndToEndId: cut(endToEndId, 35) ?? notProvided,
        },
        ...(entry.counterparty && otherSide(entry.counterparty, entry)),
        RmtInf: remittance === undefined ? undefined : { Ustrd: pieces(remittance, 140) },
      },
    },
    AddtlNtryInf: cut(entry.additionalInformation, 500),
  };
}

function headOf(statement: AccountStatement): Xml {
  const { account, reference, number, period, writtenAt, openingBalance, closingBalance } = statement;
  const { currency } = account;
  return {
    Id: reference,
    ElctrncSeqNb: number,
    CreDtTm: writtenAt.toISOString(),
    FrToDt: { FrDtTm: `${period.from}T00:00:00Z`, ToDtTm: `${period.to}T23:59:59Z` },
    Acct: {
      Id: accountId(account.number),
      Ccy: currency,
      Ownr: { Nm: cut(account.holder, 140) },
      Svcr: agent(account.bic),
    },
    Bal: [balanceOf("OPBD", openingBalance, currency), balanceOf("CLBD", closingBalance, currency)],
  };
}

/** Unlike the statement, the message is another whenever it is written. */
const messageId = ({ reference, writtenAt }: AccountStatement) =>
  `${reference}-${writtenAt.toISOString().replace(/\D/g, "")}`;

function* written(statement: AccountStatement): Generator<string> {
  const { account, entries, writtenAt } = statement;
  yield xmlDeclaration;
  yield '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>';
  yield elements({ GrpHdr: { MsgId: messageId(statement), CreDtTm: writtenAt.toISOString() } });
  yield "<Stmt>";
  yield elements(headOf(statement));
  for (const entry of entries) yield elements({ Ntry: entryOf(entry, account.currency) });
  yield "</Stmt></BkToCstmrStmt></Document>\n";
}

/** The statement as an XML document. */
export const camt053 = (statement: AccountStatement): string => [...written(statement)].join("");
