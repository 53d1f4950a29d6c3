/** Life cycle of consents. */
import { DomainError } from "../common/domain-error";
import { type Account, accountNumberOf, toAccountReference } from "../model/account";
import { addDays, dayOf, startOf, dayMs } from "@fxdesk/toolkit/calendars";
import type { Client } from "../parties/parties";
import type { World } from "../model/world";
import {
  type Grant,
  accessWithChoices,
  grantFor,
  letsPersonChoose,
  narrowGrant,
  type Consent,
  type ConsentTerms,
} from "../model/consent";
import type { ConsentStatus } from "../common/enumerations";
import type { Decision, Subject } from "../model/decision";

const daysToAuthorise = 3;

/**
 * Schedules the lapse of an unanswered decision: after `daysToAuthorise`, or at `latestEnd` if that is earlier.
 */
export function scheduleLapse(world: World, decision: Decision, latestEnd?: Date): void {
  const defaultEnd = world.timeAfter(daysToAuthorise * dayMs);
  const end = latestEnd && latestEnd < defaultEnd ? latestEnd : defaultEnd;
  world.scheduledEvents.schedule(end, "decision-lapses", decision);
}

const minuteMs = 60_000;
/** Period after authorisation in which all history is open. One-off consents end with it. */
const fullHistoryMs = 20 * minuteMs;

const earlierOf = (one: Date, other: Date): Date => (one < other ? one : other);

/** Returns the end of the last valid day. */
const endOf = ({ validUntil }: ConsentTerms): Date => startOf(addDays(validUntil, 1));

export function createConsent(world: World, client: Client, terms: ConsentTerms): Consent {
  const grant = grantFor(world.accountsOf(client), terms.access);
  const consentId = world.ids.uuid();
  const consent: Consent = {
    ...terms,
    consentId,
    client,
    grant,
    decision: {
      about: "consent",
      id: consentId,
      subject: { scope: `AIS:${consentId}`, clientIds: [client.clientId], consentId },
      title: "Access to account information",
      ...describeForPerson(terms, grant),
    },
    unattended: { day: dayOf(world.now), reads: new Map() },
    reported: new Map(),
    allHistoryUntil: new Date(0),
    status: "received",
    lastActionDate: dayOf(world.now),
  };
  world.openBanking.consents.set(consent.consentId, consent);
  scheduleLapse(world, consent.decision, endOf(terms));
  return consent;
}

/** Error kinds of an unknown consent, by location of its ID. In the path the consent is the resource itself. */
const unknownConsentKinds = { path: "consent-unknown", header: "named-consent-unknown" } as const;

/** Finds a client's consent. Throws a DomainError if there is none. */
export function findClientConsent(
  { openBanking }: World,
  client: Client,
  consentId: string,
  namedIn: keyof typeof unknownConsentKinds,
): Consent {
  const consent = openBanking.consents.get(consentId);
  if (consent?.client !== client)
    throw new DomainError(unknownConsentKinds[namedIn], "Consent not found.", consentId);
  return consent;
}

const accountNumberText = (account: Account) => accountNumberOf(toAccountReference(account));

/** Returns the expiry for display. */
const describeExpiry = ({ recurringIndicator, validUntil }: ConsentTerms): string =>
  recurringIndicator
    ? validUntil
    : `${fullHistoryMs / minuteMs} minutes after your approval, but not after ${validUntil}`;

/** Returns the terms a person reads, and the accounts to choose from if the access leaves the choice. */
function describeForPerson(terms: ConsentTerms, grant: Grant): Pick<Decision, "terms" | "choices"> {
  const canChoose = letsPersonChoose(terms.access);
  const describeAccounts = (accounts: readonly Account[]) =>
    canChoose && accounts.length > 0
      ? "accounts you choose"
      : accounts.map(accountNumberText).join(", ") || "none";
  return {
    terms: [
      ["Accounts", describeAccounts(grant.accounts)],
      ["Balances", describeAccounts(grant.balances)],
      ["Transactions", describeAccounts(grant.transactions)],
      ["Account owner", describeAccounts(grant.ownerName)],
      ["Frequency", terms.recurringIndicator ? `up to ${terms.frequencyPerDay} times a day` : "once"],
      ["Valid until", describeExpiry(terms)],
    ],
    ...(canChoose && {
      choices: grant.accounts.map((account) => [
        account.accountId,
        `${accountNumberText(account)} ${account.currency}`,
      ]),
    }),
  };
}

export function endConsent(world: World, consent: Consent, status: ConsentStatus): void {
  consent.status = status;
  consent.lastActionDate = dayOf(world.now);
}

/** Authorises a consent. A recurring consent replaces the client's previous one. */
function authorise(world: World, consent: Consent, chosen?: readonly string[]): void {
  if (consent.recurringIndicator)
    for (const other of world.openBanking.consents.values())
      if (other.status === "valid" && other.recurringIndicator && other.client === consent.client)
        endConsent(world, other, "expired");
  consent.status = "valid";
  if (chosen)
    consent.grant = narrowGrant(
      consent.grant,
      consent.grant.accounts.filter(({ accountId }) => chosen.includes(accountId)),
    );
  consent.access = accessWithChoices(consent.access, consent.grant);
  consent.lastActionDate = dayOf(world.now);
  consent.allHistoryUntil = world.timeAfter(fullHistoryMs);
  world.scheduledEvents.schedule(expiryTimeOf(consent), "consent-expires", consent);
}

/** Expires a consent at the end of its validity. */
export function expireConsent(world: World, consent: Consent): void {
  if (consent.status === "valid") endConsent(world, consent, "expired");
}

const consentById = ({ openBanking }: World, consentId: string): Consent =>
  openBanking.consents.get(consentId)!;

export const consentDecision = {
  missing: (world: World, id: string): number => (consentById(world, id).status === "received" ? 1 : 0),

  decide(world: World, id: string, approved: boolean, chosen?: readonly string[]): void {
    const consent = consentById(world, id);
    if (approved) authorise(world, consent, chosen);
    else endConsent(world, consent, "rejected");
  },
};

/** True if a token for this subject still opens something. */
export const isUsable = ({ openBanking }: World, { consentId }: Subject): boolean =>
  consentId === undefined || openBanking.consents.get(consentId)?.status === "valid";

const expiryTimeOf = (consent: Consent): Date =>
  consent.recurringIndicator ? endOf(consent) : earlierOf(endOf(consent), consent.allHistoryUntil);
