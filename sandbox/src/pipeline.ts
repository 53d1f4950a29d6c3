/** The way of every call: door, behaviour or else the example of its declaration, response. */
import type { Declaration, Service } from "@fxdesk/toolkit/operations";
import type { AnyBehaviour, Behaviour } from "./behaviour";
import type { FileResponse, Result } from "./result";
import { answered } from "./domain-answers";
import { admit } from "./door";
import type { Play } from "./faults";
import type { HttpResponse, HttpRequest } from "./http";
import { exampleResult } from "./example";
import { checkAccept } from "./open-banking/accept";
import { Refusal } from "./refusal";
import { refusalResponseFor } from "./refused";
import type { Stage } from "./stage";

export interface Pipeline {
  readonly service: Service;
  readonly stage: Stage;
  readonly behaviours: Readonly<Record<string, AnyBehaviour>>;
}

/** The response to a call, and what was wrong with it where it was refused. What is played may stand in for the work. */
export async function respond(
  operation: Declaration,
  request: HttpRequest,
  pipeline: Pipeline,
  { instead }: Play,
): Promise<{ response: HttpResponse; refusal?: Refusal }> {
  try {
    const done = instead ? instead(operation) : await result(operation, request, pipeline);
    return { response: httpResponse(operation, done) };
  } catch (error) {
    const refusal = answered(error);
    if (!(refusal instanceof Refusal)) throw refusal;
    return { response: refusalResponseFor(operation, request, refusal, pipeline.service), refusal };
  }
}

async function result(operation: Declaration, request: HttpRequest, pipeline: Pipeline): Promise<Result> {
  const { service, stage, behaviours } = pipeline;
  const call = await admit(operation, request, service, stage.world);
  checkAccept(call);
  const behaviour = behaviours[operation.name] as Behaviour | undefined;
  if (behaviour) return behaviour(call);
  const [status] = Object.keys(operation.responses);
  return exampleResult(operation, Number(status));
}

/** Writes a result in the kind its status is declared with. */
function httpResponse(operation: Declaration, { status, body, headers = {}, asText }: Result): HttpResponse {
  const declared = operation.responses[status];
  if (!declared) throw new Error(`${operation.name} answered ${status}, which it does not declare.`);
  switch (declared.kind) {
    case "json":
      if (asText) return typed(`${asText}; charset=utf-8`, String(body));
      return typed("application/json; charset=utf-8", JSON.stringify(body));
    case "text":
      return typed("text/plain; charset=utf-8", String(body));
    case "html":
      return typed("text/html; charset=utf-8", String(body));
    case "file": {
      const { contentType, fileName, bytes } = body as FileResponse;
      const disposition = { "content-disposition": `attachment; filename="${fileName}"` };
      return { status, headers: { "content-type": contentType, ...disposition, ...headers }, body: bytes };
    }
    case "empty":
      return { status, headers, body: undefined };
  }
  function typed(contentType: string, text: string): HttpResponse {
    return { status, headers: { "content-type": contentType, ...headers }, body: text };
  }
}
