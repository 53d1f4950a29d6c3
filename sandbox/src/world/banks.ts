/**
 * The sandbox's own bank in each country, and account numbers at it: check-valid, and plainly fake (the bank is called
 * TEST, its national code is all zeros or nines).
 */
import { composeIBAN } from "ibantools";

export interface Bank {
  readonly country: string;
  readonly bic: string;
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly postCode: string;
}

/** One way of writing an account: for payments inside a country, or from abroad. */
export interface AccountAddress {
  readonly accountNumber: string;
  readonly accountNumberType: "IBAN" | "BBAN";
  readonly bankIdentifier: string;
  readonly bankIdentifierType: string;
}

interface Scheme {
  readonly bic: string;
  readonly city: string;
  readonly postCode: string;
  /** The national clearing code and its kind; absent where payments inside the country use the IBAN. */
  readonly clearing?: readonly [code: string, type: string];
  /** The IBAN's national part, from ten digits; absent where there is no IBAN. */
  readonly bban?: (digits: string) => string;
  /** How many of the ten digits a national account number has. */
  readonly length: number;
}

const mod97 = (digits: string) => Number(BigInt(digits) % 97n);
const two = (value: number) => String(value).padStart(2, "0");

/** The last two digits are the others modulo 97, and 97 for 0. */
const belgian = (digits: string) => `00${digits.slice(0, 8)}${two(mod97(digits.slice(0, 8)) || 97)}`;

/** The clé RIB: bank and branch are all zeros and add nothing to it. */
const french = (digits: string) => `${"0".repeat(11)}${digits}${two(97 - ((3 * mod97(digits)) % 97))}`;

/** Keeps the eleven-test: the digits, weighted from 10 down to 1, sum to a multiple of 11. */
function dutch(digits: string): string {
  const weighted = Array.from(digits.slice(0, 8)).reduce(
    (sum, digit, place) => sum + Number(digit) * (10 - place),
    0,
  );
  const missing = (11 - (weighted % 11)) % 11;
  const tens = Math.floor(missing / 2);
  return `TEST${digits.slice(0, 8)}${tens}${missing - 2 * tens}`;
}

const schemes: Readonly<Record<string, Scheme>> = {
  GB: {
    bic: "TESTGB2L",
    city: "London",
    postCode: "EC2N 0ZZ",
    clearing: ["000000", "GBDSC"],
    bban: (digits) => `TEST000000${digits.slice(0, 8)}`,
    length: 8,
  },
  DE: {
    bic: "TESTDEFF",
    city: "Frankfurt am Main",
    postCode: "60300",
    clearing: ["00000000", "DEBLZ"],
    bban: (digits) => `00000000${digits}`,
    length: 10,
  },
  FR: { bic: "TESTFRPP", city: "Paris", postCode: "75000", bban: french, length: 10 },
  NL: { bic: "TESTNL2A", city: "Amsterdam", postCode: "1000 ZZ", bban: dutch, length: 10 },
  BE: { bic: "TESTBEBB", city: "Brussels", postCode: "1000", bban: belgian, length: 10 },
  IE: {
    bic: "TESTIE2D",
    city: "Dublin",
    postCode: "D00 ZZ00",
    bban: (digits) => `TEST000000${digits.slice(0, 8)}`,
    length: 8,
  },
  LU: {
    bic: "TESTLULL",
    city: "Luxembourg",
    postCode: "0000",
    bban: (digits) => `000000${digits}`,
    length: 10,
  },
  CH: { bic: "TESTCHZZ", city: "Zurich", postCode: "8000", bban: (digits) => `0000000${digits}`, length: 10 },
  US: { bic: "TESTUS33", city: "New York", postCode: "00000", clearing: ["990000000", "USABA"], length: 10 },
  CA: { bic: "TESTCATT", city: "Toronto", postCode: "M0M 0M0", clearing: ["099999999", "CACPA"], length: 10 },
  AU: { bic: "TESTAU2S", city: "Sydney", postCode: "0000", clearing: ["999999", "AUBSB"], length: 9 },
  JP: { bic: "TESTJPJT", city: "Tokyo", postCode: "000-0000", clearing: ["9999999", "JPZGN"], length: 7 },
  SG: { bic: "TESTSGSG", city: "Singapore", postCode: "000000", clearing: ["9999999", "SGIBG"], length: 10 },
  HK: { bic: "TESTHKHH", city: "Hong Kong", postCode: "000000", clearing: ["999", "HKNCC"], length: 9 },
};

/** Countries in which the bank keeps accounts. */
export const bankCountries: readonly string[] = Object.keys(schemes);

export function bankIn(country: string): Bank {
  const { bic, city, postCode } = schemes[country]!;
  return { country, bic, name: `Sandbox Bank ${country}`, street: "1 Example Street", city, postCode };
}

/** How an account is addressed from inside the country; undefined where the IBAN serves for that too. */
export function domesticAddress(country: string, digits: string): AccountAddress | undefined {
  const { clearing, length } = schemes[country]!;
  if (!clearing) return undefined;
  const [bankIdentifier, bankIdentifierType] = clearing;
  return {
    accountNumber: digits.slice(0, length),
    accountNumberType: "BBAN",
    bankIdentifier,
    bankIdentifierType,
  };
}

export function ibanOf(country: string, digits: string): string | undefined {
  const { bban } = schemes[country]!;
  return (bban && composeIBAN({ countryCode: country, bban: bban(digits) })) ?? undefined;
}

/** How an account is addressed from abroad: by IBAN where the country has it, and BIC. */
export function internationalAddress(country: string, digits: string): AccountAddress {
  const { bic, length } = schemes[country]!;
  const iban = ibanOf(country, digits);
  return {
    accountNumber: iban ?? digits.slice(0, length),
    accountNumberType: iban ? "IBAN" : "BBAN",
    bankIdentifier: bic,
    bankIdentifierType: "SWBIC",
  };
}

const homeCountries: Readonly<Record<string, string>> = {
  EUR: "DE",
  GBP: "GB",
  USD: "US",
  JPY: "JP",
  CHF: "CH",
  CAD: "CA",
  AUD: "AU",
  SGD: "SG",
  HKD: "HK",
};

/** Where the bank keeps its accounts in a currency: in Germany, when it is not in the currency's own country. */
export const homeOf = (currency: string): string => homeCountries[currency] ?? "DE";

/** The details a company pays into, for its own account there or for what it owes on a trade; all of them texts. */
export function bankAccount(country: string, digits: string) {
  const { bic, name, street, city, postCode } = bankIn(country);
  const international = internationalAddress(country, digits);
  const domestic = domesticAddress(country, digits) ?? international;
  return {
    account_number: domestic.accountNumber,
    iban: ibanOf(country, digits) ?? "",
    swift_code: bic,
    bank_identifier: domestic.bankIdentifier,
    bank_identifier_type: domestic.bankIdentifierType,
    bank_name: name,
    bank_address_line_1: street,
    bank_address_line_2: "",
    bank_city: city,
    bank_post_code: postCode,
  };
}

/** Where the bank receives the funds for trades in a currency. */
export const receivingAccount = (currency: string) => bankAccount(homeOf(currency), "0012345678");
