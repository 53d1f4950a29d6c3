/**
 * What the open-banking interfaces exchange, by the names of their standard (version 1.3.12). Requests are strict: an
 * unknown field is a mistake. Answers are read leniently.
 */
import { z } from "zod";
import { minorUnits } from "./currency";
import { Country, Currency, day, DecimalText, isDay, openEnum } from "./values";

/** The same check without its words: inside an object they would be repeated, and every tool and form pays for them. */
const bare = <S extends z.ZodType>(schema: S): S => schema.clone(schema.def);

const maxText = (length: number) => z.string().max(length);

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** A date and time that exist, with the zone or without. Date.parse alone takes much else, and 30 February. */
export const isDateTime = (value: string): boolean =>
  dateTime.test(value) && isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value));

/** A date and time as ISO 8601 writes it. `format` says to JSON Schema what the check says to zod. */
export const DateTime = z
  .string()
  .refine(isDateTime, "must be a date and time, such as 2026-01-31T09:30:00Z")
  .meta({ format: "date-time" });

const Bic = z
  .string()
  .regex(/^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3})?$/, "must be a BIC of 8 or 11 characters");

const amount = { currency: bare(Currency), amount: bare(DecimalText) };
const accountReference = {
  iban: z
    .string()
    .regex(/^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$/, "must be an IBAN without spaces")
    .optional(),
  bban: z
    .string()
    .regex(/^[a-zA-Z0-9]{1,30}$/, "must be an account number of letters and digits")
    .optional(),
  pan: maxText(35).optional(),
  maskedPan: maxText(35).optional(),
  msisdn: maxText(35).optional(),
  other: z
    .object({
      identification: maxText(35),
      schemeNameCode: maxText(35).optional(),
      schemeNameProprietary: maxText(35).optional(),
      issuer: maxText(35).optional(),
    })
    .optional(),
  currency: bare(Currency).optional(),
  cashAccountType: z.string().optional(),
};

/** Whether decimal text is zero or less; text of another form is not looked at. */
const isNothing = (text: string): boolean => /^(-[\d.]+|[0.]+)$/.test(text);

interface AmountText {
  readonly currency: string;
  readonly amount: string;
}

const fitsCurrency = ({ currency, amount: text }: AmountText): boolean =>
  (text.split(".")[1] ?? "").length <= minorUnits(currency);

const decimalsOf = (currency: string): string =>
  minorUnits(currency) === 0
    ? `must have no decimals in ${currency}`
    : `must have at most ${minorUnits(currency)} decimals in ${currency}`;

/** An amount a caller pays. */
const NewAmount = z
  .strictObject(amount)
  .refine((given) => !isNothing(given.amount), { path: ["amount"], error: "must be more than zero" })
  .refine(fitsCurrency, {
    path: ["amount"],
    error: ({ input }) => decimalsOf((input as AmountText).currency),
  });
/** An account a caller refers to: by IBAN as a rule, and by currency where one IBAN stands for several accounts. */
export const NewAccountReference = z.strictObject(accountReference);
const NewAddress = z.strictObject({
  country: bare(Country),
  streetName: maxText(70).optional(),
  buildingNumber: z.string().optional(),
  townName: z.string().optional(),
  postCode: z.string().optional(),
});

export const Amount = z.object(amount).meta({ id: "Amount" });
export const AccountReference = z.object(accountReference).meta({ id: "AccountReference" });
const Address = z.object(NewAddress.shape).meta({ id: "Address" });

/** Links by their meaning, such as scaRedirect, scaStatus, self or status. They may be relative. */
export const Links = z.record(z.string(), z.object({ href: z.string().optional() })).meta({ id: "Links" });

/** ISO 20022 code. RCVD received, ACTC authorised, ACSP settling, ACSC settled; RJCT, CANC and PART are final too. */
export const TransactionStatus = openEnum([
  "ACCC",
  "ACCP",
  "ACSC",
  "ACSP",
  "ACTC",
  "ACWC",
  "ACWP",
  "RCVD",
  "PDNG",
  "RJCT",
  "CANC",
  "ACFC",
  "PATC",
  "PART",
]);

export const ConsentStatus = openEnum([
  "received",
  "rejected",
  "valid",
  "revokedByPsu",
  "expired",
  "terminatedByTpp",
  "partiallyAuthorised",
]);

/** finalised, failed and exempted are final. */
export const ScaStatus = openEnum([
  "received",
  "psuIdentified",
  "psuAuthenticated",
  "scaMethodSelected",
  "started",
  "unconfirmed",
  "finalised",
  "failed",
  "exempted",
]);

const AuthenticationObject = z
  .object({
    authenticationType: openEnum(["SMS_OTP", "CHIP_OTP", "PHOTO_OTP", "PUSH_OTP", "SMTP_OTP"]),
    authenticationVersion: z.string().optional(),
    authenticationMethodId: z.string(),
    name: z.string().optional(),
    explanation: z.string().optional(),
  })
  .meta({ id: "AuthenticationObject" });

/** How the person may authorise, in the answers that begin an authorisation. */
export const authorising = {
  scaMethods: z.array(AuthenticationObject).optional(),
  chosenScaMethod: AuthenticationObject.optional(),
  challengeData: z
    .object({
      image: z.string().optional(),
      data: z.array(z.string()).optional(),
      imageLink: z.string().optional(),
      otpMaxLength: z.int().optional(),
      otpFormat: openEnum(["characters", "integer"]).optional(),
      additionalInformation: z.string().optional(),
    })
    .optional(),
};

/** Text for the person. */
export const psuMessage = z.string().optional();

export const TppMessage = z
  .object({
    category: openEnum(["ERROR", "WARNING"]),
    code: z.string(),
    path: z.string().optional(),
    text: z.string().optional(),
  })
  .meta({ id: "TppMessage" });

export const AccountOwner = z
  .object({ name: z.string(), role: z.string().optional() })
  .meta({ id: "AccountOwner" });

const says = (description: string) => ({ description });

/** What a credit transfer says beside its amount and accounts, in requests and answers. */
const naming = {
  creditorAgent: Bic.optional().meta(says("BIC of the creditor's bank.")),
  creditorAgentName: maxText(140).optional().meta(says("Name of the creditor's bank.")),
  creditorName: maxText(70).min(1).meta(says("Who is paid.")),
  remittanceInformationUnstructured: maxText(140).optional().meta(says("What the payment is for.")),
  endToEndIdentification: maxText(35).optional().meta(says("Reference that reaches the creditor.")),
};

/** A credit transfer a caller asks for, without the account it is paid from. */
export const newTransfer = {
  instructedAmount: NewAmount.meta(says("Amount to pay: currency and amount.")),
  creditorAccount: NewAccountReference.meta(says("Account that is paid, as by iban.")),
  ...naming,
  creditorAddress: NewAddress.optional().meta(says("Address of the creditor.")),
};

/** A credit transfer as it is read back. */
export const transfer = {
  instructedAmount: Amount,
  creditorAccount: AccountReference,
  ...naming,
  creditorAddress: Address.optional(),
};

export const Balance = z
  .object({
    balanceAmount: Amount,
    balanceType: openEnum([
      "closingBooked",
      "expected",
      "openingBooked",
      "interimAvailable",
      "interimBooked",
      "forwardAvailable",
      "nonInvoiced",
    ]),
    creditLimitIncluded: z.boolean().optional(),
    lastChangeDateTime: DateTime.optional(),
    referenceDate: day("Reference date", "Day of the balance.").optional(),
    lastCommittedTransaction: z.string().optional(),
  })
  .meta({ id: "Balance" });
