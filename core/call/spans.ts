/**
 * Spans of OpenTelemetry. They are made only in a program that has registered an SDK; without one, nothing is loaded.
 * Attributes name operations, servers and outcomes, and contain no secret and no personal data.
 */
import type { Attributes, Span } from "@opentelemetry/api";
import { FxdeskError } from "../spec/errors";

type Api = typeof import("@opentelemetry/api");

/** What a span is called, where it belongs, and its attributes when it begins. */
export interface SpanDescription {
  readonly name: string;
  readonly kind: "INTERNAL" | "CLIENT" | "SERVER" | "CONSUMER";
  readonly attributes: Attributes;
  /** Object with the trace context (`traceparent`) of the caller. Without one, the active span is the parent. */
  readonly parent?: object | undefined;
}

/** Where the API keeps what an SDK has registered: https://opentelemetry.io/docs/specs/otel/library-guidelines/. */
const registry = Symbol.for("opentelemetry.js.api.1");

let api: Api | undefined;
let isMissing = false;

/** Returns the API if an SDK is registered. */
function findApi(): Api | undefined {
  if (api || isMissing || (globalThis as { [registry]?: unknown })[registry] === undefined) return api;
  try {
    api = require("@opentelemetry/api") as Api;
  } catch {
    isMissing = true;
    process.emitWarning(
      "An OpenTelemetry SDK is registered, but fxdesk finds no @opentelemetry/api. Install it beside fxdesk to get spans.",
      { type: "FxdeskWarning", code: "FXDESK_NO_SPANS" },
    );
  }
  return api;
}

/** Describes an error by its code or name. Messages may contain personal data. */
const typeOfError = (error: unknown): string =>
  error instanceof FxdeskError ? error.code : error instanceof Error ? error.name : "unknown";

/** Runs work in a span if an SDK is registered; `span` is undefined otherwise. The span ends with the work. */
export function inSpan<T>(describe: () => SpanDescription, work: (span?: Span) => Promise<T>): Promise<T> {
  const found = findApi();
  if (!found) return work();
  const { context, propagation, trace, SpanKind } = found;
  const { name, kind, attributes, parent } = describe();
  const from = parent ? propagation.extract(context.active(), parent) : context.active();
  const options = { kind: SpanKind[kind], attributes };
  return trace.getTracer("fxdesk").startActiveSpan(name, options, from, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, typeOfError(error));
      if (error instanceof FxdeskError) span.setAttribute("fxdesk.outcome", error.outcome);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed. `errorType` is a code, never a message. */
export function markFailed(span: Span, errorType: string): void {
  span.setStatus({ code: findApi()!.SpanStatusCode.ERROR });
  span.setAttribute("error.type", errorType);
}

/** Returns the ID of the active trace; undefined without an SDK. */
export const activeTraceId = (): string | undefined =>
  findApi()?.trace.getActiveSpan()?.spanContext().traceId;

/** Passes each name and value of the active trace context to `set`; none without an SDK. */
export function propagateContext(set: (name: string, value: string) => void): void {
  const found = findApi();
  found?.propagation.inject(found.context.active(), undefined, { set: (_, name, value) => set(name, value) });
}
