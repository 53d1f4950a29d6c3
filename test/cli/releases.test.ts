/** Tests fxdesk releases. */
import { setTotp } from "../../core/people/administration";
import { createTotpSeed, totpCode } from "../../core/people/totp";
import { serveReleases } from "../../cli/releases-page/server";
import { fxdeskService } from "../../core/client/fxdesk-service";
import {
  defaultPolicy,
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
  serviceKeyOf,
} from "../core/releases/release-fixture";
import { withStore } from "../../core/store/open";
import { forgeRows } from "../support/forged-rows";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";
import { pain001 } from "../sandbox/open-banking/documents";
import { failure, runFxdesk, storeVariables, type Variables } from "./run-command";

let place: ReleaseFixture;
let variables: Variables;
beforeAll(async () => {
  place = await createReleaseFixture();
  variables = {
    ...storeVariables(place.store.location, place.store.key),
    FXDESK_POLICY: place.policyPath,
    FXDESK_PEOPLE: place.peoplePath,
  };
});

const releases = (args: readonly string[], input = "") =>
  runFxdesk(["releases", ...args], { variables, input });

test("shows a request, releases it with a secret, and it is booked", async () => {
  const client = place.client();
  const { release: id } = await client.orders.order(sampleOrder({ reference: "CLI-1" }));
  const listed = await releases(["list", "--state", "waiting", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ release: id, state: "waiting", requested_by: "desk" }]);
  const { stdout } = await releases(["show", id]);
  for (const word of ["EURUSD", "Worst rate", "desk", "release by anna or bert", "CLI-1"])
    expect(stdout).toContain(word);

  const release = (person: string, secret: string) =>
    releases(["release", id, "--as", person], `${secret}\n`);
  expect(await release("anna", "a guess that is wrong")).toEqual(failure(2, "The secret of anna is wrong"));
  expect(await release("anna", "")).toMatchObject({ code: 2 });
  expect(await release("carl", secretOf("carl"))).toEqual(failure(2, "carl cannot release it"));

  const right = await release("anna", secretOf("anna"));
  expect(right).toMatchObject({ code: 0, stdout: `${id} is released.\n` });
  expect(right.stdout + right.stderr).not.toContain(secretOf("anna"));
  await eventually(async () => (await client.orders.get(id)).deviations, {
    withinMs: 15_000,
    what: "the trade",
  });
  expect(JSON.parse((await releases(["show", id, "--json"])).stdout)).toMatchObject({
    state: "booked",
    deviations: [],
    decisions: [{ person: "anna", decision: "release" }],
  });
});

/** Signs in to the releases page as anna, and returns a reader of its pages. */
async function signInToPage(): Promise<(path: string) => Promise<string>> {
  const files = { policy: place.policyPath, people: place.peoplePath, service: fxdeskService };
  const { url } = closeLater(await serveReleases({ service: place.service, files }));
  const signedIn = await fetch(`${url}/sign-in`, {
    method: "POST",
    headers: { origin: url },
    body: new URLSearchParams({ name: "anna", secret: secretOf("anna") }),
    redirect: "manual",
  });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
  return async (path) => (await fetch(url + path, { headers: { cookie } })).text();
}

/** Requests a bulk payment of some rows, and returns its release ID. */
async function requestPayments(input: object): Promise<string> {
  const initiate = place.client().payments.initiateBulk as (given: object) => Promise<unknown>;
  const error = await initiate(input).catch((reason: unknown) => reason);
  return (error as { readonly release: string }).release;
}

const payees = Array.from({ length: 300 }, (_, index) => ({
  creditorName: `Payee ${index + 1} & Söhne`,
  creditorAccount: index === 1 ? { bban: "0123456789" } : { iban: "NL13TEST0123456789" },
  instructedAmount: { currency: "EUR", amount: index === 0 ? "1200.50" : "10" },
  remittanceInformationUnstructured: `Invoice ${index + 1}`,
}));

test("shows each payee of a bulk payment in a table, with number and total, and never JSON", async () => {
  const id = await requestPayments({
    "payment-product": "sepa-credit-transfers",
    debtorAccount: { iban: "DE12500105170648489890" },
    payments: payees,
  });
  const { stdout } = await releases(["show", id]);
  expect(stdout).toContain("300 payments, 4,190.50 EUR in total");
  for (const { creditorName } of payees) expect(stdout).toContain(creditorName);
  // A number that is no IBAN is not shown as one.
  expect(stdout).toContain("BBAN: 0123456789");
  expect(stdout).not.toMatch(/[{}]/);

  const readPage = await signInToPage();
  const page = await readPage(`/releases/${id}`);
  expect(page.match(/<tr>/g)).toHaveLength(301);
  expect(page).toContain("300 payments, 4,190.50 EUR in total");
  expect(page).toMatch(/>\s*Payee 1 &amp; Söhne\s*<\/td>/);
  expect(page).toContain('aria-label="Release"');
  const found = await readPage(`/releases/${id}?search=invoice+299`);
  expect(found.match(/<tr>/g)).toHaveLength(2);
  // A person who sees some of the rows cannot decide about all.
  expect(found).not.toContain('aria-label="Release"');
});

test("shows the payees of a pain.001 document", async () => {
  const id = await requestPayments({
    "payment-product": "pain.001-sepa-credit-transfers",
    pain001: pain001({
      debtor: "DE12500105170648489890",
      transfers: [{ amount: "10.50" }, { amount: "2", account: "<Id><Othr><Id>77-12</Id></Othr></Id>" }],
    }),
  });
  const { stdout } = await releases(["show", id]);
  expect(stdout).toContain("2 payments, 12.50 EUR in total");
  expect(stdout).toMatch(/NL13TEST0123456789 +DE12500105170648489890 +10\.50 EUR +Invoice 4711/);
  expect(stdout).toContain("not an IBAN: 77-12");
});

test("marks invisible and look-alike characters, on the command line and the page", async () => {
  const reference = "\u0410cme\u200b\u061c Ltd\n\u00ad";
  const { release: id } = await place.client().orders.order(sampleOrder({ reference }));
  const { stdout } = await releases(["show", id]);
  expect(stdout).toContain("\u0410cme<U+200B><U+061C> Ltd <U+00AD> (mixes alphabets: <U+0410>cme)\n");

  const readPage = await signInToPage();
  expect(await readPage(`/releases/${id}`)).toContain(
    '<dd>\u0410cme&lt;U+200B&gt;&lt;U+061C&gt; Ltd &lt;U+00AD&gt; <strong class="chip bad">mixes alphabets: &lt;U+0410&gt;cme</strong></dd>',
  );
});

test("a waiting request that was edited in the store is neither shown nor decided", async () => {
  const { release: id } = await place.client().orders.order(sampleOrder());
  await withStore(place.store, async ({ database, sealer }) =>
    forgeRows({ database, sealer }, "UPDATE fxdesk_releases SET request_signature = NULL WHERE id = $1", [
      id,
    ]),
  );
  expect((await releases(["list", "--json"])).stdout).not.toContain(id);
  const words = ["release", id, "--as", "anna"];
  for (const refused of [await releases(["show", id]), await releases(words, secretOf("anna"))])
    expect(refused).toEqual(failure(2, "was changed in the store"));
});

describe("with a second factor", () => {
  const seed = createTotpSeed();
  let step: number;
  beforeAll(async () => {
    step = Math.floor(Date.now() / 30_000);
    const setUp = { seed, code: totpCode(seed, step - 1) };
    await setTotp(place.peoplePath, "bert", setUp, { person: "bert", secret: secretOf("bert") });
  });
  afterAll(() => place.setPolicy(defaultPolicy));
  const order = async () => (await place.client().orders.order(sampleOrder({ worst_rate: "9" }))).release;
  const release = (id: string, flags: readonly string[], ...lines: string[]) =>
    releases(["release", id, "--as", "bert", ...flags], [secretOf("bert"), ...lines].join("\n"));
  const decisionsOf = async (id: string) => (await place.service.get(id)).decisions;

  test("asks for a code, or takes it as a flag, and each counts once", async () => {
    await place.setPolicy({ ...defaultPolicy, secondFactor: "totp" });
    const [one, two] = [await order(), await order()];
    const [first, second] = [totpCode(seed, step), totpCode(seed, step + 1)];
    const wrong = first === "000000" ? "000001" : "000000";
    const refused = failure(2, "the code or passkey is wrong or was used");
    expect(await release(one, [], wrong)).toEqual(refused);
    expect(await release(one, [])).toMatchObject({ code: 2 });
    expect(await release(one, [], first)).toMatchObject({ code: 0, stdout: `${one} is released.\n` });
    expect(await release(two, ["--code", first])).toEqual(refused);
    expect(await decisionsOf(two)).toEqual([]);
    expect(await release(two, ["--code", second])).toMatchObject({ code: 0 });
    for (const id of [one, two])
      expect(await decisionsOf(id)).toMatchObject([{ person: "bert", factors: ["secret", "totp"] }]);
  });

  test("leads to the page if only a passkey counts", async () => {
    await place.setPolicy({ ...defaultPolicy, secondFactor: "passkey" });
    const id = await order();
    expect(await release(id, [])).toEqual(failure(2, "requires a passkey"));
    expect(await decisionsOf(id)).toEqual([]);
    expect(await releases(["refuse", id, "--as", "bert"], secretOf("bert"))).toMatchObject({ code: 0 });
  });
});

test("refuses with a note, and cancels", async () => {
  const client = place.client();
  const [one, two] = [await client.orders.order(sampleOrder()), await client.orders.order(sampleOrder())];
  const words = ["refuse", one.release, "--as", "bert", "--note", "not today"];
  expect(await releases(words, secretOf("bert"))).toMatchObject({
    code: 0,
    stdout: `${one.release} is refused.\n`,
  });
  expect((await client.orders.get(one.release)).remark).toBe("Refused by bert: not today");
  expect(await releases(["cancel", two.release])).toMatchObject({ code: 4 });
  const own = { ...variables, FXDESK_SERVICE_KEY: serviceKeyOf("desk") };
  expect(await runFxdesk(["releases", "cancel", two.release], { variables: own })).toMatchObject({ code: 0 });
  expect(await releases(["release", two.release, "--as", "anna"], secretOf("anna"))).toMatchObject({
    code: 2,
  });
});
