/** Text of other people: invisible characters and words of several alphabets. */
import { alphabetNote, visibleText } from "../../../core/values/visible-text";

test.each<[what: string, given: string, shown: string]>([
  ["marks of direction", "a\u061cb\u200e\u202e\u2066c", "a<U+061C>b<U+200E><U+202E><U+2066>c"],
  ["zero width", "a\u200b\u200d\u2060\u2064\ufeffb", "a<U+200B><U+200D><U+2060><U+2064><U+FEFF>b"],
  ["a soft hyphen", "pay\u00adments", "pay<U+00AD>ments"],
  ["tags", "7\u{e0049}\u{e007f}", "7<U+E0049><U+E007F>"],
  ["variation selectors", "a\ufe00b\u{e0100}", "a<U+FE00>b<U+E0100>"],
  ["fillers", "a\u3164\u2800b", "a<U+3164><U+2800>b"],
  ["spaces that look like others", "a\u00a0b\u2009c", "a<U+00A0>b<U+2009>c"],
  ["controls", "a\u0000\u001b[31m\u0085\u2028", "a<U+0000><U+001B>[31m<U+0085><U+2028>"],
  ["half of a pair", "a\ud800b", "a<U+D800>b"],
  ["visible text, unchanged", "Žižka & 小林　GmbH\n\t№ 7 – €", "Žižka & 小林　GmbH\n\t№ 7 – €"],
])("shows %s", (_what, given, shown) => {
  expect(visibleText(given)).toBe(shown);
});

test("shows each character of formats and fillers as its own code", () => {
  const isInvisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
  const hidden = Array.from({ length: 0x10_0000 }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => isInvisible.test(character) && !/[\t\n\r]/.test(character),
  );
  expect(hidden.length).toBeGreaterThan(4_000);
  expect(hidden.filter((character) => !/^<U\+[0-9A-F]{4,5}>$/.test(visibleText(character)))).toEqual([]);
  expect(new Set(hidden.map(visibleText)).size).toBe(hidden.length);
});

test.each<[given: string, note: string | undefined]>([
  ["\u0410cme Ltd", "mixes alphabets: <U+0410>cme"],
  ["ACM\u0395 and P\u0430y", "mixes alphabets: ACM<U+0395>, P<U+0430>y"],
  ["N1\u0415", "mixes alphabets: N1<U+0415>"],
  ['{"note":"\\nПлатеж"}', undefined],
  ["Acme и Сыновья, Αθήνα, 小林 Tシャツ, 5 µm", undefined],
  ["Žižka Łódź Æther ſ", undefined],
])("%s: %s", (given, note) => {
  expect(alphabetNote(given)).toBe(note);
});
