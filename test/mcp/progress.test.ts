/** Progress notifications of procedures, and cancellation. */
import { createClient } from "../../core";
import { serveHttp } from "../../mcp";
import { eventually } from "../support/eventually";
import { numbersService, runs } from "../support/numbers-procedure";
import { withAssistant } from "../support/surfaces";
import { revisions } from "./support/clients";

const client = createClient({ baseUrl: "http://127.0.0.1:9", clientId: "C" }, numbersService);
afterAll(() => client.close());

interface Step {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Call options that the clients of both SDKs share. */
interface Listening {
  readonly onprogress?: (step: Step) => void;
  readonly signal?: AbortSignal;
}
type Calls = (params: { name: string; arguments: object }, ...rest: unknown[]) => Promise<unknown>;

const steps = [0, 1, 2].map((progress) => ({ progress, total: 3, message: "Counting" }));
const asked = { name: "list_numbers", arguments: { many: 1, steps: 3 } };

test("sends each step to a host with a progress token", async () => {
  await withAssistant({ client }, async (assistant) => {
    const received: Step[] = [];
    await assistant.callTool(asked, { onprogress: (step: Step) => received.push(step) });
    expect(received).toEqual(steps);
  });
});

test("sends progress over HTTP in addition to the result", async () => {
  const server = await serveHttp({ client });
  const assistant = await revisions["2026-07-28"].http(server.url);
  const received: Step[] = [];
  const listening: Listening = { onprogress: (step) => received.push(step) };
  const result = await (assistant.callTool as Calls).call(assistant, asked, listening);
  expect(result).toMatchObject({ structuredContent: { count: 1 } });
  expect(received).toEqual(steps);
  await assistant.close();
  await server.close();
});

test("stops a procedure on cancellation", async () => {
  await withAssistant({ client }, async (assistant) => {
    runs.count = 0;
    const cancel = new AbortController();
    const args = { many: 1, steps: 1_000, pause_ms: 50 };
    const received: Step[] = [];
    const call = assistant.callTool(
      { name: "list_numbers", arguments: args },
      { signal: cancel.signal, onprogress: (step: Step) => received.push(step) },
    );
    const ended = call.catch((error: Error) => error.message);
    await eventually(() => received.length >= 2, { withinMs: 20_000, what: "progress" });
    cancel.abort("enough");
    expect(await ended).toContain("enough");
    const last = received.length;
    expect(await assistant.callTool(asked)).toMatchObject({ structuredContent: { count: 1 } });
    expect([runs.count, received.length]).toEqual([2, last]);
  });
});
