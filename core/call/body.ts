/** Encodes and decodes request bodies: JSON, a document, or a multipart form of a document and fields. */

import type { Declaration, DocumentForm, TextDocument } from "../spec/operation";
import { fieldsOf, type Values, memoizePerOperation } from "../spec/fields";
import { maxDepth } from "../spec/writable";
import { isObject, isDeeperThan } from "../values/json";

interface EncodedBody {
  /** Value of the Content-Type header. */
  readonly mediaType: string;
  readonly text: string;
}

const bodyFieldNames = memoizePerOperation((operation) =>
  fieldsOf(operation)
    .filter(({ location }) => location === "body")
    .map(({ name }) => name),
);

const pickGiven = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));

/** Encodes the body. Undefined for an operation without one. */
export function encodeBody(operation: Declaration, values: Values): EncodedBody | undefined {
  const { body, document } = operation;
  const text = document && values[document.name];
  if (typeof text === "string") return encodeDocument(document!, text, values);
  const json = () => JSON.stringify(pickGiven(values, bodyFieldNames(operation)));
  return body && { mediaType: "application/json", text: json() };
}

function encodeDocument({ mediaTypes, form }: TextDocument, text: string, values: Values): EncodedBody {
  const formFields = pickGiven(values, form?.fields ?? []);
  const [mediaType] = mediaTypes;
  if (!form || Object.keys(formFields).length === 0) return { mediaType, text };
  return encodeForm([
    [form.documentPart, mediaType, text],
    [form.fieldsPart, "application/json", JSON.stringify(formFields)],
  ]);
}

type FormPart = readonly [name: string, mediaType: string, text: string];

/** Encodes a form (RFC 7578). Deterministic: the boundary is the first numbered one that does not occur in the parts. */
function encodeForm(parts: readonly FormPart[]): EncodedBody {
  let number = 1;
  while (parts.some(([, , text]) => text.includes(`part-boundary-${number}`))) number += 1;
  const boundary = `part-boundary-${number}`;
  const written = parts.map(
    ([name, mediaType, text]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${mediaType}\r\n\r\n${text}\r\n`,
  );
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    text: `${written.join("")}--${boundary}--\r\n`,
  };
}

/** The body cannot be decoded. */
export class UnreadableBody extends Error {
  constructor(
    readonly because: "media-type" | "content",
    message: string,
  ) {
    super(message);
  }
}

const unreadableBodyError = (message: string) => new UnreadableBody("content", message);

const isJson = (mediaType: string) => /^application\/(.+\+)?json$/.test(mediaType);

/** Decodes the fields of a body by its Content-Type, including unknown fields. Throws UnreadableBody. */
export async function decodeBody(
  operation: Declaration,
  contentType: string | undefined,
  bytes: Uint8Array,
): Promise<Values> {
  const { document } = operation;
  const mediaType = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  if (isJson(mediaType)) return parseFields(operation, decodeUtf8(bytes));
  if (document?.mediaTypes.includes(mediaType)) return { [document.name]: decodeUtf8(bytes) };
  if (document?.form && mediaType === "multipart/form-data")
    return decodeForm(operation, document, document.form, contentType!, bytes);
  const acceptedTypes = ["application/json", ...(document?.mediaTypes ?? [])].join(", ");
  throw new UnreadableBody("media-type", `The body must be one of ${acceptedTypes}.`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw unreadableBodyError("The body is not UTF-8.");
  }
}

/** Names of all path, query and header fields. */
const nonBodyFieldNames = memoizePerOperation(
  (operation) =>
    new Set(
      fieldsOf(operation)
        .filter(({ location }) => location !== "body")
        .map(({ name }) => name),
    ),
);

/** Prefixes body fields with `body.` if their name belongs to another location, so that they cannot replace it. */
function parseFields(operation: Declaration, text: string): Values {
  const elsewhere = nonBodyFieldNames(operation);
  return Object.fromEntries(
    Object.entries(parseObject(text)).map(([name, value]) => [
      elsewhere.has(name) ? `body.${name}` : name,
      value,
    ]),
  );
}

function parseObject(text: string): Values {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw unreadableBodyError("The body is not JSON.");
  }
  if (!isObject(content)) throw unreadableBodyError("The body must be an object.");
  if (isDeeperThan(maxDepth, content))
    throw unreadableBodyError(`The body has more than ${maxDepth} levels.`);
  return content;
}

async function decodeForm(
  operation: Declaration,
  { name }: TextDocument,
  { documentPart, fieldsPart }: DocumentForm,
  contentType: string,
  bytes: Uint8Array,
): Promise<Values> {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } })
    .formData()
    .catch(() => undefined);
  if (!form) throw unreadableBodyError("The body is not a valid multipart form.");
  const part = async (key: string): Promise<string> => {
    const value = form.get(key);
    if (value === null) throw unreadableBodyError(`The form has no part ${key}.`);
    return typeof value === "string" ? value : value.text();
  };
  return { ...parseFields(operation, await part(fieldsPart)), [name]: await part(documentPart) };
}
