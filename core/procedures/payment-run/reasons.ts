/** Reasons of refused and returned payments in words: meaning and advice by ISO 20022 code. */

type Reason = readonly [meaning: string, advice: string];

const askPayee = "Ask the payee for the right account.";
const callBank = "Ask the bank.";
const correctBic = "Correct the BIC or leave it out.";
const changeDate = "Send it again with another date.";
const findFirst = "Look for the first payment before you send another.";
const completeAddress = "Give town and country in fields of their own.";

const reasons: Readonly<Record<string, Reason>> = {
  AC01: ["The account number is wrong.", askPayee],
  AC02: ["The debtor's account number is wrong.", "Correct the debtor account."],
  AC03: ["The payee's account number is wrong.", askPayee],
  AC04: ["The account is closed.", askPayee],
  AC06: ["The account is blocked.", askPayee],
  AC13: ["The account is of a kind that cannot be paid to.", askPayee],
  AG01: ["The payment is not allowed on this account.", "Choose another payment product or account."],
  AG02: ["The operation code is wrong.", "Choose another payment product."],
  AG03: ["The payment type is not supported.", "Choose another payment product."],
  AM02: ["The amount is above the maximum.", "Split it only if the bank permits."],
  AM04: ["Funds were not sufficient.", "Fund the account and send the payment again."],
  AM05: ["The payment is a duplicate.", findFirst],
  AM09: ["The amount is not the agreed one.", "Check the amount with the payee."],
  AM10: ["The control sum is wrong.", "Write the document again."],
  AM12: ["The amount is invalid.", "Correct the amount."],
  AM13: ["The amount is above the limit of the clearing.", "Choose another payment product."],
  AM14: ["The amount is above the agreed limit.", callBank],
  BE01: ["Name and account do not agree.", "Check name and account with the payee."],
  BE04: ["The payee's address is missing or wrong.", completeAddress],
  BE05: ["The sender is not recognised.", callBank],
  BE06: ["The payee is unknown.", askPayee],
  BE07: ["The debtor's address is missing or wrong.", completeAddress],
  CNOR: ["The payee's bank cannot be reached.", "Choose another payment product."],
  CUST: ["The debtor cancelled the payment.", "Nothing to do."],
  DS02: [
    "The payment was refused, cancelled or not authorised in time.",
    "Initiate it again if it is still wanted.",
  ],
  DT01: ["The date is invalid.", changeDate],
  CH03: ["The date is too far ahead.", changeDate],
  DUPL: ["The payment is a duplicate.", findFirst],
  FF01: ["The file is invalid.", "Correct the document."],
  FF10: ["The bank could not process it.", "Ask the bank before you send it again."],
  FOCR: ["The payment was returned after a recall.", "Nothing to do."],
  FRAD: ["The payment is suspected fraud.", callBank],
  MD07: ["The account holder has died.", askPayee],
  MS02: ["The customer refused it, without a reason.", askPayee],
  MS03: ["The bank gave no reason.", callBank],
  NARR: ["See the message of the bank.", "Act on its message."],
  RC01: ["The BIC is wrong.", correctBic],
  RC03: ["The bank ID of the debtor is wrong.", correctBic],
  RC04: ["The bank ID of the payee is wrong.", correctBic],
  RR01: ["The debtor's account is missing.", "Complete the debtor's data."],
  RR02: ["The debtor's name or address is missing.", "Complete the debtor's data."],
  RR03: ["The payee's name or address is missing.", completeAddress],
  RR04: ["A regulator's rule stops it.", callBank],
  RR10: ["Characters are invalid.", "Use letters, digits and / - ? : ( ) . , ' + only."],
  TM01: ["It came after the cut-off.", changeDate],
};

/** Returns a code in words, with the bank's own message if there is one. An unknown code is passed on. */
export function describeReason(code: string | undefined, message: string | undefined): string {
  const [meaning, advice] = (code === undefined ? undefined : reasons[code]) ?? [];
  return [meaning ?? (code === undefined ? undefined : `Reason ${code}.`), message, advice]
    .filter(Boolean)
    .join(" ");
}
