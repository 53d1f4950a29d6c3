/**
 * Texts of the editor by language: those of nodes/locales, and the English of the declarations. A text without translation
 * is in English.
 */
import { settingsOf } from "../../core/call/settings";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { effectDescriptions, type Callable } from "../../core/spec/operation";
import { titleFromName } from "../../core/spec/fields";
import { listNamesOf } from "../../core/spec/result-list";
import { dailyOf, declarationsOf, type Service } from "../../core/spec/service";
import { isWatch } from "../../core/spec/watch";
import { isObject } from "../../core/values/json";
import germanForms from "../locales/de/forms.json";
import germanEditor from "../locales/de/fxdesk.json";
import germanHelp from "../locales/de/help.json";
import englishEditor from "../locales/en-US/fxdesk.json";
import englishHelp from "../locales/en-US/help.json";
import { slugOf, withNodeTitles } from "../shared/node-names";
import { type PartTexts, partTexts } from "./controls";
import { commonValues, isCommon } from "./deduplicate";
import { optionTitlesOf } from "./option-titles";

export const englishLabels = englishEditor.labels;

const bySlug = <T>(callables: readonly Callable[], textOf: (callable: Callable) => T) =>
  Object.fromEntries(callables.map((each) => [slugOf(each), textOf(each)]));

function fieldTexts(callable: Callable, all: readonly Callable[]): (readonly [name: string, PartTexts])[] {
  return callerFieldDocs(describeOperation(callable)).map(({ name, title, description, schema }) => {
    const parts = partTexts(schema);
    return [name, { label: title, description: withNodeTitles(description, all), ...(parts && { parts }) }];
  });
}

/** True if a form offers several lists of the result. */
export const hasListChoice = (callable: Callable): boolean =>
  !isWatch(callable) && listNamesOf(callable).length > 1;

/** Returns the texts of settings, fields and lists of results. Texts shared by most fields of a name are stored once. */
function formTexts(service: Service) {
  const all = declarationsOf(service);
  const fieldDocs = all.flatMap((each) => callerFieldDocs(describeOperation(each)));
  const operations = Object.entries(bySlug(all, (each) => fieldTexts(each, all)));
  const fields = commonValues(operations.flatMap(([, texts]) => texts));
  const ownTexts = operations.map(
    ([slug, texts]) => [slug, texts.filter((field) => !isCommon(fields, field))] as const,
  );
  return {
    settings: Object.fromEntries(
      settingsOf(service).map(({ name, title, description }) => [name, { label: title, description }]),
    ),
    fields,
    options: optionTitlesOf(fieldDocs.map(({ schema }) => schema)),
    rules: Object.fromEntries(
      all.flatMap(({ rules = [] }) => rules.map(({ description }) => [description, description])),
    ),
    lists: Object.fromEntries(
      all
        .filter(hasListChoice)
        .flatMap(listNamesOf)
        .map((name) => [name, { label: titleFromName(name) }]),
    ),
    operations: Object.fromEntries(
      ownTexts
        .filter(([, texts]) => texts.length > 0)
        .map(([slug, texts]) => [slug, Object.fromEntries(texts)]),
    ),
  };
}

/** Returns the English texts. Node titles are in the definitions, summaries of most nodes in the declarations. */
const englishTexts = (service: Service) => ({
  editor: { ...englishEditor, form: { ...englishEditor.form, effect: effectDescriptions } },
  forms: formTexts(service),
  help: { ...englishHelp, summaries: bySlug(dailyOf(service), ({ summary }) => summary) },
});

/** The texts of one language: catalogue of the editor and node statuses, texts of the forms, and words of the help. */
export type Texts = ReturnType<typeof englishTexts>;
export type HelpWords = Texts["help"];

const translations = { de: { editor: germanEditor, forms: germanForms, help: germanHelp } };

type Tree = Readonly<Record<string, unknown>>;

/** Replaces texts with their translations. */
function translateTree(texts: Tree, translated: Tree): Tree {
  const replaced = Object.entries(translated).map(([key, text]) => {
    const original = texts[key];
    return [key, isObject(original) && isObject(text) ? translateTree(original, text) : text];
  });
  return { ...texts, ...Object.fromEntries(replaced) };
}

/** Returns the texts of each language. */
export function textsByLanguage(service: Service): Readonly<Record<string, Texts>> {
  const english = englishTexts(service);
  const translated = Object.entries(translations).map(([language, texts]) => [
    language,
    translateTree(english, texts) as Texts,
  ]);
  return { "en-US": english, ...Object.fromEntries(translated) };
}

const keysOf = (texts: Tree, path = ""): string[] =>
  Object.entries(texts).flatMap(([key, text]) =>
    isObject(text) ? keysOf(text, `${path}${key}.`) : `${path}${key}`,
  );

/** Returns the keys of texts without a German translation, and of translations without a text. */
export function translationGaps(service: Service): Readonly<Record<"missing" | "unused", readonly string[]>> {
  const english = englishTexts(service);
  const labels = { ...english.editor.labels, ...bySlug(declarationsOf(service), ({ title }) => title) };
  // Each language abbreviates its own words, and has templates for the English messages.
  const { short } = germanEditor;
  const { messages } = germanForms;
  const known = keysOf({
    ...english,
    editor: { ...english.editor, labels, short },
    forms: { ...english.forms, messages },
  });
  const translated = keysOf(translations.de);
  return {
    missing: known.filter((key) => !translated.includes(key)),
    unused: translated.filter((key) => !known.includes(key)),
  };
}
