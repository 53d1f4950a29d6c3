/** Forms that browsers send: reading them, and the secret and second factors in them. */
import type { IncomingMessage } from "node:http";
import type { Credentials } from "../../core/people/authenticate";

const maxFormBytes = 8_192;

/** An invalid HTTP request; the message is shown to the user. */
export class BadRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { "content-type": type = "" } = request.headers;
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new BadRequest(415, "The request must be a form of this page.");
  const tooLarge = new BadRequest(413, "The form is too large.");
  // Before anything is read: a body that is read in part ends the connection, and the answer with it.
  if (Number(request.headers["content-length"]) > maxFormBytes) throw tooLarge;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxFormBytes) throw tooLarge;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString("utf8"));
}

/** Returns the secret and the second factors of a form. */
export const credentialsFrom = (
  form: URLSearchParams,
  { person, origin }: { readonly person: string; readonly origin: string },
  challenge: string,
): Credentials => {
  const credential = form.get("passkey") || undefined;
  return {
    person,
    secret: form.get("secret") ?? "",
    code: form.get("code")?.trim() || undefined,
    ...(credential !== undefined && { passkey: { credential, challenge, origin } }),
  };
};
