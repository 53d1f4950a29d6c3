/** Consents from the request to the end. */
import { DomainError } from "../domain-error";
import type { Account } from "../accounts/account";
import { addDays, dayOf, startOf } from "../calendar/days";
import type { Client } from "../parties/parties";
import type { World } from "../world";
import { type Grant, granted, grantFor, leavesChoice, narrowed } from "./access";
import type { ConsentStatus } from "../enumerations";
import type { Consent, ConsentTerms } from "./consent";
import type { Decision, Subject } from "./decision";
import { letLapse } from "./lapsing";
import { numberOf, referenceTo } from "./references";

const minuteMs = 60_000;
/** How long after the authorisation everything is open; a consent for one access lasts no longer. */
const freshMs = 20 * minuteMs;

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** When the last day is over. */
const endOf = ({ validUntil }: ConsentTerms): Date => startOf(addDays(validUntil, 1));

export function openConsent(world: World, client: Client, terms: ConsentTerms): Consent {
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
      ...askedOfPeople(terms, grant),
    },
    unattended: { day: dayOf(world.now), reads: new Map() },
    reported: new Map(),
    allHistoryUntil: new Date(0),
    status: "received",
    lastActionDate: dayOf(world.now),
  };
  world.openBanking.consents.set(consent.consentId, consent);
  letLapse(world, consent.decision, endOf(terms));
  return consent;
}

/** What says that a consent is unknown, by where a call names it: in the path it is the resource itself. */
const unknownKind = { path: "consent-unknown", header: "named-consent-unknown" } as const;

/** The client's consent with an id. */
export function consentOf(
  { openBanking }: World,
  client: Client,
  consentId: string,
  namedIn: keyof typeof unknownKind,
): Consent {
  const consent = openBanking.consents.get(consentId);
  if (consent?.client !== client)
    throw new DomainError(unknownKind[namedIn], "There is no such consent.", consentId);
  return consent;
}

const numberFor = (account: Account) => numberOf(referenceTo(account));

/** When it ends, for people. */
const untilOf = ({ recurringIndicator, validUntil }: ConsentTerms): string =>
  recurringIndicator
    ? validUntil
    : `${freshMs / minuteMs} minutes after your approval, but not after ${validUntil}`;

/** What a person reads, and chooses from where the accounts are left to the person. */
function askedOfPeople(terms: ConsentTerms, grant: Grant): Pick<Decision, "terms" | "choices"> {
  const choosing = leavesChoice(terms.access);
  const those = (accounts: readonly Account[]) =>
    choosing && accounts.length > 0 ? "those you choose" : accounts.map(numberFor).join(", ") || "none";
  return {
    terms: [
      ["Accounts", those(grant.accounts)],
      ["Balances", those(grant.balances)],
      ["Transactions", those(grant.transactions)],
      ["Name of the owner", those(grant.ownerName)],
      ["How often", terms.recurringIndicator ? `up to ${terms.frequencyPerDay} times a day` : "once"],
      ["Until", untilOf(terms)],
    ],
    ...(choosing && {
      choices: grant.accounts.map((account) => [
        account.accountId,
        `${numberFor(account)} ${account.currency}`,
      ]),
    }),
  };
}

export function end(world: World, consent: Consent, status: ConsentStatus): void {
  consent.status = status;
  consent.lastActionDate = dayOf(world.now);
}

/** A recurring consent takes the place of the one before it. */
function authorise(world: World, consent: Consent, chosen?: readonly string[]): void {
  if (consent.recurringIndicator)
    for (const other of world.openBanking.consents.values())
      if (other.status === "valid" && other.recurringIndicator && other.client === consent.client)
        end(world, other, "expired");
  consent.status = "valid";
  if (chosen)
    consent.grant = narrowed(
      consent.grant,
      consent.grant.accounts.filter(({ accountId }) => chosen.includes(accountId)),
    );
  consent.access = granted(consent.access, consent.grant);
  consent.lastActionDate = dayOf(world.now);
  consent.allHistoryUntil = world.after(freshMs);
  world.agenda.schedule(lastMoment(consent), "consent-expires", consent);
}

/** The last moment of a consent has come. */
export function expire(world: World, consent: Consent): void {
  if (consent.status === "valid") end(world, consent, "expired");
}

const known = ({ openBanking }: World, consentId: string): Consent => openBanking.consents.get(consentId)!;

export const consentDecision = {
  missing: (world: World, id: string): number => (known(world, id).status === "received" ? 1 : 0),

  decide(world: World, id: string, approved: boolean, chosen?: readonly string[]): void {
    const consent = known(world, id);
    if (approved) authorise(world, consent, chosen);
    else end(world, consent, "rejected");
  },
};

/** Whether there is something left that a token can open. */
export const isOpen = ({ openBanking }: World, { consentId }: Subject): boolean =>
  consentId === undefined || openBanking.consents.get(consentId)?.status === "valid";

const lastMoment = (consent: Consent): Date =>
  consent.recurringIndicator ? endOf(consent) : earlier(endOf(consent), consent.allHistoryUntil);
