/** XML as it is written: elements by name, attributes with an @ before theirs. */
import XmlBuilder from "fast-xml-builder";

export type Xml = {
  readonly [name: string]: Xml | readonly Xml[] | readonly string[] | string | number | undefined;
};

/** What XML cannot carry, escaped or not. */
const invalidXmlCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const builder = new XmlBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  tagValueProcessor: (_name, value) => String(value).replace(invalidXmlCharacters, " "),
});

/** Elements as text. What is undefined is left out. */
export const writeElements = (content: Xml): string => builder.build(content);

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
