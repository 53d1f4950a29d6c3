/**
 * The tools, resources and prompts that the official conformance tests of MCP call, added to every server that fxdesk creates.
 * Requests for anything else reach fxdesk's own handlers.
 */
import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

type Result = object;
type Handler = (request: { params?: Record<string, unknown> }, context: ServerContext) => unknown;
type Fixture = (given: Record<string, unknown>, context: ServerContext) => Result | Promise<Result>;

/** The smallest picture: one transparent pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
/** The header of a sound without samples. */
const silence = Buffer.from(
  "RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0data\0\0\0\0",
  "latin1",
);

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: pixel, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, content: string) => ({
  type: "resource",
  resource: { uri, mimeType, text: content },
});
const content = (...parts: object[]) => ({ content: parts });

const capabilitiesOf = ({ mcpReq }: ServerContext): ClientCapabilities =>
  ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
    {}) as ClientCapabilities;

const form = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  });

const confirmation = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});

const sampling = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens: 100,
  });

const given = ({ mcpReq }: ServerContext, key: string) => acceptedContent(mcpReq.inputResponses, key);
const isGiven = ({ mcpReq }: ServerContext, key: string) =>
  inputResponse(mcpReq.inputResponses, key).kind !== "missing";

const sign = (state: string) => `${state}.${createHmac("sha256", "a key").update(state).digest("hex")}`;

/** Throws unless the state is the one that was signed. */
function assertState({ mcpReq }: ServerContext, state: string): void {
  if (mcpReq.requestState() !== sign(state))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The state was changed.");
}

async function reportProgress({ mcpReq }: ServerContext): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100 },
      });
    await setTimeout(5);
  }
}

const askName = () => inputRequired({ inputRequests: { user_name: form("What is your name?", "name") } });

/** Asks for a confirmation and accepts only the signed state with it. */
const confirmed: Fixture = (_input, context) => {
  if (!isGiven(context, "confirm"))
    return inputRequired({
      inputRequests: { confirm: confirmation },
      requestState: sign("asked"),
    });
  assertState(context, "asked");
  return content(text("state-ok"));
};

function inTwoSteps(_input: object, context: ServerContext): Result {
  if (isGiven(context, "step2")) {
    assertState(context, "second");
    return content(text("Both steps are done."));
  }
  if (!isGiven(context, "step1"))
    return inputRequired({
      inputRequests: { step1: form("Step 1: What is your name?", "name") },
      requestState: sign("first"),
    });
  assertState(context, "first");
  return inputRequired({
    inputRequests: { step2: form("Step 2: What is your favorite color?", "color") },
    requestState: sign("second"),
  });
}

function askWhatHostCan(_input: object, context: ServerContext): InputRequiredResult {
  const { sampling: samples, elicitation } = capabilitiesOf(context);
  return inputRequired({
    inputRequests: {
      ...(samples && { greeting: sampling("Generate a greeting") }),
      ...(elicitation && { user_name: form("What is your name?", "name") }),
    },
    requestState: sign("asked"),
  });
}

const tools: Readonly<Record<string, Fixture>> = {
  test_simple_text: () => content(text("This is a simple text response for testing.")),
  test_image_content: () => content(image),
  test_audio_content: () =>
    content({ type: "audio", data: silence.toString("base64"), mimeType: "audio/wav" }),
  test_embedded_resource: () =>
    content(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  test_multiple_content_types: () =>
    content(
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
  test_error_handling: () => ({
    ...content(text("This tool intentionally returns an error for testing")),
    isError: true,
  }),
  async test_tool_with_progress(_input, context) {
    await reportProgress(context);
    return content(text("Done."));
  },
  test_logging_tool: () => content(text("Nothing was logged.")),
  test_missing_capability(_input, context) {
    if (capabilitiesOf(context).sampling) return content(text("The host can sample."));
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
  test_streaming_elicitation: askName,
  test_input_required_result_elicitation(_input, context) {
    const answer = given(context, "user_name");
    return typeof answer?.name === "string" ? content(text(`Hello, ${answer.name}!`)) : askName();
  },
  test_input_required_result_sampling: (_input, context) =>
    isGiven(context, "capital_question")
      ? content(text("The host has answered."))
      : inputRequired({ inputRequests: { capital_question: sampling("What is the capital of France?") } }),
  test_input_required_result_list_roots: (_input, context) =>
    isGiven(context, "client_roots")
      ? content(text("The host has listed its roots."))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } }),
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  test_input_required_result_multiple_inputs(_input, context) {
    if (!["user_name", "greeting", "client_roots"].every((key) => isGiven(context, key)))
      return inputRequired({
        inputRequests: {
          user_name: form("What is your name?", "name"),
          greeting: sampling("Generate a greeting"),
          client_roots: inputRequired.listRoots(),
        },
        requestState: sign("asked"),
      });
    assertState(context, "asked");
    return content(text("All three were answered."));
  },
  test_input_required_result_multi_round: inTwoSteps,
  test_input_required_result_capabilities: askWhatHostCan,
};

const messages = (...parts: object[]) => ({
  messages: parts.map((part) => ({ role: "user", content: part })),
});

const prompts: Readonly<Record<string, { arguments?: readonly string[]; render: Fixture }>> = {
  test_simple_prompt: { render: () => messages(text("This is a simple prompt for testing.")) },
  test_prompt_with_arguments: {
    arguments: ["arg1", "arg2"],
    render: ({ arg1, arg2 }) =>
      messages(text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)),
  },
  test_prompt_with_embedded_resource: {
    arguments: ["resourceUri"],
    render: ({ resourceUri }) =>
      messages(
        embedded(String(resourceUri), "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ),
  },
  test_prompt_with_image: { render: () => messages(image, text("Please analyze the image above.")) },
  test_input_required_result_prompt: {
    render(_given, context) {
      const answer = given(context, "user_context");
      return answer
        ? messages(text(`Context: ${String(answer.context)}`))
        : inputRequired({
            inputRequests: { user_context: form("What context should the prompt use?", "context") },
          });
    },
  },
};

/** Returns the content of a resource; undefined for resources of fxdesk. */
function contentOf(uri: string): object | undefined {
  if (uri === "test://static-text")
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: pixel };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  return id === undefined
    ? undefined
    : { uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) };
}

/** Adds entries to the list that fxdesk returns. */
const listWith =
  (field: string, entries: readonly object[]) =>
  async (own: () => unknown): Promise<Result> => {
    const listed = (await own()) as Record<string, object[]>;
    return { ...listed, [field]: [...listed[field]!, ...entries] };
  };

type Wrapper = (own: () => unknown, params: Record<string, unknown>, context: ServerContext) => unknown;

const wrappers: Readonly<Record<string, Wrapper>> = {
  "tools/list": listWith(
    "tools",
    Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
  ),
  "tools/call": (own, { name, arguments: input }, context) =>
    tools[name as string]?.((input ?? {}) as Record<string, unknown>, context) ?? own(),
  "prompts/list": listWith(
    "prompts",
    Object.entries(prompts).map(([name, prompt]) => ({
      name,
      description: name,
      arguments: (prompt.arguments ?? []).map((argument) => ({
        name: argument,
        description: argument,
        required: true,
      })),
    })),
  ),
  "prompts/get": (own, { name, arguments: input }, context) =>
    prompts[name as string]?.render((input ?? {}) as Record<string, unknown>, context) ?? own(),
  "resources/list": listWith(
    "resources",
    ["static-text", "static-binary"].map((name) => ({ uri: `test://${name}`, name })),
  ),
  "resources/templates/list": listWith("resourceTemplates", [
    { uriTemplate: "test://template/{id}/data", name: "template" },
  ]),
  "resources/read": (own, { uri }) => {
    const found = contentOf(uri as string);
    return found ? { contents: [found] } : own();
  },
};

/** Adds the fixtures to every server created from now on. */
export function addConformanceFixtures(): void {
  const { prototype } = Server as unknown as {
    prototype: { setRequestHandler: (this: Server, method: string, handler: Handler) => void };
  };
  const { setRequestHandler } = prototype;
  prototype.setRequestHandler = function setWithFixture(method, handler) {
    const wrapper = wrappers[method];
    const handle: Handler = (request, context) =>
      wrapper!(() => handler(request, context), request.params ?? {}, context);
    setRequestHandler.call(this, method, wrapper ? handle : handler);
  };
}
