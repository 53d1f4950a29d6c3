/** Account numbers of the sandbox's bank: valid check digits in every country, and plainly fake. */
import { isValidBIC, isValidIBAN } from "ibantools";
import {
  bankCountries,
  bankIn,
  domesticAddress,
  homeCountryOf,
  ibanOf,
  internationalAddress,
} from "../../../sandbox/src/world/banks/banks";
import { tradedCurrencies } from "../../../sandbox/src/world/money/fx";
import { Random } from "../../../sandbox/src/world/common/random";

const random = new Random("numbers");
/** Ten-digit inputs, including the extremes. */
const numbers = [
  "0000000000",
  "9999999999",
  "0012345678",
  ...Array.from({ length: 100 }, () => random.digits(10)),
];

const weighted = (digits: string, weights: readonly number[]) =>
  Array.from(digits, Number).reduce((sum, digit, place) => sum + digit * weights[place % weights.length]!, 0);

/** Luhn check: every other digit from the right is doubled, and the digits of the products are added. */
const luhn = (digits: string) =>
  Array.from(digits, Number)
    .toReversed()
    .flatMap((digit, place) => (place % 2 === 0 ? [digit] : Array.from(String(digit * 2), Number)))
    .reduce((sum, digit) => sum + digit, 0) % 10;

/** Italian values of characters in odd positions, from 0 to 9 and from A to Z. */
const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
const isItalian = (cin: string, rest: string) => {
  const position = (sign: string) => (/\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 65);
  const sum = Array.from(rest).reduce(
    (total, sign, index) => total + (index % 2 === 0 ? odd[position(sign)]! : position(sign)),
    0,
  );
  return String.fromCharCode(65 + (sum % 26)) === cin;
};

/** National checks that the library lacks. It has those of BE, CZ, ES, FR, HU, NO, PL and PT. */
const nationalChecks: Readonly<Record<string, (bban: string) => boolean>> = {
  NL: (bban) => weighted(bban.slice(4), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  IT: (bban) => isItalian(bban[0]!, bban.slice(1)),
  FI: (bban) => luhn(bban) === 0,
};

test.each(["NL91ABNA0417164300", "IT60X0542811101000000123456", "FI2112345600000785"])(
  "the check accepts the published example %s",
  (iban) => {
    expect(nationalChecks[iban.slice(0, 2)]!(iban.slice(4))).toBe(true);
  },
);

const withoutIban = new Set(["US", "CA", "AU", "NZ", "HK", "SG", "JP", "CN", "IN", "MX", "ZA", "KE", "TH"]);

test.each(bankCountries)("IBANs in %s follow the rules of the country, and differ", (country) => {
  const ibans = new Set(numbers.map((digits) => ibanOf(country, digits)));
  if (withoutIban.has(country)) {
    expect(ibans).toEqual(new Set([undefined]));
    return;
  }
  for (const iban of ibans) {
    const isNational = nationalChecks[country]?.(iban!.slice(4)) ?? true;
    expect([iban, isValidIBAN(iban!), isNational]).toEqual([iban, true, true]);
  }
  expect(ibans.size).toBeGreaterThan(numbers.length - 3);
});

describe("domestic addresses", () => {
  test.each([
    ["GB", "GBDSC", /^\d{6}$/, /^\d{8}$/],
    ["US", "USABA", /^\d{9}$/, /^\d{1,17}$/],
    ["AU", "AUBSB", /^\d{6}$/, /^\d{6,9}$/],
    ["CA", "CACPA", /^0\d{8}$/, /^\d{7,12}$/],
    ["NZ", "NZNCC", /^\d{6}$/, /^\d{9,10}$/],
    ["HK", "HKNCC", /^\d{3}(\d{3})?$/, /^\d{6,9}$/],
    ["SG", "SGIBG", /^\d{7}$/, /^\d{1,14}$/],
    ["IN", "INFSC", /^[A-Z]{4}0[A-Z0-9]{6}$/, /^\d{9,18}$/],
    ["JP", "JPZGN", /^\d{7}$/, /^\d{7}$/],
    ["ZA", "ZANCC", /^\d{6}$/, /^\d{7,11}$/],
    ["DE", "DEBLZ", /^\d{8}$/, /^\d{10}$/],
  ])("in %s identify the bank by %s", (country, type, code, account) => {
    for (const digits of numbers)
      expect(domesticAddress(country, digits)).toEqual({
        account_number: expect.stringMatching(account),
        account_number_type: "BBAN",
        bank_identifier: expect.stringMatching(code),
        bank_identifier_type: type,
      });
  });

  test("in the US have a routing number with a valid check digit", () => {
    const { bank_identifier } = domesticAddress("US", "0123456789")!;
    expect(weighted(bank_identifier, [3, 7, 1]) % 10).toBe(0);
  });

  test.each(["CN", "KE", "MX", "FR", "PL"])("in %s are the international ones", (country) => {
    expect(domesticAddress(country, "0012345678")).toBeUndefined();
  });
});

describe("international addresses", () => {
  test.each(bankCountries)("in %s have a BIC of the country, plainly fake", (country) => {
    const { bank_identifier, bank_identifier_type } = internationalAddress(country, "0012345678");
    expect([bank_identifier_type, isValidBIC(bank_identifier)]).toEqual(["SWBIC", true]);
    // ISO 9362: the location code has no 0 or 1 first, and no O second.
    expect(bank_identifier).toMatch(new RegExp(`^TEST${country}[A-Z2-9][A-NP-Z0-9]$`));
    expect(bankIn(country).bic).toBe(bank_identifier);
  });

  test("in Mexico are a CLABE, for example 032180000118359719", () => {
    /** The digits weigh 3, 7 and 1; only the last digits of the products count. The check digit weighs 1. */
    const isClabe = (clabe: string) =>
      /^\d{18}$/.test(clabe) &&
      Array.from(clabe, Number).reduce(
        (sum, digit, place) => sum + ((digit * (place === 17 ? 1 : [3, 7, 1][place % 3]!)) % 10),
        0,
      ) %
        10 ===
        0;
    expect([isClabe("032180000118359719"), isClabe("032180000118359718")]).toEqual([true, false]);
    for (const digits of numbers) {
      const { account_number } = internationalAddress("MX", digits);
      expect([account_number, isClabe(account_number)]).toEqual([account_number, true]);
    }
  });
});

test("every traded currency has a home country", () => {
  const inEuros = tradedCurrencies.filter((currency) => homeCountryOf(currency) === "DE");
  expect(inEuros).toEqual(["EUR"]);
  for (const currency of tradedCurrencies) expect(bankCountries).toContain(homeCountryOf(currency));
});
