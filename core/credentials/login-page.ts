/** What a person is shown who comes back from a login. */

/** The page loads nothing, and tells nobody the address on which it stands: that has the code in it. */
export const loginPageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export interface LoginPage {
  readonly status: 200 | 400;
  readonly title: string;
  readonly message: string;
}

export const unknownLoginPage: LoginPage = {
  status: 400,
  title: "Not this login",
  message: "The login is another one, or is over.",
};

export const failedLoginPage = ({ message }: Error): LoginPage => ({
  status: 400,
  title: "Not logged in",
  message,
});

export const renderLoginPage = ({ title, message }: LoginPage): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>` +
  `<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p></main></body></html>\n`;
