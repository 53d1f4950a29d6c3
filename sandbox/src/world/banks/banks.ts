/**
 * The sandbox's bank in each country and its account numbers. They have valid check digits but are plainly fake: the
 * bank is called TEST, and its national code is all zeros or nines.
 */
import { composeIBAN } from "ibantools";
import {
  withPrefix,
  belgian,
  czech,
  dutch,
  finnish,
  takeDigits,
  french,
  hungarian,
  italian,
  mexican,
  newZealand,
  norwegian,
  padWithZeros,
  portuguese,
  spanish,
  type NumberFormat,
} from "./account-numbers";

export interface Bank {
  readonly country: string;
  readonly bic: string;
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly postCode: string;
}

/** Notation of an account for domestic or cross-border payments, with the field names of the service. */
export interface AccountAddress {
  readonly account_number: string;
  readonly account_number_type: "IBAN" | "BBAN";
  readonly bank_identifier: string;
  readonly bank_identifier_type: string;
}

interface Scheme {
  readonly bic: string;
  readonly city: string;
  readonly postCode: string;
  /** National part of the IBAN; undefined if the country has no IBAN. */
  readonly bban?: NumberFormat;
  /** National clearing code and its type; undefined if domestic payments use the international address. */
  readonly clearing?: readonly [code: string, type: string];
  /** National account number. Default: all ten digits. */
  readonly account?: NumberFormat;
}

const schemes: Readonly<Record<string, Scheme>> = {
  GB: {
    bic: "TESTGB2L",
    city: "London",
    postCode: "EC2N 0ZZ",
    bban: withPrefix("TEST000000", takeDigits(8)),
    clearing: ["000000", "GBDSC"],
    account: takeDigits(8),
  },
  DE: {
    bic: "TESTDEFF",
    city: "Frankfurt am Main",
    postCode: "60300",
    bban: padWithZeros(18),
    clearing: ["00000000", "DEBLZ"],
  },
  FR: { bic: "TESTFRPP", city: "Paris", postCode: "75000", bban: french },
  NL: { bic: "TESTNL2A", city: "Amsterdam", postCode: "1000 ZZ", bban: dutch },
  BE: { bic: "TESTBEBB", city: "Brussels", postCode: "1000", bban: belgian },
  ES: { bic: "TESTESMM", city: "Madrid", postCode: "28000", bban: spanish },
  IE: {
    bic: "TESTIE2D",
    city: "Dublin",
    postCode: "D00 ZZ00",
    bban: withPrefix("TEST000000", takeDigits(8)),
  },
  LU: { bic: "TESTLULL", city: "Luxembourg", postCode: "0000", bban: padWithZeros(16) },
  IT: { bic: "TESTITMM", city: "Milan", postCode: "20100", bban: italian },
  PT: { bic: "TESTPTPL", city: "Lisbon", postCode: "1000-000", bban: portuguese },
  AT: { bic: "TESTATWW", city: "Vienna", postCode: "1000", bban: padWithZeros(16) },
  FI: { bic: "TESTFIHH", city: "Helsinki", postCode: "00000", bban: finnish },
  LT: { bic: "TESTLT2X", city: "Vilnius", postCode: "LT-00000", bban: padWithZeros(16) },
  GR: { bic: "TESTGRAA", city: "Athens", postCode: "100 00", bban: padWithZeros(23) },
  CH: { bic: "TESTCHZZ", city: "Zurich", postCode: "8000", bban: padWithZeros(17) },
  PL: { bic: "TESTPLPW", city: "Warsaw", postCode: "00-000", bban: padWithZeros(24) },
  DK: { bic: "TESTDKKK", city: "Copenhagen", postCode: "1000", bban: padWithZeros(14) },
  SE: { bic: "TESTSESS", city: "Stockholm", postCode: "100 00", bban: padWithZeros(20) },
  NO: { bic: "TESTNOKK", city: "Oslo", postCode: "0000", bban: norwegian },
  CZ: { bic: "TESTCZPP", city: "Prague", postCode: "100 00", bban: czech },
  HU: { bic: "TESTHUHB", city: "Budapest", postCode: "1000", bban: hungarian },
  RO: { bic: "TESTROBU", city: "Bucharest", postCode: "000000", bban: withPrefix("TEST", padWithZeros(16)) },
  BG: { bic: "TESTBGSF", city: "Sofia", postCode: "1000", bban: withPrefix("TEST000000", takeDigits(8)) },
  TR: { bic: "TESTTRIS", city: "Istanbul", postCode: "34000", bban: padWithZeros(22) },
  AE: { bic: "TESTAEAD", city: "Dubai", postCode: "00000", bban: padWithZeros(19) },
  SA: { bic: "TESTSARI", city: "Riyadh", postCode: "00000", bban: padWithZeros(20) },
  KW: { bic: "TESTKWKW", city: "Kuwait City", postCode: "00000", bban: withPrefix("TEST", padWithZeros(22)) },
  BH: { bic: "TESTBHBM", city: "Manama", postCode: "0000", bban: withPrefix("TEST", padWithZeros(14)) },
  IL: { bic: "TESTILIT", city: "Tel Aviv", postCode: "0000000", bban: padWithZeros(19) },
  US: { bic: "TESTUS33", city: "New York", postCode: "00000", clearing: ["990000000", "USABA"] },
  CA: { bic: "TESTCATT", city: "Toronto", postCode: "M0M 0M0", clearing: ["099999999", "CACPA"] },
  AU: {
    bic: "TESTAU2S",
    city: "Sydney",
    postCode: "0000",
    clearing: ["999999", "AUBSB"],
    account: takeDigits(9),
  },
  NZ: {
    bic: "TESTNZ2W",
    city: "Wellington",
    postCode: "0000",
    clearing: ["990000", "NZNCC"],
    account: newZealand,
  },
  JP: {
    bic: "TESTJPJT",
    city: "Tokyo",
    postCode: "000-0000",
    clearing: ["9999999", "JPZGN"],
    account: takeDigits(7),
  },
  SG: { bic: "TESTSGSG", city: "Singapore", postCode: "000000", clearing: ["9999999", "SGIBG"] },
  HK: {
    bic: "TESTHKHH",
    city: "Hong Kong",
    postCode: "000000",
    clearing: ["999", "HKNCC"],
    account: takeDigits(9),
  },
  IN: { bic: "TESTINBB", city: "Mumbai", postCode: "000000", clearing: ["TEST0000000", "INFSC"] },
  ZA: { bic: "TESTZAJJ", city: "Johannesburg", postCode: "0000", clearing: ["000000", "ZANCC"] },
  CN: { bic: "TESTCNSH", city: "Shanghai", postCode: "000000", account: padWithZeros(16) },
  MX: { bic: "TESTMXMM", city: "Mexico City", postCode: "00000", account: mexican },
  TH: { bic: "TESTTHBK", city: "Bangkok", postCode: "00000" },
  KE: { bic: "TESTKENA", city: "Nairobi", postCode: "00000" },
};

const writeAccountNumber = ({ account = takeDigits(10) }: Scheme, digits: string) => account(digits);

/** Countries in which accounts can be opened. */
export const bankCountries: readonly string[] = Object.keys(schemes);

export function bankIn(country: string): Bank {
  const { bic, city, postCode } = schemes[country]!;
  return { country, bic, name: `Sandbox Bank ${country}`, street: "1 Example Street", city, postCode };
}

/** Returns the domestic address of an account; undefined if the international one is used instead. */
export function domesticAddress(country: string, digits: string): AccountAddress | undefined {
  const scheme = schemes[country]!;
  if (!scheme.clearing) return undefined;
  const [bank_identifier, bank_identifier_type] = scheme.clearing;
  return {
    account_number: writeAccountNumber(scheme, digits),
    account_number_type: "BBAN",
    bank_identifier,
    bank_identifier_type,
  };
}

export function ibanOf(country: string, digits: string): string | undefined {
  const { bban } = schemes[country]!;
  return (bban && composeIBAN({ countryCode: country, bban: bban(digits) })) ?? undefined;
}

/** Returns the international address of an account: IBAN if the country has it, and BIC. */
export function internationalAddress(country: string, digits: string): AccountAddress {
  const scheme = schemes[country]!;
  const iban = ibanOf(country, digits);
  return {
    account_number: iban ?? writeAccountNumber(scheme, digits),
    account_number_type: iban ? "IBAN" : "BBAN",
    bank_identifier: scheme.bic,
    bank_identifier_type: "SWBIC",
  };
}

/** Returns the country of the bank's accounts in a traded currency. ISO 4217 codes begin with their country. */
export const homeCountryOf = (currency: string): string => (currency === "EUR" ? "DE" : currency.slice(0, 2));

/** Returns the bank details a company pays into, for its own account or for trades. All values are texts. */
export function bankAccount(country: string, digits: string) {
  const { bic, name, street, city, postCode } = bankIn(country);
  const { account_number, bank_identifier, bank_identifier_type } =
    domesticAddress(country, digits) ?? internationalAddress(country, digits);
  return {
    account_number,
    iban: ibanOf(country, digits) ?? "",
    swift_code: bic,
    bank_identifier,
    bank_identifier_type,
    bank_name: name,
    bank_address_line_1: street,
    bank_address_line_2: "",
    bank_city: city,
    bank_post_code: postCode,
  };
}

/** Returns the bank's account for funding trades in a currency. */
export const receivingAccount = (currency: string) => bankAccount(homeCountryOf(currency), "0012345678");
