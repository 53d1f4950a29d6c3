/** A place to release things: a sandbox, a store, a policy, people with secrets, and clients of theirs. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { type ClientOptions, createClient, serviceFrom, type FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox, type SandboxOptions, startSandbox } from "@fxdesk/sandbox";
import { KeptStore } from "../../../core/journal/kept-store";
import { ReleaseDesk, type Saying } from "../../../core/releases/desk";
import type { OrderInput } from "../../../core/releases/input";
import { enrol, peopleAt } from "../../../core/releases/people";
import { type Policy, policyAt } from "../../../core/releases/policy";
import type { StoreSettings } from "../../../core/store/settings";
import { key } from "../store/engines";

export const secretOf = (person: string): string => `the secret of ${person}`;

/** What a policy file may say. */
export type GivenPolicy = z.input<typeof Policy>;

export const people = ["anna", "bert", "carl", "dora", "desk"] as const;

export const usualPolicy: GivenPolicy = {
  people: [...people],
  rules: [{ effects: ["money"], from: ["anna", "bert"] }],
  quoteEverySeconds: 0.05,
};

export interface Place {
  readonly sandbox: Sandbox;
  readonly store: StoreSettings;
  readonly folder: string;
  readonly policyPath: string;
  readonly peoplePath: string;
  readonly desk: ReleaseDesk;
  /** A client that asks as `desk` and books what is released, unless told otherwise. */
  client(options?: Partial<ClientOptions>): FxdeskClient;
  setPolicy(policy: GivenPolicy): Promise<void>;
  /** What a person says who has proved who they are. */
  say(id: string, person: string, decision?: Saying["decision"]): Promise<{ readonly state: string }>;
  close(): Promise<void>;
}

/** Hashing secrets takes its time: a file of people is made once for all places. */
let written: Promise<string> | undefined;
async function peopleFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-people-"));
  const path = join(folder, "people.json");
  for (const person of people.filter((name) => name !== "desk")) await enrol(path, person, secretOf(person));
  return path;
}

export async function placeOf({
  store,
  policy = usualPolicy,
  sandbox: options = {},
}: {
  readonly store?: StoreSettings;
  readonly policy?: GivenPolicy;
  readonly sandbox?: SandboxOptions;
} = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-release-"));
  const settings = store ?? { place: join(folder, "store.db"), key };
  const sandbox = await startSandbox({ marketHours: "always", daysBehind: 1, ...options });
  const peoplePath = await (written ??= peopleFile());
  const policyPath = join(folder, "policy.json");
  const setPolicy = async (given: GivenPolicy) => {
    await writeFile(policyPath, JSON.stringify(given, null, 2));
    await chmod(policyPath, 0o644);
  };
  await setPolicy(policy);
  const clients: FxdeskClient[] = [];
  const desk = new ReleaseDesk(new KeptStore(settings));
  const service = serviceFrom({
    FXDESK_EXTENSIONS: sandbox.extension.path,
    FXDESK_EXTENSION_EFFECTS: sandbox.extension.effects.join(","),
  });
  return {
    sandbox,
    store: settings,
    folder,
    policyPath,
    peoplePath,
    desk,
    client(more = {}) {
      const { clientId, contactId, accessToken, apiKey } = demo;
      const { baseUrl, xs2aUrl } = sandbox;
      const client = createClient(
        {
          baseUrl,
          xs2aUrl,
          clientId,
          contactId,
          credentials: { accessToken, apiKey },
          store: settings.place,
          storeKey: settings.key!.toString("base64"),
          actor: "desk",
          policy: policyPath,
          people: peoplePath,
          ...more,
        },
        service as never,
      ) as FxdeskClient;
      clients.push(client);
      return client;
    },
    setPolicy,
    async say(id, person, decision = "release") {
      const saying = {
        person,
        decision,
        policy: await policyAt(policyPath),
        people: await peopleAt(peoplePath),
      };
      return desk.decide(id, saying);
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await desk.close();
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sells 1,000 EUR for USD at any rate within the next hour, unless said otherwise. */
export const anOrder = (more: Partial<OrderInput> = {}): OrderInput => ({
  trade_type: "spot",
  buy_currency: "USD",
  sell_currency: "EUR",
  fixed_side: "sell",
  amount: "1000",
  worst_rate: "0.5",
  rate_symbol: "EURUSD",
  reason: "other",
  valid_until: new Date(Date.now() + 3_600_000).toISOString(),
  ...more,
});
