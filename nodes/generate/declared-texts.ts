/** What declarations say, in the words of a language: in English, as it is declared, where that has none. */
import type { Callable } from "../../core/declaration/operation";
import { inNodeWords } from "../names";
import type { Words } from "./words/en";

export const saidIn = ({ declared }: Words, text: string): string => declared[text] ?? text;

/** A text in which operations are called as the nodes of that language are. */
export const nodeWordsIn = (words: Words, text: string, operations: readonly Callable[]): string => {
  const [opening, closing] = words.quotes;
  return inNodeWords(text, operations, ({ title }) => `${opening}${saidIn(words, title)}${closing}`);
};
