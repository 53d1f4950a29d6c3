/** Removes invisible characters from text of other people. */

/**
 * Control and format characters, line and paragraph separators, and default-ignorable characters (fillers, tags, variation
 * selectors). They hide or reverse words for a person, while a model still reads them.
 */
const invisibleCharacters = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const visibleText = (text: string): string => text.replace(invisibleCharacters, "");
