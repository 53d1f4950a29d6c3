/** Makes recorded calls and describes each outcome on one line, without error texts, which may be improved. */
import { type CallOptions, createClient, FxdeskError, type JournalNote } from "@fxdesk/toolkit";
import { contract } from "@fxdesk/toolkit/operations";
import type { Declaration, Values } from "@fxdesk/toolkit/operations";
import { shortHash } from "./recordings";

export type Client = ReturnType<typeof createClient>;

export interface RecordedCall {
  readonly operation: string;
  readonly input: Values;
  readonly key?: string | undefined;
  /** X-Request-ID or X-Contact-ID, by which the server recognises the call. */
  readonly id: string;
  readonly timeoutMs?: number;
  readonly isAborted?: boolean;
  readonly needsRelease?: boolean;
}

export interface Outcome {
  readonly text: string;
  /** The journal entry that the call wrote; undefined if it wrote none. */
  readonly entry: string | undefined;
  /** The release that the call waits for. */
  readonly release: string | undefined;
}

export const operationNamed = (name: string): Declaration =>
  contract.operations.find((operation) => operation.name === name)!;

/** Replaces what is different in every run: generated references and the days of listed trades. */
export const normalised = (text: string): string =>
  text
    .replaceAll(/FX-[0-9A-Z]{8}-[0-9A-Z]{8}/g, "FX-GENERATED")
    .replaceAll(/"order_date":"[^"]+"/g, '"order_date":"TODAY"');

const writtenEntry = (note: JournalNote | undefined): string | undefined =>
  note?.replayed ? undefined : note?.entry;

export async function outcomeOf(
  client: Client,
  { operation: name, input, key, id, timeoutMs = 60_000, isAborted, needsRelease }: RecordedCall,
  more: CallOptions = {},
): Promise<Outcome> {
  const operation = operationNamed(name);
  try {
    const response = await client.call(operation, input, {
      timeoutMs,
      ...(operation.server === "service" ? { contactId: id } : { requestId: id }),
      ...(key !== undefined && { key }),
      ...(isAborted && { signal: AbortSignal.abort() }),
      ...(needsRelease && { release: "needed" }),
      ...more,
    });
    const { status, attempts, violations, journal, body } = response;
    const isFile = body instanceof Object && "bytes" in body;
    const content = isFile ? String(await (body as { bytes(): Promise<Buffer> }).bytes()) : body;
    const marks = [
      `${status} after ${attempts}`,
      violations.length > 0 && `violations ${violations.map(({ field }) => field).join("+")}`,
      journal?.replayed && "replayed",
      journal?.recovered && "recovered",
      `body ${shortHash(normalised(JSON.stringify(content) ?? "none"))}`,
    ];
    return {
      text: `done ${marks.filter(Boolean).join(", ")}`,
      entry: writtenEntry(journal),
      release: undefined,
    };
  } catch (error) {
    if (!(error instanceof FxdeskError)) throw error;
    const { outcome, code, status, attempts, retryable, journal } = error;
    const marks = [
      code,
      `${status ?? "no status"} after ${attempts}`,
      retryable && "retryable",
      journal?.replayed && "replayed",
    ];
    return {
      text: `${outcome} ${marks.filter(Boolean).join(", ")}`,
      // A conflict that the service did not report names the entry of another call.
      entry: code === "conflict" && status === undefined ? undefined : writtenEntry(journal),
      release: "release" in error ? String(error.release) : undefined,
    };
  }
}
