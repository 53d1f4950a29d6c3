/** Reading under a consent: it must be valid, open what is read, and agree to one more call without a person. */
import type { Call } from "../behaviour";
import { bearerToken } from "../http";
import { DomainError } from "../world/domain-error";
import type { Account } from "../world/accounts/account";
import { dayOf } from "../world/calendar/days";
import type { AccessUse } from "../world/open-banking/access";
import { type Consent, type ReadCount } from "../world/open-banking/consent";
import { findClientConsent } from "../world/open-banking/consents";

interface ReadCallValues {
  readonly "Consent-ID": string;
  readonly "PSU-IP-Address"?: string | undefined;
  readonly page?: number | undefined;
}

/** How long a reader may take to turn the pages. */
const pagingTimeoutMs = 15 * 60_000;

/** The reads after one more of a page: another page soon afterwards is of the same read. */
function countRead(previous: ReadCount | undefined, page: number, now: Date): ReadCount {
  if (previous && !previous.pages.has(page) && now.getTime() <= previous.lastAt.getTime() + pagingTimeoutMs)
    return { ...previous, pages: new Set([...previous.pages, page]) };
  return { times: (previous?.times ?? 0) + 1, lastAt: now, pages: new Set([page]) };
}

/**
 * Takes note of what is read now: a call without a person counts against what was agreed for a day. Refuses one too many.
 * What may not be read for another reason must be refused before. `thing` is what the call reads, where it reads one of
 * several.
 */
export function recordRead(
  { operation, values, world }: Call<ReadCallValues>,
  consent: Consent,
  resource = "",
): void {
  if (values["PSU-IP-Address"] !== undefined) return;
  const { frequencyPerDay } = consent;
  const key = `${operation.name} ${resource}`;
  const unattended = unattendedReadsToday(consent, world.now);
  const reads = countRead(unattended.get(key), values.page ?? 0, world.now);
  if (reads.times > frequencyPerDay)
    throw new DomainError("access-exceeded", `The consent is for ${frequencyPerDay} reads a day.`);
  unattended.set(key, reads);
}

/** What was read today without a person, by thing. Of former days nothing is kept. */
function unattendedReadsToday(consent: Consent, now: Date): Map<string, ReadCount> {
  const day = dayOf(now);
  if (consent.unattended.day !== day) consent.unattended = { day, reads: new Map() };
  return consent.unattended.reads;
}

/** Where people authorise by OAuth, what a consent opens is read with the token that was given for it. */
function assertConsentToken({ request, values, world }: Call<ReadCallValues>): void {
  if (world.settings.scaApproach !== "oauth") return;
  const bearer = bearerToken(request);
  if (bearer === undefined) throw new DomainError("token-unknown", "There is no access token.");
  const grant = world.openBanking.tokens.check(bearer, world.now);
  if (typeof grant === "string" || grant.scope !== `AIS:${values["Consent-ID"]}`)
    throw new DomainError("token-invalid", "The access token was not given for this consent.");
}

/** The consent of a call, valid. */
export function findValidConsent(call: Call<ReadCallValues>): Consent {
  const { values, client, world } = call;
  const consent = findClientConsent(world, client, values["Consent-ID"], "header");
  assertConsentToken(call);
  const { status } = consent;
  if (status === "expired") throw new DomainError("consent-expired", "The consent has expired.");
  if (status !== "valid") throw new DomainError("consent-invalid", `The consent is ${status}.`);
  return consent;
}

interface AccountReadCallValues extends ReadCallValues {
  readonly "account-id": string;
}

/** The account a call reads, and the consent that opens it for that use. */
export function findReadableAccount(
  call: Call<AccountReadCallValues>,
  use: AccessUse,
): { consent: Consent; account: Account } {
  const id = call.values["account-id"];
  const account = call.world.accountsOf(call.client).find(({ accountId }) => accountId === id);
  if (!account) throw new DomainError("account-unknown", "There is no such account.", id);
  const consent = findValidConsent(call);
  if (!consent.grant[use].includes(account))
    throw new DomainError("consent-invalid", `The consent does not open the ${use} of this account.`);
  return { consent, account };
}
