/**
 * Asks the user of a host (elicitation). In revision 2026-07-28 the question is the result of the call, and the host repeats
 * the call with the answer. In older revisions the server asks while the call waits.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Answer, AskUser, Question } from "./protocol";

/** Time in which the user must answer. */
export const defaultAnswerTimeoutMs = 5 * 60_000;

const questionKey = "release";

const formOf = ({ message }: Question) => ({
  message,
  requestedSchema: {
    type: "object" as const,
    properties: {
      send: {
        type: "boolean" as const,
        title: "Send for release",
        description: "Send the request to the people who can release it.",
      },
    },
    required: ["send"],
  },
});

interface Elicited {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

function toAnswer({ action, content }: Elicited): Answer {
  if (action === "cancel") return "none";
  return action === "accept" && content?.send === true ? "yes" : "no";
}

/** True if the host shows forms, which is also the default of a host that only announces elicitation. */
const supportsForms = ({ elicitation }: ClientCapabilities = {}): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);

/** The questions of one call. */
export interface Elicitation {
  /** Undefined if the host cannot ask its user. */
  readonly ask: AskUser | undefined;
  /** Returns the result with the question if the host must repeat the call with the answer. */
  pendingRequest(): InputRequiredResult | undefined;
}

/** For hosts that repeat the call. The server stores nothing between the two calls. */
function elicitByRetry({ inputResponses, requestState }: ServerContext["mcpReq"]): Elicitation {
  let pendingQuestion: Question | undefined;
  return {
    async ask(question) {
      const given = inputResponse(inputResponses, questionKey);
      // The state identifies the question. It needs no signature: the host also supplies the answer.
      if (given.kind === "elicit" && requestState() === question.subject) return toAnswer(given);
      pendingQuestion = question;
      return "later";
    },
    pendingRequest: () =>
      pendingQuestion &&
      inputRequired({
        inputRequests: { [questionKey]: inputRequired.elicit(formOf(pendingQuestion)) },
        requestState: pendingQuestion.subject,
      }),
  };
}

const elicitDirectly = (
  { elicitInput, signal }: ServerContext["mcpReq"],
  timeoutMs: number,
): Elicitation => ({
  ask: (question) =>
    elicitInput(formOf(question), { timeout: timeoutMs, signal }).then(toAnswer, () => "none" as const),
  pendingRequest: () => undefined,
});

/** Returns the capabilities of a host; undefined if they are unknown, as over HTTP with older revisions. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  const capabilities = envelope ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  return capabilities as ClientCapabilities | undefined;
}

export function elicitationFor(server: Server, context: ServerContext, timeoutMs: number): Elicitation {
  const { mcpReq } = context;
  if (!supportsForms(capabilitiesOf(server, context)))
    return { ask: undefined, pendingRequest: () => undefined };
  return mcpReq.envelope ? elicitByRetry(mcpReq) : elicitDirectly(mcpReq, timeoutMs);
}
