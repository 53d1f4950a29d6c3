/** Fixture for releases, closed with its test: a sandbox, a store, a policy, people with secrets, and their clients. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { type ClientOptions, createClient, serviceFrom, type FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox, type SandboxOptions } from "@fxdesk/sandbox";
import { StoreSession } from "../../../core/store/session";
import { ReleaseService } from "../../../core/releases/release-service";
import { type DecisionFiles, type DecisionRequest, recordDecision } from "../../../core/releases/decide";
import { changeReleases, getRelease } from "../../../core/releases/repository";
import type { Service } from "../../../core/spec/service";
import type { OrderInput } from "../../../core/releases/terms";
import type { Credentials } from "../../../core/people/authenticate";
import { loadPeople, type People } from "../../../core/people/people-file";
import { Requester } from "../../../core/people/requester";
import { createToken, hashToken } from "../../../core/people/token";
import { type Policy, loadPolicy } from "../../../core/releases/policy";
import type { StoreSettings } from "../../../core/store/settings";
import { closeLater, tempFolder } from "../../support/resources";
import { secretOf, serviceKeyOf, writePeople } from "../../support/people-file";
import { openSandbox } from "../../support/sandboxes";
import { key } from "../store/engines";

export { secretOf, serviceKeyOf };

/** The administrator of the people file. */
export const administrator: Credentials = { person: "anna", secret: secretOf("anna") };

/** Client options; an option that is undefined is not set. */
type ClientChanges = { readonly [Name in keyof ClientOptions]?: ClientOptions[Name] | undefined } & {
  /** Person who requests with a token, instead of the program `desk` with its service key. */
  readonly as?: string;
};

/** Content of a policy file. */
export type PolicyInput = z.input<typeof Policy>;

export const people = ["anna", "bert", "carl", "dora", "desk"] as const;

export const defaultPolicy: PolicyInput = {
  people: [...people],
  rules: [{ effects: ["money"], from: ["anna", "bert"] }],
  quoteEverySeconds: 0.05,
};

export interface ReleaseFixture {
  readonly sandbox: Sandbox;
  readonly store: StoreSettings;
  readonly folder: string;
  readonly policyPath: string;
  readonly peoplePath: string;
  readonly service: ReleaseService;
  /** Files that define who may decide. */
  readonly files: DecisionFiles;
  /** Creates a client. By default it requests as `desk` and books released orders. */
  readonly client: (options?: ClientChanges) => FxdeskClient;
  readonly setPolicy: (policy: PolicyInput) => Promise<void>;
  /** Records the decision of an authenticated person. */
  readonly decide: (
    id: string,
    person: string,
    decision?: DecisionRequest["decision"],
  ) => Promise<{ readonly state: string }>;
}

async function createPeopleFile(): Promise<string> {
  const path = join(await tempFolder(), "people.json");
  const persons = people.filter((name) => name !== "desk");
  await writePeople(path, persons, [], ["desk"]);
  return path;
}

/** Returns the holder of a token, as an MCP server authenticates them. */
function holderOf(file: People, name: string): Requester {
  const token = createToken();
  const person = { ...file.people[name]!, token: hashToken(token) };
  return Requester.ofToken({ ...file, people: { [name]: person } }, token)!;
}

export async function createReleaseFixture({
  store,
  policy = defaultPolicy,
  sandbox: options = {},
  changeService = (each) => each,
}: {
  readonly store?: StoreSettings;
  readonly policy?: PolicyInput;
  readonly sandbox?: SandboxOptions;
  readonly changeService?: (service: Service) => Service;
} = {}): Promise<ReleaseFixture> {
  const folder = await tempFolder();
  const settings = store ?? { location: join(folder, "store.db"), key };
  const sandbox = await openSandbox({ marketHours: "always", daysBehind: 1, ...options });
  const peoplePath = await createPeopleFile();
  const policyPath = join(folder, "policy.json");
  const setPolicy = async (given: PolicyInput) => {
    await writeFile(policyPath, JSON.stringify(given, null, 2));
    await chmod(policyPath, 0o644);
  };
  await setPolicy(policy);
  const file = await loadPeople(peoplePath);
  const session = new StoreSession(settings);
  const desk = closeLater(new ReleaseService(session));
  const service = changeService(
    serviceFrom({
      FXDESK_EXTENSIONS: sandbox.extension.path,
      FXDESK_EXTENSION_EFFECTS: sandbox.extension.effects.join(","),
    }),
  );
  return {
    sandbox,
    store: settings,
    folder,
    policyPath,
    peoplePath,
    service: desk,
    files: { policy: policyPath, people: peoplePath, service },
    client({ as, ...more } = {}) {
      const { clientId, contactId, accessToken, apiKey } = demo;
      const { baseUrl, xs2aUrl } = sandbox;
      return closeLater(
        createClient(
          {
            baseUrl,
            xs2aUrl,
            clientId,
            contactId,
            credentials: { accessToken, apiKey },
            store: settings.location,
            storeKey: settings.key!.toString("base64"),
            ...(as === undefined ? { serviceKey: serviceKeyOf("desk") } : { requester: holderOf(file, as) }),
            policy: policyPath,
            people: peoplePath,
            ...more,
          } as ClientOptions,
          service as never,
        ) as FxdeskClient,
      );
    },
    setPolicy,
    decide: async (id, person, decision = "release") => {
      const decisionBy = {
        person,
        decision,
        policy: await loadPolicy(policyPath, service, undefined),
        people: await loadPeople(peoplePath),
        factors: ["secret"] as const,
      };
      return changeReleases(session, async (access) => {
        const { hash: seal } = await getRelease(access, id);
        return recordDecision(access, id, { ...decisionBy, seal });
      });
    },
  };
}

/** Returns an order. By default it sells 1,000 EUR for USD at any rate within the next hour. */
export const sampleOrder = (more: Partial<OrderInput> = {}): OrderInput => ({
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

/** A change without money. */
export const sampleConsent = {
  "TPP-Redirect-URI": "https://app.example/done",
  access: { accounts: [], balances: [], transactions: [] },
  recurringIndicator: false,
  validUntil: "9999-12-31",
  frequencyPerDay: 1,
  combinedServiceIndicator: false,
} as Parameters<FxdeskClient["consents"]["create"]>[0];
