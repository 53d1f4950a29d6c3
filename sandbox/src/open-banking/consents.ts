/** Consents. Contract: account information, rows 1 to 7. */
import type { BehavioursOf } from "../behaviour";
import { Refusal } from "../refusal";
import { addDays, dayOf } from "../world/days";
import type { Client } from "../world/parties";
import type { World } from "../world/world";
import {
  authorisationList,
  authorisationOfNew,
  authorisationStarted,
  authorisationStatus,
  checkBeginning,
  link,
} from "./authorisation";
import { type Consent, type ConsentTerms, end, openConsent } from "./consent";

/** The longest a consent lasts. */
const mostDays = 180;
/** Reads a day without a person, at most. */
const mostFrequent = 4;

const pathOf = ({ consentId }: Consent) => `/v1/consents/${consentId}`;

/** The client's consent with an id. */
export function consentOf({ openBanking }: World, client: Client, consentId: string, status = 403): Consent {
  const consent = openBanking.consents.get(consentId);
  if (consent?.client !== client)
    throw new Refusal(status, "CONSENT_UNKNOWN", "There is no such consent.", consentId);
  return consent;
}

/** A later last day is brought forward to the latest possible. */
function lastDay(validUntil: string, today: string): string {
  if (validUntil < today) throw new Refusal(400, "PERIOD_INVALID", "validUntil is in the past.", validUntil);
  const latest = addDays(today, mostDays);
  return validUntil < latest ? validUntil : latest;
}

function checkFrequency({ recurringIndicator, frequencyPerDay }: ConsentTerms): void {
  const most = recurringIndicator ? mostFrequent : 1;
  if (frequencyPerDay > most)
    throw new Refusal(400, "PARAMETER_NOT_CONSISTENT", `frequencyPerDay must be at most ${most} here.`);
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

  "consents.get": ({ values, client, world }) => {
    const consent = consentOf(world, client, values["consent-id"]);
    const { access, recurringIndicator, validUntil, frequencyPerDay, lastActionDate, status } = consent;
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

  "consents.delete": ({ values, client, world }) => {
    const consent = consentOf(world, client, values["consent-id"]);
    if (consent.status === "received" || consent.status === "valid") end(world, consent, "terminatedByTpp");
    return { status: 204 };
  },

  "consents.getStatus": ({ values, client, world }) => ({
    status: 200,
    body: { consentStatus: consentOf(world, client, values["consent-id"]).status },
  }),

  "consents.startAuthorisation": (call) => {
    const consent = consentOf(call.world, call.client, call.values["consent-id"]);
    return authorisationStarted(call, `${pathOf(consent)}/authorisations`, consent.decision);
  },

  "consents.listAuthorisations": ({ values, client, world }) =>
    authorisationList(world, consentOf(world, client, values["consent-id"]).decision),

  "consents.getAuthorisation": (call) =>
    authorisationStatus(call, consentOf(call.world, call.client, call.values["consent-id"]).decision),
};
