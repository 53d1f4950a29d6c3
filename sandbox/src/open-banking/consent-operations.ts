/** Consents. Contract: account information, rows 1 to 7. */
import type { BehavioursOf, Call } from "../behaviour";
import { DomainError } from "../world/domain-error";
import { addDays, dayOf } from "../world/calendar/days";
import {
  authorisationList,
  authorisationOfNew,
  authorisationStarted,
  authorisationStatus,
  checkBeginning,
  link,
} from "./authorisation";
import { type Consent, type ConsentTerms } from "../world/open-banking/consent";
import { consentOf, end, openConsent } from "../world/open-banking/consents";

/** The longest a consent lasts. */
const mostDays = 180;
/** Reads a day without a person, at most. */
const mostFrequent = 4;

const pathOf = ({ consentId }: Consent) => `/v1/consents/${consentId}`;

/** The consent that a call is about. */
const consentIn = ({ values, client, world }: Call<{ readonly "consent-id": string }>): Consent =>
  consentOf(world, client, values["consent-id"], "path");

/** A later last day is brought forward to the latest possible. */
function lastDay(validUntil: string, today: string): string {
  if (validUntil < today) throw new DomainError("period-invalid", "validUntil is in the past.", validUntil);
  const latest = addDays(today, mostDays);
  return validUntil < latest ? validUntil : latest;
}

function checkFrequency({ recurringIndicator, frequencyPerDay }: ConsentTerms): void {
  const most = recurringIndicator ? mostFrequent : 1;
  if (frequencyPerDay > most)
    throw new DomainError("parameter-not-consistent", `frequencyPerDay must be at most ${most} here.`);
}

export const consents: BehavioursOf<"consents"> = {
  "consents.create": (call) => {
    const { values, client, world } = call;
    checkFrequency(values);
    checkBeginning(call, 1);
    const { access, recurringIndicator, frequencyPerDay } = values;
    const validUntil = lastDay(values.validUntil, dayOf(world.now));
    const consent = openConsent(world, client, { access, recurringIndicator, frequencyPerDay, validUntil });
    const { status: consentStatus, consentId, decision } = consent;
    const { headers, _links } = authorisationOfNew(call, pathOf(consent), decision);
    return { status: 201, headers, body: { consentStatus, consentId, _links } };
  },

  "consents.get": (call) => {
    const { access, recurringIndicator, validUntil, frequencyPerDay, lastActionDate, status } =
      consentIn(call);
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
    const consent = consentIn(call);
    if (consent.status === "received" || consent.status === "valid")
      end(call.world, consent, "terminatedByTpp");
    return { status: 204 };
  },

  "consents.getStatus": (call) => ({ status: 200, body: { consentStatus: consentIn(call).status } }),

  "consents.startAuthorisation": (call) => {
    const consent = consentIn(call);
    return authorisationStarted(call, `${pathOf(consent)}/authorisations`, consent.decision);
  },

  "consents.listAuthorisations": (call) => authorisationList(call.world, consentIn(call).decision),

  "consents.getAuthorisation": (call) => authorisationStatus(call, consentIn(call).decision),
};
