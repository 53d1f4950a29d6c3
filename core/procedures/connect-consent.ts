/** consents.connect: requests a consent and waits until a person has authorised it. */
import { z } from "zod";
import { Consent, createConsent, NewConsent } from "../contract/consents";
import { ConsentId } from "../contract/xs2a";
import { json } from "../spec/declare";
import { FxdeskError } from "../spec/errors";
import { ConsentStatus } from "../values/statuses";
import { type Context, procedure } from "./procedure";
import { deadlineAfter, pollUntil, waitSeconds } from "./poll-until";
import { flagField, optionalTextField, textField } from "./result-fields";

type Links = Readonly<Record<string, { readonly href?: string | undefined } | undefined>>;
type Consent = z.infer<typeof Consent>;

/** Statuses in which people must still authorise the consent. */
const pendingStatuses: ReadonlySet<string> = new Set(["received", "partiallyAuthorised"]);

const statusDescriptions: Readonly<Record<string, string>> = {
  received:
    "The person has not authorised the consent yet. Forward the link, and call again with consent_id to wait longer.",
  partiallyAuthorised:
    "Further persons must authorise the consent. Call again with consent_id to wait longer.",
  valid: "The consent is valid. To read, pass its consent_id as Consent-ID.",
  rejected: "The person refused the consent or did not answer in time.",
  revokedByPsu: "The person ended the consent.",
  expired: "The consent has expired.",
  terminatedByTpp: "The consent was ended with consents.delete.",
};

export const ConnectedConsent = z
  .object({
    consent_id: textField("Consent ID; pass it again to wait longer."),
    status: ConsentStatus,
    valid: flagField("True if the consent can be used."),
    description: textField("Explanation of the state."),
    link: optionalTextField("Link where the person authorises the consent; the first one stays valid."),
    unread: optionalTextField("Reason why the last status could not be read."),
    consent: Consent.optional().describe("The valid consent."),
  })
  .meta({ id: "ConnectedConsent", description: "A consent and what it is waiting for." });

/** Resolves a link against the service's address, because people need an absolute one. */
function absoluteLink({ client }: Context, links: Links | undefined): string | undefined {
  const href = links?.scaRedirect?.href ?? links?.scaOAuth?.href;
  if (href === undefined) return undefined;
  const { address } = client.prepare(findOperation(client, "consents.getStatus"), { "consent-id": "of-any" });
  return URL.canParse(href, address) ? new URL(href, address).href : href;
}

const findOperation = ({ service }: Context["client"], name: string) =>
  service.operations.find((operation) => operation.name === name)!;

/** Starts the authorisation of a consent that has none. Returns its link. */
const startAuthorisation = async (context: Context, id: string): Promise<string | undefined> =>
  absoluteLink(context, (await context.client.consents.startAuthorisation({ "consent-id": id }))._links);

/** Returns the link of an existing consent, if the service provides it again. */
async function findExistingLink(context: Context, id: string): Promise<string | undefined> {
  const { authorisationIds } = await context.client.consents.listAuthorisations({ "consent-id": id });
  const last = authorisationIds.at(-1);
  if (last === undefined) return startAuthorisation(context, id);
  const authorisation = { "consent-id": id, "authorisation-id": last };
  return absoluteLink(context, (await context.client.consents.getAuthorisation(authorisation))._links);
}

interface RequestedConsent {
  readonly id: string;
  readonly status: string;
  readonly link: string | undefined;
}

async function createConsentRequest(
  context: Context,
  { accounts, recurring, frequency_per_day: frequency, valid_until: validUntil }: ConsentRequest,
): Promise<RequestedConsent> {
  const references = (accounts ?? []).map((iban) => ({ iban }));
  const created = await context.client.consents.create({
    access: { accounts: references, balances: references, transactions: references },
    recurringIndicator: recurring,
    frequencyPerDay: recurring ? (frequency ?? 4) : 1,
    validUntil,
    combinedServiceIndicator: false,
  });
  const { consentId: id, consentStatus: status } = created;
  const link = absoluteLink(context, created._links);
  return { id, status, link };
}

interface ConsentRequest {
  readonly accounts?: readonly string[] | undefined;
  readonly recurring: boolean;
  readonly frequency_per_day?: number | undefined;
  readonly valid_until: string;
}

/** Returns errors instead of throwing them if the consent is new, so that its ID still reaches the caller. */
async function returnErrorIfCreated<T>(
  { signal }: Context,
  isNew: boolean,
  work: () => Promise<T>,
): Promise<T | FxdeskError> {
  try {
    return await work();
  } catch (error) {
    if (!isNew || !(error instanceof FxdeskError) || signal?.aborted) throw error;
    return error;
  }
}

export const connectConsent = procedure({
  name: "consents.connect",
  tool: "connect_bank_accounts",
  title: "Connect bank accounts",
  summary:
    "Requests a consent to read accounts through open banking and waits until a person has authorised it.",
  notes: "Give the person the link in the progress or result; to wait longer, pass consent_id.",
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
    accounts: z.string().array().min(1).optional().meta({
      title: "Accounts",
      description: "IBANs without spaces; if omitted, the person chooses.",
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
    const requested = isNew
      ? await createConsentRequest(context, wanted)
      : {
          id: given,
          status: (await client.consents.getStatus({ "consent-id": given })).consentStatus,
          link: undefined,
        };
    let { status } = requested;
    const { id } = requested;
    const toResult = (more: { link?: string | undefined; unread?: string; consent?: Consent } = {}) => ({
      consent_id: id,
      status,
      valid: status === "valid",
      description: statusDescriptions[status] ?? `Its status is ${status}.`,
      ...(more.link !== undefined && { link: more.link }),
      ...(more.unread !== undefined && { unread: more.unread }),
      ...(more.consent && { consent: more.consent }),
    });
    let { link } = requested;
    if (pendingStatuses.has(status) && link === undefined) {
      const found = await returnErrorIfCreated(context, isNew, () =>
        isNew ? startAuthorisation(context, id) : findExistingLink(context, id),
      );
      if (found instanceof FxdeskError) return toResult({ unread: found.message });
      link = found;
    }
    if (pendingStatuses.has(status)) {
      const where = link === undefined ? "" : ` at ${link}`;
      progress({ done: 1, total: 2, message: `Consent ${id} awaits authorisation by the person${where}` });
      const failure = await returnErrorIfCreated(context, isNew, () =>
        pollUntil(deadline, signal, async () => {
          status = (await client.consents.getStatus({ "consent-id": id })).consentStatus;
          return pendingStatuses.has(status) ? undefined : status;
        }),
      );
      if (failure instanceof FxdeskError) return toResult({ link, unread: failure.message });
    }
    if (status !== "valid") return toResult({ link: pendingStatuses.has(status) ? link : undefined });
    progress({ done: 2, total: 2, message: "The consent is valid" });
    const consent = await returnErrorIfCreated(context, isNew, () =>
      client.consents.get({ "consent-id": id }),
    );
    return consent instanceof FxdeskError ? toResult({ unread: consent.message }) : toResult({ consent });
  },
});
