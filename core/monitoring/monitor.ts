/** Answers /health, /ready and /metrics of a server. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpHandler, RequestMonitor } from "../http/http-server";
import type { PolicyService } from "../releases/policy";
import type { StoreSession } from "../store/session";
import { storeExists, type StoreSettings } from "../store/settings";
import { metricsMediaType } from "../values/metric-values";
import { ProcessMetrics } from "./metrics";
import type { StoreRows } from "./store-metrics";

/** Everything that calls of one connection depend on in this installation. */
export interface Monitored {
  readonly store: StoreSettings;
  readonly policy?: string | undefined;
  readonly people?: string | undefined;
  readonly service: PolicyService;
}

export interface MonitorOptions {
  /** Read for each request. */
  readonly monitored: () => readonly Monitored[];
  /** Bearer token that /metrics requires. */
  readonly token?: string | undefined;
  /** Writes the reason of a failed check. */
  readonly log: (line: string) => void;
}

/** A check that takes longer has failed. */
const checkTimeoutMs = 5_000;

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("No response in time.")), checkTimeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

interface MonitorResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const jsonResponse = (status: number, body: object): MonitorResponse => ({
  status,
  type: "application/json",
  body: `${JSON.stringify(body)}\n`,
});

const digest = (text: string) => createHash("sha256").update(text).digest();

export class Monitor implements RequestMonitor {
  readonly #process = new ProcessMetrics();
  readonly #sessions = new Map<string, Promise<StoreSession>>();

  constructor(private readonly options: MonitorOptions) {}

  /** Returns a handler that answers the three paths, and passes other requests on. */
  around(handler: HttpHandler): HttpHandler {
    return {
      handle: async (request, response, origin) =>
        (await this.handle(request, response)) || handler.handle(request, response, origin),
      refuse: (response, status, message) => handler.refuse(response, status, message),
    };
  }

  /** Answers a request. Returns false if its path is none of the three. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    path = request.url?.split("?")[0] ?? "",
  ): Promise<boolean> {
    const answer = {
      "/health": async () => jsonResponse(200, { status: "alive" }),
      "/ready": () => this.#ready(),
      "/metrics": () => this.#metrics(request),
    }[path];
    if (!answer) return false;
    const isRead = request.method === "GET" || request.method === "HEAD";
    const { status, type, body } = isRead
      ? await answer()
      : jsonResponse(405, { message: "Only GET is supported." });
    const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
    response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...challenge });
    response.end(request.method === "HEAD" ? undefined : body);
    request.resume();
    return true;
  }

  async close(): Promise<void> {
    this.#process.close();
    for (const session of this.#sessions.values()) await (await session).close();
  }

  async #ready(): Promise<MonitorResponse> {
    const { monitored, log } = this.options;
    const checks: Record<string, "ok" | "failed"> = {};
    const check = async (name: string, work: () => Promise<unknown>) => {
      try {
        await withinTime(work());
        checks[name] ??= "ok";
      } catch (error) {
        log(`/ready: ${name}: ${(error as Error).message}`);
        checks[name] = "failed";
      }
    };
    for (const each of monitored()) {
      await check("store", async () => this.#readRows(each.store));
      await check("policy", () => assertPolicyReadable(each));
    }
    const isReady = Object.values(checks).every((state) => state === "ok");
    return jsonResponse(isReady ? 200 : 503, { status: isReady ? "ready" : "not ready", checks });
  }

  async #metrics({ headers }: IncomingMessage): Promise<MonitorResponse> {
    const { monitored, token, log } = this.options;
    const given = /^bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
    if (token && !timingSafeEqual(digest(given), digest(token)))
      return jsonResponse(401, { message: "/metrics requires its token." });
    // Connections may share a store, which counts once.
    const stores = new Map(monitored().map(({ store }) => [store.location, store]));
    const rows = await Promise.all(
      [...stores.values()].map((store) =>
        withinTime(this.#readRows(store)).catch((error: Error) => {
          log(`/metrics: store: ${error.message}`);
          return "failed" as const;
        }),
      ),
    );
    const { values } = this.#process;
    const { setStoreValues } = await import("./store-metrics.js");
    setStoreValues(
      values,
      rows.filter((each) => each !== "failed" && each !== undefined),
    );
    values.set("fxdesk_store_up", rows.includes("failed") ? 0 : 1);
    this.#process.readProcess();
    return { status: 200, type: metricsMediaType, body: values.render() };
  }

  /** Returns the rows of a store; undefined if it does not exist yet. Does not create it. */
  async #readRows(settings: StoreSettings): Promise<StoreRows | undefined> {
    if (!storeExists(settings)) return undefined;
    const { readStoreRows } = await import("./store-metrics.js");
    const known = this.#sessions.get(settings.location);
    const session =
      known ?? import("../store/session.js").then(({ StoreSession: Session }) => new Session(settings));
    this.#sessions.set(settings.location, session);
    return (await session).use(readStoreRows);
  }
}

/** Throws if calls would be refused because the policy or the people file cannot be read. */
async function assertPolicyReadable({ policy, people: peoplePath, service }: Monitored): Promise<void> {
  const { loadPeople } = await import("../people/people-file.js");
  const people = peoplePath === undefined ? undefined : await loadPeople(peoplePath);
  if (policy === undefined && people === undefined) return;
  const { loadPolicy, missingPolicyProblem } = await import("../releases/policy.js");
  if (policy !== undefined) await loadPolicy(policy, service, people);
  else if (missingPolicyProblem(people)) throw new Error(missingPolicyProblem(people));
}
