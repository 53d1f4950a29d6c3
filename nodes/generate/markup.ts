/** Pieces of the editor's HTML and of its definitions. */

/** The version of the stored properties; a change of their form needs a migration. */
export const propertiesVersion = 1;

/** JSON that can stand inside a script element. */
export const literal = (value: unknown): string => JSON.stringify(value).replaceAll("</", "<\\/");

/** The form of a type; one without content is filled in the page. */
export const template = (type: string, content = ""): string =>
  `<script type="text/html" data-template-name="${type}">${content}</script>`;

export const wrapForm = (content: string): string => `<div class="fxdesk-form">${content}</div>`;

export const row = (id: string, words: string, control: string): string =>
  `<div class="form-row"><label for="${id}" data-i18n="${words}"></label>${control}</div>`;

export const textInput = (id: string, type = "text"): string => `<input type="${type}" id="${id}">`;

/** The properties of a definition, one a line. */
export const properties = (list: readonly string[]): string => `{\n    ${list.join(",\n    ")}\n  }`;
