/** Finds the person who holds a token. Reads the people file for each request, so that a removed token stops working at once. */
import { findTokenHolder, loadPeople } from "../core/releases/people";
import type { TokenHolderLookup } from "./http";

/** Returns the lookup; undefined, until the next start, if the file has no tokens or cannot be read. */
export async function loadTokenHolders(path: string): Promise<TokenHolderLookup | undefined> {
  try {
    const { tokens } = await loadPeople(path);
    if (Object.keys(tokens).length === 0) return undefined;
  } catch (error) {
    console.error(
      `fxdesk: Personal tokens are not accepted, because the people file could not be read: ${(error as Error).message}`,
    );
    return undefined;
  }
  return async (token) => findTokenHolder(await loadPeople(path), token);
}
