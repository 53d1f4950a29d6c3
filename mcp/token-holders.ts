/** Who has which token, by the file of people: read for each request, so that one that is taken away is worth nothing at once. */
import { findTokenHolder, loadPeople } from "../core/releases/people";
import type { TokenHolderLookup } from "./http";

/** Undefined where nobody has a token, or this process may not know: then there are no such tokens until it is started again. */
export async function loadTokenHolders(path: string): Promise<TokenHolderLookup | undefined> {
  try {
    const { tokens } = await loadPeople(path);
    if (Object.keys(tokens).length === 0) return undefined;
  } catch (error) {
    console.error(`fxdesk: No tokens of people are taken: ${(error as Error).message}`);
    return undefined;
  }
  return async (token) => findTokenHolder(await loadPeople(path), token);
}
