/** Finds the link of a result at which a person confirms or authorises something. */
import { findConfirmationLink } from "../core/values/confirmation-link";
import { isWebAddress } from "../core/values/values";
import type { PersonLink } from "./protocol";
import { isObject, type ToolResult } from "./render/content";

export const releaseLink = (title: string, url: string): PersonLink => ({
  url,
  message: `${title}: the request waits for release by a person. Open its page?`,
});

/** Returns the link of a result that waits for a person, or undefined. */
export function findPersonLink(
  title: string,
  { structuredContent }: Pick<ToolResult, "structuredContent">,
): PersonLink | undefined {
  const found = structuredContent?.body ?? structuredContent;
  if (!isObject(found)) return undefined;
  const { state, releases_page: page } = found;
  if (state === "waiting" && typeof page === "string") return releaseLink(title, page);
  const url = findConfirmationLink(found);
  return url !== undefined && isWebAddress(url)
    ? { url, message: `${title}: the bank asks a person for authorisation. Open its page?` }
    : undefined;
}
