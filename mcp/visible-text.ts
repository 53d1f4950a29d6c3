/** Text as other people wrote it, without what a reader cannot see. */

/**
 * Control and format characters, separators of lines and paragraphs, and all that Unicode lets a reader ignore (fillers,
 * tags, variation selectors): they hide words from a person or turn their direction, while a model still reads them.
 */
const invisibleCharacters = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const visibleText = (text: string): string => text.replace(invisibleCharacters, "");
