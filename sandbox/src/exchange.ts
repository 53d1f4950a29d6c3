/** What a request and its response said, as texts that a person can read and send again. */
import { isUtf8 } from "node:buffer";

export type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface ExchangeBody {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of a long one; of what is no text only how much there was of what. */
  readonly body: string;
}

export interface Exchange {
  readonly request: ExchangeBody;
  readonly response: ExchangeBody;
}

const maxCharacters = 20_000;

/** What the connection or the caller's library adds, and nobody would write. */
const omittedHeaders = new Set([
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "referer",
  "sec-ch-ua",
  "sec-ch-ua-mobile",
  "sec-ch-ua-platform",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "sec-fetch-user",
  "transfer-encoding",
  "upgrade-insecure-requests",
  "user-agent",
]);

/** Headers and fields that may carry a secret: only the sandbox's own, which everybody knows, is kept. */
const secretHeaderName = /authori[sz]ation|cookie|key|secret|token/;
const demoSecret = /^(Bearer )?demo-[\w-]+$/;
const redactedText = "(not kept)";

/** The same in texts, whatever they say they are: what is sent to a login is read as a form in any case. */
const secretPatterns = [
  // Of a form or an address; the codes of a login, too.
  /(?<=(?:^|[?&])(?:[^=&\s]*(?:password|secret|token)|code|code_verifier)=)([^&\s]+)/gi,
  // Of JSON.
  /(?<="[^"]*(?:password|secret|token)"\s*:\s*")((?:[^"\\]|\\.)+)/gi,
];

/** A text without what should be known to nobody else. */
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
      value === undefined || omittedHeaders.has(name) ? [] : [[name, redactHeader(name, String(value))]],
    ),
  );

function bodyText(body: unknown, type = "application/octet-stream"): string {
  if (body === undefined || body === null) return "";
  if (typeof body !== "string" && !Buffer.isBuffer(body)) return `(${type}, made while it is sent)`;
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

/** The same without secrets, of what was kept with them. */
export const redactExchangeBody = ({ headers, body }: ExchangeBody): ExchangeBody => ({
  headers: recordedHeaders(headers),
  body: redactText(body),
});

const shellQuote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A request as a command line that sends it again to the sandbox whose variables are set. */
export function toCurlCommand(method: string, url: string, { headers, body }: ExchangeBody): string {
  const lines = [
    `curl -X ${method} "$FXDESK_BASE_URL"${shellQuote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${shellQuote(body)}`] : []),
  ];
  return lines.join(" \\\n  ");
}
