/** The error bodies of the open-banking standard: tppMessages, or problem+json where the caller prefers it. */
import { type HttpResponse, type HttpRequest, json, preferred, problemJson } from "../http";
import { describeViolations } from "@fxdesk/toolkit/operations";
import type { Refusal } from "../refusal";

/** As long as the standard lets the texts be. */
const longestTitle = 70;
const longestText = 500;

/** A message for each violation, with the path of its field; a rule over several fields names them itself. */
const violationMessages = ({ code, violations }: Refusal) =>
  violations.map((violation) => ({
    category: "ERROR",
    code,
    ...(!violation.rule && violation.field && { path: violation.field.slice(0, longestText) }),
    text: describeViolations([violation]).slice(0, longestText),
  }));

export function tppError(refusal: Refusal, request: HttpRequest): HttpResponse {
  const { status, code, message, details, headers, violations } = refusal;
  const asProblem = preferred(request, [json, problemJson]) === problemJson;
  const text = [message, details].filter(Boolean).join(" ").slice(0, longestText);
  const body = asProblem
    ? { type: `urn:tpp-message:${code}`, code, title: message.slice(0, longestTitle), detail: text }
    : {
        tppMessages: violations.length > 0 ? violationMessages(refusal) : [{ category: "ERROR", code, text }],
      };
  const type = asProblem ? problemJson : `${json}; charset=utf-8`;
  return { status, headers: { "content-type": type, ...headers }, body: JSON.stringify(body) };
}
