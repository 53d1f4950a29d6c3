/** Extensions of the contract without which nothing could be booked. */
import { type Declaration, type Service, splitCredential } from "@fxdesk/toolkit/operations";
import type { AnyBehaviour } from "../calls/behaviour";
import { openBankingPages, openBankingServer } from "../open-banking";
import type { ExtensionSet } from "../server/server";
import { createQuote, extensionOperations, getAvailability, getDocument } from "./extension-operations";
import { sendDocument } from "./documents";
import { sendAvailability, sendQuote } from "./quotes";
import { signIn } from "./sign-in";

export { extensionModule } from "./extension-operations";

const isSupported = ({ servers, credentials }: Service, { server, credentials: required }: Declaration) =>
  server in servers && required.every((credential) => splitCredential(credential).name in credentials);

/** Identifies a route regardless of parameter names. */
const routeKey = ({ method, path }: Declaration) => `${method} ${path.replace(/\{[^}]*\}/g, "{}")}`;

const isTaken = ({ operations }: Service, declaration: Declaration) =>
  operations.some((known) => routeKey(known) === routeKey(declaration));

/** Returns the extensions that the service supports and does not declare itself. */
export const extensionsFor = (service: Service): ExtensionSet => ({
  service: {
    ...service,
    operations: extensionOperations.filter(
      (operation) => isSupported(service, operation) && !isTaken(service, operation),
    ),
  },
  plugins: [signIn, ...(openBankingServer in service.servers ? openBankingPages : [])],
});

export const extensionBehaviours: Readonly<Record<string, AnyBehaviour>> = {
  [createQuote.name]: sendQuote,
  [getAvailability.name]: sendAvailability,
  [getDocument.name]: sendDocument,
};
