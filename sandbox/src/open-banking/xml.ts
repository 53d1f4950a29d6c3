/** XML elements by name; attribute names start with @. */
import XmlBuilder from "fast-xml-builder";

export type Xml = {
  readonly [name: string]: Xml | readonly Xml[] | readonly string[] | string | number | undefined;
};

/** Characters that XML cannot represent, escaped or not. */
const invalidXmlCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const builder = new XmlBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  tagValueProcessor: (_name, value) => String(value).replace(invalidXmlCharacters, " "),
});

/** Writes elements as text and omits undefined ones. */
export const writeElements = (content: Xml): string => builder.build(content);

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
