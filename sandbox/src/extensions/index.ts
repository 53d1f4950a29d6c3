/** What the sandbox adds to the contract, because nothing could be tried without it. Its answers are marked. */
import type { AnyBehaviour } from "../behaviour";
import { openBankingPages } from "../open-banking";
import type { Extensions } from "../server";
import { createQuote, quote } from "./quotes";
import { signIn } from "./sign-in";

export const extensions: Extensions = {
  operations: [createQuote],
  pages: [signIn, ...openBankingPages],
  mark: { "x-fxdesk-extension": "true" },
};

export const extensionBehaviours: Readonly<Record<string, AnyBehaviour>> = { [createQuote.name]: quote };
