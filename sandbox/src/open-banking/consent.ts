/** Consents from the request to the end. */
import { Refusal } from "../refusal";
import type { Account } from "../world/accounts";
import { addDays, dayOf, startOf } from "../world/days";
import type { Client } from "../world/parties";
import type { World } from "../world/world";
import { type Access, type Grant, granted, grantFor, leavesChoice, narrowed } from "./access";
import { type Decision, letLapse } from "./authorisation";
import { numberOf, referenceTo } from "./references";
import type { Span } from "./transactions";

export type ConsentStatus = "received" | "rejected" | "valid" | "expired" | "terminatedByTpp";

export interface ConsentTerms {
  /** As it was asked for; once authorised, with what the person chose. */
  access: Access;
  readonly recurringIndicator: boolean;
  /** Its last day. */
  readonly validUntil: string;
  readonly frequencyPerDay: number;
}

/** Calls of one kind without a person, on one day. */
export interface Reads {
  readonly times: number;
  readonly lastAt: Date;
  /** What was read of the last one. */
  readonly pages: ReadonlySet<number>;
}

export interface Consent extends ConsentTerms {
  readonly consentId: string;
  readonly client: Client;
  /** What it opens, once it is authorised: before, what it may open. */
  grant: Grant;
  readonly decision: Decision;
  /** What was read without a person, by thing, on the last day on which something was. */
  unattended: { readonly day: string; readonly reads: Map<string, Reads> };
  /** Of the last report of each account's transactions. */
  readonly reported: Map<string, Span>;
  /** Until then, entries from long ago are open too. */
  allHistoryUntil: Date;
  status: ConsentStatus;
  /** Of what last changed the status. */
  lastActionDate: string;
}

const minuteMs = 60_000;
/** How long after the authorisation everything is open; a consent for one access lasts no longer. */
const freshMs = 20 * minuteMs;

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** When the last day is over. */
const endOf = ({ validUntil }: ConsentTerms): Date => startOf(addDays(validUntil, 1));

export function openConsent(world: World, client: Client, terms: ConsentTerms): Consent {
  const grant = grantFor(world, client, terms.access);
  const consentId = world.ids.uuid();
  const consent: Consent = {
    ...terms,
    consentId,
    client,
    grant,
    decision: {
      subject: {
        scope: `AIS:${consentId}`,
        clientIds: [client.clientId],
        isOpen: () => consent.status === "valid",
      },
      title: "Access to account information",
      ...askedOfPeople(terms, grant),
      missing: () => (consent.status === "received" ? 1 : 0),
      decide: (approved, chosen) =>
        approved ? authorise(world, consent, chosen) : end(world, consent, "rejected"),
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
const unknownStatus = { path: 403, header: 400 } as const;

/** The client's consent with an id. */
export function consentOf(
  { openBanking }: World,
  client: Client,
  consentId: string,
  namedIn: keyof typeof unknownStatus,
): Consent {
  const consent = openBanking.consents.get(consentId);
  if (consent?.client !== client)
    throw new Refusal(unknownStatus[namedIn], "CONSENT_UNKNOWN", "There is no such consent.", consentId);
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
  world.agenda.schedule(lastMoment(consent), () => {
    if (consent.status === "valid") end(world, consent, "expired");
  });
}

const lastMoment = (consent: Consent): Date =>
  consent.recurringIndicator ? endOf(consent) : earlier(endOf(consent), consent.allHistoryUntil);
