/** Requests the release of an order or call: once, and only if the requester confirms it. */
import { randomBytes } from "node:crypto";
import type { ConfirmRelease } from "../call/call-options";
import type { StoreSession } from "../store/session";
import { type ApprovalRequirement, describeRequirements } from "./policy-evaluation";
import { type Release, ReleaseRefusal } from "./release";
import {
  changeReleases,
  findRelease,
  findReleaseByKey,
  insertRelease,
  listReleasesOfRequest,
  readReleases,
  type ReleaseAccess,
} from "./repository";
import { effectiveState, isFinalState } from "./states";
import { requestHashOf, type SealedRequest } from "./terms";

export interface ReleaseRequest {
  readonly sealed: SealedRequest;
  /** The caller's input, by which a repeated request is recognised. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
  /** True if a repetition is always the same call, even after it was sent and without a key. */
  readonly isSingleUse?: boolean;
  readonly requirements: readonly ApprovalRequirement[];
}

/** The requester declined to request the release. */
export class RequestDeclined extends ReleaseRefusal {}

/**
 * Requests release, or returns the earlier release of the same request. Throws a ReleaseRefusal if the key belongs to another
 * request, and RequestDeclined if `confirm` declines.
 */
export async function requestRelease(
  store: StoreSession,
  request: ReleaseRequest,
  confirm?: ConfirmRelease,
): Promise<Release> {
  const { sealed, given, key, requirements } = request;
  const requestHash = requestHashOf(sealed, given);
  const id = createReleaseId();
  // Confirmation may take minutes, so it holds no transaction; the duplicate is searched for again below.
  if (
    confirm &&
    requirements.length > 0 &&
    !(await readReleases(store, (access) => findDuplicate(access, request, requestHash)))
  )
    await assertConfirmed(confirm, request, requestHash);
  return changeReleases(store, async (access) => {
    // Found by its ID if the COMMIT response was lost and the transaction runs again.
    const existing = (await findRelease(access, id)) ?? (await findDuplicate(access, request, requestHash));
    if (existing) return existing;
    const state = requirements.length > 0 ? "waiting" : "released";
    return insertRelease(access, { id, state, key: key ?? id, requestHash, sealed });
  });
}

/** Digits and capital letters without easily confused ones. */
const idAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns an ID, for example `R-7K3M9QW2X5AB`, with 60 random bits. */
function createReleaseId(): string {
  return `R-${Array.from(randomBytes(12), (byte) => idAlphabet[byte & 31]).join("")}`;
}

/** Returns the earlier release of the same request, or undefined. Throws if the key belongs to another request. */
async function findDuplicate(
  access: ReleaseAccess,
  { sealed, key, isSingleUse }: ReleaseRequest,
  requestHash: string,
): Promise<Release | undefined> {
  const isReusable = (release: Release): boolean => {
    const state = effectiveState(release, access.moment);
    return release.sealed.kind === "order" || state === "sent" || !isFinalState(state);
  };
  if (key !== undefined) {
    const latest = await findReleaseByKey(access, sealed, key);
    if (!latest) return undefined;
    if (latest.requestHash !== requestHash)
      throw new ReleaseRefusal(
        `The key ${JSON.stringify(key)} belongs to another request, ${latest.id}, which is ${effectiveState(latest, access.moment)}. Under another key, this request may be carried out in addition.`,
      );
    return isReusable(latest) ? latest : undefined;
  }
  // Two orders with the same terms and without keys are two orders.
  if (sealed.kind === "order") return undefined;
  const states = ["waiting", "released", ...(isSingleUse ? ["sent" as const] : [])] as const;
  return (await listReleasesOfRequest(access, requestHash, states)).find(isReusable);
}

async function assertConfirmed(
  confirm: ConfirmRelease,
  { sealed, requirements }: ReleaseRequest,
  requestHash: string,
): Promise<void> {
  const { operation, environment, client, terms, validUntil } = sealed;
  const isConfirmed = await confirm({
    operation,
    environment,
    client,
    terms: { ...terms },
    validUntil,
    needs: describeRequirements(requirements),
    asks: requestHash,
  }).catch((error: Error) => {
    throw new RequestDeclined(
      `The release could not be confirmed, so it was not requested: ${error.message}.`,
    );
  });
  if (!isConfirmed) throw new RequestDeclined("The release was declined, so it was not requested.");
}
