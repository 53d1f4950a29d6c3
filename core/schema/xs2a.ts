/**
 * What the open-banking interfaces exchange, by the names of their standard (version 1.3.12). Requests are strict: an
 * unknown field is a mistake. Responses are read leniently.
 */
import { z } from "zod";
import { minorUnits } from "./currency";
import { Country, Currency, DateTime, day, DecimalText, openEnum } from "./values";

/** The same check without its words: inside an object they would be repeated, and every tool and form pays for them. */
const bare = <S extends z.ZodType>(schema: S): S => schema.clone(schema.def);

/**
 * A shape for responses, its fields described. The one it is made from stays bare: requests share it, and in them the
 * name of the field says enough.
 */
export const described = <S extends Readonly<Record<string, z.ZodType>>>(
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

const amount = { currency: bare(Currency), amount: bare(DecimalText) };
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
export const NewAccountReference = z.strictObject(accountReference).meta({ id: "NewAccountReference" });
const withinCountry = {
  streetName: maxText(70).optional(),
  buildingNumber: z.string().optional(),
  townName: z.string().optional(),
  postCode: z.string().optional(),
};
const NewAddress = z.strictObject({ country: bare(Country), ...withinCountry }).meta({ id: "NewAddress" });

export const Amount = z
  .object({
    currency: Currency,
    amount: DecimalText.meta({
      description: "Decimal number with a dot, in units of the currency; negative with a minus before it.",
    }),
  })
  .meta({ id: "Amount", description: "An amount of money in one currency." });

/** What identifies an account, as described wherever it stands. */
export const accountDescriptions = {
  iban: "IBAN (ISO 13616) without spaces.",
  bban: "National account number (BBAN): letters and digits.",
  msisdn: "Mobile phone number that stands for the account.",
  cashAccountType: "ISO 20022 ExternalCashAccountType1Code, such as CACC for a current account.",
} as const;

export const AccountReference = z
  .object(
    described(
      {
        ...accountReference,
        other: z
          .object(
            described(otherIdentification, {
              identification: "Identifier of the account at its bank.",
              schemeNameCode: "Scheme of the identifier, as a code of an external ISO list.",
              schemeNameProprietary: "Scheme of the identifier, where no ISO list has it.",
              issuer: "Who gave the identifier out.",
            }),
          )
          .optional(),
      },
      {
        ...accountDescriptions,
        pan: "Card number (ISO/IEC 7812).",
        maskedPan: "Card number with some digits hidden.",
        other: "Identifier of an account that has no number of the other kinds.",
        currency: "ISO 4217 code; tells accounts with the same number apart.",
      },
    ),
  )
  .meta({
    id: "AccountReference",
    description: "Names an account by one of its numbers, as a rule by iban.",
  });

const Address = z
  .object({
    country: Country,
    ...described(withinCountry, {
      streetName: "Street, without the number of the building.",
      buildingNumber: "Number of the building in its street.",
      townName: "Town or city.",
      postCode: "Postal code.",
    }),
  })
  .meta({ id: "Address", description: "A postal address." });

export const Links = z
  .record(
    z.string(),
    z.object({
      href: z.string().optional().meta({ description: "Address, whole or relative to the service's." }),
    }),
  )
  .meta({ id: "Links", description: "Links by their meaning, such as self, status or scaRedirect." });

/** Links where an authorisation is needed. */
export const authorisingLinks = Links.meta({
  description:
    "scaRedirect or scaOAuth leads the person to authorise, and startAuthorisation begins what was not begun. self, status and scaStatus show how it stands.",
});

/** Links beside a status. */
export const nextLinks = Links.optional().meta({ description: "Links to next steps, where there are any." });

const AuthenticationObject = z
  .object({
    authenticationType: openEnum(["SMS_OTP", "CHIP_OTP", "PHOTO_OTP", "PUSH_OTP", "SMTP_OTP"]).meta({
      description:
        "How the one-time password comes: SMS_OTP by text message, CHIP_OTP from a chip card, PHOTO_OTP from a picture, PUSH_OTP in an app, SMTP_OTP by e-mail.",
    }),
    authenticationVersion: z
      .string()
      .optional()
      .meta({ description: "Tells tools of the same type apart, as the service documents them." }),
    authenticationMethodId: z.string().meta({ description: "Identifier of the method." }),
    name: z.string().optional().meta({ description: "What the person knows the method by." }),
    explanation: z.string().optional().meta({ description: "More about the method, for the person." }),
  })
  .meta({ id: "AuthenticationObject", description: "A method by which the person can authorise." });

/** How the person may authorise, in the responses that begin an authorisation. */
export const authorisationFields = {
  scaMethods: z
    .array(AuthenticationObject)
    .optional()
    .meta({ description: "Methods from which the person may choose; absent where there is no choice." }),
  chosenScaMethod: AuthenticationObject.optional().meta({
    description: "The method that is used; absent while none is chosen.",
  }),
  challengeData: z
    .object({
      image: z
        .string()
        .optional()
        .meta({ description: "PNG image for the person, in Base64; only for PHOTO_OTP and CHIP_OTP." }),
      data: z.array(z.string()).optional().meta({ description: "The challenge, as texts." }),
      imageLink: z.string().optional().meta({ description: "Address of the image." }),
      otpMaxLength: z
        .int()
        .optional()
        .meta({ description: "Most characters the one-time password can have." }),
      otpFormat: openEnum(["characters", "integer"])
        .optional()
        .meta({ description: "Whether the one-time password is made of characters or is an integer." }),
      additionalInformation: z
        .string()
        .optional()
        .meta({ description: "Explanation that the person must be shown, such as what else works." }),
    })
    .meta({ id: "ChallengeData", description: "A challenge that the person must answer." })
    .optional()
    .meta({ description: "What the chosen method asks of the person; absent where it asks nothing." }),
};

export const psuMessage = z.string().optional().meta({ description: "Text to show to the person." });

export const psuName = z.string().optional().meta({
  description: "Name of the person; at a company account this may be who acts for the company.",
});

export const TppMessage = z
  .object({
    category: openEnum(["ERROR", "WARNING"]).meta({ description: "How serious the message is." }),
    code: z.string().meta({ description: "Code of the open-banking standard, such as FORMAT_ERROR." }),
    path: z.string().optional().meta({ description: "The field of the request that is meant, if any." }),
    text: z.string().optional().meta({ description: "Explanation in words." }),
  })
  .meta({ id: "TppMessage", description: "A message to the caller rather than to the person." });

export const tppMessages = z
  .array(TppMessage)
  .optional()
  .meta({ description: "What the caller should know, such as warnings." });

const AccountOwner = z
  .object({
    name: z.string().meta({ description: "Name of the person or company." }),
    role: z.string().optional().meta({ description: "owner, legalRepresentative or authorisedUser." }),
  })
  .meta({ id: "AccountOwner", description: "Somebody to whom an account belongs, or who acts on it." });

export const ownerNames = z
  .array(AccountOwner)
  .optional()
  .meta({ description: "Owners of the account; the service may name only the person." });

/** What a credit transfer says beside its amount and accounts, in requests and responses. */
const transferDetails = {
  creditorAgent: Bic.optional().meta({ description: "BIC of the creditor's bank." }),
  creditorAgentName: maxText(140).optional().meta({ description: "Name of the creditor's bank." }),
  creditorName: maxText(70).min(1).meta({ description: "Who is paid." }),
  remittanceInformationUnstructured: maxText(140)
    .optional()
    .meta({ description: "What the payment is for." }),
  endToEndIdentification: maxText(35).optional().meta({ description: "Reference for the creditor." }),
};

/** A credit transfer a caller asks for, without the account it is paid from. */
export const newTransfer = {
  instructedAmount: NewAmount.meta({ description: "Amount to pay." }),
  creditorAccount: NewAccountReference.meta({ description: "Account that is paid." }),
  ...transferDetails,
  creditorAddress: NewAddress.optional().meta({ description: "Address of the creditor." }),
};

export const bicOf = (whose: string) => ({ description: `BIC (ISO 9362) of ${whose}.` });

/** A credit transfer as it is read back. */
export const transfer = {
  instructedAmount: Amount.meta({ description: "Amount that is paid; more than zero." }),
  creditorAccount: AccountReference.meta({ description: "Account that is paid." }),
  ...transferDetails,
  creditorAgent: transferDetails.creditorAgent.meta(bicOf("the creditor's bank")),
  creditorAddress: Address.optional().meta({ description: "Where the creditor is, if given." }),
};

/** The account a payment is made from, as it is read back. */
export const debtorAccount = AccountReference.meta({ description: "Account that pays." });

export const Balance = z
  .object({
    balanceAmount: Amount.meta({ description: "The balance; negative when the account is overdrawn." }),
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
        "openingBooked and closingBooked are at the beginning and end of a period, interimBooked and interimAvailable within the day, and expected counts pending entries too. forwardAvailable can be used on the reference date; nonInvoiced is for cards.",
    }),
    creditLimitIncluded: z
      .boolean()
      .optional()
      .meta({ description: "Whether the balance counts the credit limit of the account." }),
    lastChangeDateTime: DateTime.optional().meta({
      description: "When the account last changed (ISO 8601); the time zone may be missing.",
    }),
    referenceDate: day("Reference date", "Day of the balance.").optional(),
    lastCommittedTransaction: z.string().optional().meta({
      description: "entryReference of the last committed transaction, to see whether any is missing.",
    }),
  })
  .meta({ id: "Balance", description: "A balance of an account, of one type." });
