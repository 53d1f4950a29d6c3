/** Passkeys (WebAuthn): what a browser needs to create and to use one, and the check of its response. */
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { isLoopback, withoutBrackets } from "../values/host";
import type { Passkey, Person } from "./people-file";

/** Response of a browser to a challenge. */
export interface PasskeyResponse {
  /** Credential as JSON, with its binary fields in base64url. */
  readonly credential: string;
  /** In base64url. The caller makes sure that it is used once, and for the purpose it was made for. */
  readonly challenge: string;
  /** Origin of the page that received the response. */
  readonly origin: string;
}

/** Time for which a browser waits for its user. */
const timeoutMs = 5 * 60_000;

async function loadLibrary() {
  try {
    return await import("@simplewebauthn/server");
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.endsWith("NOT_FOUND")) throw error;
    throw new TypeError(
      "secondFactor: passkeys need the package @simplewebauthn/server: npm install @simplewebauthn/server",
      { cause: error },
    );
  }
}

const hostOf = (origin: string): string => new URL(origin).hostname;

/** Returns why browsers cannot use passkeys at an address, or undefined. */
export async function findPasskeyProblem(origin: string): Promise<string | undefined> {
  const { hostname, port } = new URL(origin);
  if (isLoopback(hostname) && hostname !== "localhost")
    return `Passkeys need a host name: open http://localhost${port && `:${port}`} instead of ${origin}.`;
  if (isIP(withoutBrackets(hostname)) > 0)
    return `Passkeys need a host name, and ${hostname} is an IP address. The operator can set one with --address.`;
  return loadLibrary().then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Returns the passkeys of a person for the host of an address. */
export const passkeysFor = ({ passkeys = [] }: Person, origin: string): readonly Passkey[] =>
  passkeys.filter(({ host }) => host === hostOf(origin));

/** Types of the library are narrower than what the file has: it also names transports of the future. */
const toDescriptor = ({ id, transports }: Passkey) => ({ id, transports: transports as never });

/** Returns the JSON of the options of `navigator.credentials.get`. */
export async function requestOptions(person: Person, origin: string, challenge: string): Promise<string> {
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID: hostOf(origin),
    challenge: Buffer.from(challenge, "base64url"),
    allowCredentials: passkeysFor(person, origin).map(toDescriptor),
    userVerification: "required",
    timeout: timeoutMs,
  });
  return JSON.stringify(options);
}

/** Returns the JSON of the options of `navigator.credentials.create`. */
export async function creationOptions(
  name: string,
  person: Person,
  origin: string,
  challenge: string,
): Promise<string> {
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: "fxdesk releases",
    rpID: hostOf(origin),
    userName: name,
    // Devices replace a passkey of the same user ID, which must not be the name itself.
    userID: createHash("sha256").update(name).digest(),
    challenge: Buffer.from(challenge, "base64url"),
    excludeCredentials: passkeysFor(person, origin).map(toDescriptor),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
    timeout: timeoutMs,
  });
  return JSON.stringify(options);
}

/** What the response must fit. User verification is required by default. */
const expectations = ({ credential, challenge, origin }: PasskeyResponse) => ({
  response: JSON.parse(credential) as never,
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: hostOf(origin),
});

/** Returns the new passkey of a response; undefined if the response is invalid. */
export async function readNewPasskey(response: PasskeyResponse): Promise<Passkey | undefined> {
  const { verifyRegistrationResponse } = await loadLibrary();
  // Throws for each deviation, also of a response that is no JSON.
  const checked = await (async () => verifyRegistrationResponse(expectations(response)))().catch(
    () => undefined,
  );
  if (!checked?.verified) return undefined;
  const { id, publicKey, counter, transports } = checked.registrationInfo.credential;
  return {
    id,
    publicKey: Buffer.from(publicKey).toString("base64url"),
    counter,
    ...(transports && { transports }),
    host: hostOf(response.origin),
    created: new Date().toISOString(),
  };
}

/** Checks a response and returns the person with the counter of the used passkey; undefined if the response is invalid. */
export async function usePasskey(person: Person, response: PasskeyResponse): Promise<Person | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const check = async () => {
    const expected = expectations(response);
    const { id } = expected.response as { readonly id?: unknown };
    const used = passkeysFor(person, response.origin).find((each) => each.id === id);
    if (!used) return undefined;
    const { counter } = used;
    const credential = { id: used.id, publicKey: Buffer.from(used.publicKey, "base64url"), counter };
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({ ...expected, credential });
    if (!verified) return undefined;
    const counted = { ...used, counter: authenticationInfo.newCounter };
    return { ...person, passkeys: person.passkeys!.map((each) => (each === used ? counted : each)) };
  };
  // Throws for each deviation, also of a response that is no JSON.
  return check().catch(() => undefined);
}
