/**
 * Shows a link for a person (elicitation by URL): the releases page, or where a bank asks for authorisation. The result has the
 * link as text in any case. In revision 2026-07-28 the host shows the link before the result; in older revisions it is shown
 * beside the result.
 */
import { randomUUID } from "node:crypto";
import {
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { PersonLink } from "./protocol";
import type { JsonObject, ToolResult } from "./render/content";

const linkKey = "link";

/** Results are small. A state of more characters is not left to the host. */
const maxStateLength = 100_000;

/** The links of one call. */
export interface PersonLinks {
  /** The result of an earlier call, which the host repeats after it has shown the link. */
  readonly finished?: ToolResult | undefined;
  /** Undefined if the host cannot show links. */
  readonly show?: (link: PersonLink) => void;
  /** Returns the result with the link if the host must show it first. */
  readonly pendingRequest: (result: ToolResult | undefined) => InputRequiredResult | undefined;
}

function parseState(tool: string, state: string | undefined): ToolResult | undefined {
  try {
    const found = JSON.parse(state ?? "") as { readonly tool?: string; readonly result?: JsonObject };
    return found.tool === tool && Array.isArray(found.result?.content)
      ? (found.result as unknown as ToolResult)
      : undefined;
  } catch {
    return undefined;
  }
}

/** For hosts that repeat the call. The result is in the state, so that the call is made once and the server stores nothing. */
function linkByRetry(tool: string, { inputResponses, requestState }: ServerContext["mcpReq"]): PersonLinks {
  const wasShown = inputResponse(inputResponses, linkKey).kind !== "missing";
  let shown: PersonLink | undefined;
  return {
    // The state needs no signature: the result goes to the host that supplies it.
    finished: wasShown ? parseState(tool, requestState()) : undefined,
    ...(!wasShown && { show: (link) => void (shown = link) }),
    pendingRequest(result) {
      const state = JSON.stringify({ tool, result });
      if (!shown || !result || state.length > maxStateLength) return undefined;
      return inputRequired({
        inputRequests: { [linkKey]: inputRequired.elicitUrl(shown) },
        requestState: state,
      });
    },
  };
}

const linkDirectly = ({ elicitInput }: ServerContext["mcpReq"], timeout: number): PersonLinks => ({
  // The result does not wait for the answer.
  show: ({ url, message }) =>
    void elicitInput({ mode: "url", message, url, elicitationId: randomUUID() }, { timeout }).catch(
      () => undefined,
    ),
  pendingRequest: () => undefined,
});

export function personLinksFor(
  tool: string,
  capabilities: ClientCapabilities | undefined,
  { mcpReq }: ServerContext,
  timeoutMs: number,
): PersonLinks {
  if (capabilities?.elicitation?.url === undefined) return { pendingRequest: () => undefined };
  return mcpReq.envelope ? linkByRetry(tool, mcpReq) : linkDirectly(mcpReq, timeoutMs);
}
