/**
 * Extension that serves documents. The contract shows their URLs in trades and payments, but no operation to fetch
 * them.
 */
import type { ValuesOf } from "@fxdesk/toolkit/operations";
import type { Behaviour } from "../calls/behaviour";
import { letterPdf } from "../files/letter";
import { findDocument } from "../files/trade-documents";
import { DomainError } from "../world/common/domain-error";
import type { getDocument } from "./extension-operations";

export const sendDocument: Behaviour<ValuesOf<typeof getDocument>> = async ({ values, client, world }) => {
  const { document_type: kind, document_id: id } = values;
  const letter = findDocument(world, client.clientId, kind, id);
  if (!letter) throw new DomainError("document-not-found", "The document is unknown.", id);
  const fileName = `${kind.slice(0, -1)}-${id}.pdf`;
  return { status: 200, body: { contentType: "application/pdf", fileName, bytes: await letterPdf(letter) } };
};
