/** What a request and its response said, as texts that a person can read and send again. */
import { isUtf8 } from "node:buffer";

export type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Said {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of a long one; of what is no text only how much there was of what. */
  readonly body: string;
}

export interface Exchange {
  readonly request: Said;
  readonly response: Said;
}

const mostCharacters = 20_000;

/** What the connection or the caller's library adds, and nobody would write. */
const unwritten = new Set([
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
const secretHeader = /authori[sz]ation|cookie|key|secret|token/;
const knownSecret = /^(Bearer )?demo-[\w-]+$/;
const withheld = "(not kept)";

/** The same in texts, whatever they say they are: what is sent to a login is read as a form in any case. */
const secretsInTexts = [
  // Of a form or an address; the codes of a login, too.
  /(?<=(?:^|[?&])(?:[^=&\s]*(?:password|secret|token)|code|code_verifier)=)([^&\s]+)/gi,
  // Of JSON.
  /(?<="[^"]*(?:password|secret|token)"\s*:\s*")((?:[^"\\]|\\.)+)/gi,
];

/** A text without what should be known to nobody else. */
const withoutSecrets = (text: string): string =>
  secretsInTexts.reduce(
    (left, secret) => left.replace(secret, (value) => (knownSecret.test(value) ? value : withheld)),
    text,
  );

const shownOf = (name: string, value: string): string =>
  secretHeader.test(name) && !knownSecret.test(value) ? withheld : withoutSecrets(value);

const headersIn = (headers: Headers): Said["headers"] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || unwritten.has(name) ? [] : [[name, shownOf(name, String(value))]],
    ),
  );

function textOf(body: unknown, type = "application/octet-stream"): string {
  if (body === undefined || body === null) return "";
  if (typeof body !== "string" && !Buffer.isBuffer(body)) return `(${type}, made while it is sent)`;
  const bytes = Buffer.from(body as string);
  if (!isUtf8(bytes) || /\/(pdf|zip|.*officedocument.*)/.test(type))
    return `(${type}, ${bytes.length} bytes)`;
  const text = bytes.toString("utf8");
  const kept = withoutSecrets(text.slice(0, mostCharacters));
  return text.length > mostCharacters ? `${kept}\n(${text.length - mostCharacters} characters more)` : kept;
}

export function said(headers: Headers, body: unknown): Said {
  const kept = headersIn(headers);
  return { headers: kept, body: textOf(body, kept["content-type"]) };
}

/** The same without secrets, of what was kept with them. */
export const cleared = ({ headers, body }: Said): Said => ({
  headers: headersIn(headers),
  body: withoutSecrets(body),
});

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A request as a command line that sends it again to the sandbox whose variables are set. */
export function commandOf(method: string, url: string, { headers, body }: Said): string {
  const lines = [
    `curl -X ${method} "$FXDESK_BASE_URL"${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${quoted(body)}`] : []),
  ];
  return lines.join(" \\\n  ");
}
