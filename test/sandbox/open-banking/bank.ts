/** Sandbox at a fixed time with a client and a person who authorises. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Values } from "@fxdesk/toolkit/operations";
import type { Sandbox, SandboxOptions } from "@fxdesk/sandbox";
import { openClient, openSandbox } from "../../support/sandboxes";
import { checkStandard } from "./standard";

/** A Monday. */
export const today = "2026-03-02";
export const second = 1_000;
export const minute = 60 * second;
export const day = 24 * 60 * minute;

export interface Bank {
  readonly sandbox: Sandbox;
  readonly client: FxdeskClient;
}

/** A person who is present at each call. */
export const person = { "PSU-IP-Address": "192.0.2.7" };

export async function openBank(
  psu: Readonly<Record<string, string>> = {},
  options: SandboxOptions = {},
): Promise<Bank> {
  const sandbox = await openSandbox({ now: new Date(`${today}T09:00:00Z`), ...options });
  checkStandard(sandbox);
  return { sandbox, client: openClient(sandbox, { psu }) };
}

interface Link {
  readonly href?: string | undefined;
}

/** Submits a decision on the page behind a link and returns the redirect, if any. */
export const decide = (link: Link | undefined, decision: string): Promise<Response> =>
  fetch(link!.href!, { method: "POST", body: new URLSearchParams({ decision }), redirect: "manual" });

export const everything = { accounts: [], balances: [], transactions: [] };

export const consentTerms = {
  access: everything,
  recurringIndicator: true,
  validUntil: "2026-06-30",
  frequencyPerDay: 4,
  combinedServiceIndicator: false,
};

type NewConsent = Parameters<FxdeskClient["consents"]["create"]>[0];

/** Creates an authorised consent. */
export async function validConsent({ client }: Bank, terms: Partial<NewConsent> = {}): Promise<string> {
  const { consentId, _links } = await client.consents.create({ ...consentTerms, ...terms });
  await decide(_links.scaRedirect, "approve");
  return consentId;
}

/** Returns the EUR account. */
export async function euroAccount({ client }: Bank) {
  const { account_id: resourceId, iban } = await client.accounts.getFunding({ currency: "EUR" });
  return { resourceId: resourceId!, iban: iban! };
}

export const product = { "payment-product": "sepa-credit-transfers" } as const;
export const single = { "payment-service": "payments", ...product } as const;

export const transfer = (amount: string, iban = "NL13TEST0123456789") => ({
  instructedAmount: { currency: "EUR", amount },
  creditorAccount: { iban },
  creditorName: "Brouwer Logistiek BV",
  remittanceInformationUnstructured: "Invoice 4711",
});

/** Matches an error of the open-banking interfaces. */
export const refusal = (status: number, code: string): object => ({
  status,
  service: expect.objectContaining({ code }) as Values,
});

/** Sorts entries for comparison in any order. */
export const sortTexts = (texts: readonly (string | undefined)[]): string[] =>
  texts.map(String).toSorted((one, other) => one.localeCompare(other));
