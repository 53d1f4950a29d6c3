/** Under a policy, requesters authenticate, and what they request is signed: rows of the store are never evidence of it. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import {
  addPerson,
  changeSecret,
  lockPerson,
  removePerson,
  unlockPerson,
} from "../../../core/people/administration";
import { revokeServiceKey } from "../../../core/people/issue-service-key";
import { updatePeople } from "../../../core/people/people-file";
import type { KeyScope } from "../../../core/people/service-key";
import { sealOf, type SealedRequest } from "../../../core/releases/terms";
import { withStore } from "../../../core/store/open";
import { sealLocation } from "../../../core/store/sealer";
import { eventually } from "../../support/eventually";
import { forgeRows } from "../../support/forged-rows";
import { sampleInput } from "../../support/samples";
import {
  administrator,
  createReleaseFixture,
  people,
  type ReleaseFixture,
  sampleOrder,
  secretOf,
  serviceKeyOf,
} from "./release-fixture";

let place: ReleaseFixture;
let payment: Parameters<FxdeskClient["payments"]["initiate"]>[0];
beforeEach(async () => {
  place = await createReleaseFixture({
    policy: {
      people: [...people],
      rules: [{ effects: ["money"], above: "1000", from: ["anna", "bert", "carl"] }],
      amounts: { currency: "EUR", rates: { USD: "0.9" } },
      limits: { perDay: "100000" },
      quoteEverySeconds: 0.05,
    },
  });
  payment = (await sampleInput("payments.initiate", place.client())) as unknown as typeof payment;
});

type Options = Parameters<ReleaseFixture["client"]>[0];
const pay = (options: Options, amount = "5.00") =>
  place.client(options).payments.initiate({ ...payment, instructedAmount: { currency: "EUR", amount } });
const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "sent",
    ({ code }: { code: string }) => code,
  );
/** The requests that change or commit something: estimates for orders do not. */
const posts = () =>
  place.sandbox.requests.filter(({ method, url }) => method === "POST" && !url.startsWith("/quotes")).length;

/** Replaces the sealed request of a release, with a matching seal, and sets its state. */
const rewrite = (id: string, change: (sealed: SealedRequest) => object, state: string) =>
  withStore(place.store, async ({ database, run, sealer }) => {
    const location = sealLocation("fxdesk_releases", "content", id);
    const [row] = await run("SELECT content FROM fxdesk_releases WHERE id = $1", [id]);
    const sealed = change(
      JSON.parse(sealer.unseal(String(row!.content), location)) as SealedRequest,
    ) as SealedRequest;
    await forgeRows(
      { database, sealer },
      "UPDATE fxdesk_releases SET content = $2, seal = $3, state = $4, next_at = 0, lease_expires_at = 0 WHERE id = $1",
      [id, sealer.seal(JSON.stringify(sealed), location), sealOf(id, sealed), state],
    );
  });

const order = sampleOrder({ amount: "2000" });

/** A client that cannot execute what it requests. */
const requesting = { people: "/nowhere/people.json" };

/** Waits until the executor has recorded why it does not send a release. Returns state and journal entry. */
const whenHeld = (id: string) =>
  eventually(
    async () => {
      const { release } = await place.service.get(id);
      return release.progress.remark !== undefined && [release.state, release.entry];
    },
    { withinMs: 20_000, what: `the executor refuses ${id}` },
  );

const setScope = (scope: KeyScope) =>
  updatePeople(place.peoplePath, (before) => ({
    ...before,
    keys: { desk: { hash: before.keys.desk!.hash, ...scope } },
  }));

test.each<[string, Options]>([
  ["the name of another requester as text", { actor: "bert" }],
  ["no service key", { serviceKey: undefined }],
  ["no service key, but a name as text", { serviceKey: undefined, actor: "desk" }],
  ["the key of an unknown program", { serviceKey: serviceKeyOf("eve") }],
  ["a wrong key of a program", { serviceKey: serviceKeyOf("eve").replace("eve", "desk") }],
  ["an object with the name of a person", { serviceKey: undefined, requester: { name: "anna" } as never }],
])("sends and requests nothing with %s", async (_, options) => {
  const calls = [
    () => pay(options),
    () => pay(options, "5000.00"),
    () => place.client(options).orders.order(sampleOrder()),
    () => place.client(options).accountDetails.request({ currency: "GBP", country: "GB" }),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({ code: "release_refused", outcome: "not-sent" });
  expect(posts()).toBe(0);
  expect((await place.service.list({ limit: 10 })).releases).toEqual([]);
});

test("accepts a name as text that is the authenticated one", async () => {
  expect(await outcomeOf(pay({ actor: "desk" }))).toBe("sent");
});

test("does not return the outcome of a call to another name as text", async () => {
  const repeat = (options: Options) => place.client(options).payments.initiate(payment, { key: "K-1" });
  const paid = await repeat({ actor: "desk" });
  expect(await repeat({})).toMatchObject({ paymentId: paid.paymentId });
  const refused = { code: "release_refused" };
  await expect(repeat({ serviceKey: undefined, actor: "desk" })).rejects.toMatchObject(refused);
  await expect(repeat({ as: "dora", actor: "desk" })).rejects.toMatchObject(refused);
});

test("a program that cannot read the people file requests with its key, and sends nothing itself", async () => {
  expect(await outcomeOf(pay(requesting))).toBe("release_refused");
  expect(await outcomeOf(pay(requesting, "5000.00"))).toBe("release_needed");
  const [waiting] = (await place.service.list({ states: ["waiting"], limit: 10 })).releases;
  await place.decide(waiting!.id, "anna");
  expect(await outcomeOf(pay(requesting, "5000.00"))).toBe("release_refused");
  expect(posts()).toBe(0);
  expect(await outcomeOf(pay({}, "5000.00"))).toBe("sent");
});

describe("a request that was edited in the store", () => {
  test("is not released by the person who made it, under the name of another requester", async () => {
    const { release } = await place.client({ as: "carl" }).orders.order(order);
    await rewrite(release, (sealed) => ({ ...sealed, requester: "desk" }), "waiting");
    for (const person of ["carl", "anna"])
      await expect(place.decide(release, person)).rejects.toMatchObject({ name: "ReleaseRefusal" });
    expect(await place.service.get(release)).toMatchObject({ decisions: [] });
  });

  test.each<[string, (sealed: SealedRequest) => object]>([
    ["amount", (sealed) => ({ ...sealed, terms: { ...sealed.terms, amount: "990" } })],
    ["requester", (sealed) => ({ ...sealed, requester: "bert" })],
    ["validity", (sealed) => ({ ...sealed, validUntil: sealed.validUntil + 86_400_000 })],
  ])("is not executed, also where it needs no release: %s", async (_, change) => {
    const { release, state } = await place.client(requesting).orders.order(sampleOrder({ amount: "900" }));
    expect(state).toBe("released");
    await rewrite(release, change, "released");
    await place.client().orders.start();
    expect(await whenHeld(release)).toEqual(["released", undefined]);
    expect(posts()).toBe(0);
  });
});

test("an order that waits without a policy file is not executed once its row says that it needs no release", async () => {
  const free = { policy: undefined };
  const { release, state } = await place
    .client({ ...free, people: place.peoplePath })
    .orders.order(order, { release: "needed" });
  expect(state).toBe("waiting");
  await rewrite(release, (sealed) => ({ ...sealed, release: undefined }), "released");
  await place.client(free).orders.start();
  expect(await whenHeld(release)).toEqual(["released", undefined]);
  expect(posts()).toBe(0);
});

test("a process that requires releases executes no order whose row claims to need none", async () => {
  const free = { policy: undefined, people: undefined, serviceKey: undefined };
  const requests = place.client({ ...free, actor: "mallory", credentials: { accessToken: "wrong" } });
  const { release, state } = await requests.orders.order(order, { key: "K-free" });
  expect(state).toBe("released");
  await requests.close();
  const bookings = () => place.sandbox.requests.filter(({ url }) => url.startsWith("/trades?")).length;
  const remark = async () => (await place.service.get(release)).release.progress.remark;
  for (const file of [undefined, place.peoplePath]) {
    const before = await remark();
    const executes = place.client({ ...free, people: file });
    await executes.orders.start({ release: "needed" });
    await eventually(async () => (await remark()) !== before, { withinMs: 20_000, what: "a reason" });
    expect(bookings()).toBe(0);
    await executes.close();
  }
});

describe("a requester with a token", () => {
  test.each<[string, (path: string) => Promise<unknown>]>([
    ["was removed", (path) => removePerson(path, "carl", administrator)],
    [
      "was removed and added again",
      async (path) => {
        await removePerson(path, "carl", administrator);
        await addPerson(path, "carl", secretOf("carl"), administrator);
      },
    ],
    [
      "was locked and unlocked",
      async (path) => {
        await lockPerson(path, "carl", administrator);
        await unlockPerson(path, "carl", administrator);
      },
    ],
    ["got another secret", (path) => changeSecret(path, "carl", `new ${secretOf("carl")}`, administrator)],
  ])("who %s has no open requests, and makes none", async (_, change) => {
    const carl = place.client({ as: "carl" });
    const released = (await carl.orders.order(order, { key: "K-1" })).release;
    const waiting = (await carl.orders.order(order, { key: "K-2" })).release;
    await carl.close();
    await place.decide(released, "anna");
    await change(place.peoplePath);
    await expect(place.decide(waiting, "anna")).rejects.toMatchObject({ name: "ReleaseRefusal" });
    await place.client().orders.start();
    await whenHeld(released);
    expect(await outcomeOf(place.client({ as: "carl" }).orders.order(order))).toBe("release_refused");
    expect(posts()).toBe(0);
  });
});

describe("the outcome of an earlier call", () => {
  const repeat = async (options: Options): Promise<string> => {
    const call = place
      .client(options)
      .payments.initiate(
        { ...payment, instructedAmount: { currency: "EUR", amount: "5.00" } },
        { key: "K-1" },
      );
    return outcomeOf(call);
  };
  const forgedKey = serviceKeyOf("eve").replace("eve", "desk");

  test.each<[string, Options, string]>([
    ["the authenticated requester", {}, "sent"],
    ["a name as text", { serviceKey: undefined, actor: "desk" }, "release_refused"],
    ["a forged key", { serviceKey: forgedKey }, "release_refused"],
    ["a forged key without the people file", { serviceKey: forgedKey, ...requesting }, "release_refused"],
  ])("is returned to its requester alone: %s", async (_, options, expected) => {
    expect(await repeat({})).toBe("sent");
    // The request itself is refused for everyone.
    await place.setPolicy({ people: [] });
    expect(await repeat(options)).toBe(expected);
    expect(posts()).toBe(1);
  });

  test("is no report of the same order to a forged key", async () => {
    const { release } = await place.client().orders.order(order, { key: "K-1" });
    await place.decide(release, "anna");
    for (const more of [{}, requesting]) {
      const forged = place.client({ serviceKey: forgedKey, ...more });
      await expect(forged.orders.order(order, { key: "K-1" })).rejects.toMatchObject({
        code: "release_refused",
      });
    }
  });
});

describe("a service key", () => {
  test("sends nothing after it was revoked, nor do its released requests", async () => {
    const { release } = await place.client(requesting).orders.order(order);
    expect(await outcomeOf(pay(requesting, "5000.00"))).toBe("release_needed");
    const { releases } = await place.service.list({ limit: 10 });
    for (const { id } of releases) await place.decide(id, "anna");
    await revokeServiceKey(place.peoplePath, "desk", administrator);
    await place.client({ as: "carl" }).orders.start();
    await whenHeld(release);
    expect(await outcomeOf(pay({}, "5000.00"))).toBe("release_refused");
    expect(await outcomeOf(pay({}))).toBe("release_refused");
    expect(posts()).toBe(0);
  });

  test.each<[string, KeyScope, string]>([
    ["for changes only", { effects: ["change"] }, "release_refused"],
    ["for another operation", { operations: ["trades.order"] }, "release_refused"],
    ["that expired", { until: "2020-01-01" }, "release_refused"],
    ["for smaller requests", { perRequest: "4.99" }, "release_refused"],
    ["with a smaller sum of a day", { perDay: "4.99" }, "release_refused"],
    [
      "for this payment",
      {
        effects: ["money"],
        operations: ["payments.initiate"],
        until: "2999-01-01",
        perRequest: "5",
        perDay: "5",
      },
      "sent",
    ],
  ])("%s", async (_, scope, expected) => {
    await setScope(scope);
    expect(await outcomeOf(pay({}))).toBe(expected);
    expect(posts()).toBe(expected === "sent" ? 1 : 0);
  });

  test.each<[string, KeyScope, Options, string]>([
    ["for changes only", { effects: ["change"] }, {}, "release_refused"],
    ["that expired", { until: "2020-01-01" }, {}, "release_refused"],
    ["with limits, which have no currency", { perRequest: "5" }, {}, "release_refused"],
    ["that cannot be checked", {}, { people: undefined }, "release_refused"],
    ["that is unknown", {}, { serviceKey: serviceKeyOf("eve") }, "release_refused"],
    ["for this payment", { operations: ["payments.initiate"], effects: ["money"] }, {}, "sent"],
  ])("also without a policy: %s", async (_, scope, options, expected) => {
    await setScope(scope);
    expect(await outcomeOf(pay({ policy: undefined, ...options }))).toBe(expected);
    expect(posts()).toBe(expected === "sent" ? 1 : 0);
  });

  test("adds up the amounts of a day under a policy without limits, and refuses unknown amounts", async () => {
    await place.setPolicy({ people: [...people], amounts: { currency: "EUR" } });
    await setScope({ perDay: "8" });
    const results = [];
    for (const reference of ["E-1", "E-2"])
      results.push(
        await outcomeOf(
          place.client().payments.initiate({
            ...payment,
            endToEndIdentification: reference,
            instructedAmount: { currency: "EUR", amount: "5.00" },
          }),
        ),
      );
    expect(results).toEqual(["sent", "release_refused"]);
    expect(await outcomeOf(place.client().trades.book({ quote_id: "q-1", reason: "other" }))).toBe(
      "release_refused",
    );
    expect(posts()).toBe(1);
  });

  test("is checked again for a released request when it is sent", async () => {
    expect(await outcomeOf(pay(requesting, "5000.00"))).toBe("release_needed");
    const [waiting] = (await place.service.list({ limit: 10 })).releases;
    await place.decide(waiting!.id, "anna");
    await setScope({ until: "2020-01-01" });
    await place.client({ as: "carl" }).orders.start();
    await whenHeld(waiting!.id);
    expect(posts()).toBe(0);
  });
});

describe("requests of others", () => {
  const setSeeAll = (seeAll: string[]) =>
    place.setPolicy({
      people: [...people],
      rules: [{ effects: ["money"], from: ["anna", "bert"] }],
      seeAll,
      quoteEverySeconds: 0.05,
    });
  const idsOf = async (client: FxdeskClient) =>
    (await client.orders.list()).releases.map(({ release }) => release).toSorted();
  let ids: readonly [desk: string, dora: string];
  beforeEach(async () => {
    const [desk, dora] = [place.client(), place.client({ as: "dora" })];
    ids = [
      (await desk.orders.order(order, { key: "K-1" })).release,
      (await dora.orders.order(order, { key: "K-2" })).release,
    ];
  });

  test.each<[string, Options, 0 | 1]>([
    ["a program", {}, 0],
    ["a person", { as: "dora" }, 1],
  ])("are neither shown to %s nor cancelled", async (_, options, own) => {
    const client = place.client(options);
    const other = ids[1 - own]!;
    expect(await idsOf(client)).toEqual([ids[own]]);
    expect(await client.orders.get(ids[own]!)).toMatchObject({ state: "waiting" });
    for (const call of [
      () => client.orders.get(other),
      () => client.orders.cancel(other),
      () => client.releases.get({ release: other }),
      () => client.releases.cancel({ release: other }),
    ])
      await expect(call()).rejects.toMatchObject({ code: "not_found" });
    expect((await place.service.get(other)).release.state).toBe("waiting");
    expect(await client.orders.cancel(ids[own]!)).toMatchObject({ state: "cancelled" });
  });

  test("are shown and cancelled if the policy lists the requester in seeAll", async () => {
    await setSeeAll(["dora"]);
    const dora = place.client({ as: "dora" });
    expect(await idsOf(dora)).toEqual([...ids].toSorted());
    expect(await idsOf(place.client())).toEqual([ids[0]]);
    expect(await dora.orders.cancel(ids[0])).toMatchObject({
      state: "cancelled",
      remark: "Cancelled by dora.",
    });
  });

  test.each<[string, Options, string]>([
    [
      "a forged key without the people file",
      { serviceKey: serviceKeyOf("eve").replace("eve", "desk"), ...requesting },
      "not_found",
    ],
    ["a forged key", { serviceKey: serviceKeyOf("eve").replace("eve", "desk") }, "release_refused"],
    ["a name as text", { serviceKey: undefined, actor: "desk" }, "release_refused"],
  ])("are not shown for %s", async (_, options, code) => {
    await setSeeAll(["desk"]);
    const client = place.client(options);
    await expect(client.orders.get(ids[0])).rejects.toMatchObject({ code });
    await expect(client.orders.cancel(ids[0])).rejects.toMatchObject({ code });
    expect(
      await client.orders.list().then(
        ({ releases }) => releases,
        () => [],
      ),
    ).toEqual([]);
  });

  test("are not named where their key is used", async () => {
    const refused = place.client({ as: "dora" }).orders.order(order, { key: "K-1" });
    const error = await refused.catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: "conflict" });
    expect(JSON.stringify(error)).not.toContain(ids[0]);
  });

  test("leave room for own requests in a list that has a limit", async () => {
    const isOwn = ({ sealed }: { readonly sealed: SealedRequest }) => sealed.requester === "desk";
    const list = (limit: number) => place.service.list({ limit, isVisible: isOwn });
    expect(await list(1)).toMatchObject({ releases: [{ id: ids[0] }], isComplete: true });
    const second = (await place.client().orders.order(order)).release;
    expect(await list(1)).toMatchObject({ releases: [{ id: second }], isComplete: false });
    expect((await list(2)).releases.map(({ id }) => id)).toEqual([second, ids[0]]);
  });
});
