/** Raw requests without the client. */
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

/** Requests a URL without following redirects. */
export type Ask = (path: string, request?: PlainRequest) => Promise<PlainResponse>;

/** The demo company's credentials as headers. */
export const demoHeaders = {
  authorization: `Bearer ${demo.accessToken}`,
  "x-api-key": demo.apiKey,
} as const;

/** Requests a path of the sandbox without following redirects. */
export async function ask(
  { baseUrl }: Pick<Sandbox, "baseUrl">,
  path: string,
  init: RequestInit | PlainRequest = {},
): Promise<PlainResponse> {
  const response = await fetch(baseUrl + path, { redirect: "manual", ...(init as RequestInit) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Values that connection and client would fill in, by field. */
const connectionValues: Readonly<Record<string, () => string>> = {
  client_id: () => demo.clientId,
  "X-Request-ID": newRequestId,
  "PSU-IP-Address": () => "192.0.2.10",
};

/** Builds a request with the demo credentials and filled-in defaults. */
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
