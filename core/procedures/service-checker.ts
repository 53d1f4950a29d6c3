/** The calls of a service check, and the checks of each response. */
import { createHash, randomUUID } from "node:crypto";
import type { ServiceResponse } from "../call/response";
import type { Values } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import { FxdeskError } from "../spec/errors";
import { valueAt } from "../values/json";
import type { Context } from "./procedure";
import { findDifferences, kindOfValue } from "./response-differences";

export type DifferenceKind = "status" | "shape" | "headers" | "content" | "paging";

export interface Finding {
  readonly operation: string;
  readonly kind: DifferenceKind;
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/** An operation that could not be checked, with the reason. */
export interface UncheckedOperation {
  readonly operation: string;
  readonly reason: string;
}

/** Maximum number of calls per check. */
const maxCalls = 59;
/** Maximum number of attempts per read. */
const maxAttempts = 3;

/** Statuses for missing permissions or resources, which do not count as failures of the check. */
const acceptedRefusals: ReadonlySet<number | undefined> = new Set([403, 404]);

const requestIdHeader = "x-request-id";

const headerValue = ({ headers }: ServiceResponse, name: string) => headers[name.toLowerCase()];

const isJsonType = (type: unknown): boolean => typeof type === "string" && /[/+]json\b/i.test(type);

const entriesOf = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body]);

const matchesFilter = (requested: unknown, value: unknown): boolean =>
  (Array.isArray(requested) ? requested : [requested]).some(
    (each) => String(each).toLowerCase() === String(value).toLowerCase(),
  );

/** Returns filters that an entry contradicts: the field has the name of the filter but another value. */
const mismatchedFilters = (body: unknown, input: Values): string[] =>
  Object.entries(input).flatMap(([name, requested]) =>
    entriesOf(body).some((entry) => {
      const value = valueAt(entry, [name]);
      return value !== undefined && value !== null && !matchesFilter(requested, value);
    })
      ? [name]
      : [],
  );

const digestOf = (entry: unknown) => createHash("sha1").update(JSON.stringify(entry)).digest("base64");

const smallPageSize = 2;
const maxSmallPages = 3;
const fullPageSize = 200;

/** Makes calls and collects differences from the contract as paths and kinds, never values. */
export class ServiceChecker {
  readonly findings = new Map<string, { readonly finding: Finding; times: number }>();
  readonly unread: UncheckedOperation[] = [];
  readonly checked = new Set<string>();
  calls = 0;
  /** True if a call failed, so that an operation could not be checked. */
  hasFailed = false;
  readonly #context: Context;
  readonly #onCall: (operation: string, calls: number) => void;

  constructor(context: Context, onCall: (operation: string, calls: number) => void) {
    this.#context = context;
    this.#onCall = onCall;
  }

  operation(name: string): Declaration {
    return this.#context.client.service.operations.find((each) => each.name === name)!;
  }

  recordDifference(
    operation: string,
    kind: DifferenceKind,
    path: string,
    expected: string,
    found: string,
  ): void {
    const finding = { operation, kind, path, expected, found };
    const key = JSON.stringify(finding);
    const before = this.findings.get(key);
    if (before) before.times += 1;
    else this.findings.set(key, { finding, times: 1 });
  }

  /** Makes and checks one call. Returns undefined if there was no response. */
  async call(name: string, input: Values = {}): Promise<ServiceResponse | undefined> {
    if (this.calls + maxAttempts > maxCalls) {
      this.unread.push({ operation: name, reason: `The check makes at most ${maxCalls} calls.` });
      return undefined;
    }
    const operation = this.operation(name);
    const requestId = Object.keys(operation.headers ?? {}).some(
      (header) => header.toLowerCase() === requestIdHeader,
    )
      ? randomUUID()
      : undefined;
    try {
      const response = await this.#context.client.call(
        operation,
        input,
        requestId ? { requestId: requestId } : {},
      );
      this.calls += response.attempts;
      this.checked.add(name);
      this.#inspect(operation, input, response, requestId);
      return response;
    } catch (error) {
      if (!(error instanceof FxdeskError) || this.#context.signal?.aborted) throw error;
      this.calls += error.attempts;
      this.#recordFailure(operation, error);
      return undefined;
    } finally {
      this.#onCall(name, this.calls);
    }
  }

  #recordFailure({ name, responses, errors }: Declaration, { status, code, outcome }: FxdeskError): void {
    if (status !== undefined && responses[status]) {
      this.recordDifference(name, "shape", "", "a JSON body", "a body that is not JSON");
      return;
    }
    if (status !== undefined && !errors[status])
      this.recordDifference(name, "status", "", "a documented status", String(status));
    this.hasFailed ||= !acceptedRefusals.has(status);
    const without = outcome === "not-sent" ? "It could not be sent" : "No response";
    this.unread.push({
      operation: name,
      reason: status === undefined ? `${without} (${code}).` : `Status ${status}.`,
    });
  }

  #inspect(
    { name, responses }: Declaration,
    input: Values,
    response: ServiceResponse,
    requestId: string | undefined,
  ): void {
    const declared = responses[response.status]!;
    if (declared.kind === "json") {
      for (const { path, expected, found } of findDifferences(declared.schema, response.body))
        this.recordDifference(name, "shape", path, expected, found);
      const type = headerValue(response, "content-type");
      if (!isJsonType(type))
        this.recordDifference(
          name,
          "headers",
          "content-type",
          "application/json",
          type === undefined ? "nothing" : "another",
        );
      for (const field of mismatchedFilters(response.body, input))
        this.recordDifference(name, "content", field, "a requested value", "another value");
    }
    for (const header of Object.keys(declared.headers ?? {}))
      if (headerValue(response, header) === undefined)
        this.recordDifference(name, "headers", header.toLowerCase(), "a value", "nothing");
    const returned = headerValue(response, requestIdHeader);
    if (requestId !== undefined && returned !== undefined && returned !== requestId)
      this.recordDifference(name, "headers", requestIdHeader, "the ID of the request", "another");
  }

  /**
   * Checks a list with numbered pages: one large page, several small ones, and one after the end. Returns the entries
   * read.
   */
  async checkPaging(name: string, input: Values = {}): Promise<readonly unknown[]> {
    const paging = this.operation(name).pages!;
    const read = async (page: number, size: number) => {
      const response = await this.call(name, { ...input, [paging.page]: page, [paging.size]: size });
      if (response && paging.total !== undefined) this.#checkTotal(name, paging.total, response);
      return response && Array.isArray(response.body)
        ? { ...response, total: response.total, list: response.body }
        : undefined;
    };
    const recordPaging = (expected: string, found: string) =>
      this.recordDifference(name, "paging", "", expected, found);
    const fullPage = await read(1, fullPageSize);
    if (!fullPage) return [];
    const { total, list } = fullPage;
    if (list.length > fullPageSize) recordPaging("at most as many entries as page_size", "more");
    if (total !== undefined && total !== list.length && (total < fullPageSize || list.length < fullPageSize))
      recordPaging(
        "a total equal to the number of entries",
        total > list.length ? "a larger total" : "a smaller total",
      );
    const digests = list.map(digestOf);
    if (new Set(digests).size < digests.length)
      recordPaging("each entry once", "a duplicate entry on a page");
    const last = Math.ceil(list.length / smallPageSize);
    for (let page = 1; page <= Math.min(last, maxSmallPages); page += 1) {
      const small = await read(page, smallPageSize);
      if (!small) return list;
      if (small.total !== total) recordPaging("the same total on each page", "another");
      if (small.list.length > smallPageSize) recordPaging("at most as many entries as page_size", "more");
      const from = (page - 1) * smallPageSize;
      const expectedDigests = digests.slice(from, from + smallPageSize);
      const pageDigests = small.list.slice(0, smallPageSize).map(digestOf);
      if (pageDigests.length < expectedDigests.length)
        recordPaging("full pages before the last", "a shorter one");
      else if (pageDigests.some((digest, index) => digest !== expectedDigests[index]))
        recordPaging("the same entries in the same order, whatever the page size", "others");
    }
    if (total !== undefined && list.length === fullPageSize) {
      const end = Math.ceil(total / fullPageSize);
      const final = await read(end, fullPageSize);
      if (final && final.list.length !== total - (end - 1) * fullPageSize)
        recordPaging("a total equal to the number of entries", "another number on the last page");
    }
    const beyond = list.length < fullPageSize ? await read(last + 1, smallPageSize) : undefined;
    if (beyond && beyond.list.length > 0) recordPaging("no entries after the last page", "some");
    return list;
  }

  #checkTotal(name: string, header: string, response: ServiceResponse): void {
    const value = headerValue(response, header);
    if (value !== undefined && response.total === undefined)
      this.recordDifference(
        name,
        "headers",
        header,
        "a whole number",
        Array.isArray(value) ? "several" : kindOfValue(value),
      );
  }
}
