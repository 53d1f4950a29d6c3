/** Fields of responses that several resources share. */
import { z } from "zod";
import { openEnum } from "./values";

/** Declares a text field that is always present. */
export const textField = (description: string) => z.string().meta({ description });

/** Declares a text field that may be missing. */
export const optionalText = (description: string) => z.string().optional().meta({ description });

/** Declares a text field that may be missing or null. */
export const nullishText = (description: string) => z.string().nullish().meta({ description });

/** Descriptions of the fields of an account and its bank. Some resources use other field names. */
export const accountFields = {
  account_id: "UUID of the account, for other operations.",
  currency: "Currency of the account, ISO 4217 code.",
  account_name: "Account name.",
  holder_name: "Name of the account holder.",
  holder_address: "Address of the account holder.",
  account_number: "Account number at the bank.",
  iban: "IBAN, if the account has one.",
  bic: "BIC (SWIFT code) of the bank.",
  bank_identifier: "National bank identifier, such as a sort code.",
  bank_identifier_type: "Type of bank_identifier: an ISO 20022 clearing system code, or SWBIC for a BIC.",
  bank_name: "Name of the bank.",
  bank_address: "Address of the bank.",
  bank_address_line_1: "First line of the bank's address.",
  bank_address_line_2: "Second line of the bank's address.",
  bank_city: "City of the bank's address.",
  bank_post_code: "Post code of the bank's address.",
  reference_for_payment: "Reference that payments to the account must carry.",
} as const;

/** Account number and bank code, each with its type. */
export const accountIdentifiers = {
  account_number: nullishText("Account number, of the type in account_number_type."),
  account_number_type: openEnum(["IBAN", "BBAN"])
    .nullish()
    .meta({ description: "Type of account_number: IBAN, or national account number (BBAN)." }),
  bank_identifier: nullishText(accountFields.bank_identifier),
  bank_identifier_type: nullishText(accountFields.bank_identifier_type),
};
