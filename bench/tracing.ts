/**
 * Compares client reads with and without a registered OpenTelemetry SDK that records every span: from a service that answers
 * after 20 ms, sooner than any across the internet, and from one that answers at once, where only processor time counts.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { createClient } from "../core";
import { inTurn, median } from "./compare";
import { startServer } from "./server";

const inFlight = 10;
const warmUpMs = 500;
const sliceMs = 2_000;
const rounds = 7;

/** Takes spans as an exporter does that sends them in another process. */
const exporter: SpanExporter = {
  export: (_, done) => done({ code: ExportResultCode.SUCCESS }),
  shutdown: () => Promise.resolve(),
};

/** Registers an SDK as programs do. */
function registerSdk(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }),
  );
}

/** Sends the calls per second of one slice to the parent process. */
async function measure(url: string): Promise<void> {
  const client = createClient({
    baseUrl: url,
    clientId: "c-1",
    credentials: { accessToken: "t", apiKey: "k" },
  });
  const callFor = async (ms: number) => {
    const start = performance.now();
    let done = 0;
    const worker = async () => {
      while (performance.now() - start < ms) {
        await client.trades.list();
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return (done * 1_000) / (performance.now() - start);
  };
  // The first calls load and compile code.
  await callFor(warmUpMs);
  process.send!(await callFor(sliceMs));
  await client.close();
}

/** Measures one slice in a process of its own, because an SDK stays registered. */
async function callsPerSecond(url: string, sdk: "without" | "with"): Promise<number> {
  const child = fork(__filename, [url, sdk], { execArgv: [] });
  const [perSecond] = (await once(child, "message")) as [number];
  child.kill();
  return perSecond;
}

async function main(): Promise<void> {
  const rows: object[] = [];
  for (const latencyMs of [20, 0]) {
    const { url, stop } = await startServer(latencyMs);
    const [without, recording] = (await inTurn(
      [() => callsPerSecond(url, "without"), () => callsPerSecond(url, "with")],
      rounds,
    )) as [readonly number[], readonly number[]];
    stop();
    rows.push({
      "Reads of 1 KB JSON, 10 in flight": `service answers after ${latencyMs} ms`,
      "per second": Math.round(median(without)),
      "with spans": Math.round(median(recording)),
      ratio: median(recording.map((rate, round) => rate / without[round]!)).toFixed(2),
    });
  }
  console.table(rows);
}

const [url, sdk] = process.argv.slice(2);
if (url === undefined) void main();
else {
  if (sdk === "with") registerSdk();
  void measure(url);
}
