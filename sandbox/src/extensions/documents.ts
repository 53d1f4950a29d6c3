/** Documents, an extension: the contract shows their addresses in trades and payments, and not how they are fetched. */
import type { ValuesOf } from "@fxdesk/toolkit/operations";
import type { Behaviour } from "../behaviour";
import { letterPdf } from "../documents/letter";
import { documentOf } from "../documents/trades";
import { DomainError } from "../world/domain-error";
import type { getDocument } from "./declared";

export const document: Behaviour<ValuesOf<typeof getDocument>> = async ({ values, client, world }) => {
  const { document_type: kind, document_id: about } = values;
  const letter = documentOf(world, client.clientId, kind, about);
  if (!letter) throw new DomainError("document-not-found", "There is no such document.", about);
  const fileName = `${kind.slice(0, -1)}-${about}.pdf`;
  return { status: 200, body: { contentType: "application/pdf", fileName, bytes: await letterPdf(letter) } };
};
