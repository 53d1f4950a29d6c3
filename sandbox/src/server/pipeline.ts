/** Pipeline of a call: authorise, run the behaviour (or return an example), respond. */
import type { Declaration, Service } from "@fxdesk/toolkit/operations";
import type { AnyBehaviour, Behaviour, Result } from "../calls/behaviour";
import type { StoredFile } from "../world/model/outbox";
import { toHttpError, HttpError } from "../http/http-error";
import { authorize } from "./authorize";
import type { FaultEffect } from "../session/fault-queue";
import type { HttpResponse, HttpRequest } from "../http/http";
import { exampleResult, assertAcceptable } from "../calls/responses";
import { toErrorResponse } from "../calls/dialects";
import type { SandboxSession } from "../session/sandbox-session";

export interface Pipeline {
  readonly service: Service;
  readonly session: SandboxSession;
  readonly behaviours: Readonly<Record<string, AnyBehaviour>>;
}

/** Responds to a call. `substitute` replaces the behaviour if a fault applies. */
export async function respond(
  operation: Declaration,
  request: HttpRequest,
  pipeline: Pipeline,
  { substitute }: FaultEffect,
): Promise<{ response: HttpResponse; httpError?: HttpError }> {
  try {
    const result = substitute ? substitute(operation) : await callBehaviour(operation, request, pipeline);
    return { response: toHttpResponse(operation, result) };
  } catch (error) {
    const httpError = toHttpError(error);
    if (!(httpError instanceof HttpError)) throw httpError;
    return { response: toErrorResponse(operation, request, httpError, pipeline.service), httpError };
  }
}

async function callBehaviour(
  operation: Declaration,
  request: HttpRequest,
  pipeline: Pipeline,
): Promise<Result> {
  const { service, session, behaviours } = pipeline;
  const call = await authorize(operation, request, service, session.world);
  assertAcceptable(call);
  const behaviour = behaviours[operation.name] as Behaviour | undefined;
  if (behaviour) return behaviour(call);
  const [status] = Object.keys(operation.responses);
  return exampleResult(operation, Number(status));
}

/** Encodes a result as the kind of response declared for its status. */
function toHttpResponse(
  operation: Declaration,
  { status, body, headers = {}, asText }: Result,
): HttpResponse {
  const declared = operation.responses[status];
  if (!declared)
    throw new Error(`${operation.name} responded with status ${status}, which it does not declare.`);
  switch (declared.kind) {
    case "json":
      if (asText) return textResponse(`${asText}; charset=utf-8`, String(body));
      return textResponse("application/json; charset=utf-8", JSON.stringify(body));
    case "text":
      return textResponse("text/plain; charset=utf-8", String(body));
    case "html":
      return textResponse("text/html; charset=utf-8", String(body));
    case "file": {
      const { contentType, fileName, bytes } = body as StoredFile;
      const disposition = { "content-disposition": `attachment; filename="${fileName}"` };
      return { status, headers: { "content-type": contentType, ...disposition, ...headers }, body: bytes };
    }
    case "empty":
      return { status, headers, body: undefined };
  }
  function textResponse(contentType: string, text: string): HttpResponse {
    return { status, headers: { "content-type": contentType, ...headers }, body: text };
  }
}
