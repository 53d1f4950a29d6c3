/** No secret of a connection, echoed by any party, reaches a caller, a log or a listener. */
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { channels } from "../../../core/call/diagnostics-channels";
import { type ClientOptions, ReceivedFile } from "../../../core";
import { Secrets } from "../../../core/http/secrets";
import { type Fault, respond } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import {
  changeRequest,
  createTestClient,
  fileInput,
  startClientAndServer,
  startFaultServer,
  tradeInput,
  disableBackoff,
} from "../support/client-fixtures";

const initial = {
  accessToken: "canary/token+0=",
  refreshToken: "canary-refresh&0",
  authClientSecret: 'canary-"secret"',
  apiKey: "canary~api~key",
};
const passphrase = "canary-phrase";
const secrets = { ...initial, passphrase, renewed: "canary/renewed+1=", rotated: "canary-rotated%1" };
const basic = Buffer.from(`app:${secrets.authClientSecret}`).toString("base64");
const all = [...Object.values(secrets), basic];

/** All spellings in which a service may return secrets. */
const echo = all
  .flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    secret.replaceAll(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`),
    secret.replaceAll(/\W/g, (sign) => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`),
    secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("/", "\\/"),
    secret.replaceAll("+", "\\u002B").replaceAll('"', "\\u0022").replaceAll("&", "\\u0026"),
  ])
  .filter((spelling) => !/(?<!\\)"/.test(spelling))
  .join(" ");
const plain = all.join(" ").replaceAll('"', "'");

/** Returns everything visible of a value: text, JSON, inspection, stack and causes. */
function renderEverything(value: unknown): string {
  const shown = [inspect(value, { depth: 8, maxStringLength: null }), String(value)];
  shown.push(JSON.stringify(value) ?? "");
  for (let error = value as Error | undefined; error instanceof Error; error = error.cause as Error)
    shown.push(error.message, error.stack ?? "", JSON.stringify(error, Object.getOwnPropertyNames(error)));
  return shown.join("\n");
}

/** Finds a secret in a text, in plain or decodable form. */
function findSecrets(text: string): string[] {
  const forms = [
    text,
    text.replaceAll("\\/", "/"),
    text.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16))),
    text
      .replaceAll(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
      .replaceAll(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits)))
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&"),
    text.replaceAll(/\\u00([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
  ];
  const encoded = all.flatMap((secret) => [
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64").replaceAll("=", ""),
    Buffer.from(secret).toString("base64url"),
  ]);
  return [...all, ...encoded].filter((secret) => forms.some((form) => form.includes(secret)));
}

/** Escapes in a file are not decoded, so only plain forms count. */
const withoutEscapes = (text: string) => text.replaceAll(/\\|&#/g, "?");

/** Checks the content of a file, not its connection. */
function withoutFile(event: unknown): unknown {
  const { result } = event as { result?: { body?: unknown } };
  return result?.body instanceof ReceivedFile
    ? { ...(event as object), result: { ...result, body: undefined } }
    : event;
}

/** All diagnostics events during a test. */
function recordEvents(): unknown[] {
  const events: unknown[] = [];
  const listener = (event: unknown) => void events.push(renderEverything(withoutFile(event)));
  const { call, attempt, pause, token } = channels;
  const traces = {
    start: listener,
    end: listener,
    asyncStart: listener,
    asyncEnd: listener,
    error: listener,
  };
  call.subscribe(traces);
  for (const each of [attempt, pause, token]) each.subscribe(listener);
  runLater(() => {
    call.unsubscribe(traces);
    for (const each of [attempt, pause, token]) each.unsubscribe(listener);
  });
  return events;
}

const renewing: Fault = respond(
  200,
  JSON.stringify({ access_token: secrets.renewed, refresh_token: secrets.rotated, expires_in: 3_600 }),
);

async function callEverything(
  calls: Fault,
  tokens: Fault = renewing,
  more: ClientOptions["credentials"] = {},
) {
  disableBackoff();
  const events = recordEvents();
  const service = await startFaultServer(calls);
  const endpoint = await startFaultServer(tokens);
  const client = createTestClient({
    baseUrl: service.url,
    xs2aUrl: service.url,
    authUrl: endpoint.url,
    timeoutMs: 5_000,
    credentials: { ...initial, authClientId: "app", tls: { passphrase }, ...more },
  });
  const results: string[] = [];
  const note = (value: unknown) => void results.push(renderEverything(value));
  // The booking first, because it makes every token known.
  await client.trades.book.response(tradeInput).then(note, note);
  await client.accounts.listCurrencyAccounts.response().then(note, note);
  await client.request(changeRequest).then(note, note);
  await client.consents.get.response({ "consent-id": "c-1" }).then(note, note);
  try {
    const { headers, body } = await client.statements.getFile.response(fileInput);
    note(headers);
    if (body instanceof ReceivedFile)
      note([body.fileName, body.contentType, withoutEscapes((await body.bytes()).toString("latin1"))]);
  } catch (error) {
    note(error);
  }
  return { shown: () => [...results, ...events].join("\n"), service, endpoint };
}

const json = (words: string) =>
  `{"code":"${words}","message":"${words}","details":"${words}","trade_id":"${words}"}`;
test.each<[where: string, fault: Fault]>([
  ["the body of a success", respond(201, json(echo))],
  ["the key of a field", respond(200, `[{"${echo}":1e400}]`)],
  ["a compressed body", respond(200, gzipSync(json(echo)), { "content-encoding": "gzip" })],
  [
    "a body in another charset",
    respond(200, Buffer.from(json(echo), "utf16le"), {
      "content-type": "application/json; charset=utf-16le",
    }),
  ],
  ["what is no JSON", respond(200, `${echo} {`)],
  ["a refusal", respond(400, json(echo))],
  [
    "an open-banking error",
    respond(403, `{"tppMessages":[{"code":"${echo}","text":"${echo}","path":"${echo}"}]}`),
  ],
  [
    "headers",
    respond(200, "[]", {
      "x-echo": plain,
      "x-request-id": plain,
      "content-disposition": `attachment; filename="${plain}"`,
    }),
  ],
  [
    "the media type and its charset",
    respond(200, "[]", { "content-type": `text/plain; charset=${secrets.apiKey}` }),
  ],
  ["the reason of a status", (socket) => socket.end(`HTTP/1.1 418 ${plain}\r\ncontent-length: 0\r\n\r\n`)],
  ["what is no HTTP", (socket) => socket.end(`${plain}\r\n\r\n`)],
  ["a file", respond(200, `%PDF ${plain} ${echo}`, { "content-type": "application/pdf" })],
])("redacts secrets echoed in %s", async (_, fault) => {
  const { shown, service } = await callEverything(fault);
  expect(service.heads.length).toBeGreaterThanOrEqual(5);
  expect(findSecrets(shown())).toEqual([]);
});

test.each<[where: string, fault: Fault]>([
  ["a refusal", respond(400, `{"error":"${"x".repeat(90)}${secrets.refreshToken}"}`)],
  ["what is no JSON", respond(200, plain)],
])("redacts secrets echoed by the token endpoint in %s", async (_, fault) => {
  const { shown, endpoint } = await callEverything(respond(401), fault);
  expect(endpoint.heads.length).toBeGreaterThanOrEqual(1);
  expect(findSecrets(shown())).toEqual([]);
});

const failWith = (words: string) => () => {
  throw Object.assign(new Error(`no vault for ${words}`), { config: { headers: { a: [[[[words]]]] } } });
};

test("redacts secrets in errors of accessToken and onTokens", async () => {
  const { refreshToken, authClientSecret, apiKey } = secrets;
  const known = [refreshToken, authClientSecret, apiKey, passphrase].join(" ");
  const fromSupplier = await callEverything(respond(200), renewing, { accessToken: failWith(known) });
  const fromOnTokens = await callEverything(respond(200), renewing, { onTokens: failWith(plain) });
  const text = fromSupplier.shown() + fromOnTokens.shown();
  expect(text).toContain("no vault for");
  expect(findSecrets(text)).toEqual([]);
});

test("blanks a secret across two chunks of a file without changing its length", async () => {
  const pieces = [
    "a".repeat(100_000) + secrets.apiKey.slice(0, 5),
    secrets.apiKey.slice(5) + "b".repeat(100),
  ];
  const whole = pieces.join("");
  const { client } = await startClientAndServer(
    (socket) => {
      const head = `HTTP/1.1 200 X\r\ncontent-type: text/plain\r\ncontent-length: ${whole.length}\r\n\r\n`;
      socket.write(head + pieces[0]);
      setImmediate(() => socket.write(pieces[1]!));
    },
    { credentials: { accessToken: "t", apiKey: secrets.apiKey } },
  );
  const { body } = await client.statements.getFile(fileInput);
  const bytes = (await (body as ReceivedFile).bytes()).toString();
  expect(bytes).toBe(whole.replace(secrets.apiKey, "*".repeat(secrets.apiKey.length)));
});

test("leaves other text unchanged", () => {
  const known = new Secrets();
  for (const secret of ["", "token", "1234567", "canary-token"]) known.add(secret);
  expect(known.redact("my token is 1234567, canary-toke")).toBe("my token is 1234567, canary-toke");
  expect(known.redact("a canary-token, a canary-token")).toBe("a [secret], a [secret]");
  known.add("canary-token-longer");
  expect(known.redact("canary-token-longer canary-token")).toBe("[secret] [secret]");
  const error = new TypeError("without");
  expect(known.redactError(error)).toBe(error);
});

test("redacts secrets in names and IDs of a response, and reports it", async () => {
  const apiKey = "a1b2c3d4e5f6";
  const body = JSON.stringify({ trade_id: `T-${apiKey}-7` });
  const { client } = await startClientAndServer(respond(201, body, { [`x-${apiKey}`]: "here" }), {
    credentials: { accessToken: "token", apiKey },
  });
  const response = await client.trades.book.response(tradeInput);
  expect(renderEverything(response)).not.toContain(apiKey);
  expect(response.headers["x-[secret]"]).toBe("here");
  expect(response.body).toMatchObject({ trade_id: "T-[secret]-7" });
  expect(response.violations).toContainEqual({
    field: "",
    message: "contained a secret of the connection, which was removed",
  });
});
