/** Seeded calls, many at once, with random time limits and aborts, at a raw TCP server that records them. */
import { randomUUID } from "node:crypto";
import * as fc from "fast-check";
import { createClient, FxdeskError } from "../../../core";
import { type SeededCall, seededCall } from "../../support/seeded-calls";
import { companyNetwork } from "../../support/company-network";
import { operationNamed } from "../../support/operations";
import {
  type PlannedResponse,
  type SeenCalls,
  startWitnessServer,
  type WitnessServer,
} from "../../support/witness-server";

export const seed = Number(process.env.FXDESK_SEED ?? 20_261_121);
/** Concurrent calls of one client. */
const callsPerClient = 20;
/** Concurrent clients. */
const concurrentClients = 8;

interface PlannedCall extends SeededCall {
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  /** Time of the abort: never, before the call, or after some milliseconds. */
  readonly abortAfter: "never" | "before" | number;
}

/** How a call differs from its seed. */
const changes = fc.record({
  timeoutMs: fc.constantFrom(100, 300, 750, 2_000),
  queueTimeoutMs: fc.constantFrom(50, 250, 5_000),
  abortAfter: fc.oneof(
    { weight: 4, arbitrary: fc.constant("never" as const) },
    { weight: 1, arbitrary: fc.constant("before" as const) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 400 }) },
  ),
  /** Seeded calls are seldom slow. */
  slow: fc.constantFrom(undefined, undefined, undefined, undefined, "silence" as const, "drip" as const),
});
const groups = fc.record({
  connections: fc.integer({ min: 1, max: 12 }),
  wanted: fc.array(changes, { minLength: callsPerClient, maxLength: callsPerClient }),
});

/** Returns the contradictions between the result of a call and the received requests. */
function findContradictions(
  name: string,
  fate: PlannedResponse,
  result: unknown,
  { heads, statuses }: SeenCalls,
  isCompany: boolean,
): string[] {
  const { effect, responses } = operationNamed(name);
  const money = effect === "money";
  const found: string[] = [];
  const report = (wrong: boolean, what: string) => wrong && found.push(what);
  report(
    effect !== "read" && heads - statuses.filter((status) => status === 401).length > 1,
    "was sent twice",
  );
  report(money && heads > 1, "money was sent twice");
  if (!(result instanceof Error)) {
    report(heads === 0, "ended well and never arrived");
    // A 204 has no body that could be incomplete.
    const whole = fate.kind === "respond" || (fate.kind === "cut" && fate.status === 204);
    report(!whole || !responses[fate.status], "ended well without a documented success");
    return found;
  }
  if (!(result instanceof FxdeskError)) return [...found, `is no FxdeskError: ${String(result)}`];
  const { outcome, attempts, status } = result;
  const refusal = statuses.some((each) => each >= 400 && each < 500 && each !== 408 && each !== 499);
  report(outcome === "not-sent" && heads > 0, "is called not sent and arrived");
  // A proxy can lose what it was sent, as far as the client knows on its way to the service.
  report(!isCompany && outcome === "unknown" && heads === 0, "is called unknown and never arrived");
  report(outcome === "rejected" && !refusal, "is called rejected, and the service refused nothing");
  report(
    money && outcome === "rejected" && statuses.some((each) => each < 400),
    "is called rejected and was answered with a success",
  );
  report(attempts < heads, "counts fewer attempts than arrived");
  report(status !== undefined && !statuses.includes(status), "tells a status that was not answered");
  return found;
}

async function runCall(
  { operation: name, input, id, timeoutMs, queueTimeoutMs, abortAfter }: PlannedCall,
  client: ReturnType<typeof createClient>,
): Promise<unknown> {
  const operation = operationNamed(name);
  const controller = new AbortController();
  if (abortAfter === "before") controller.abort();
  const call = client.call(operation, input, {
    timeoutMs,
    queueTimeoutMs,
    key: id,
    ...(abortAfter !== "never" && { signal: controller.signal }),
    ...(operation.server === "service" ? { contactId: id } : { requestId: id }),
  });
  const ending = call
    .then(({ body }) =>
      body instanceof Object && "bytes" in body ? (body as { bytes(): Promise<Buffer> }).bytes() : body,
    )
    .catch((error: unknown) => error);
  const timer = typeof abortAfter === "number" ? setTimeout(() => controller.abort(), abortAfter) : undefined;
  let late: NodeJS.Timeout | undefined;
  const noEnd = new Promise((resolve) => {
    late = setTimeout(resolve, timeoutMs + queueTimeoutMs + 10_000, new Error("no end in time"));
  });
  const ended = await Promise.race([ending, noEnd]);
  clearTimeout(timer);
  clearTimeout(late);
  return ended;
}

/** Opens the journal and a connection, which take longer than most of the time limits. */
async function warmUp(client: ReturnType<typeof createClient>, server: WitnessServer): Promise<void> {
  server.plan("", { kind: "respond", status: 201, body: '{"trade_id":"t-1"}', as: "length" });
  const input = { quote_id: "q-1", reason: "other" };
  await client.call(operationNamed("trades.book"), input, { key: randomUUID() });
}

async function runGroup(
  connections: number,
  wanted: readonly PlannedCall[],
  isCompany: boolean,
): Promise<string[]> {
  const server = await startWitnessServer();
  const network = isCompany ? await companyNetwork(server.url) : undefined;
  const client = createClient({
    baseUrl: server.url,
    xs2aUrl: server.url,
    clientId: "c-1",
    contactId: "nobody",
    connections,
    ...network?.settings,
    credentials: { accessToken: "access-token", ...network?.credentials },
  });
  for (const { id, fate } of wanted) server.plan(id, fate);
  try {
    await warmUp(client, server);
    const endings = await Promise.all(wanted.map((each) => runCall(each, client)));
    await client.close();
    await server.settled();
    return wanted.flatMap((each, index) => {
      const seen = server.seen.get(each.id) ?? { heads: 0, statuses: [], requests: [] };
      return findContradictions(each.operation, each.fate, endings[index], seen, isCompany).map(
        (lie) => `${each.operation} ${lie}: ${JSON.stringify({ ...each, seen })} ${String(endings[index])}`,
      );
    });
  } finally {
    await client.close();
    await server.close();
  }
}

/** Makes calls, directly or through the network of a company, and returns the contradictions. */
export async function findWrongOutcomes(runs: number, isCompany: boolean): Promise<string[]> {
  const all = fc.sample(groups, { seed, numRuns: Math.ceil(runs / callsPerClient) });
  const lines: string[] = [];
  const next = all.entries();
  const worker = async () => {
    for (let step = next.next(); !step.done; step = next.next()) {
      const [group, { connections, wanted }] = step.value;
      const planned = wanted.map(({ slow, ...change }, index): PlannedCall => {
        const call = seededCall(seed + group * callsPerClient + index);
        return { ...call, ...change, fate: slow ? { kind: slow } : call.fate };
      });
      lines.push(...(await runGroup(connections, planned, isCompany)));
    }
  };
  await Promise.all(Array.from({ length: concurrentClients }, worker));
  return lines;
}
