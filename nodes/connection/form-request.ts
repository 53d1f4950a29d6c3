/** Handling of editor requests that contain a connection form. */
import type { IncomingHttpHeaders } from "node:http";
import { settingsOf } from "../../core/call/settings";
import type { Service } from "../../core/spec/service";
import { describeViolations, InvalidInput } from "../../core/spec/errors";
import { isCrossOrigin } from "../cross-origin";
import { type ConnectionForm, parseForm } from "./connection-form";

/** Status and JSON body of a response to the editor. */
export interface EditorResponse {
  readonly status?: number;
  readonly body: object;
}

const messageResponse = (message: string, status = 400): EditorResponse => ({ status, body: { message } });

/** Converts an error to a response, with settings named as in the form. */
function toFormError(service: Service, error: unknown): EditorResponse {
  const titles = new Map(settingsOf(service).map(({ name, title }) => [name, title]));
  const titleOf = (name: string) => titles.get(name) ?? name;
  if (!(error instanceof InvalidInput))
    return messageResponse((error as Error).message.replace(/^\w+/, titleOf));
  const violations = error.violations.map(({ field, message }) => ({ field: titleOf(field), message }));
  return messageResponse(describeViolations(violations));
}

export interface EditorRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body?: unknown;
}

/** Handles a request with a connection form. Refuses cross-origin requests and bodies that are not JSON. */
export async function handleFormRequest(
  service: Service,
  { headers, body }: EditorRequest,
  handle: (form: ConnectionForm, body: Readonly<Record<string, unknown>>) => Promise<EditorResponse>,
): Promise<EditorResponse> {
  if (isCrossOrigin(headers)) return messageResponse("Only the editor can send this request.", 403);
  const isJson = /^application\/json\b/i.test(headers["content-type"] ?? "");
  const form = isJson ? parseForm(body) : undefined;
  if (!form) return messageResponse("Expected a JSON body with the form of a connection.");
  try {
    return await handle(form, body as Record<string, unknown>);
  } catch (error) {
    return toFormError(service, error);
  }
}
