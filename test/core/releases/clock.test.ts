/** A clock that jumps by a day, forward and back: validity, sums of a day, and secrets that count once. */
import { join } from "node:path";
import { setTotp } from "../../../core/people/administration";
import { localOrigin, type Origin } from "../../../core/people/attempts";
import { authenticate } from "../../../core/people/authenticate";
import { issueServiceKey } from "../../../core/people/issue-service-key";
import { createTotpSeed, totpCode } from "../../../core/people/totp";
import { secretOf, writePeople } from "../../support/people-file";
import { tempFolder } from "../../support/resources";
import { sampleInput } from "../../support/samples";
import {
  administrator,
  createReleaseFixture,
  defaultPolicy,
  people,
  type PolicyInput,
} from "./release-fixture";

interface SqliteModule {
  readonly DatabaseSync: new (...given: never[]) => object;
}

let storeShift = 0;

/** The clock of the store moves with that of the process, and apart from it by `storeShift`: a connection may replace functions of its SQLite. */
function mockWithClock<M extends object>(driver: M): M {
  const { DatabaseSync } = driver as unknown as SqliteModule;
  class Moved extends DatabaseSync {
    constructor(...given: never[]) {
      super(...given);
      const file = this as unknown as { function(name: string, options: object, run: () => number): void };
      file.function("unixepoch", { varargs: true }, () => (Date.now() + storeShift) / 1_000);
    }
  }
  return { ...driver, DatabaseSync: Moved };
}
jest.mock("@photostructure/sqlite", () =>
  mockWithClock(jest.requireActual<object>("@photostructure/sqlite")),
);
const getBuiltinModule = process.getBuiltinModule.bind(process) as (name: string) => object | undefined;
process.getBuiltinModule = ((name: string) => {
  const found = getBuiltinModule(name);
  return found && name === "node:sqlite" ? mockWithClock(found) : found;
}) as typeof process.getBuiltinModule;

const day = 86_400_000;
const realNow = Date.now.bind(Date);
let shift = 0;
beforeEach(() => {
  shift = 0;
  storeShift = 0;
  jest.spyOn(Date, "now").mockImplementation(() => realNow() + shift);
  jest.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

async function openPayments(policy: PolicyInput) {
  const place = await createReleaseFixture({ policy });
  const sample = await sampleInput("payments.initiate", place.client());
  /** Pays by a client of its own, which sends nothing later. Returns "sent", or the ID of a release, or the code. */
  const pay = async (key: string, serviceKey?: string) => {
    const client = place.client(serviceKey === undefined ? {} : { serviceKey });
    const input = { ...sample, instructedAmount: { currency: "EUR", amount: "100.00" } };
    const paid = await client.payments.initiate(input as never, { key }).then(
      () => "sent",
      ({ code, outcome, release }: { code: string; outcome: string; release?: string }) =>
        outcome === "not-sent" ? (release ?? code) : outcome,
    );
    await client.close();
    return paid;
  };
  return { ...place, pay };
}

test.each([
  [14, "sent"],
  [-14, "sent"],
  [16, "release_refused"],
  [-16, "release_refused"],
])("money while the clock of the store is %i minutes off is %s", async (minutes, outcome) => {
  const { pay } = await openPayments({
    people: [...people],
    amounts: { currency: "EUR" },
    limits: { perDay: "100" },
  });
  storeShift = minutes * 60_000;
  expect(await pay("P-1")).toBe(outcome);
});

test("the sum of a day is that of the store's clock, and no jump gives a day twice", async () => {
  const { pay } = await openPayments({
    people: [...people],
    amounts: { currency: "EUR" },
    limits: { perDay: "100" },
  });
  const outcomes: Record<string, string> = {};
  const move = async (name: string, days: number) => {
    shift = days * day;
    outcomes[name] = await pay(name);
  };
  await move("today", 0);
  await move("today again", 0);
  await move("tomorrow", 1);
  await move("back to today", 0);
  await move("tomorrow again", 1);
  await move("the day after", 2);
  expect(outcomes).toEqual({
    today: "sent",
    "today again": "release_refused",
    tomorrow: "sent",
    "back to today": "unavailable",
    "tomorrow again": "release_refused",
    "the day after": "sent",
  });
});

test("a decision ends with its validity, a request after a day, and neither is revived by a clock that goes back", async () => {
  const { pay, files, service, decide } = await openPayments(defaultPolicy);
  const [first, second] = [await pay("first"), await pay("second")];
  expect(await decide(first, "anna")).toMatchObject({ state: "released" });
  shift = 2 * 3_600_000;
  expect(await pay("first")).not.toBe("sent");
  shift = day + 60_000;
  const { hash: seal } = (await service.get(second)).release;
  const input = { person: "bert", secret: secretOf("bert"), decision: "release", seal } as const;
  await expect(service.decide(second, files, input, localOrigin("cli"))).rejects.toThrow("is expired");
  const third = await pay("third");
  shift = 0;
  await expect(service.decide(second, files, input, localOrigin("cli"))).rejects.toThrow(
    "The clock of the store",
  );
  for (const key of ["first", "second", "third"]) expect(await pay(key)).toBe("unavailable");
  shift = day + 60_000;
  expect(await decide(third, "bert")).toMatchObject({ state: "released" });
  expect(await pay("third")).toBe("sent");
  for (const key of ["first", "second"]) expect(await pay(key)).not.toBe("sent");
});

test("a service key ends after its last day", async () => {
  const { pay, peoplePath, setPolicy } = await openPayments(defaultPolicy);
  await setPolicy({ people: [...people, "payroll"] });
  const until = new Date(Date.now()).toISOString().slice(0, 10);
  const { key } = await issueServiceKey(peoplePath, "payroll", { until }, administrator);
  expect(await pay("today", key)).toBe("sent");
  shift = day;
  expect(await pay("tomorrow", key)).toBe("release_refused");
});

const origin: Origin = { surface: "page", address: "10.0.0.1" };
const accepts = (path: string, secret: string, code?: string) =>
  authenticate(path, { person: "anna", secret, code }, origin).then(
    () => "accepted",
    ({ name }: Error) => name,
  );

test("a one-time code does not count again after the clock went back", async () => {
  const path = join(await tempFolder(), "people.json");
  await writePeople(path, ["anna"]);
  const seed = createTotpSeed();
  const codeNow = () => totpCode(seed, Math.floor(Date.now() / 30_000));
  await setTotp(path, "anna", { seed, code: codeNow() }, { person: "anna", secret: secretOf("anna") });
  const results: string[] = [];
  for (const minutes of [1, 1, 0, 60 * 24, 60 * 24, 1, 2, 60 * 24 + 1]) {
    shift = minutes * 60_000;
    results.push(await accepts(path, secretOf("anna"), codeNow()));
  }
  expect(results).toEqual([
    "accepted",
    "WrongSecret",
    "WrongSecret",
    "accepted",
    "WrongSecret",
    "WrongSecret",
    "WrongSecret",
    "accepted",
  ]);
});

test("a clock that went back does not make people wait for a day", async () => {
  const path = join(await tempFolder(), "people.json");
  await writePeople(path, ["anna"]);
  shift = day;
  for (let count = 0; count < 5; count += 1) await accepts(path, "a wrong guess");
  expect(await accepts(path, secretOf("anna"))).toBe("TooManyAttempts");
  shift = 0;
  expect(await accepts(path, secretOf("anna"))).toBe("accepted");
});
