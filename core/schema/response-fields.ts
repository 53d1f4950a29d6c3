/** Fields of responses, and what those mean that several resources have. */
import { z } from "zod";
import { openEnum } from "./values";

/** Text that a response always has. */
export const textField = (description: string) => z.string().meta({ description });

/** Text that a response may leave out, or give as null. */
export const nullishText = (description: string) => z.string().nullish().meta({ description });

/** What the fields of an account, and of the bank that holds it, mean. A resource may call one by another name. */
export const accountFields = {
  account_id: "UUID of the account, as other operations take it.",
  currency: "Currency of the account, as an ISO 4217 code.",
  account_name: "Name in which the account is held.",
  holder_name: "Name of the one who holds the account.",
  holder_address: "Address of the one who holds the account.",
  account_number: "Number of the account at its bank.",
  iban: "International account number (IBAN), where the account has one.",
  bic: "BIC of the bank, also called SWIFT code.",
  bank_identifier: "Code of the bank, such as a sort code.",
  bank_identifier_type: "Kind of bank_identifier: an ISO 20022 clearing system code, or SWBIC for a BIC.",
  bank_name: "Name of the bank that holds the account.",
  bank_address: "Address of the bank that holds the account.",
  bank_address_line_1: "First line of the address of the bank.",
  bank_address_line_2: "Second line of the address of the bank.",
  bank_city: "City of the bank's address.",
  bank_post_code: "Post code of the bank's address.",
  reference_for_payment: "Reference to give with each payment to the account.",
} as const;

/** An account by its number and its bank's code, each beside its kind. */
export const identifiers = {
  account_number: nullishText("Number of the account, of the kind that account_number_type names."),
  account_number_type: openEnum(["IBAN", "BBAN"])
    .nullish()
    .meta({ description: "Kind of account_number: an IBAN, or a BBAN as the country writes it." }),
  bank_identifier: nullishText(accountFields.bank_identifier),
  bank_identifier_type: nullishText(accountFields.bank_identifier_type),
};
