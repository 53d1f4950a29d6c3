/** Building blocks of the editor's HTML and definitions. */

/** Version of the stored properties. Changing their format requires a migration. */
export const propertiesVersion = 1;

/** Returns JSON that is safe inside a script element. */
export const literal = (value: unknown): string => JSON.stringify(value).replaceAll("</", "<\\/");

/** Returns the form template of a type. Empty ones are filled by the shared script. */
export const template = (type: string, content = ""): string =>
  `<script type="text/html" data-template-name="${type}">${content}</script>`;

export const wrapForm = (content: string): string => `<div class="fxdesk-form">${content}</div>`;

export const row = (id: string, words: string, control: string): string =>
  `<div class="form-row"><label for="${id}" data-i18n="${words}"></label>${control}</div>`;

export const textInput = (id: string, type = "text"): string => `<input type="${type}" id="${id}">`;

/** Returns the properties of a definition, one per line. */
export const properties = (list: readonly string[]): string => `{\n    ${list.join(",\n    ")}\n  }`;
