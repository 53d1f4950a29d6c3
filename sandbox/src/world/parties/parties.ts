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

const clients: readonly Client[] = [
  {
    clientId: demo.clientId,
    name: "Meridian Tools GmbH",
    address: "Werkstrasse 12, 20457 Hamburg",
    country: "DE",
    email: "treasury@meridian-tools.example",
  },
  {
    clientId: "client-other",
    name: "Harbour Textiles Ltd",
    address: "4 Quay Lane, Bristol BS1 4RW",
    country: "GB",
    email: "finance@harbour-textiles.example",
  },
];

const demoContact = (contactId: string, name: string, active = true): Contact => ({
  contactId,
  clientIds: [demo.clientId],
  name,
  email: `${name.toLowerCase().replace(" ", ".")}@meridian-tools.example`,
  active,
});

const contacts: readonly Contact[] = [
  demoContact(demo.contactId, "Ada Lindqvist"),
  demoContact("contact-second-admin", "Bruno Keller"),
  demoContact("contact-approver", "Carla Moretti"),
  demoContact("contact-blocked", "Dirk Blom", false),
  {
    contactId: "contact-other",
    clientIds: ["client-other"],
    name: "Erin Walsh",
    email: "erin.walsh@harbour-textiles.example",
    active: true,
  },
];

/** All clients and contacts of a world. */
export interface Parties {
  readonly clients: readonly Client[];
  readonly contacts: readonly Contact[];
  /** Contact to whom the demo credentials belong. */
  readonly home: Contact;
}

export const demoParties: Parties = { clients, contacts, home: contacts[0]! };
