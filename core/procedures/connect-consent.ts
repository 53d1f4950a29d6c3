/** consents.connect: requests a consent and waits until a person has authorised it. */
import { z } from "zod";
import { Consent, createConsent, getConsentStatus, NewConsent } from "../contract/consents";
import { ConsentId } from "../contract/xs2a";
import { json } from "../spec/declare";
import { FxdeskError, InvalidResponse } from "../spec/errors";
import { hasValidCheckDigits, normalizeAccountNumber } from "../values/account-number";
import { ConsentStatus } from "../values/statuses";
import { isWebAddress } from "../values/values";
import { attempt, type Context, procedure } from "./procedure";
import { deadlineAfter, pollUntil, waitSeconds } from "./poll-until";
import { flagField, optionalTextField, textField } from "./result-fields";

const name = "consents.connect";

type Links = Readonly<Record<string, { readonly href?: string | undefined } | undefined>>;
type Consent = z.infer<typeof Consent>;

/** Statuses in which people must still authorise the consent. */
const pendingStatuses: ReadonlySet<string> = new Set(["received", "partiallyAuthorised"]);

const statusDescriptions: Readonly<Record<string, string>> = {
  received:
    "The person has not authorised the consent yet. Forward the link, and call again with consent_id to wait longer.",
  partiallyAuthorised:
    "Further persons must authorise the consent. Call again with consent_id to wait longer.",
  valid: "The consent is valid. To read, pass its consent_id.",
  rejected: "The person refused the consent or did not answer in time.",
  revokedByPsu: "The person ended the consent.",
  expired: "The consent has expired.",
  terminatedByTpp: "The consent was ended with consents.delete.",
};

const ConnectedConsent = z
  .object({
    consent_id: textField("Consent ID; pass it again to wait longer."),
    status: ConsentStatus,
    valid: flagField("True if the consent can be used."),
    description: textField("Explanation of the state."),
    valid_until: optionalTextField(
      "Last day of the valid consent. The service may have changed the requested day.",
    ),
    link: optionalTextField("Link where the person authorises the consent; the first one stays valid."),
    unread: optionalTextField("Reason why the last status could not be read."),
    consent: Consent.optional().describe("The valid consent."),
  })
  .meta({ id: "ConnectedConsent", description: "A consent and what it is waiting for." });

/**
 * Resolves a link against the service's address, because people need an absolute one. Throws InvalidResponse for a link that people
 * should not open.
 */
function absoluteLink({ client }: Context, links: Links | undefined): string | undefined {
  const href = links?.scaRedirect?.href ?? links?.scaOAuth?.href;
  if (href === undefined) return undefined;
  const { address } = client.prepare(getConsentStatus, { "consent-id": "of-any" });
  const link = URL.canParse(href, address) ? new URL(href, address).href : href;
  if (isWebAddress(link)) return link;
  throw new InvalidResponse(
    `${name}: The service returned a link for the person that is not https. It is not passed on.`,
    {
      operation: name,
      code: "invalid_response",
      outcome: "unknown",
    },
  );
}

/** Returns the links of the last authorisation, or of a new one. */
async function findLinks(context: Context, id: string, isNew: boolean): Promise<Links | undefined> {
  const { consents } = context.client;
  const consent = { "consent-id": id };
  const last = isNew ? undefined : (await consents.listAuthorisations(consent)).authorisationIds.at(-1);
  const authorisation =
    last === undefined
      ? await consents.startAuthorisation(consent)
      : await consents.getAuthorisation({ ...consent, "authorisation-id": last });
  return authorisation._links;
}

/** States that the service set another last day than the requested one. */
const changeOfDay = (requested: string, set: string): string[] =>
  requested === set ? [] : [`Its last day is ${set}: the service changed the requested ${requested}.`];

interface ConsentRequest {
  readonly accounts?: readonly string[] | undefined;
  readonly recurring: boolean;
  readonly frequency_per_day?: number | undefined;
  readonly valid_until: string;
}

async function requestConsent(
  context: Context,
  { accounts, recurring, frequency_per_day: frequency, valid_until: validUntil }: ConsentRequest,
) {
  const references = (accounts ?? []).map((iban) => ({ iban: normalizeAccountNumber(iban) }));
  const created = await context.client.consents.create({
    access: { accounts: references, balances: references, transactions: references },
    recurringIndicator: recurring,
    frequencyPerDay: recurring ? (frequency ?? 4) : 1,
    validUntil,
    combinedServiceIndicator: false,
  });
  const { consentId: id, consentStatus: status, _links: links } = created;
  return { id, status, links };
}

export const connectConsent = procedure({
  name,
  tool: "connect_bank_accounts",
  title: "Connect bank accounts",
  summary:
    "Requests a consent to read accounts through open banking and waits until a person has authorised it.",
  notes:
    "Give the person the link from the progress messages or the result; to wait longer, call again with consent_id.",
  icon: "font-awesome/fa-link",
  keywords: [
    "link",
    "permission",
    "access",
    "PSD2",
    "AIS",
    "house bank",
    "Einwilligung",
    "verbinden",
    "Hausbank",
  ],
  effect: createConsent.effect,
  uses: [
    "consents.create",
    "consents.startAuthorisation",
    "consents.getStatus",
    "consents.get",
    "consents.listAuthorisations",
    "consents.getAuthorisation",
  ],
  input: {
    consent_id: ConsentId.optional().meta({
      title: "Consent ID",
      description: "Consent ID of an earlier call, to wait longer.",
    }),
    accounts: z
      .string()
      .refine(hasValidCheckDigits, "must be an IBAN whose check digits are right")
      .array()
      .min(1)
      .optional()
      .meta({
        title: "Accounts",
        description: "IBANs; if omitted, the person chooses.",
        ownIban: true,
      }),
    recurring: NewConsent.shape.recurringIndicator.default(true),
    frequency_per_day: NewConsent.shape.frequencyPerDay.optional(),
    valid_until: NewConsent.shape.validUntil.default("9999-12-31"),
    wait_seconds: waitSeconds,
  },
  output: json(ConnectedConsent, "The consent, valid or awaiting authorisation."),
  async run(context, { consent_id: given, wait_seconds: seconds, ...wanted }) {
    const { client, signal, progress } = context;
    const deadline = deadlineAfter(seconds);
    const isNew = given === undefined;
    progress({ done: 0, total: 2, message: isNew ? "Requesting the consent" : "Reading the consent" });
    const readStatus = async (id: string) =>
      (await client.consents.getStatus({ "consent-id": id })).consentStatus;
    const requested = isNew
      ? await requestConsent(context, wanted)
      : { id: given, status: await readStatus(given), links: undefined };
    const { id } = requested;
    let { status } = requested;
    let link: string | undefined;
    // Errors after the request of a new consent are returned, so that its ID still reaches the caller.
    const attemptIfNew = <T>(work: () => Promise<T>) => (isNew ? attempt(context, work) : work());
    const toResult = (more: { link?: string | undefined; unread?: string; consent?: Consent } = {}) => ({
      consent_id: id,
      status,
      valid: status === "valid",
      description: [
        statusDescriptions[status] ?? `Its status is ${JSON.stringify(status)}.`,
        ...(isNew && more.consent ? changeOfDay(wanted.valid_until, more.consent.validUntil) : []),
      ].join(" "),
      ...(more.consent && { valid_until: more.consent.validUntil }),
      ...(more.link !== undefined && { link: more.link }),
      ...(more.unread !== undefined && { unread: more.unread }),
      ...(more.consent && { consent: more.consent }),
    });
    if (pendingStatuses.has(status)) {
      const found = await attemptIfNew(
        async () =>
          absoluteLink(context, requested.links) ??
          absoluteLink(context, await findLinks(context, id, isNew)),
      );
      if (found instanceof FxdeskError) return toResult({ unread: found.message });
      link = found;
      const where = link === undefined ? "" : ` at ${link}`;
      progress({ done: 1, total: 2, message: `Consent ${id} awaits authorisation by the person${where}` });
      const failure = await attemptIfNew(() =>
        pollUntil(deadline, signal, async () => {
          status = await readStatus(id);
          return pendingStatuses.has(status) ? undefined : status;
        }),
      );
      if (failure instanceof FxdeskError) return toResult({ link, unread: failure.message });
    }
    if (status !== "valid") return toResult({ link: pendingStatuses.has(status) ? link : undefined });
    progress({ done: 2, total: 2, message: "The consent is valid" });
    const consent = await attemptIfNew(() => client.consents.get({ "consent-id": id }));
    return toResult(consent instanceof FxdeskError ? { unread: consent.message } : { consent });
  },
});
