/** Sandbox at a fixed time with a client and a person who authorises. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Values } from "@fxdesk/toolkit/operations";
import { type Sandbox } from "@fxdesk/sandbox";
import { sandboxClient } from "../../support/samples";
import { forkSandbox } from "../support/forks";

/** A Monday. */
export const today = "2026-03-02";
export const minute = 60_000;
export const day = 24 * 60 * minute;

export interface Bank {
  readonly sandbox: Sandbox;
  readonly client: FxdeskClient;
  close(): Promise<void>;
}

export async function openBank(psu: Readonly<Record<string, string>> = {}, daysBehind = 90): Promise<Bank> {
  const sandbox = await forkSandbox({ now: new Date(`${today}T09:00:00Z`), daysBehind });
  const client = sandboxClient(sandbox, { psu });
  return {
    sandbox,
    client,
    close: async () => {
      await client.close();
      await sandbox.close();
    },
  };
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

/** Returns the EUR account as listed under a consent. */
export async function euroAccount(bank: Bank) {
  const consentId = await validConsent(bank, { access: { allPsd2: "allAccounts" } });
  const { accounts } = await bank.client.openBanking.listAccounts({ "Consent-ID": consentId });
  const { resourceId = "", iban = "" } = accounts.find(({ currency }) => currency === "EUR")!;
  return { resourceId, iban };
}

/** Matches an error of the open-banking interfaces. */
export const refusal = (status: number, code: string): object => ({
  status,
  service: expect.objectContaining({ code }) as Values,
});

/** Sorts entries for comparison in any order. */
export const sortTexts = (texts: readonly (string | undefined)[]): string[] =>
  texts.map(String).toSorted((one, other) => one.localeCompare(other));
