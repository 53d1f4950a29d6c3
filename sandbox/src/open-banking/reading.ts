/** Reading under a consent: it must be valid, open what is read, and agree to one more call without a person. */
import type { Call } from "../behaviour";
import { bearerOf } from "../http";
import { DomainError } from "../world/domain-error";
import type { Account } from "../world/accounts/account";
import { dayOf } from "../world/calendar/days";
import type { Use } from "../world/open-banking/access";
import { type Consent, type Reads } from "../world/open-banking/consent";
import { consentOf } from "../world/open-banking/consents";

interface Reading {
  readonly "Consent-ID": string;
  readonly "PSU-IP-Address"?: string | undefined;
  readonly page?: number | undefined;
}

/** How long a reader may take to turn the pages. */
const turningMs = 15 * 60_000;

/** The reads after one more of a page: another page soon afterwards is of the same read. */
function oneMore(before: Reads | undefined, page: number, now: Date): Reads {
  if (before && !before.pages.has(page) && now.getTime() <= before.lastAt.getTime() + turningMs)
    return { ...before, pages: new Set([...before.pages, page]) };
  return { times: (before?.times ?? 0) + 1, lastAt: now, pages: new Set([page]) };
}

/**
 * Takes note of what is read now: a call without a person counts against what was agreed for a day. Refuses one too many.
 * What may not be read for another reason must be refused before. `thing` is what the call reads, where it reads one of
 * several.
 */
export function noteRead({ operation, values, world }: Call<Reading>, consent: Consent, thing = ""): void {
  if (values["PSU-IP-Address"] !== undefined) return;
  const { frequencyPerDay } = consent;
  const key = `${operation.name} ${thing}`;
  const unattended = unattendedToday(consent, world.now);
  const reads = oneMore(unattended.get(key), values.page ?? 0, world.now);
  if (reads.times > frequencyPerDay)
    throw new DomainError("access-exceeded", `The consent is for ${frequencyPerDay} reads a day.`);
  unattended.set(key, reads);
}

/** What was read today without a person, by thing. Of former days nothing is kept. */
function unattendedToday(consent: Consent, now: Date): Map<string, Reads> {
  const day = dayOf(now);
  if (consent.unattended.day !== day) consent.unattended = { day, reads: new Map() };
  return consent.unattended.reads;
}

/** Where people authorise by OAuth, what a consent opens is read with the token that was given for it. */
function checkToken({ request, values, world }: Call<Reading>): void {
  if (world.settings.scaApproach !== "oauth") return;
  const bearer = bearerOf(request);
  if (bearer === undefined) throw new DomainError("token-unknown", "There is no access token.");
  const grant = world.openBanking.tokens.check(bearer, world.now);
  if (typeof grant === "string" || grant.scope !== `AIS:${values["Consent-ID"]}`)
    throw new DomainError("token-invalid", "The access token was not given for this consent.");
}

/** The consent of a call, valid. */
export function consentFor(call: Call<Reading>): Consent {
  const { values, client, world } = call;
  const consent = consentOf(world, client, values["Consent-ID"], "header");
  checkToken(call);
  const { status } = consent;
  if (status === "expired") throw new DomainError("consent-expired", "The consent has expired.");
  if (status !== "valid") throw new DomainError("consent-invalid", `The consent is ${status}.`);
  return consent;
}

interface AccountReading extends Reading {
  readonly "account-id": string;
}

/** The account a call reads, and the consent that opens it for that use. */
export function accountFor(call: Call<AccountReading>, use: Use): { consent: Consent; account: Account } {
  const id = call.values["account-id"];
  const account = call.world.accountsOf(call.client).find(({ accountId }) => accountId === id);
  if (!account) throw new DomainError("account-unknown", "There is no such account.", id);
  const consent = consentFor(call);
  if (!consent.grant[use].includes(account))
    throw new DomainError("consent-invalid", `The consent does not open the ${use} of this account.`);
  return { consent, account };
}
