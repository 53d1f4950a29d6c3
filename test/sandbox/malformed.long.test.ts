/**
 * Sends malformed requests. Each must be refused cleanly and change nothing, without a server error or hang.
 * FXDESK_RUNS sets the number of runs.
 */
import { connect } from "node:net";
import * as fc from "fast-check";
import { type Declaration, fieldsOf, operations, type Values } from "@fxdesk/toolkit/operations";
import { controls, demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { extensionOperations } from "../../sandbox/src/extensions/extension-operations";
import { routeOf } from "../../sandbox/src/server/routes";
import { requestValues } from "../support/arbitrary";
import { assertConforms } from "../support/conformance";
import { closeLater } from "../support/resources";
import { openSandbox } from "../support/sandboxes";
import { fingerprint, fingerprintBefore } from "./support/fingerprint";
import { ask, demoHeaders, type PlainResponse } from "./support/http";
import { startInProcess, type InProcessSandbox } from "./support/in-process";
import { hostileText } from "./support/hostile-text";

/** A weekend night, when no events are due. */
const now = new Date("2026-03-15T03:00:00Z");
const numRuns = Number(process.env.FXDESK_RUNS ?? 40);
const timeout = 20_000 + numRuns * 500;

const declared: readonly Declaration[] = [...operations, ...extensionOperations, ...controls];
const cases = declared.map((operation) => [operation.name, operation] as const);

const nested = (depth: number): unknown =>
  depth === 0 ? 0 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };

const unusualValues: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown[]>(
    0,
    -1,
    0.1,
    1e308,
    Number.MAX_SAFE_INTEGER + 2,
    true,
    null,
    [],
    {},
    [[]],
    [null],
    { length: 1 },
    JSON.parse('{"__proto__": {"client_id": "client-other"}}'),
    { constructor: { prototype: 1 }, toString: 1, hasOwnProperty: 1 },
    nested(50),
  ),
);

const written = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)) ?? "";

/** UTF-8 has no lone surrogates; an empty path parameter would change the path. */
const encodeForPath = (value: unknown) =>
  encodeURIComponent(Buffer.from(written(value)).toString()).replace(/^\.{0,2}$/, "%20");

/** Headers carry one line of printable characters; clients cannot send others. */
const encodeForHeader = (value: unknown) =>
  written(value)
    .replace(/[^ -~\x80-\xff]/g, "?")
    .trim();

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Request with arbitrary values in the operation's fields. */
function requestWith(operation: Declaration, values: Values): Request {
  const at = (place: string) =>
    fieldsOf(operation).filter((field) => field.location === place && values[field.name] !== undefined);
  const path = operation.path.replace(/\{([^}]+)\}/g, (_match, name: string) =>
    encodeForPath(values[name] ?? "x"),
  );
  const query = at("query").flatMap(({ name }) => {
    const value = values[name];
    return (Array.isArray(value) ? value : [value]).map((each) => `${name}=${encodeForPath(each)}`);
  });
  const body = Object.fromEntries(at("body").map(({ name }) => [name, values[name]]));
  return {
    method: operation.method,
    path: `${path}?${query.join("&")}`,
    headers: Object.fromEntries([
      ...Object.entries(demoHeaders),
      ["content-type", "application/json"],
      ...at("header").map(({ name }) => [name.toLowerCase(), encodeForHeader(values[name])] as const),
    ]),
    ...(operation.body && { body: JSON.stringify(body) }),
  };
}

/** Valid values except for one or more fields. */
function requestWithInvalidField(operation: Declaration): fc.Arbitrary<Request> {
  const names = fieldsOf(operation).map(({ name }) => name);
  if (names.length === 0) return fc.constant(requestWith(operation, {}));
  const mess = fc.array(fc.tuple(fc.constantFrom(...names), unusualValues), { minLength: 1, maxLength: 3 });
  return fc.tuple(requestValues(operation, now), mess).map(([values, wrong]) => {
    const about = "client_id" in values ? { client_id: demo.clientId } : {};
    return requestWith(operation, { ...values, ...about, ...Object.fromEntries(wrong) });
  });
}

let inProcessSandbox: InProcessSandbox;
beforeAll(() => {
  inProcessSandbox = closeLater(startInProcess(now));
});

/** Sends a request and asserts that a refused one changed nothing. */
async function sendChecked({ method, path, headers, body }: Request): Promise<PlainResponse> {
  const before = fingerprintBefore(inProcessSandbox.world);
  const response = await inProcessSandbox.ask(path, { method, headers, ...(body !== undefined && { body }) });
  if (response.status >= 500) throw new Error(`${response.status} ${response.text}`);
  if (response.status >= 400) expect(fingerprint(inProcessSandbox.world) === before).toBe(true);
  return response;
}

/** Length limit of the server, in characters. */
const longestParameter = 1_000;

/** True if the request matched the route. Parameters that are too long or not enumerated do not. */
const reaches = (operation: Declaration, { path }: Request) => {
  const [at = ""] = path.split("?");
  const isShort = at.split("/").every((parameter) => parameter.length <= longestParameter);
  return isShort && routeOf(operation).pattern.test(decodeURI(at));
};

test.each(cases)(
  "%s accepts valid values and refuses others as documented",
  async (_name, operation) => {
    const property = fc.asyncProperty(requestWithInvalidField(operation), async (request) => {
      const response = await sendChecked(request);
      if (reaches(operation, request)) assertConforms(operation, response);
      else expect([400, 404, 405, 422]).toContain(response.status);
    });
    await fc.assert(property, { numRuns });
  },
  timeout,
);

/** Raw bodies, including valid ones. */
const bodies: Readonly<Record<string, string | Buffer>> = {
  nothing: "",
  "half of JSON": '{"date_from": "2026-01',
  "a list of fields": '[{"date_from":"2026-01-01"}]',
  "no value": "null",
  "a field twice": '{"date_from":"2026-01-01","date_from":1}',
  "a number without end": `{"frequencyPerDay":${"9".repeat(10_000)},"date_from":${"9".repeat(10_000)}}`,
  "deep objects": `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
  "deep, and never closed": "[".repeat(50_000),
  "its prototype": '{"__proto__":{"date_from":"2026-01-01"},"constructor":{"prototype":{"polluted":true}}}',
  "a byte order mark": "\ufeff{}",
  "half a character": '{"alias":"\\ud800"}',
  "no UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  zeros: Buffer.alloc(1_000),
  "XML that grows": `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${"&a;".repeat(50)}"><!ENTITY c "${"&b;".repeat(50)}"><!ENTITY d "${"&c;".repeat(50)}">]><Document>${"&d;".repeat(50)}</Document>`,
  "XML that asks for a file":
    '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><Document>&a;</Document>',
  "XML without end": "<Document>".repeat(50_000),
  "a multipart form": '--b\r\nContent-Disposition: form-data; name="xml_sct"\r\n\r\n<Document/>\r\n--b--\r\n',
  "an unterminated multipart body": '--b\r\nContent-Disposition: form-data; name="xml_sct"',
};

const mediaTypes = [
  "application/json; charset=utf-16",
  "application/merge-patch+json",
  "text/plain",
  "application/xml",
  "multipart/form-data",
  "multipart/form-data; boundary=b",
  "application/x-www-form-urlencoded",
  "*/*",
  "json",
  ";;;",
];

const sent = Object.keys(bodies).flatMap((message) =>
  ["application/json", ...mediaTypes].map((type) => [message, type] as const),
);

const withBody = cases.filter(([, { body }]) => body);

/** Valid values of the demo company, equal in every run. */
function someValues(operation: Declaration): Values {
  const [values] = fc.sample(requestValues(operation, now), { numRuns: 1, seed: 1 });
  return { ...values, ...("client_id" in values! && { client_id: demo.clientId }) };
}

test.each(withBody)("%s refuses invalid bodies", async (_name, operation) => {
  const { headers, ...request } = requestWith(operation, someValues(operation));
  for (const [description, type] of sent) {
    const body = bodies[description]!;
    assertConforms(
      operation,
      await sendChecked({ ...request, headers: { ...headers, "content-type": type }, body }),
    );
  }
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

const methods = ["PUT", "HEAD", "OPTIONS", "TRACE", "DELETE", "PATCH", "GET", "POST"];

test.each(cases)("%s refuses other methods", async (_name, operation) => {
  const { path, headers } = requestWith(operation, someValues(operation));
  const atPath = declared.filter((each) => routeOf(each).pattern.test(decodeURI(path.split("?")[0]!)));
  for (const method of methods.filter((each) => atPath.every((sharing) => sharing.method !== each))) {
    const response = await sendChecked({ method, path, headers });
    expect([method, [404, 405].includes(response.status)]).toEqual([method, true]);
  }
});

describe("on the wire", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox({ now });
  });
  afterEach(async () => {
    expect((await ask(sandbox, list, { headers: demoHeaders })).status).toBe(200);
  });

  /** Returns the response to incomplete bytes. Fails if the connection stays open. */
  async function responseTo(...pieces: readonly (string | Buffer)[]): Promise<string> {
    const { hostname, port } = new URL(sandbox.baseUrl);
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    socket.on("data", (piece) => received.push(piece));
    // The server may close the connection before the rest is sent.
    socket.on("error", () => {});
    let isSilent = false;
    socket.setTimeout(30_000, () => {
      isSilent = true;
      socket.destroy();
    });
    const closed = new Promise((resolve) => void socket.on("close", resolve));
    for (const piece of pieces) socket.write(piece);
    socket.end();
    await closed;
    expect(isSilent).toBe(false);
    return Buffer.concat(received).toString("latin1");
  }

  const statusesIn = (response: string) =>
    [...response.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));

  const host = "Host: 127.0.0.1\r\n";
  const token = `Authorization: ${demoHeaders.authorization}\r\n`;
  const end = "\r\n";
  const get = (target: string, headers = "") =>
    `GET ${target} HTTP/1.1\r\n${host}${token}${headers}Connection: close\r\n${end}`;
  const post = (target: string, headers: string) =>
    `POST ${target} HTTP/1.1\r\n${host}${token}Connection: close\r\nContent-Type: application/json\r\n${headers}${end}`;
  const about = `client_id=${demo.clientId}`;
  const list = `/accounts?${about}&currencies=EUR`;
  const mail = `/statements/accounts?${about}`;

  const requests: readonly (readonly [
    message: string,
    request: string | Buffer,
    statuses: readonly number[],
  ])[] = [
    ["an address of 100 KB", get(`/accounts/${"x".repeat(100_000)}`), [414, 431]],
    ["a token twice", get(list, "Authorization: Bearer other\r\n"), [200, 401]],
    ["a contact twice", get(list, "X-Contact-ID: a\r\nX-Contact-ID: b\r\n"), [409]],
    ["a request id twice", get("/v1/consents/x", "X-Request-ID: a\r\nX-Request-ID: b\r\n"), [400]],
    ["a header with a NUL byte", get(list, "X-Contact-ID: a\0b\r\n"), [400]],
    ["dots in the path", get(`/accounts/../../etc/passwd`), [404]],
    ["encoded dots", get(`/accounts/%2e%2e%2f%2e%2e?${about}`), [400]],
    ["an encoded NUL byte", get(`/accounts/%00?${about}`), [400]],
    ["an invalid escape", get(`/accounts/%zz?${about}`), [400]],
    ["half an escape", get(`/accounts/%E0%A4?${about}`), [400]],
    ["an overlong parameter", get(`/accounts/${"x".repeat(2_000)}?${about}`), [400, 404, 414]],
    ["no slash at all", get("accounts"), [400, 404]],
    ["two slashes", get(`//accounts?${about}`), [404]],
    ["an absolute URL", get(`http://elsewhere.example${list}`), [200, 400, 404]],
    ["prototype properties in the query", get(`${list}&__proto__=x&constructor=y&toString=z`), [200]],
    ["a client twice", get(`${list}&client_id=client-other`), [400, 404]],
    ["a client in brackets", get("/accounts?client_id[]=client-demo&currencies=EUR"), [400]],
    ["a compressed body", `${post(mail, "Content-Encoding: gzip\r\nContent-Length: 2\r\n")}{}`, [400, 415]],
  ];

  test.each(requests)("%s", async (_description, request, statuses) => {
    const response = await responseTo(request);
    const seen = statusesIn(response);
    expect(seen.length).toBeGreaterThan(0);
    for (const status of seen) expect(statuses).toContain(status);
  });

  test("closes despite an unfinished request", async () => {
    const other = await startSandbox({ now });
    const socket = connect(Number(new URL(other.baseUrl).port), "127.0.0.1");
    socket.on("error", () => {});
    const closed = new Promise((resolve) => void socket.on("close", resolve));
    socket.write(`${post(mail, "Content-Length: 100\r\n")}{`);
    await ask(other, list, { headers: demoHeaders });
    await other.close();
    await closed;
  });

  const megabytes = Buffer.alloc(10 * 1024 * 1024, " ");

  const targets = [mail, "/v1/consents", "/token", "/_sandbox/reset", "/account-details/x", "/nothing"];

  test.each(targets)("refuses a body of 10 MB to %s before receiving it", async (target) => {
    const [status, ...others] = statusesIn(
      await responseTo(post(target, `Content-Length: ${megabytes.length}\r\n`)),
    );
    expect([400, 404]).toContain(status);
    expect(others).toEqual([]);
  });
});
