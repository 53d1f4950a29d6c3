/** Health, readiness and metrics of servers, read over HTTP. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { parse } from "yaml";
import type { Sandbox } from "@fxdesk/sandbox";
import { publish } from "../../../core/call/diagnostics-channels";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { listenSafely } from "../../../core/http/http-server";
import { metrics } from "../../../core/monitoring/metrics";
import { Monitor, type Monitored } from "../../../core/monitoring/monitor";
import { startHalt } from "../../../core/store/halt";
import { withStore } from "../../../core/store/open";
import { MetricValues } from "../../../core/values/metric-values";
import { sandboxMetrics } from "../../../sandbox/src/server/monitoring";
import { formatDocs } from "../../support/formatted-docs";
import { closeLater, tempFolder } from "../../support/resources";
import { makeQuote } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";
import { createReleaseFixture, sampleOrder } from "../releases/release-fixture";

const root = join(__dirname, "../../..");

/** Reads the lines of the text format, and fails on any other. */
function parseMetrics(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    if (/^# (HELP|TYPE) [a-z_]+ ./.test(line)) continue;
    const [, sample, value] = /^([a-z_]+(?:\{(?:[a-z_]+="[^"\\\n]*",?)+\})?) (\S+)$/.exec(line) ?? [];
    expect([line, Number.isFinite(Number(value)), samples.has(sample!)]).toEqual([line, true, false]);
    samples.set(sample!, Number(value));
  }
  return samples;
}

async function monitor(watched: Omit<Monitored, "service">, token?: string) {
  const lines: string[] = [];
  const monitored = [{ ...watched, service: fxdeskService }];
  const server = closeLater(
    await listenSafely(
      { monitor: new Monitor({ monitored: () => monitored, token, log: (line) => lines.push(line) }) },
      {
        handle: async (_request, response) => response.writeHead(404).end(),
        refuse: (response, status) => void response.writeHead(status).end(),
      },
    ),
  );
  const ask = (path: string, init?: RequestInit) => fetch(server.origin + path, init);
  const read = async () => parseMetrics(await (await ask("/metrics")).text());
  return { ask, read, lines, port: Number(new URL(server.origin).port) };
}

let sandbox: Sandbox;
beforeAll(async () => (sandbox = await openSandbox()));

const storePath = async () => join(await tempFolder(), "store.db");

test("an unknown outcome shows at the next scrape, and goes once it is found", async () => {
  const store = await storePath();
  const { read } = await monitor({ store: { location: store, key: undefined } });
  expect((await read()).get("fxdesk_store_up")).toBe(1);
  const client = openClient(sandbox, { store, onRecovered: () => undefined });
  const quote_id = await makeQuote(client);
  sandbox.control.addFault({ operation: "trades.book", kind: "reset-after", times: 1 });
  sandbox.control.addFault({ operation: "trades.list", kind: "reset-before", times: 1_000 });
  await expect(client.trades.book({ quote_id, reason: "other" })).rejects.toMatchObject({
    outcome: "unknown",
  });
  const unknown = 'fxdesk_unknown_outcomes{environment="sandbox",operation="trades.book"}';
  const lost = await read();
  expect(lost.get(unknown)).toBe(1);
  expect(lost.get('fxdesk_calls_total{operation="trades.book",outcome="unknown"}')).toBe(1);
  expect(lost.get('fxdesk_oldest_unknown_outcome_age_seconds{environment="sandbox"}')).toBeGreaterThan(0);
  expect(lost.get("fxdesk_store_commit_duration_seconds_count")).toBeGreaterThan(1);
  expect(lost.get("fxdesk_call_duration_seconds_count")).toBeGreaterThan(1);
  expect(lost.get("fxdesk_calls_in_progress")).toBe(0);
  sandbox.control.clearFaults();
  await client.recover();
  expect((await read()).has(unknown)).toBe(false);
});

test("counts calls and attempts, and shows the earliest end of the watched consents", async () => {
  const store = await storePath();
  const { read } = await monitor({ store: { location: store, key: undefined } });
  const client = openClient(sandbox, { store });
  await client.trades.list();
  await expect(client.trades.get({ trade_id: "none" })).rejects.toMatchObject({ outcome: "rejected" });
  const samples = await read();
  expect(samples.get('fxdesk_calls_total{operation="trades.list",outcome="done"}')).toBe(1);
  expect(samples.get('fxdesk_calls_total{operation="trades.get",outcome="rejected"}')).toBe(1);
  expect(samples.get('fxdesk_attempts_total{operation="trades.list",status="200"}')).toBe(1);
  publish.consent({ consent: "later", validUntil: "2030-12-31" });
  publish.consent({ consent: "first", validUntil: "2030-01-31" });
  const end = async () => (await read()).get("fxdesk_consent_expiry_timestamp_seconds");
  expect(await end()).toBe(Date.parse("2030-02-01T00:00:00Z") / 1_000);
  publish.consent({ consent: "first" });
  expect(await end()).toBe(Date.parse("2031-01-01T00:00:00Z") / 1_000);
});

test("shows releases that wait and halts, and names no person and no account", async () => {
  const { store, policyPath, peoplePath, client } = await createReleaseFixture();
  const { ask, read, lines } = await monitor({ store, policy: policyPath, people: peoplePath });
  await client().orders.order(sampleOrder());
  await withStore(store, (opened) =>
    startHalt(opened, { environment: undefined, by: "anna", reason: "test" }),
  );
  const samples = await read();
  expect(samples.get('fxdesk_releases{environment="api",state="waiting"}')).toBe(1);
  expect(samples.get('fxdesk_oldest_waiting_release_age_seconds{environment="api"}')).toBeGreaterThanOrEqual(
    0,
  );
  expect(samples.get('fxdesk_halted{environment="all"}')).toBe(1);
  expect((await (await ask("/metrics")).text()).match(/anna|bert|desk\b|demo-|[A-Z]{2}\d{10}/g)).toEqual(
    null,
  );
  const ready = await ask("/ready");
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: "ready", checks: { store: "ok", policy: "ok" } },
  ]);
  expect(lines).toEqual([]);
});

test("is alive but not ready while the policy or the store cannot be read, and says why in the log only", async () => {
  const { store, policyPath, peoplePath, setPolicy } = await createReleaseFixture();
  await withStore(store, async () => undefined);
  await setPolicy({ people: [] });
  const { ask, lines } = await monitor({ store, policy: policyPath, people: peoplePath });
  const other = await monitor({ store: { ...store, key: undefined } });
  const ready = await ask("/ready");
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: "not ready", checks: { store: "ok", policy: "failed" } },
  ]);
  expect(lines).toEqual([expect.stringContaining(policyPath)]);
  expect(await (await ask("/health")).json()).toEqual({ status: "alive" });
  expect((await other.ask("/ready")).status).toBe(503);
  expect((await other.read()).get("fxdesk_store_up")).toBe(0);
});

test("does not create a store, and answers only GET and HEAD", async () => {
  const location = await storePath();
  const { ask, read } = await monitor({ store: { location, key: undefined } });
  await read();
  expect((await ask("/ready")).status).toBe(200);
  expect(existsSync(location)).toBe(false);
  expect((await ask("/metrics", { method: "POST" })).status).toBe(405);
  expect(await (await ask("/metrics", { method: "HEAD" })).text()).toBe("");
  expect((await ask("/other")).status).toBe(404);
});

test("asks for its token only for metrics", async () => {
  const { ask } = await monitor({ store: { location: await storePath(), key: undefined } }, "secret-token");
  const statuses = ["/metrics", "/health", "/ready"].map(async (path) => (await ask(path)).status);
  expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  const authorized = (token: string) => ask("/metrics", { headers: { authorization: `Bearer ${token}` } });
  expect((await authorized("another-token")).status).toBe(401);
  expect((await authorized("secret-token")).headers.get("content-type")).toBe(
    "text/plain; version=0.0.4; charset=utf-8",
  );
});

test("a page of another host is refused before the metrics are read", async () => {
  const { port } = await monitor({ store: { location: await storePath(), key: undefined } });
  const statusFor = (host: string) =>
    new Promise((resolve, reject) =>
      get({ port, path: "/metrics", headers: { host } }, (response) =>
        resolve(response.resume().statusCode),
      ).on("error", reject),
    );
  expect([await statusFor(`127.0.0.1:${port}`), await statusFor("other.example")]).toEqual([200, 403]);
});

test("label values are escaped", () => {
  const values = new MetricValues({ things: { type: "gauge", help: "Things.", labels: ["name"] } });
  values.set("things", 2, { name: 'a"b\\c\nd' });
  expect(values.render()).toContain('things{name="a\\"b\\\\c\\nd"} 2\n');
});

describe("docs/monitoring.md", () => {
  const path = join(root, "docs/monitoring.md");
  const rows = Object.entries({ ...metrics, ...sandboxMetrics }).map(([name, { type, help, ...more }]) => {
    const labels = "labels" in more ? more.labels.map((label) => `\`${label}\``).join(", ") : "";
    return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
  });
  const unaligned = (text: string) => text.replaceAll(/ +/g, " ");

  if (process.env.FXDESK_WRITE_DOCS) {
    const page = readFileSync(path, "utf8");
    writeFileSync(
      path,
      page.replace(/(?<=^\| -+ .*\n)(\| `(fxdesk|process)_.*\n)+/m, `${rows.join("\n")}\n`),
    );
    formatDocs();
  }

  test("lists every metric as it is declared", () => {
    const listed = readFileSync(path, "utf8").match(/^\| `(fxdesk|process)_.*$/gm)!;
    expect(listed.map(unaligned)).toEqual(rows.map(unaligned));
  });

  interface AlertRule {
    readonly alert: string;
    readonly expr: string;
    readonly annotations: { readonly summary: string; readonly description: string };
  }

  test("every alert rule asks for declared metrics and labels, and says what to do", () => {
    const { groups } = parse(readFileSync(join(root, "docs/monitoring/alerts.yml"), "utf8")) as {
      groups: { rules: AlertRule[] }[];
    };
    const names = new Set(
      Object.entries(metrics).flatMap(([name, { type }]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    const labels = new Set(Object.values(metrics).flatMap((each) => ("labels" in each ? each.labels : [])));
    const rules = groups.flatMap(({ rules: some }) => some);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations } of rules) {
      const named = expr.match(/\b(fxdesk|process)_\w+/g)!;
      const unknown = named.filter((name) => !names.has(name));
      const filtered = [...expr.matchAll(/(\w+)\s*=~?\s*"/g)].map(([, label]) => label!);
      expect([alert, unknown, filtered.filter((label) => !labels.has(label as never))]).toEqual([
        alert,
        [],
        [],
      ]);
      expect([alert, annotations]).toEqual([
        alert,
        { summary: expect.stringMatching(/\.$/), description: expect.stringMatching(/\.$/) },
      ]);
    }
  });
});
