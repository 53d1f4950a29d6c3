/** The error bodies of the open-banking standard: tppMessages, or problem+json where the caller prefers it. */
import { header, type HttpAnswer, type HttpRequest } from "../http";
import type { Refusal } from "../refusal";

const problemJson = "application/problem+json";

export function tppError(refusal: Refusal, request: HttpRequest): HttpAnswer {
  const { status, code, message, details, headers } = refusal;
  const asProblem = header(request, "accept")?.includes(problemJson) === true;
  const body = asProblem
    ? { type: `urn:tpp-message:${code}`, code, title: message, ...(details && { detail: details }) }
    : { tppMessages: [{ category: "ERROR", code, text: message, ...(details && { path: details }) }] };
  const type = asProblem ? problemJson : "application/json; charset=utf-8";
  return { status, headers: { "content-type": type, ...headers }, body: JSON.stringify(body) };
}
