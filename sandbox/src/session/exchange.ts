/** Requests and responses as text, recorded for display and for repetition. */
import { isUtf8 } from "node:buffer";

export type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface ExchangeBody {
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body text, shortened if long. Binary content is replaced by its media type and size. */
  readonly body: string;
}

export interface Exchange {
  readonly request: ExchangeBody;
  readonly response: ExchangeBody;
}

const maxCharacters = 20_000;

/** Headers that the connection or the HTTP library adds. */
const omittedHeader =
  /^(accept-(encoding|language)|connection|content-length|host|keep-alive|referer|sec-.*|transfer-encoding|upgrade-insecure-requests|user-agent)$/;

/** Headers and fields that may carry a secret are redacted, except the public demo credentials. */
const secretHeaderName = /authori[sz]ation|cookie|key|secret|token/;
const demoSecret = /^(Bearer )?demo-[\w-]+$/;
const redactedText = "(redacted)";

/** Secrets in bodies. The media type is ignored, because the login endpoint reads any body as a form. */
const secretPatterns = [
  // Form fields and query parameters, including authorisation codes.
  /(?<=(?:^|[?&])(?:[^=&\s]*(?:password|secret|token)|code|code_verifier)=)([^&\s]+)/gi,
  // JSON fields.
  /(?<="[^"]*(?:password|secret|token)"\s*:\s*")((?:[^"\\]|\\.)+)/gi,
];

/** Redacts the secrets in a text. */
const redactText = (text: string): string =>
  secretPatterns.reduce(
    (redacted, secret) =>
      redacted.replace(secret, (value) => (demoSecret.test(value) ? value : redactedText)),
    text,
  );

const redactHeader = (name: string, value: string): string =>
  secretHeaderName.test(name) && !demoSecret.test(value) ? redactedText : redactText(value);

const recordedHeaders = (headers: Headers): ExchangeBody["headers"] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || omittedHeader.test(name) ? [] : [[name, redactHeader(name, String(value))]],
    ),
  );

function bodyText(body: unknown, type = "application/octet-stream"): string {
  if (body === undefined || body === null) return "";
  if (typeof body !== "string" && !Buffer.isBuffer(body)) return `(${type}, streamed)`;
  const bytes = Buffer.from(body as string);
  if (!isUtf8(bytes) || /\/(pdf|zip|.*officedocument.*)/.test(type))
    return `(${type}, ${bytes.length} bytes)`;
  const text = bytes.toString("utf8");
  const shortened = redactText(text.slice(0, maxCharacters));
  return text.length > maxCharacters
    ? `${shortened}\n(${text.length - maxCharacters} characters more)`
    : shortened;
}

export function toExchangeBody(headers: Headers, body: unknown): ExchangeBody {
  const recorded = recordedHeaders(headers);
  return { headers: recorded, body: bodyText(body, recorded["content-type"]) };
}

const shellQuote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns a curl command that repeats the request. It uses the `FXDESK_BASE_URL` of the shell. */
export function toCurlCommand(method: string, url: string, { headers, body }: ExchangeBody): string {
  const lines = [
    `curl -X ${method} "$FXDESK_BASE_URL"${shellQuote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${shellQuote(body)}`] : []),
  ];
  return lines.join(" \\\n  ");
}
