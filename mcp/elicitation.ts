/**
 * Questions to the person at a host. In the revision 2026-07-28 the host is given the question as a result, and makes the call
 * again with the answer; in the older ones it is asked while the call waits.
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

/** How long a person may think about it. */
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
        description: "Whether it is sent to the people who release.",
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

/** A host that says no more than that it elicits shows forms. */
const supportsForms = ({ elicitation }: ClientCapabilities = {}): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);

/** The questions of one call. */
export interface Elicitation {
  /** Undefined where the host cannot ask anybody. */
  readonly ask: AskUser | undefined;
  /** The result that has the question, where the host is to make the call again with the answer. */
  pendingRequest(): InputRequiredResult | undefined;
}

/** For hosts that make the call again: nothing is kept here in between. */
function elicitByRetry({ inputResponses, requestState }: ServerContext["mcpReq"]): Elicitation {
  let pendingQuestion: Question | undefined;
  return {
    async ask(question) {
      const given = inputResponse(inputResponses, questionKey);
      // The state tells whether it was this question. It need not be signed: the answer beside it comes from the host as well.
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

export function elicitationFor(server: Server, { mcpReq }: ServerContext, timeoutMs: number): Elicitation {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  const capabilities = envelope ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  if (!supportsForms(capabilities as ClientCapabilities | undefined))
    return { ask: undefined, pendingRequest: () => undefined };
  return envelope ? elicitByRetry(mcpReq) : elicitDirectly(mcpReq, timeoutMs);
}
