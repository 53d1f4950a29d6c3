/**
 * Types of the open-banking interfaces, with the names of their standard (version 1.3.12). Requests are strict, so that
 * misspelt fields are found. Responses may contain unknown fields.
 */
import { z } from "zod";
import { hasValidCheckDigits } from "./account-number";
import { optionalText, textField } from "./response-fields";
import { amountProblem } from "./amount-text";
import { minorUnits, Country, Currency, DateTime, day, DecimalText, openEnum } from "./values";

/** Removes the metadata of a schema that is nested in others, because it would be repeated in every tool and form. */
const withoutMeta = <S extends z.ZodType>(schema: S): S => schema.clone(schema.def);

/**
 * Returns a copy of a shape with descriptions, for responses. Requests share the shape without them to keep tools
 * short.
 */
export const describeFields = <S extends Readonly<Record<string, z.ZodType>>>(
  shape: S,
  descriptions: { readonly [Name in keyof S]: string },
): S =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, field.meta({ description: descriptions[name] })]),
  ) as S;

const maxText = (length: number) => z.string().max(length);

const Bic = z
  .string()
  .regex(/^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3})?$/, "must be a BIC of 8 or 11 characters");

const amount = { currency: withoutMeta(Currency), amount: withoutMeta(DecimalText) };
const otherIdentification = {
  identification: maxText(35),
  schemeNameCode: maxText(35).optional(),
  schemeNameProprietary: maxText(35).optional(),
  issuer: maxText(35).optional(),
};
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
  other: z.object(otherIdentification).optional(),
  currency: withoutMeta(Currency).optional(),
  cashAccountType: z.string().optional(),
};

/** True if the decimal text is zero or negative. Text in other formats is ignored. */
const isZeroOrLess = (text: string): boolean => /^(-[\d.]+|[0.]+)$/.test(text);

interface AmountText {
  readonly currency: string;
  readonly amount: string;
}

const fitsCurrency = ({ currency, amount: text }: AmountText): boolean =>
  (text.split(".")[1] ?? "").length <= minorUnits(currency);

const decimalsMessage = (currency: string): string =>
  minorUnits(currency) === 0
    ? `must have no decimals in ${currency}`
    : `must have at most ${minorUnits(currency)} decimals in ${currency}`;

/** An amount to pay. */
const NewAmount = z
  .strictObject(amount)
  .refine((given) => !isZeroOrLess(given.amount), { path: ["amount"], error: "must be more than zero" })
  .refine(fitsCurrency, {
    path: ["amount"],
    error: ({ input }) => {
      const { amount: text, currency } = input as AmountText;
      return amountProblem(text) ?? decimalsMessage(currency);
    },
  });
/** A reference to an account: usually the IBAN, with the currency if one IBAN has several accounts. */
export const NewAccountReference = z
  .strictObject({
    ...accountReference,
    iban: accountReference.iban.refine(
      (iban) => iban === undefined || hasValidCheckDigits(iban),
      "must be an IBAN whose check digits are right",
    ),
  })
  .meta({ id: "NewAccountReference" });
const addressFields = {
  streetName: maxText(70).optional(),
  buildingNumber: z.string().optional(),
  townName: z.string().optional(),
  postCode: z.string().optional(),
};
const NewAddress = z
  .strictObject({ country: withoutMeta(Country), ...addressFields })
  .meta({ id: "NewAddress" });

export const Amount = z
  .object({
    currency: Currency,
    amount: DecimalText.meta({
      description: "Decimal amount with a dot; negative amounts start with a minus.",
    }),
  })
  .meta({ id: "Amount", description: "An amount with its currency." });

/** Descriptions of the identifiers of an account. */
export const accountDescriptions = {
  iban: "IBAN (ISO 13616) without spaces.",
  bban: "National account number (BBAN): letters and digits.",
  msisdn: "Mobile phone number registered for the account.",
  cashAccountType: "ISO 20022 ExternalCashAccountType1Code, such as CACC for a current account.",
} as const;

export const AccountReference = z
  .object(
    describeFields(
      {
        ...accountReference,
        other: z
          .object(
            describeFields(otherIdentification, {
              identification: "Account ID at the bank.",
              schemeNameCode: "Scheme of the ID, as an ISO external code.",
              schemeNameProprietary: "Proprietary scheme of the ID.",
              issuer: "Issuer of the ID.",
            }),
          )
          .optional(),
      },
      {
        ...accountDescriptions,
        pan: "Card number (ISO/IEC 7812).",
        maskedPan: "Card number with some digits hidden.",
        other: "Account ID of another scheme.",
        currency: "ISO 4217 code, to distinguish accounts with the same number.",
      },
    ),
  )
  .meta({
    id: "AccountReference",
    description: "Account identified by one of its numbers, usually the IBAN.",
  });

const Address = z
  .object({
    country: Country,
    ...describeFields(addressFields, {
      streetName: "Street name.",
      buildingNumber: "Building number.",
      townName: "Town or city.",
      postCode: "Postal code.",
    }),
  })
  .meta({ id: "Address", description: "A postal address." });

export const Links = z
  .record(
    z.string(),
    z.object({
      href: optionalText("Absolute URL, or URL relative to the service."),
    }),
  )
  .meta({ id: "Links", description: "Links by relation, such as self, status or scaRedirect." });

/** Links of responses that require an authorisation. */
export const authorisationLinks = Links.meta({
  description:
    "Links: scaRedirect or scaOAuth leads the person to the authorisation, startAuthorisation starts it if it was not started; self, status and scaStatus return the state.",
});

/** Links of status responses. */
export const nextLinks = Links.optional().meta({ description: "Links to next steps, if any." });

const AuthenticationObject = z
  .object({
    authenticationType: openEnum(["SMS_OTP", "CHIP_OTP", "PHOTO_OTP", "PUSH_OTP", "SMTP_OTP"]).meta({
      description:
        "Delivery of the one-time password: SMS_OTP by text message, CHIP_OTP by chip card, PHOTO_OTP by picture, PUSH_OTP in an app, SMTP_OTP by e-mail.",
    }),
    authenticationVersion: optionalText("Version of the method, as documented by the service."),
    authenticationMethodId: textField("ID of the method."),
    name: optionalText("Name of the method, for the person."),
    explanation: optionalText("Explanation of the method, for the person."),
  })
  .meta({ id: "AuthenticationObject", description: "An authentication method." });

/** Authorisation methods, in responses that start an authorisation. */
export const authorisationFields = {
  scaMethods: z
    .array(AuthenticationObject)
    .optional()
    .meta({ description: "Methods from which the person may choose; absent if there is no choice." }),
  chosenScaMethod: AuthenticationObject.optional().meta({
    description: "The chosen method; absent until one is chosen.",
  }),
  challengeData: z
    .object({
      image: optionalText("PNG image in Base64 for the person; PHOTO_OTP and CHIP_OTP only."),
      data: z.array(z.string()).optional().meta({ description: "The challenge as text." }),
      imageLink: optionalText("Address of the image."),
      otpMaxLength: z.int().optional().meta({ description: "Maximum length of the one-time password." }),
      otpFormat: openEnum(["characters", "integer"])
        .optional()
        .meta({ description: "Format of the one-time password: characters or integer." }),
      additionalInformation: optionalText("Explanation that must be shown to the person."),
    })
    .meta({
      id: "ChallengeData",
      description: "What the person must enter or confirm, for example a one-time password.",
    })
    .optional()
    .meta({ description: "Challenge of the chosen method; absent if it has none." }),
};

export const psuMessage = optionalText("Text to show to the person.");

export const psuName = optionalText("Name of the person, who may act for a company.");

export const TppMessage = z
  .object({
    category: openEnum(["ERROR", "WARNING"]).meta({ description: "Severity of the message." }),
    code: textField("Code of the open-banking standard, such as FORMAT_ERROR."),
    path: optionalText("Request field concerned, if any."),
    text: optionalText("Explanation."),
  })
  .meta({ id: "TppMessage", description: "A message to the calling application." });

export const tppMessages = z
  .array(TppMessage)
  .optional()
  .meta({ description: "Messages to the calling application, such as warnings." });

const AccountOwner = z
  .object({
    name: textField("Name of the person or company."),
    role: optionalText("Role: owner, legalRepresentative or authorisedUser."),
  })
  .meta({ id: "AccountOwner", description: "Owner or authorised user of an account." });

export const ownerNames = z
  .array(AccountOwner)
  .optional()
  .meta({ description: "Account owners; the service may return only the person's name." });

/** Fields of a credit transfer besides amount and accounts, in requests and responses. */
const transferDetails = {
  creditorAgent: Bic.optional().meta({ description: "BIC of the creditor's bank." }),
  creditorAgentName: maxText(140).optional().meta({ description: "Name of the creditor's bank." }),
  creditorName: maxText(70).min(1).meta({ description: "Creditor's name." }),
  remittanceInformationUnstructured: maxText(140).optional().meta({ description: "Remittance information." }),
  endToEndIdentification: maxText(35).optional().meta({ description: "End-to-end reference." }),
};

/** A credit transfer in a request, without the debtor account. */
export const newTransfer = {
  instructedAmount: NewAmount.meta({ description: "Amount to pay." }),
  creditorAccount: NewAccountReference.meta({
    description: "Account to credit.",
  }),
  ...transferDetails,
  creditorAddress: NewAddress.optional().meta({ description: "Creditor's address." }),
};

export const bicOf = (whose: string) => ({ description: `BIC (ISO 9362) of ${whose}.` });

/** A credit transfer in a response. */
export const transfer = {
  instructedAmount: Amount.meta({ description: "Amount of the payment." }),
  creditorAccount: AccountReference.meta({
    description: "Account of the creditor.",
  }),
  ...transferDetails,
  creditorAgent: transferDetails.creditorAgent.meta(bicOf("the creditor's bank")),
  creditorAddress: Address.optional().meta({ description: "Postal address of the creditor, if given." }),
};

/** The debtor account in a response. */
export const debtorAccount = AccountReference.meta({
  description: "Account of the debtor.",
});

export const Balance = z
  .object({
    balanceAmount: Amount.meta({ description: "Balance; negative if the account is overdrawn." }),
    balanceType: openEnum([
      "closingBooked",
      "expected",
      "openingBooked",
      "interimAvailable",
      "interimBooked",
      "forwardAvailable",
      "nonInvoiced",
    ]).meta({
      description:
        "Balance type: openingBooked and closingBooked at the start and end of a period, interimBooked and interimAvailable during the day, expected including pending entries, forwardAvailable on the reference date, nonInvoiced for cards.",
    }),
    creditLimitIncluded: z
      .boolean()
      .optional()
      .meta({ description: "True if the balance includes the credit limit." }),
    lastChangeDateTime: DateTime.optional().meta({
      description: "Time of the last change (ISO 8601), possibly without time zone.",
    }),
    referenceDate: day("Reference date", "Date of the balance.").optional(),
    lastCommittedTransaction: optionalText("`entryReference` of the last booked transaction."),
  })
  .meta({ id: "Balance", description: "A balance of an account, of one type." });
