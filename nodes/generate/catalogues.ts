/** Catalogues in all languages, as files below dist/nodes. */
import { german } from "./words/de";
import { english, type Words } from "./words/en";

const languages: Readonly<Record<string, Words>> = { "en-US": english, de: german };

/** The files of a node set: its name, and its catalogue in the words of a language. */
export const catalogues = (
  set: string,
  catalogueOf: (words: Words) => unknown,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(languages).map(([language, words]) => [
      `locales/${language}/${set}.json`,
      `${JSON.stringify(catalogueOf(words), undefined, 2)}\n`,
    ]),
  );

/** The help of a node set in the words of each language. */
export const helpIn = (set: string, helpOf: (words: Words) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(languages).map(([language, words]) => [`locales/${language}/${set}.html`, helpOf(words)]),
  );
