/** Receipts: what they say, the key that signs them, and the verifiers of the page. */
import { createHash } from "node:crypto";
import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { demo } from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { loadReceiptKey } from "../../../core/releases/receipt-key";
import { withStore } from "../../../core/store/open";
import { runFxdesk, storeVariables, type Variables } from "../../cli/run-command";
import { forgeRows } from "../../support/forged-rows";
import { tempFolder } from "../../support/resources";
import { sampleInput } from "../../support/samples";
import { expectAlterationsFound, verifierOf, verifyReceipts } from "./receipt-scripts";
import { createReleaseFixture, type ReleaseFixture } from "./release-fixture";

type Payment = Parameters<FxdeskClient["payments"]["initiate"]>[0];

test("the verifier of the page finds each of 100 altered receipts", () => expectAlterationsFound("js", 100));

test.each(["js", "python"] as const)(
  "the verifier in %s is short and has no code of fxdesk",
  async (language) => {
    const code = await verifierOf(language);
    expect(code.split("\n").length).toBeLessThanOrEqual(60);
    expect(code).not.toMatch(/@fxdesk|require\(|\bfrom "\./);
  },
);

describe("a released payment", () => {
  let fixture: ReleaseFixture;
  let variables: Variables;
  let entry: string;
  let release: string;
  const run = (...words: string[]) => runFxdesk(["journal", "receipt", ...words], { variables });

  beforeAll(async () => {
    fixture = await createReleaseFixture();
    variables = {
      ...storeVariables(fixture.store.location, fixture.store.key),
      FXDESK_PEOPLE: fixture.peoplePath,
    };
    const client = fixture.client();
    const input = (await sampleInput("payments.initiate", client)) as unknown as Payment;
    const pay = () => client.payments.initiate.response(input, { key: "INV-1" });
    const waiting = (await pay().catch((error: unknown) => error)) as { release: string };
    release = waiting.release;
    await fixture.decide(release, "anna");
    entry = (await pay()).journal!.entry;
  });

  test("has a receipt with requester, decision, request, response and place in the journal", async () => {
    const [{ stdout: line }, { stdout: publicKey }] = [await run(entry), await run("--public-key")];
    expect(await verifyReceipts("js", publicKey, [line.trimEnd()])).toEqual({ code: 0, words: ["valid"] });
    const { receipt } = JSON.parse(line) as { receipt: Record<string, any> };
    expect(receipt).toMatchObject({
      entry,
      operation: "payments.initiate",
      key: "INV-1",
      requester: "desk",
      policy: createHash("sha256")
        .update(await readFile(fixture.policyPath))
        .digest("hex"),
      release: { id: release, requester: "desk", decisions: [{ person: "anna", decision: "release" }] },
      request: { method: "POST", address: fixture.sandbox.xs2aUrl, body: expect.stringContaining("125.50") },
      outcome: { state: "done", status: 201, body: { paymentId: receipt.outcome.identity } },
    });
    const { seq, hash, head } = receipt.chain as { seq: number; hash: string; head: object };
    expect(head).toEqual({ seq, hash });
    const { code } = await runFxdesk(["journal", "verify", "--head", `${seq}:${hash}`], { variables });
    expect(code).toBe(0);
    for (const secret of [demo.accessToken, demo.apiKey]) expect(line).not.toContain(secret);
  });

  test("has no receipt if a decision was changed, or cannot be verified", async () => {
    const { FXDESK_PEOPLE: _, ...withoutPeople } = variables;
    expect(await runFxdesk(["journal", "receipt", entry], { variables: withoutPeople })).toMatchObject({
      code: 2,
      stdout: "",
    });
    const postpone = (ms: number) =>
      withStore(fixture.store, (store) =>
        forgeRows(store, `UPDATE fxdesk_release_decisions SET decided_at = decided_at + ${ms}`),
      );
    await postpone(1);
    expect(await run(entry)).toMatchObject({ code: 1, stdout: "" });
    await postpone(-1);
    expect(await run(entry)).toMatchObject({ code: 0 });
  });

  test("has no receipt without the decisions of its sending", async () => {
    const change = (sql: string) => withStore(fixture.store, ({ database }) => database.run(sql));
    await change("CREATE TABLE kept AS SELECT * FROM fxdesk_release_decisions");
    await change("DELETE FROM fxdesk_release_decisions");
    expect(await run(entry)).toMatchObject({ code: 1, stdout: "" });
    await change("INSERT INTO fxdesk_release_decisions SELECT * FROM kept");
    await change("DROP TABLE kept");
    expect(await run(entry)).toMatchObject({ code: 0 });
  });

  test("has one receipt at a time", async () => {
    for (const words of [[], [entry, "--public-key"], ["no-such-entry"]])
      expect(await run(...words)).toMatchObject({ code: 2, stdout: "" });
  });
});

test("processes that create the key at the same time get one key, which only its owner can read", async () => {
  const folder = await tempFolder();
  const path = join(folder, "state/receipt-key.pem");
  const keys = await Promise.all(Array.from({ length: 10 }, () => loadReceiptKey(path)));
  expect(new Set(keys.map((key) => key.export({ format: "pem", type: "pkcs8" }))).size).toBe(1);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "state"))).toEqual(["receipt-key.pem"]);
  await chmod(path, 0o640);
  await expect(loadReceiptKey(path)).rejects.toThrow(TypeError);
});
