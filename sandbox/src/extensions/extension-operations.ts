/** The operations that the sandbox adds to the contract; clients get them from the same declarations. */
import * as language from "@fxdesk/toolkit/operations";
import * as values from "@fxdesk/toolkit/schema";
import { z } from "zod";
import extension = require("../extension");

export const { operations: extensionOperations } = extension({ ...language, ...values, z });
export const [createQuote, getAvailability, getDocument] = extensionOperations;

/** Where the module is that declares them, and what a client takes its word for: the effect of what is no GET. */
export const extensionModule = {
  path: require.resolve("../extension"),
  effects: extensionOperations.filter(({ method }) => method !== "GET").map(({ name }) => name),
} as const;
