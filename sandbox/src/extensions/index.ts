/** Extensions of the contract without which nothing could be booked. */
import { type Declaration, type Service, splitCredential, type ValuesOf } from "@fxdesk/toolkit/operations";
import type { AnyBehaviour, Behaviour } from "../calls/behaviour";
import { openBankingServer } from "../calls/dialects";
import { oauth, scaPage } from "../open-banking/authorisation-pages";
import type { ExtensionSet } from "../server/server";
import { createQuote, extensionOperations, getAvailability, getDocument } from "./extension-operations";
import { sendAvailability, sendQuote } from "./quotes";
import { signIn } from "../behaviours/sign-in";
import { letterPdf, findDocument } from "../files/trade-documents";
import { DomainError } from "../world/common/domain-error";

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
  plugins: [signIn, ...(openBankingServer in service.servers ? [scaPage, oauth] : [])],
});

/** Sends a document. The contract shows its URL in trades and payments, but no operation to fetch it. */
const sendDocument: Behaviour<ValuesOf<typeof getDocument>> = async ({ values, client, world }) => {
  const { document_type: kind, document_id: id } = values;
  const letter = findDocument(world, client.clientId, kind, id);
  if (!letter) throw new DomainError("document-not-found", "The document is unknown.", id);
  const fileName = `${kind.slice(0, -1)}-${id}.pdf`;
  return { status: 200, body: { contentType: "application/pdf", fileName, bytes: await letterPdf(letter) } };
};

export const extensionBehaviours: Readonly<Record<string, AnyBehaviour>> = {
  [createQuote.name]: sendQuote,
  [getAvailability.name]: sendAvailability,
  [getDocument.name]: sendDocument,
};
