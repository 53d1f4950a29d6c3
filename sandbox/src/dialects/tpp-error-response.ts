/** Error bodies of the open-banking standard: tppMessages, or problem+json if the client prefers it. */
import {
  type HttpResponse,
  type HttpRequest,
  jsonMediaType,
  negotiateMediaType,
  problemJsonMediaType,
} from "../http/http";
import { describeViolations } from "@fxdesk/toolkit/operations";
import type { HttpError } from "../http/http-error";

/** Length limits of the standard. */
const maxTitleLength = 70;
const maxTextLength = 500;

/** Converts violations to messages with the path of the field. Rules over several fields name them in the text. */
const toTppMessages = ({ code, violations }: HttpError) =>
  violations.map((violation) => ({
    category: "ERROR",
    code,
    ...(!violation.rule && violation.field && { path: violation.field.slice(0, maxTextLength) }),
    text: describeViolations([violation]).slice(0, maxTextLength),
  }));

export function toTppErrorResponse(refusal: HttpError, request: HttpRequest): HttpResponse {
  const { status, code, message, details, headers, violations } = refusal;
  const asProblem =
    negotiateMediaType(request, [jsonMediaType, problemJsonMediaType]) === problemJsonMediaType;
  const text = [message, details].filter(Boolean).join(" ").slice(0, maxTextLength);
  const body = asProblem
    ? { type: `urn:tpp-message:${code}`, code, title: message.slice(0, maxTitleLength), detail: text }
    : {
        tppMessages: violations.length > 0 ? toTppMessages(refusal) : [{ category: "ERROR", code, text }],
      };
  const type = asProblem ? problemJsonMediaType : `${jsonMediaType}; charset=utf-8`;
  return { status, headers: { "content-type": type, ...headers }, body: JSON.stringify(body) };
}
