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
  ...Array.from({ length: 300 }, () => random.digits(10)),
];

const weighted = (digits: string, weights: readonly number[]) =>
  Array.from(digits, Number).reduce((sum, digit, place) => sum + digit * weights[place % weights.length]!, 0);

const letterValue = (letter: string) => String(parseInt(letter, 36));
const mod97 = (text: string) => BigInt(text.replace(/[A-Z]/g, letterValue)) % 97n;

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

/** Checks of the national part of an IBAN, as each country defines them. */
const nationalChecks: Readonly<Record<string, (bban: string) => boolean>> = {
  BE: (bban) => (Number(bban.slice(0, 10)) % 97 || 97) === Number(bban.slice(10)),
  FR: (bban) =>
    (89n * BigInt(bban.slice(0, 5)) +
      15n * BigInt(bban.slice(5, 10)) +
      3n * BigInt(bban.slice(10, 21)) +
      BigInt(bban.slice(21))) %
      97n ===
    0n,
  NL: (bban) => weighted(bban.slice(4), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  ES: (bban) => {
    const digit = (of: string) => 11 - (weighted(of.padStart(10, "0"), [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11);
    const written = (value: number) => (value === 11 ? "0" : value === 10 ? "1" : String(value));
    return bban.slice(8, 10) === written(digit(bban.slice(0, 8))) + written(digit(bban.slice(10)));
  },
  IT: (bban) => isItalian(bban[0]!, bban.slice(1)),
  PT: (bban) => mod97(bban) === 1n,
  FI: (bban) => luhn(bban) === 0,
  NO: (bban) => weighted(bban, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  CZ: (bban) =>
    weighted(bban.slice(4, 10), [10, 5, 8, 4, 2, 1]) % 11 === 0 &&
    weighted(bban.slice(10), [6, 3, 7, 9, 10, 5, 8, 4, 2, 1]) % 11 === 0,
  HU: (bban) =>
    weighted(bban.slice(0, 8), [9, 7, 3, 1]) % 10 === 0 && weighted(bban.slice(8), [9, 7, 3, 1]) % 10 === 0,
  PL: (bban) => weighted(bban.slice(0, 8), [3, 9, 7, 1]) % 10 === 0,
};

const lengths: Readonly<Record<string, number>> = {
  GB: 22,
  DE: 22,
  FR: 27,
  NL: 18,
  BE: 16,
  ES: 24,
  IE: 22,
  LU: 20,
  PL: 28,
  IT: 27,
  PT: 25,
  AT: 20,
  CH: 21,
  DK: 18,
  SE: 24,
  NO: 15,
  FI: 18,
  CZ: 24,
  HU: 28,
  RO: 24,
  BG: 22,
  LT: 20,
  GR: 27,
  TR: 26,
  AE: 23,
  SA: 24,
  IL: 23,
  KW: 30,
  BH: 22,
};

describe("the national checks", () => {
  test.each([
    ["BE68539007547034"],
    ["FR7630006000011234567890189"],
    ["NL91ABNA0417164300"],
    ["ES9121000418450200051332"],
    ["IT60X0542811101000000123456"],
    ["PT50000201231234567890154"],
    ["FI2112345600000785"],
    ["NO9386011117947"],
    ["CZ6508000000192000145399"],
    ["HU42117730161111101800000000"],
    ["PL61109010140000071219812874"],
  ])("accept the published example %s and detect a changed digit", (iban) => {
    const check = nationalChecks[iban.slice(0, 2)]!;
    const changed = (at: number) =>
      iban.slice(4, at) + String((Number(iban[at]) + 1) % 10) + iban.slice(at + 1);
    expect(check(iban.slice(4))).toBe(true);
    expect([changed(9), changed(10)].map(check)).toContain(false);
  });
});

test("covers the countries with and without IBANs", () => {
  const without = ["US", "CA", "AU", "NZ", "HK", "SG", "JP", "CN", "IN", "MX", "ZA", "KE", "TH"];
  expect(bankCountries.toSorted()).toEqual([...Object.keys(lengths), ...without].toSorted());
  for (const country of without) expect(ibanOf(country, "0012345678")).toBeUndefined();
});

test.each(Object.entries(lengths))(
  "IBANs in %s have %i characters and follow the rules of the country",
  (country, length) => {
    for (const digits of numbers) {
      const iban = ibanOf(country, digits)!;
      const checks = {
        length: iban.length,
        library: isValidIBAN(iban),
        mod97: mod97(iban.slice(4) + iban.slice(0, 4)),
        national: nationalChecks[country]?.(iban.slice(4)) ?? true,
      };
      expect({ iban, ...checks }).toEqual({ iban, length, library: true, mod97: 1n, national: true });
    }
  },
);

test.each(Object.keys(lengths))("IBANs in %s differ for different digits", (country) => {
  expect(new Set(numbers.map((digits) => ibanOf(country, digits))).size).toBeGreaterThan(numbers.length - 3);
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
        accountNumber: expect.stringMatching(account),
        accountNumberType: "BBAN",
        bankIdentifier: expect.stringMatching(code),
        bankIdentifierType: type,
      });
  });

  test("in the US have a routing number with a valid check digit, for example 021000021", () => {
    const { bankIdentifier } = domesticAddress("US", "0123456789")!;
    const check = (routing: string) => weighted(routing, [3, 7, 1]) % 10;
    expect(["021000021", bankIdentifier].map(check)).toEqual([0, 0]);
  });

  test.each(["CN", "KE", "MX", "FR", "PL"])("in %s are the international ones", (country) => {
    expect(domesticAddress(country, "0012345678")).toBeUndefined();
  });
});

describe("international addresses", () => {
  /** Pattern of ISO 9362: the location code has no 0 or 1 first, and no O second. */
  const bic = /^TEST[A-Z]{2}[A-Z2-9][A-NP-Z0-9]$/;

  test.each(bankCountries)("in %s have a BIC of the country", (country) => {
    const { bankIdentifier, bankIdentifierType } = internationalAddress(country, "0012345678");
    expect([bankIdentifierType, bankIdentifier.slice(4, 6), isValidBIC(bankIdentifier)]).toEqual([
      "SWBIC",
      country,
      true,
    ]);
    expect(bankIdentifier).toMatch(bic);
    expect(bankIn(country).bic).toBe(bankIdentifier);
  });

  test("in Mexico are a CLABE, for example 032180000118359719", () => {
    const check = (clabe: string) =>
      Array.from(clabe, Number).reduce(
        (sum, digit, place) => sum + ((digit * [3, 7, 1][place % 3]!) % 10),
        0,
      ) % 10;
    /** The check digit has weight 1. */
    const isClabe = (clabe: string) =>
      /^\d{18}$/.test(clabe) && (check(clabe.slice(0, 17)) + Number(clabe[17])) % 10 === 0;
    expect([isClabe("032180000118359719"), isClabe("032180000118359718")]).toEqual([true, false]);
    for (const digits of numbers) {
      const { accountNumber } = internationalAddress("MX", digits);
      expect([accountNumber, isClabe(accountNumber)]).toEqual([accountNumber, true]);
    }
  });
});

test("every traded currency has a home country", () => {
  const inEuros = tradedCurrencies.filter((currency) => homeCountryOf(currency) === "DE");
  expect(inEuros).toEqual(["EUR"]);
  for (const currency of tradedCurrencies) expect(bankCountries).toContain(homeCountryOf(currency));
});
