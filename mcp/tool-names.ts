/** Keeps names of tools that a server does not offer out of its texts. */

/** Tool that reads what became of a call in the journal. */
export const outcomeTool = "find_outcome";

/** Replaces a text that would be empty. */
const withoutSource = "Known from an earlier result or from the user.";

const sentences = (text: string): string[] => text.split(/(?<=[.;]) /);

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Rewrites texts so that they name none of the given tools. */
export type HideTools = (text: string) => string;

/** Returns a function that leaves out the given tools: the place where a value comes from, or advice to use them. */
export function hideTools(names: readonly string[]): HideTools {
  if (names.length === 0) return (text) => text;
  const name = `\\b(?:${names.join("|")})\\b`;
  const any = new RegExp(name);
  const alternatives = new RegExp(`${name} or | or ${name}`, "g");
  const source = new RegExp(`,? ?\\b(?:as in|from) ${name}`, "gi");
  const check = new RegExp(`check with ${name}`, "g");
  const hideIn = (sentence: string): string => {
    const rest = sentence.replace(alternatives, "").replace(check, "check at the service");
    if (!any.test(rest)) return rest;
    const withoutSources = /^(?:For|To)\b/.test(rest) ? "" : rest.replace(source, "");
    return any.test(withoutSources) || /^\W*$/.test(withoutSources) ? "" : capitalize(withoutSources.trim());
  };
  return (text) => {
    if (!any.test(text)) return text;
    return sentences(text).map(hideIn).filter(Boolean).join(" ") || withoutSource;
  };
}

/** Rewrites all descriptions in a value. */
export function hideInDescriptions<T>(value: T, hide: HideTools): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => hideInDescriptions(each, hide)) as T;
  const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => [
    name,
    name === "description" && typeof inner === "string" ? hide(inner) : hideInDescriptions(inner, hide),
  ]);
  return Object.fromEntries(entries) as T;
}
