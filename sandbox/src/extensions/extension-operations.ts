/** Operations that the sandbox adds to the contract. Clients load the same declarations. */
import * as language from "@fxdesk/toolkit/operations";
import * as values from "@fxdesk/toolkit/schema";
import { z } from "zod";
import extension = require("./extension");

export const { operations: extensionOperations } = extension({ ...language, ...values, z });
export const [createQuote, getAvailability, getDocument] = extensionOperations;

/**
 * Path of the extension module, and the names of its non-GET operations, whose effects a client must accept explicitly.
 */
export const extensionModule = {
  path: require.resolve("./extension"),
  effects: extensionOperations.filter(({ method }) => method !== "GET").map(({ name }) => name),
} as const;
