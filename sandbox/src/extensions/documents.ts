/** Documents, an extension: the contract shows their addresses in trades and payments, and not how they are fetched. */
import { file, operation } from "@fxdesk/toolkit/operations";
import { ErrorMessage, id } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import type { Behaviour, ValuesOf } from "../behaviour";
import { letterPdf } from "../documents/letter";
import { documentKinds, documentOf } from "../documents/trades";
import { Refusal } from "../refusal";

export const getDocument = operation({
  name: "documents.get",
  tool: "get_document",
  title: "Get document",
  summary: "Fetches a trade receipt, a payment instruction or a payment receipt.",
  effect: "read",
  method: "GET",
  path: "/documents/{document_type}/{document_id}",
  server: "service",
  credentials: ["accessToken"],
  parameters: {
    document_type: z.enum(documentKinds),
    document_id: id("Document ID", "The trade or payment it is about."),
  },
  answers: { 200: file("The document.") },
  errors: {
    400: ["The request does not fit.", ErrorMessage],
    401: "Access denied due to authentication failure.",
    404: ["There is no such document.", ErrorMessage],
  },
  contract: "not shown",
});

export const document: Behaviour<ValuesOf<typeof getDocument>> = async ({ values, client, world }) => {
  const { document_type: kind, document_id: about } = values;
  const letter = documentOf(world, client.clientId, kind, about);
  if (!letter) throw new Refusal(404, "document_not_found", "There is no such document.", about);
  const fileName = `${kind.slice(0, -1)}-${about}.pdf`;
  return { status: 200, body: { contentType: "application/pdf", fileName, bytes: await letterPdf(letter) } };
};
