/** Who has which token, by the file of people: read for each request, so that one that is taken away is worth nothing at once. */
import { holderOf, peopleAt } from "../core/releases/people";
import type { HolderOf } from "./http";

/** Undefined where nobody has a token, or this process may not know: then there are no such tokens until it is started again. */
export async function tokenHolders(path: string): Promise<HolderOf | undefined> {
  try {
    const { tokens } = await peopleAt(path);
    if (Object.keys(tokens).length === 0) return undefined;
  } catch (error) {
    console.error(`fxdesk: No tokens of people are taken: ${(error as Error).message}`);
    return undefined;
  }
  return async (token) => holderOf(await peopleAt(path), token);
}
