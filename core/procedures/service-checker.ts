/** The calls of a service check, and the checks of each response. */
import { createHash, randomUUID } from "node:crypto";
import type { ServiceResponse } from "../call/response";
import type { Values } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import { FxdeskError } from "../spec/errors";
import { valueAt } from "../values/json";
import { attempt, type Context } from "./procedure";
import { findDifferences, kindOfValue } from "./response-differences";

type DifferenceKind = "status" | "shape" | "headers" | "content" | "paging";

/** A deviation from the contract, and how often it occurred. */
export interface Difference {
  readonly operation: string;
  readonly kind: DifferenceKind;
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly times: number;
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

const matchesFilter = (requested: unknown, value: unknown): boolean =>
  [requested].flat().some((each) => String(each).toLowerCase() === String(value).toLowerCase());

/** Returns filters that an entry contradicts: the field has the name of the filter but another value. */
const mismatchedFilters = (body: unknown, input: Values): string[] =>
  Object.keys(input).filter((name) =>
    [body].flat().some((entry) => {
      const value = valueAt(entry, [name]) ?? undefined;
      return value !== undefined && !matchesFilter(input[name], value);
    }),
  );

const digestOf = (entry: unknown) => createHash("sha1").update(JSON.stringify(entry)).digest("base64");

const smallPageSize = 2;
const maxSmallPages = 3;
const fullPageSize = 200;

/** Makes calls and collects differences from the contract as paths and kinds, never values. */
export class ServiceChecker {
  /** Number of occurrences of each difference, which is the key as JSON. */
  readonly #times = new Map<string, number>();
  readonly unread: UncheckedOperation[] = [];
  readonly checked = new Set<string>();
  calls = 0;
  /** True if a call failed, so that an operation could not be checked. */
  hasFailed = false;

  constructor(private readonly context: Context) {}

  operation(name: string): Declaration {
    return this.context.client.service.operations.find((each) => each.name === name)!;
  }

  recordDifference(
    operation: string,
    kind: DifferenceKind,
    path: string,
    expected: string,
    found: string,
  ): void {
    const key = JSON.stringify({ operation, kind, path, expected, found });
    this.#times.set(key, (this.#times.get(key) ?? 0) + 1);
  }

  get differences(): Difference[] {
    return [...this.#times].map(([key, times]) => ({ ...(JSON.parse(key) as Difference), times }));
  }

  /** Makes and checks one call. Returns undefined if there was no response. */
  async call(name: string, input: Values = {}): Promise<ServiceResponse | undefined> {
    if (this.calls + maxAttempts > maxCalls) {
      this.unread.push({ operation: name, reason: `The check makes at most ${maxCalls} calls.` });
      return undefined;
    }
    const operation = this.operation(name);
    const hasRequestId = Object.keys(operation.headers ?? {}).some(
      (header) => header.toLowerCase() === requestIdHeader,
    );
    const options = hasRequestId ? { requestId: randomUUID() } : {};
    const response = await attempt(this.context, () => this.context.client.call(operation, input, options));
    this.calls += response.attempts;
    this.context.progress({ done: this.calls, message: name });
    if (response instanceof FxdeskError) {
      this.#recordFailure(operation, response);
      return undefined;
    }
    this.checked.add(name);
    this.#inspect(operation, input, response, options.requestId);
    return response;
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
      if (!response || !Array.isArray(response.body)) return undefined;
      if (response.body.length > size) recordPaging("at most as many entries as page_size", "more");
      return { total: response.total, list: response.body as readonly unknown[] };
    };
    const recordPaging = (expected: string, found: string) =>
      this.recordDifference(name, "paging", "", expected, found);
    const fullPage = await read(1, fullPageSize);
    if (!fullPage) return [];
    const { total, list } = fullPage;
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
