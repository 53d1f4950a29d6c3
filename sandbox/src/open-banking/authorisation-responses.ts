/** Responses of the calls that start and read authorisations. */
import type { Call, Result } from "../calls/behaviour";
import { header } from "../http/http";
import type { World } from "../world/model/world";
import {
  findAuthorisation,
  authorisationsOf,
  startAuthorisation,
  assertRedirectUri,
  type RedirectHeaders,
  missingApprovals,
  scaStatusOf,
} from "../world/open-banking/authorisations";
import type { Authorisation, Decision } from "../world/model/decision";

interface Link {
  readonly href: string;
}

export const link = (href: string): Link => ({ href });

/** Links to the approval page by SCA approach. */
const scaLinksByApproach = {
  redirect: ({ authorisationId }: Authorisation, base: string) => ({
    scaRedirect: link(`${base}/sca/${authorisationId}`),
  }),
  oauth: ({ authorisationId }: Authorisation, base: string) => ({
    scaOAuth: link(`${base}/.well-known/openid-configuration?authorizationId=${authorisationId}`),
  }),
};

/** Links to the approval page and the status. `list` is the path of the authorisations. */
const scaLinks = (
  { request, world }: Pick<Call, "request" | "world">,
  list: string,
  authorisation: Authorisation,
) => ({
  ...scaLinksByApproach[world.settings.scaApproach](authorisation, `http://${header(request, "host")}`),
  scaStatus: link(`${list}/${authorisation.authorisationId}`),
});

const redirectApproach = { "aspsp-sca-approach": "REDIRECT" };

/**
 * True if creating a resource also starts its authorisation. This needs a single approver, and a client that does not
 * prefer an explicit start.
 */
const startsImplicitly = (headers: RedirectHeaders, approvers: number) =>
  !headers["TPP-Explicit-Authorisation-Preferred"] && approvers === 1;

/** Throws if the authorisation cannot start. Call it before creating the resource. */
export function assertStartable({ values, world }: Call<RedirectHeaders>, approvers: number): void {
  if (startsImplicitly(values, approvers)) assertRedirectUri(world, values);
}

/** Returns headers and links of the response that creates a resource. */
export function startForNewResource(
  call: Call<RedirectHeaders>,
  path: string,
  decision: Decision,
): Required<Pick<Result, "headers">> & { readonly _links: Readonly<Record<string, Link>> } {
  const { values, world } = call;
  const list = `${path}/authorisations`;
  const resourceLinks = { self: link(path), status: link(`${path}/status`) };
  if (!startsImplicitly(values, missingApprovals(world, decision)))
    return { headers: { location: path }, _links: { startAuthorisation: link(list), ...resourceLinks } };
  const links = scaLinks(call, list, startAuthorisation(world, decision, values));
  return { headers: { location: path, ...redirectApproach }, _links: { ...links, ...resourceLinks } };
}

/** Starts an authorisation explicitly. `list` is the path of the authorisations. */
export function startAuthorisationResponse(call: Call<RedirectHeaders>, list: string, decision: Decision) {
  const authorisation = startAuthorisation(call.world, decision, call.values);
  const { scaStatus, authorisationId } = authorisation;
  const _links = scaLinks(call, list, authorisation);
  return { status: 201, headers: redirectApproach, body: { scaStatus, authorisationId, _links } } as const;
}

export const listAuthorisationsResponse = (world: World, decision: Decision) =>
  ({
    status: 200,
    body: {
      authorisationIds: authorisationsOf(world, decision).map(({ authorisationId }) => authorisationId),
    },
  }) as const;

export const authorisationStatusResponse = (
  { values, world }: Call<{ readonly "authorisation-id": string }>,
  decision: Decision,
) =>
  ({
    status: 200,
    body: { scaStatus: scaStatusOf(world, findAuthorisation(world, decision, values["authorisation-id"])) },
  }) as const;
