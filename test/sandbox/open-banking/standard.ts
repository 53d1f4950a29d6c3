/**
 * Checks the responses of open-banking tests against the published standard (OpenAPI 3.0, version 1.3.12) at the path in
 * PSD2_OPENAPI. The check is strict: undocumented statuses, fields and codes fail.
 */
import { readFileSync } from "node:fs";
import type { Sandbox } from "@fxdesk/sandbox";
import { standardResponses } from "../../support/open-banking-standard";
import { newRequestId } from "../../support/request-id";

const file = process.env.PSD2_OPENAPI;
if (file === undefined) test.skip("responses conform to the standard at PSD2_OPENAPI (not set)", () => {});

/** Sandboxes with the number of the last request that was checked. */
const checked = new Map<Sandbox, number>();

/** Checks the open-banking responses of a sandbox after each test. */
export function checkStandard(sandbox: Sandbox): void {
  if (file !== undefined) checked.set(sandbox, 0);
}

function prepare(path: string) {
  const { paths } = JSON.parse(readFileSync(path, "utf8")) as { paths: object };
  // The path with the fewest parameters is the most specific one.
  const patterns = Object.keys(paths)
    .toSorted((one, other) => one.split("{").length - other.split("{").length)
    .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{.+?\}/g, "[^/]+")}$`) }));
  const pathOf = (url: string) => patterns.find(({ pattern }) => pattern.test(url.split("?")[0]!))?.template;
  return { responses: standardResponses(path), pathOf };
}
let prepared: ReturnType<typeof prepare> | undefined;

function deviations(sandbox: Sandbox, { number, method, url, status, fault }: Sandbox["requests"][number]) {
  const { responses, pathOf } = (prepared ??= prepare(file!));
  const path = pathOf(url);
  const { headers: logged, body: text } = sandbox.control.getExchange({ number }).response;
  const isForcedExample = fault === "status" && status < 400;
  const isShortened = text.length > 20_000;
  if (path === undefined || isForcedExample || isShortened) return [];
  // The log lacks the ID; wire.test.ts tests it.
  const headers = new Headers({ ...logged, "x-request-id": newRequestId() });
  const found = responses.violations({ method, path }, { status, headers, text });
  return found.map((violation) => `${method} ${url} ${status}: ${violation}\n${text}`);
}

afterEach(() => {
  for (const [sandbox, last] of checked) {
    // The log keeps the bodies of 100 requests.
    const requests = sandbox.requests.slice(-100).filter(({ number }) => number > last);
    checked.set(sandbox, sandbox.requests.at(-1)?.number ?? last);
    expect(requests.flatMap((request) => deviations(sandbox, request))).toEqual([]);
  }
});
