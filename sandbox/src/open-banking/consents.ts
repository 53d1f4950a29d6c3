/** Consents and the reads under them. Contract: account information, rows 1 to 7. */
import type { Call, BehavioursOf } from "../calls/behaviour";
import { bearerToken } from "../http/http";
import { DomainError } from "../world/common/domain-error";
import type { Account } from "../world/model/account";
import { dayOf, addDays } from "@fxdesk/toolkit/calendars";
import type { AccessUse, Consent, ReadCount, ConsentTerms } from "../world/model/consent";
import { findClientConsent, endConsent, createConsent } from "../world/open-banking/consents";
import {
  listAuthorisationsResponse,
  startForNewResource,
  startAuthorisationResponse,
  authorisationStatusResponse,
  assertStartable,
  link,
} from "./authorisation-responses";

interface ReadCallValues {
  readonly "Consent-ID": string;
  readonly "PSU-IP-Address"?: string | undefined;
  readonly page?: number | undefined;
}

/** Time window in which further pages count as the same read. */
const pagingTimeoutMs = 15 * 60_000;

/** Counts a read of a page. Another page within the time window belongs to the same read. */
function countRead(previous: ReadCount | undefined, page: number, now: Date): ReadCount {
  if (previous && !previous.pages.has(page) && now.getTime() <= previous.lastAt.getTime() + pagingTimeoutMs)
    return { ...previous, pages: new Set([...previous.pages, page]) };
  return { times: (previous?.times ?? 0) + 1, lastAt: now, pages: new Set([page]) };
}

/**
 * Counts a read without a person against the daily limit of the consent. Throws if the limit is reached, so check
 * everything else first. `resource` distinguishes the reads of one operation.
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
    throw new DomainError("access-exceeded", `The consent allows ${frequencyPerDay} reads a day.`);
  unattended.set(key, reads);
}

/** Returns today's unattended reads by resource. Earlier days are dropped. */
function unattendedReadsToday(consent: Consent, now: Date): Map<string, ReadCount> {
  const day = dayOf(now);
  if (consent.unattended.day !== day) consent.unattended = { day, reads: new Map() };
  return consent.unattended.reads;
}

/** With OAuth, checks that the access token was issued for this consent. */
function assertConsentToken({ request, values, world }: Call<ReadCallValues>): void {
  if (world.settings.scaApproach !== "oauth") return;
  const bearer = bearerToken(request);
  if (bearer === undefined) throw new DomainError("token-unknown", "The access token is missing.");
  const grant = world.openBanking.tokens.check(bearer, world.now);
  if (typeof grant === "string" || grant.scope !== `AIS:${values["Consent-ID"]}`)
    throw new DomainError("token-invalid", "The access token was not issued for this consent.");
}

/** Returns the consent of a call. Throws unless it is valid. */
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

/** Returns the requested account and its consent. Throws unless the consent allows the use. */
export function findReadableAccount(
  call: Call<AccountReadCallValues>,
  use: AccessUse,
): { consent: Consent; account: Account } {
  const id = call.values["account-id"];
  const account = call.world.accountsOf(call.client).find(({ accountId }) => accountId === id);
  if (!account) throw new DomainError("account-unknown", "The account is unknown.", id);
  const consent = findValidConsent(call);
  if (!consent.grant[use].includes(account))
    throw new DomainError("consent-invalid", `The consent does not include the ${use} of this account.`);
  return { consent, account };
}

const maxConsentDays = 180;
/** Daily limit of reads without a person. */
const maxDailyReads = 4;

const pathOf = ({ consentId }: Consent) => `/v1/consents/${consentId}`;

/** Returns the consent in the path. Throws if it is unknown. */
const findConsent = ({ values, client, world }: Call<{ readonly "consent-id": string }>): Consent =>
  findClientConsent(world, client, values["consent-id"], "path");

/** Limits the last day to the maximum duration of a consent. */
function limitExpiry(validUntil: string, today: string): string {
  if (validUntil < today) throw new DomainError("period-invalid", "validUntil is in the past.", validUntil);
  const latest = addDays(today, maxConsentDays);
  return validUntil < latest ? validUntil : latest;
}

function assertFrequency({ recurringIndicator, frequencyPerDay }: ConsentTerms): void {
  const maxReads = recurringIndicator ? maxDailyReads : 1;
  if (frequencyPerDay > maxReads)
    throw new DomainError("parameter-not-consistent", `frequencyPerDay must be at most ${maxReads} here.`);
}

export const consents: BehavioursOf<"consents"> = {
  "consents.create": (call) => {
    const { values, client, world } = call;
    assertFrequency(values);
    assertStartable(call, 1);
    const { access, recurringIndicator, frequencyPerDay } = values;
    const validUntil = limitExpiry(values.validUntil, dayOf(world.now));
    const consent = createConsent(world, client, { access, recurringIndicator, frequencyPerDay, validUntil });
    const { status: consentStatus, consentId, decision } = consent;
    const { headers, _links } = startForNewResource(call, pathOf(consent), decision);
    return { status: 201, headers, body: { consentStatus, consentId, _links } };
  },

  "consents.get": (call) => {
    const { access, recurringIndicator, validUntil, frequencyPerDay, lastActionDate, status } =
      findConsent(call);
    const _links = status === "valid" ? { account: link("/v1/accounts") } : {};
    return {
      status: 200,
      body: {
        access,
        recurringIndicator,
        validUntil,
        frequencyPerDay,
        lastActionDate,
        consentStatus: status,
        _links,
      },
    };
  },

  "consents.delete": (call) => {
    const consent = findConsent(call);
    if (consent.status === "received" || consent.status === "valid")
      endConsent(call.world, consent, "terminatedByTpp");
    return { status: 204 };
  },

  "consents.getStatus": (call) => ({ status: 200, body: { consentStatus: findConsent(call).status } }),

  "consents.startAuthorisation": (call) => {
    const consent = findConsent(call);
    return startAuthorisationResponse(call, `${pathOf(consent)}/authorisations`, consent.decision);
  },

  "consents.listAuthorisations": (call) => listAuthorisationsResponse(call.world, findConsent(call).decision),

  "consents.getAuthorisation": (call) => authorisationStatusResponse(call, findConsent(call).decision),
};
