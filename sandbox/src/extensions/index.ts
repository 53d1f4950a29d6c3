/** What the sandbox adds to the contract, because nothing could be tried without it. */
import type { AnyBehaviour } from "../behaviour";
import { openBankingPages } from "../open-banking";
import type { Extensions } from "../server";
import { document, getDocument } from "./documents";
import { availability, createQuote, getAvailability, quote } from "./quotes";
import { signIn } from "./sign-in";

export const extensions: Extensions = {
  operations: [createQuote, getAvailability, getDocument],
  pages: [signIn, ...openBankingPages],
};

export const extensionBehaviours: Readonly<Record<string, AnyBehaviour>> = {
  [createQuote.name]: quote,
  [getAvailability.name]: availability,
  [getDocument.name]: document,
};
