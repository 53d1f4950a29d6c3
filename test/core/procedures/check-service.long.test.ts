/** contract.check through a proxy that alters responses: every planted difference is found, no value is revealed. */
import type { Sandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "../../../core";
import { approve, sampleInput } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";
import { type AlterableResponse, startAlteringProxy } from "./altering-proxy";

type Change = (response: AlterableResponse) => void;

/** Changes by path, all values of the altered responses, and changes that threw, which no response would show. */
const altered = {
  changes: [] as (readonly [path: RegExp, change: Change])[],
  values: new Set<string>(),
  failed: [] as string[],
};

function collectTexts(value: unknown): void {
  if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) collectTexts(inner);
  else if (typeof value === "string" || typeof value === "number") altered.values.add(String(value));
}

async function startProxy(target: string): Promise<string> {
  const proxy = await startAlteringProxy(target);
  proxy.alter = (response) => {
    try {
      for (const [path, change] of altered.changes)
        if (path.test(response.url.pathname) && response.status < 300) change(response);
    } catch (error) {
      altered.failed.push((error as Error).message);
    }
    collectTexts([response.body, response.headers]);
  };
  return proxy.url;
}

let sandbox: Sandbox;
let client: FxdeskClient;
let input: Parameters<FxdeskClient["contract"]["check"]>[0];

beforeAll(async () => {
  sandbox = await openSandbox();
  const direct = openClient(sandbox);
  const [baseUrl, xs2aUrl] = [await startProxy(sandbox.baseUrl), await startProxy(sandbox.xs2aUrl)];
  client = openClient({ baseUrl, xs2aUrl });
  const { consent_id, link } = await direct.consents.connect({ wait_seconds: 0 });
  await approve(direct, { href: link });
  const payment = await sampleInput("payments.initiate", direct);
  const { paymentId } = await direct.payments.initiate(payment as never);
  input = { consent_id, paymentId };
});

test("reports conformance with fewer than 60 reads", async () => {
  const before = sandbox.requests.length;
  const { conforms, differences, unread, calls, checked } = await client.contract.check(input);
  expect(differences).toEqual([]);
  expect([conforms, unread]).toEqual([true, [{ operation: "payments.getBulk", reason: expect.any(String) }]]);
  const made = sandbox.requests.slice(before);
  expect([made.length, calls]).toEqual([calls, made.length]);
  expect(calls).toBeLessThan(60);
  expect(new Set(made.map(({ method }) => method))).toEqual(new Set(["GET"]));
  expect(checked.length).toBeGreaterThan(22);
});

const planted = "PLANTED-VALUE";

/** The route of each operation. */
const paths = {
  "accounts.list": /^\/accounts$/,
  "accounts.get": /^\/accounts\/[^/]{36}$/,
  "accounts.getFunding": /^\/funding-account$/,
  "accounts.listBalances": /^\/accounts\/[^/]{36}\/balances$/,
  "accountDetails.list": /^\/account-details$/,
  "accountDetails.listAll": /^\/account-details\/all$/,
  "transactions.list": /^\/accounts\/[^/]{36}\/transactions$/,
  "trades.list": /^\/trades$/,
  "consents.get": /\/v1\/consents\/[^/]+$/,
  "consents.listAuthorisations": /\/v1\/consents\/[^/]+\/authorisations$/,
} as const;

type Operation = keyof typeof paths;

/** The change to the responses of an operation, and the expected finding. */
type Deviation = readonly [operation: Operation, change: Change, finding: object];

const entries = (body: any): any[] => (Array.isArray(body) ? body : [body]);
const each =
  (change: (entry: any) => void): Change =>
  ({ body, status }) => {
    if (status === 200) for (const entry of entries(body)) change(entry);
  };
const without = (field: string) => each((entry) => delete entry[field]);
const withField = (field: string, value: unknown) => each((entry) => (entry[field] = value));
const header =
  (name: string, value?: string): Change =>
  ({ headers }) => {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  };
const status =
  (code: number): Change =>
  (response) => {
    Object.assign(response, { status: code, body: { code: planted, message: planted } });
  };
const shape = (path: string, found: string) => ({ kind: "shape", path, found });
const paging = (expected: string) => ({ kind: "paging", expected });
const requestedPage = ({ url }: AlterableResponse) => Number(url.searchParams.get("page") ?? 1);
const isSmall = ({ url }: AlterableResponse) => url.searchParams.get("page_size") === "2";

const missing = "nothing";
const fullPages = "full pages before the last";
const sameOrder = "the same entries in the same order, whatever the page size";

const deviations: readonly Deviation[] = [
  ["accounts.list", without("currency"), shape("[].currency", missing)],
  ["accounts.list", withField("status", planted), shape("[].status", "another text")],
  ["accounts.list", header("content-type", "text/plain"), { kind: "headers", path: "content-type" }],
  [
    "accounts.get",
    withField("account_id", "00000000-0000-4000-8000-000000000000"),
    { kind: "content", path: "account_id" },
  ],
  ["accounts.getFunding", status(418), { kind: "status", found: "418" }],
  [
    "accounts.listBalances",
    each((entry) => (entry.amount.amount = 12_345.67)),
    shape("[].amount.amount", "number"),
  ],
  [
    "accountDetails.list",
    header("x-total-count"),
    { kind: "headers", path: "x-total-count", found: missing },
  ],
  ["accountDetails.listAll", (response) => (response.body = { items: [planted] }), shape("", "object")],
  [
    "accountDetails.listAll",
    (response) => (response.body = `<p>${planted}</p>`),
    shape("", "a body that is not JSON"),
  ],
  ["transactions.list", header("x-total-count", "1"), paging("a total equal to the number of entries")],
  [
    "transactions.list",
    (passed) => requestedPage(passed) === 2 && header("x-total-count", "7")(passed),
    paging("the same total on each page"),
  ],
  [
    "transactions.list",
    (passed) => isSmall(passed) && (passed.body = passed.body.slice(0, 1)),
    paging(fullPages),
  ],
  [
    "transactions.list",
    (passed) => isSmall(passed) && (passed.body = passed.body.toReversed()),
    paging(sameOrder),
  ],
  [
    "transactions.list",
    (passed) => isSmall(passed) && passed.body.push(passed.body[0] ?? {}),
    paging("at most as many entries as page_size"),
  ],
  [
    "trades.list",
    (passed) => isSmall(passed) && requestedPage(passed) > 3 && (passed.body = [{}]),
    paging("no entries after the last page"),
  ],
  [
    "trades.list",
    (passed) => !isSmall(passed) && passed.body.push(passed.body[0]),
    paging("each entry once"),
  ],
  [
    "trades.list",
    (passed) => passed.url.searchParams.has("trade_type") && withField("trade_type", "swap")(passed),
    { kind: "content", path: "trade_type" },
  ],
  ["consents.get", withField("validUntil", planted), shape("validUntil", "text in another format")],
  [
    "consents.listAuthorisations",
    header("x-request-id"),
    { kind: "headers", path: "x-request-id", found: missing },
  ],
  [
    "consents.listAuthorisations",
    header("x-request-id", planted),
    { kind: "headers", path: "x-request-id", found: "another" },
  ],
];

/** Combines deviations of different operations in one run. */
function groupIntoRuns(all: readonly Deviation[]): Deviation[][] {
  const runs: Deviation[][] = [];
  for (const deviation of all) {
    const free = runs.find((run) => run.every(([operation]) => operation !== deviation[0]));
    if (free) free.push(deviation);
    else runs.push([deviation]);
  }
  return runs;
}

/** Returns the texts of a report. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

test(`finds all ${deviations.length} planted differences and reveals no response value`, async () => {
  const lost: string[] = [];
  const revealed: string[] = [];
  for (const run of groupIntoRuns(deviations)) {
    altered.values.clear();
    altered.changes = run.map(([operation, change]) => [paths[operation], change] as const);
    const report = await client.contract.check(input);
    expect(report.conforms).toBe(false);
    expect(report.calls).toBeLessThan(60);
    for (const [operation, , finding] of run) {
      const isFound = report.differences.some((difference) =>
        Object.entries({ operation, ...finding }).every(
          ([name, value]) => difference[name as keyof typeof difference] === value,
        ),
      );
      if (!isFound) lost.push(`${operation} ${JSON.stringify(finding)}`);
    }
    const texts = textsOf(report).join("\n");
    const values = [...altered.values].filter((value) => value.length > 4);
    const words = new Set(texts.split(/[^\w/:+-]+/));
    revealed.push(
      ...values.filter((value) => (/^[\w/:+-]+$/.test(value) ? words.has(value) : texts.includes(value))),
    );
  }
  expect([altered.failed, lost]).toEqual([[], []]);
  // Words of the contract: a media type and a field name.
  const ours = new Set(["application/json", "enabled"]);
  expect([...new Set(revealed)].filter((value) => !ours.has(value))).toEqual([]);
});
