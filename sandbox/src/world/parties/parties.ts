/** Companies, their contacts and the demo credentials. */

export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly address: string;
  readonly country: string;
  /** Registered address for e-mailed statements. */
  readonly email: string;
}

export interface Contact {
  readonly contactId: string;
  /** Clients the contact acts for, its own first. */
  readonly clientIds: readonly string[];
  readonly name: string;
  readonly email: string;
  /** Inactive contacts cause a conflict in every request that names them. */
  readonly active: boolean;
}

export const canActFor = (contact: Contact, { clientId }: Pick<Client, "clientId">): boolean =>
  contact.active && contact.clientIds.includes(clientId);

/** Credentials of the demo company, the same for every seed. */
export const demo = {
  clientId: "client-demo",
  contactId: "contact-demo",
  accessToken: "demo-access-token",
  apiKey: "demo-api-key",
  authClientId: "demo-application",
  authClientSecret: "demo-application-secret",
  refreshToken: "demo-refresh-token",
  /** Redirect URI of the demo application. */
  redirectUri: "http://127.0.0.1:1880/callback",
  email: "ada.lindqvist@meridian-tools.example",
  /** Password of every contact. */
  password: "demo-password",
} as const;

/**
 * Returns a demo credential by the name of its setting. Credentials not listed above are derived from the name:
 * `demo-desk-key`.
 */
export const demoCredential = (setting: string): string =>
  (demo as Readonly<Record<string, string>>)[setting] ??
  `demo-${setting.replace(/([A-Z])/g, "-$1").toLowerCase()}`;

/** All clients and contacts of a world. */
export interface Parties {
  readonly clients: readonly Client[];
  readonly contacts: readonly Contact[];
  /** Contact to whom the demo credentials belong. */
  readonly home: Contact;
}
