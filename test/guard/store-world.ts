/** The service, the files and the clients with which stores are recorded and replayed. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClientOptions, createClient, type FxdeskClient, serviceFrom } from "@fxdesk/toolkit";
import type { StoreSettings } from "../../core/store/settings";
import { extensionModule } from "../../sandbox/src/extensions";
import { runFxdesk, type CommandResult } from "../cli/run-command";
import { type PlannedResponse, type WitnessServer, startWitnessServer } from "../support/witness-server";
import { fixedUrl, withFixedUrl } from "./fixed-address";
import { uuid } from "./seeded-calls";
import { quote, responding, trade } from "./stored-calls";

/** Opens every recorded store. In a PostgreSQL store that is in plain text it is given, and not needed. */
export const storeKey = Buffer.alloc(32, 7);

export const people = ["anna", "bert"] as const;
export const secretOf = (person: string): string => `the secret of ${person}`;

export const policy = {
  people: ["anna", "bert", "carl", "desk"],
  rules: [
    { effects: ["money"], from: ["anna", "bert"] },
    { operations: ["payments.initiateBulk"], from: ["anna", "bert"], yes: 2 },
    { operations: ["accountDetails.updateAlias"], from: ["anna", "bert"] },
  ],
  yesLastsMinutes: 525_600,
  quoteEverySeconds: 0.05,
};

export interface World {
  readonly server: WitnessServer;
  readonly folder: string;
  readonly policyPath: string;
  readonly peoplePath: string;
  /** Number of requests so far that moved money or changed something. */
  changingRequests(): number;
  /** References of the orders that were booked. */
  bookedOrders(): readonly string[];
  client(store: StoreSettings, options?: Partial<ClientOptions>): FxdeskClient;
  /** Runs a command of the command line on a store. */
  run(store: StoreSettings, args: readonly string[], input?: string): Promise<CommandResult>;
}

const contactId = uuid("connection");
const bookedReference = /"reference":"(order [a-z]+)"/;

/** Answers requests other than the recorded calls: quotes, bookings of orders, lists. */
const answerTo =
  (listing: PlannedResponse, lost: string | undefined) =>
  (request: string): PlannedResponse => {
    const [, method, path] = /^(\S+) (\S+)/.exec(request)!;
    if (method === "POST" && path!.startsWith("/quotes")) return responding(201, quote);
    if (method === "POST") {
      const [, order] = bookedReference.exec(request)!;
      return order === lost ? { kind: "reset" } : responding(201, trade(order!));
    }
    if (path!.startsWith("/trades/"))
      return responding(200, trade(decodeURIComponent(path!).replace(/^\/trades\/t ([^?]+).*/, "$1")));
    return path!.includes("page=1&") || listing.kind !== "respond" || listing.status !== 200
      ? listing
      : responding(200, []);
  };

/**
 * Runs `work` in a world of its own. `listing` is the response to the list of trades, `lost` the order whose booking gets no
 * response.
 */
export async function inWorld<T>(
  work: (world: World) => Promise<T>,
  { listing = responding(403) as PlannedResponse, lost = "" } = {},
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-guard-"));
  const server = await startWitnessServer();
  server.plan(contactId, answerTo(listing, lost));
  const [policyPath, peoplePath] = [join(folder, "policy.json"), join(folder, "people.json")];
  await writeFile(policyPath, JSON.stringify(policy));
  await chmod(policyPath, 0o644);
  const service = serviceFrom({
    FXDESK_EXTENSIONS: extensionModule.path,
    FXDESK_EXTENSION_EFFECTS: "quotes.create",
  });
  const requests = () => [...server.seen.values()].flatMap((seen) => seen.requests);
  const world: World = {
    server,
    folder,
    policyPath,
    peoplePath,
    changingRequests: () => requests().filter((text) => !/^(GET|POST \/quotes)/.test(text)).length,
    bookedOrders: () =>
      requests().flatMap((text) =>
        text.startsWith("POST /trades") ? (bookedReference.exec(text)?.[1] ?? []) : [],
      ),
    client: ({ location, key }, options = {}) =>
      createClient(
        {
          store: location,
          ...(key && { storeKey: key.toString("base64") }),
          baseUrl: fixedUrl,
          xs2aUrl: fixedUrl,
          clientId: "c-1",
          contactId,
          actor: "desk",
          credentials: { accessToken: "access-token", apiKey: "api-key" },
          ...options,
        },
        service as never,
      ) as FxdeskClient,
    run: ({ location, key }, args, input = "") =>
      runFxdesk(args, {
        variables: {
          FXDESK_STORE: location,
          FXDESK_STORE_KEY: key?.toString("base64") ?? "",
          FXDESK_POLICY: policyPath,
          FXDESK_PEOPLE: peoplePath,
          FXDESK_ACTOR: "desk",
        },
        input,
      }),
  };
  try {
    return await withFixedUrl(server.url, () => work(world));
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
