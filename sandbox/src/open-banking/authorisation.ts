/** Strong customer authentication by redirect: a person reads what is asked on a page and approves or refuses it. */
import type { Call, Result } from "../behaviour";
import { header } from "../http";
import { Refusal } from "../refusal";
import { dayMs } from "../world/days";
import type { World } from "../world/world";

/** What a decision is about, as OAuth calls it. */
export interface Subject {
  /** AIS: and the consent, or PIS: and the payment. */
  readonly scope: string;
  readonly clientIds: readonly string[];
  /** Whether there is something left that a token can open. */
  readonly isOpen: () => boolean;
}

/** What a person is asked. */
export interface Decision {
  readonly subject: Subject;
  readonly title: string;
  readonly terms: readonly (readonly [name: string, value: string])[];
  /** How many people must still approve it; none while there is nothing to decide, and once it is decided. */
  readonly missing: () => number;
  /** What there is to choose from: identifiers, and names for people. */
  readonly choices?: readonly (readonly [id: string, name: string])[];
  /** Takes one person's answer, and which of the choices were chosen: all, where nothing is said. */
  readonly decide: (approved: boolean, chosen?: readonly string[]) => void;
}

export type ScaStatus = "received" | "started" | "finalised" | "failed";

/** One attempt at asking. */
export interface Authorisation {
  readonly authorisationId: string;
  readonly decision: Decision;
  /** Where the person goes afterwards. */
  readonly returnTo: Readonly<Record<"approved" | "refused", string | undefined>>;
  scaStatus: ScaStatus;
}

/** The headers of a call that say how a person is asked. */
export interface RedirectHeaders {
  readonly "TPP-Redirect-URI": string | undefined;
  readonly "TPP-Nok-Redirect-URI": string | undefined;
  readonly "TPP-Explicit-Authorisation-Preferred"?: boolean | undefined;
}

/** How long a person may take to answer. */
const daysToAuthorise = 3;

/** Refuses in the place of the person who does not answer in time: in some days, or by `latest` where that is before. */
export function letLapse(world: World, decision: Decision, latest?: Date): void {
  const daysAreOver = world.after(daysToAuthorise * dayMs);
  world.agenda.schedule(latest && latest < daysAreOver ? latest : daysAreOver, () => {
    if (decision.missing() > 0) decision.decide(false);
  });
}

const authorisationsOf = ({ openBanking }: World, decision: Decision): Authorisation[] =>
  [...openBanking.authorisations.values()].filter((each) => each.decision === decision);

const isPending = ({ scaStatus }: Authorisation) => scaStatus === "received" || scaStatus === "started";

/** An authorisation whose decision has lapsed has failed. */
export const scaStatusOf = (authorisation: Authorisation): ScaStatus =>
  isPending(authorisation) && authorisation.decision.missing() === 0 ? "failed" : authorisation.scaStatus;

/** Refuses where a person returns with a code, and nobody said to which address. */
function checkAddress({ settings }: World, headers: RedirectHeaders): void {
  if (settings.scaApproach === "oauth" && headers["TPP-Redirect-URI"] === undefined)
    throw new Refusal(
      400,
      "FORMAT_ERROR",
      "TPP-Redirect-URI is required: a person who authorises by OAuth returns there.",
    );
}

/** Asks a person. Refuses when there is nothing to decide, or everybody who is missing is being asked already. */
function begin(world: World, decision: Decision, headers: RedirectHeaders): Authorisation {
  checkAddress(world, headers);
  const missing = decision.missing();
  if (missing === 0)
    throw new Refusal(409, "STATUS_INVALID", "There is nothing to authorise in this status.");
  if (authorisationsOf(world, decision).filter(isPending).length >= missing)
    throw new Refusal(409, "STATUS_INVALID", "An authorisation is under way.");
  const approved = headers["TPP-Redirect-URI"];
  const authorisation: Authorisation = {
    authorisationId: world.ids.uuid(),
    decision,
    returnTo: { approved, refused: headers["TPP-Nok-Redirect-URI"] ?? approved },
    scaStatus: "received",
  };
  world.openBanking.authorisations.set(authorisation.authorisationId, authorisation);
  return authorisation;
}

/** Takes the person's answer. */
export function conclude(authorisation: Authorisation, approved: boolean, chosen?: readonly string[]): void {
  authorisation.decision.decide(approved, chosen);
  authorisation.scaStatus = approved ? "finalised" : "failed";
}

/** An authorisation among those of a decision. */
function authorisationIn(world: World, decision: Decision, authorisationId: string): Authorisation {
  const authorisation = world.openBanking.authorisations.get(authorisationId);
  if (authorisation?.decision !== decision)
    throw new Refusal(403, "RESOURCE_UNKNOWN", "There is no such authorisation.", authorisationId);
  return authorisation;
}

export const link = (href: string) => ({ href });

/** How each approach leads a person to the page of an authorisation. */
const waysTo = {
  redirect: ({ authorisationId }: Authorisation, base: string) => ({
    scaRedirect: link(`${base}/sca/${authorisationId}`),
  }),
  oauth: ({ authorisationId }: Authorisation, base: string) => ({
    scaOAuth: link(`${base}/.well-known/openid-configuration?authorizationId=${authorisationId}`),
  }),
};

/** Links to the page of an authorisation and to its status; `list` is the path of the authorisations. */
const scaLinks = (
  { request, world }: Pick<Call, "request" | "world">,
  list: string,
  authorisation: Authorisation,
) => ({
  ...waysTo[world.settings.scaApproach](authorisation, `http://${header(request, "host")}`),
  scaStatus: link(`${list}/${authorisation.authorisationId}`),
});

const redirectApproach = { "aspsp-sca-approach": "REDIRECT" };

/**
 * Whether the authorisation of something new begins at once: unless the caller wants not. Where several people must
 * authorise it, each authorisation begins in a call of its own.
 */
const beginsAtOnce = (headers: RedirectHeaders, people: number) =>
  !headers["TPP-Explicit-Authorisation-Preferred"] && people === 1;

/** To be called before anything new is made, which so many people must authorise: refuses what cannot begin. */
export function checkBeginning({ values, world }: Call<RedirectHeaders>, people: number): void {
  if (beginsAtOnce(values, people)) checkAddress(world, values);
}

/** Headers and links of the answer that makes a resource. */
export function authorisationOfNew(
  call: Call<RedirectHeaders>,
  path: string,
  decision: Decision,
): Required<Pick<Result, "headers">> & { readonly _links: Readonly<Record<string, unknown>> } {
  const { values, world } = call;
  const list = `${path}/authorisations`;
  const itself = { self: link(path), status: link(`${path}/status`) };
  if (!beginsAtOnce(values, decision.missing()))
    return { headers: { location: path }, _links: { startAuthorisation: link(list), ...itself } };
  const links = scaLinks(call, list, begin(world, decision, values));
  return { headers: { location: path, ...redirectApproach }, _links: { ...links, ...itself } };
}

/** Begins an authorisation in a call of its own; `list` is the path of the authorisations. */
export function authorisationStarted(call: Call<RedirectHeaders>, list: string, decision: Decision): Result {
  const authorisation = begin(call.world, decision, call.values);
  const { scaStatus, authorisationId } = authorisation;
  const _links = scaLinks(call, list, authorisation);
  return { status: 201, headers: redirectApproach, body: { scaStatus, authorisationId, _links } };
}

export const authorisationList = (world: World, decision: Decision): Result => ({
  status: 200,
  body: { authorisationIds: authorisationsOf(world, decision).map(({ authorisationId }) => authorisationId) },
});

export const authorisationStatus = (
  { values, world }: Call<{ readonly "authorisation-id": string }>,
  decision: Decision,
): Result => ({
  status: 200,
  body: { scaStatus: scaStatusOf(authorisationIn(world, decision, values["authorisation-id"])) },
});
