/** Requests as they stand, without a client between. */
import { type Declaration, encodeRequest, fieldsOf, type Values } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { newRequestId } from "../../support/request-id";

export interface PlainResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface PlainRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Asks for a path. Follows no redirect. */
export type Ask = (path: string, request?: PlainRequest) => Promise<PlainResponse>;

/** The demo company's credentials as headers. */
export const demoHeaders = {
  authorization: `Bearer ${demo.accessToken}`,
  "x-api-key": demo.apiKey,
} as const;

/** Asks the sandbox for a path. Follows no redirect. */
export async function ask(
  { baseUrl }: Pick<Sandbox, "baseUrl">,
  path: string,
  init: RequestInit | PlainRequest = {},
): Promise<PlainResponse> {
  const response = await fetch(baseUrl + path, { redirect: "manual", ...(init as RequestInit) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** What the connection and the client of fxdesk would fill in, by field. */
const connectionValues: Readonly<Record<string, () => string>> = {
  client_id: () => demo.clientId,
  "X-Request-ID": newRequestId,
  "PSU-IP-Address": () => "192.0.2.10",
};

/** A request of an operation with the demo company's credentials. What the caller does not give is filled in. */
export function toRequest(
  operation: Declaration,
  values: Values,
): Required<Pick<PlainRequest, "method" | "headers">> & {
  readonly path: string;
  readonly body?: string;
} {
  const filledFields = fieldsOf(operation).filter(
    ({ name, filledBy }) => filledBy !== "caller" && name in connectionValues,
  );
  const connectionInput = Object.fromEntries(
    filledFields.map(({ name }) => [name, connectionValues[name]!()]),
  );
  const { target, headers, body } = encodeRequest(operation, { ...connectionInput, ...values });
  const contact = operation.credentials.includes("contactId") && { "x-contact-id": demo.contactId };
  return {
    path: target,
    method: operation.method,
    headers: { ...demoHeaders, ...contact, ...headers },
    ...(body !== undefined && { body }),
  };
}

/** Calls an operation as the demo company. */
export function callOperation(
  send: Ask,
  operation: Declaration,
  values: Values,
  headers: Readonly<Record<string, string>> = {},
) {
  const { path, ...request } = toRequest(operation, values);
  return send(path, { ...request, headers: { ...request.headers, ...headers } });
}
