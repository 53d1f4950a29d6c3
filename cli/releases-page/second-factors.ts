/** Second factors in forms: which fields a form has for a person at an address. */
import { findPasskeyProblem, passkeysFor, requestOptions } from "../../core/people/passkey";
import type { Person } from "../../core/people/people-file";
import type { SecondFactor } from "../../core/releases/policy";

export interface FactorFields {
  readonly code?: "required" | "optional" | undefined;
  /** JSON of the options with which the script asks for a passkey. */
  readonly request?: string | undefined;
  readonly challenge?: string | undefined;
}

/** Returns the fields of a form, or a text with what the person has to set up first. All of `needed` is needed. */
export async function factorFields(
  needed: readonly SecondFactor[],
  { name, person, origin }: { readonly name: string; readonly person: Person; readonly origin: string },
  challenge: string,
): Promise<FactorFields | string> {
  if (needed.length === 0) return {};
  const [needsCode, needsPasskey] = [needed.includes("totp"), needed.includes("passkey")];
  const isEither = !needsCode && !needsPasskey;
  const problem = needsPasskey || isEither ? await findPasskeyProblem(origin) : undefined;
  const hasCode = person.totp !== undefined;
  const hasPasskey = problem === undefined && passkeysFor(person, origin).length > 0;
  const codeAdvice = `Set up codes with \`fxdesk people totp ${name}\`.`;
  const passkeyAdvice = problem ?? "Add a passkey on the page Passkeys.";
  if (isEither && !hasCode && !hasPasskey)
    return `A release needs a code or a passkey. ${codeAdvice} Or: ${passkeyAdvice}`;
  if (needsCode && !hasCode) return `A release needs a code. ${codeAdvice}`;
  if (needsPasskey && !hasPasskey) return `A release needs a passkey. ${passkeyAdvice}`;
  const code =
    needsCode || (isEither && !hasPasskey) ? "required" : hasCode && isEither ? "optional" : undefined;
  const takesPasskey = needsPasskey || (isEither && hasPasskey);
  return {
    code,
    ...(takesPasskey && { challenge, request: await requestOptions(person, origin, challenge) }),
  };
}
