/** Links at which a person confirms or authorises something. */
import { isObject } from "./json";

/** Returns the link at which a person confirms a payment or authorises a consent; undefined if the result has none. */
export function findConfirmationLink(result: unknown): string | undefined {
  if (!isObject(result)) return undefined;
  const { link, _links: links } = result;
  const targets = isObject(links) ? [links.scaRedirect, links.scaOAuth] : [];
  const addresses = [link, ...targets.map((target) => (isObject(target) ? target.href : undefined))];
  return addresses.find((address) => typeof address === "string");
}
