/** Pages shown at the end of a login. */

/** The page loads nothing and sends no referrer, because its address contains the authorization code. */
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
  title: "Unknown login",
  message: "This login has expired or was started elsewhere. Start a new one.",
};

export const failedLoginPage = ({ message }: Error): LoginPage => ({
  status: 400,
  title: "Not logged in",
  message,
});

export const renderLoginPage = ({ title, message }: LoginPage): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>` +
  `<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p></main></body></html>\n`;
