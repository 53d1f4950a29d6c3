/** Consents. Contract: account information, rows 1 to 7. */
import type { BehavioursOf, Call } from "../calls/behaviour";
import { DomainError } from "../world/common/domain-error";
import { addDays, dayOf } from "@fxdesk/toolkit/calendars";
import {
  listAuthorisationsResponse,
  startForNewResource,
  startAuthorisationResponse,
  authorisationStatusResponse,
  assertStartable,
  link,
} from "./authorisation-responses";
import type { Consent, ConsentTerms } from "../world/model/consent";
import { findClientConsent, endConsent, createConsent } from "../world/open-banking/consents";

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
