/** Files in all languages, below dist/nodes. */
import { german } from "./words/de";
import { english, type Words } from "./words/en";

const languages: Readonly<Record<string, Words>> = { "en-US": english, de: german };

type Files = Readonly<Record<string, string>>;

/** What is made for each language, as one. */
const forEachLanguage = (filesIn: (words: Words, language: string) => Files): Files =>
  Object.assign({}, ...Object.entries(languages).map(([language, words]) => filesIn(words, language)));

/** The files of a node set: its name, and its catalogue in the words of a language. */
export const catalogueFiles = (set: string, catalogueOf: (words: Words) => unknown): Files =>
  forEachLanguage((words, language) => ({
    [`locales/${language}/${set}.json`]: JSON.stringify(catalogueOf(words)),
  }));

/** What forms read when they are opened. */
export const formWordFiles = (formWordsFor: (words: Words) => unknown): Files =>
  forEachLanguage((words, language) => ({
    [`form-words/${language}.json`]: JSON.stringify(formWordsFor(words)),
  }));

/** The help of a node set in the words of each language, as the editor loads it at its start. */
export const helpFiles = (set: string, helpOf: (words: Words, language: string) => string): Files =>
  forEachLanguage((words, language) => ({ [`locales/${language}/${set}.html`]: helpOf(words, language) }));

/** What is read of the help when it is shown: a file for each type and language. */
export const helpSectionFiles = (sectionsOf: (words: Words) => Files): Files =>
  forEachLanguage((words, language) =>
    Object.fromEntries(
      Object.entries(sectionsOf(words)).map(([type, sections]) => [
        `help/${language}/${type}.html`,
        sections,
      ]),
    ),
  );
