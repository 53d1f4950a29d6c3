/** What the sandbox adds to the contract, because nothing could be tried without it. */
import { type Declaration, type Service, splitCredential } from "@fxdesk/toolkit/operations";
import type { AnyBehaviour } from "../behaviour";
import { openBankingPages, openBankingServer } from "../open-banking";
import type { Extensions } from "../server";
import { createQuote, extensionOperations, getAvailability, getDocument } from "./declared";
import { document } from "./documents";
import { availability, quote } from "./quotes";
import { signIn } from "./sign-in";

export { extensionModule } from "./declared";

const fits = ({ servers, credentials }: Service, { server, credentials: carried }: Declaration) =>
  server in servers && carried.every((credential) => splitCredential(credential).name in credentials);

/** The same whatever the parameters are called. */
const routeOf = ({ method, path }: Declaration) => `${method} ${path.replace(/\{[^}]*\}/g, "{}")}`;

const isTaken = ({ operations }: Service, declaration: Declaration) =>
  operations.some((known) => routeOf(known) === routeOf(declaration));

/** What fits the service, and is not there already. */
export const extensionsFor = (service: Service): Extensions => ({
  service: {
    ...service,
    operations: extensionOperations.filter(
      (operation) => fits(service, operation) && !isTaken(service, operation),
    ),
  },
  pages: [signIn, ...(openBankingServer in service.servers ? openBankingPages : [])],
});

export const extensionBehaviours: Readonly<Record<string, AnyBehaviour>> = {
  [createQuote.name]: quote,
  [getAvailability.name]: availability,
  [getDocument.name]: document,
};
