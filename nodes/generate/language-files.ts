/** Generates the files of each language below dist/nodes. */
import { german } from "./words/de";
import { english, type Words } from "./words/en";

const languages: Readonly<Record<string, Words>> = { "en-US": english, de: german };

type Files = Readonly<Record<string, string>>;

/** Merges the files of all languages. */
const forEachLanguage = (filesIn: (words: Words, language: string) => Files): Files =>
  Object.assign({}, ...Object.entries(languages).map(([language, words]) => filesIn(words, language)));

/** Returns the locale catalogues of a node set. */
export const catalogueFiles = (set: string, catalogueOf: (words: Words) => unknown): Files =>
  forEachLanguage((words, language) => ({
    [`locales/${language}/${set}.json`]: JSON.stringify(catalogueOf(words)),
  }));

/** Returns the form texts, which the editor loads with the first form. */
export const formWordFiles = (formWordsFor: (words: Words) => unknown): Files =>
  forEachLanguage((words, language) => ({
    [`form-words/${language}.json`]: JSON.stringify(formWordsFor(words)),
  }));

/** Returns the help of a node set that the editor loads at startup. */
export const helpFiles = (set: string, helpOf: (words: Words, language: string) => string): Files =>
  forEachLanguage((words, language) => ({ [`locales/${language}/${set}.html`]: helpOf(words, language) }));

/** Returns the help sections, loaded on demand: one file per type and language. */
export const helpSectionFiles = (sectionsOf: (words: Words) => Files): Files =>
  forEachLanguage((words, language) =>
    Object.fromEntries(
      Object.entries(sectionsOf(words)).map(([type, sections]) => [
        `help/${language}/${type}.html`,
        sections,
      ]),
    ),
  );
