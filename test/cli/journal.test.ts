/** Tests fxdesk journal. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import type { Entry } from "../../core/journal/entry";
import { openJournal } from "../../core/journal/journal";
import { createPeople } from "../../core/people/administration";
import { withStore } from "../../core/store/open";
import { done, intent, longMs, unknown } from "../core/journal/fixtures";
import { eventually } from "../support/eventually";
import { closeLater, tempFolder } from "../support/resources";
import { makeQuote, sandboxClient } from "../support/samples";
import { openSandbox } from "../support/sandboxes";
import { jsonOf, runFxdesk, storeVariables, usageErrorOf, type Variables, variablesOf } from "./run-command";

const key = Buffer.alloc(32, 7);
let folder: string;
let variables: Variables;
beforeEach(async () => {
  folder = await tempFolder();
  variables = { ...storeVariables(join(folder, "store.db"), key), FXDESK_ACTOR: "treasurer" };
});

const journal = (...words: string[]) => runFxdesk(["journal", ...words], { variables });
const json = (...words: string[]) => jsonOf<Record<string, unknown>>(["journal", ...words], variables);

/** Removes undefined members, as JSON does. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe("a journal with a booking that was done and one that was lost", () => {
  let booked: Entry;
  let lost: Entry;

  beforeEach(async () => {
    const opened = closeLater(await openJournal({ location: variables.FXDESK_STORE!, key }));
    const made = async (name: string, ending: typeof done) => {
      const { entry } = await opened.claim(intent({ key: name }), longMs);
      await opened.recordSent(entry);
      return opened.recordOutcome(entry, ending);
    };
    booked = await made("key-1", done);
    lost = await made("key-2", unknown);
  });

  test("list prints outcomes, newest first", async () => {
    const { code, stdout } = await journal("list");
    expect(code).toBe(0);
    const [heading, first, second, ...rest] = stdout.trimEnd().split("\n");
    expect(heading).toMatch(/^started +entry +operation +state +identity +reference +key +environment$/);
    for (const words of [lost.id, "unknown", "key-2"]) expect(first).toContain(words);
    for (const words of [booked.id, "done", "trade-1", "FX-1"]) expect(second).toContain(words);
    expect(rest).toEqual([]);
    expect(await json("list")).toEqual(asJson([lost, booked]));
    expect(await json("list", "--state", "done", "--state", "sent")).toEqual(asJson([booked]));
    expect(await json("list", "--limit", "1")).toEqual(asJson([lost]));
  });

  test("list finds outcomes that have been unknown for long, and then fails", async () => {
    expect(await journal("list", "--unknown-longer-than", "10m")).toMatchObject({ code: 0 });
    const found = await eventually(
      async () => {
        const { code, stdout } = await journal("list", "--unknown-longer-than", "1s", "--json");
        return code === 0 ? undefined : { code, entries: JSON.parse(stdout) as unknown };
      },
      { withinMs: 10_000, what: "an outcome that has been unknown for a second" },
    );
    expect(found).toEqual({ code: 1, entries: [expect.objectContaining({ id: lost.id })] });
    for (const words of [["10"], ["0m"], ["10m", "--state", "done"]])
      await usageErrorOf(["journal", "list", "--unknown-longer-than", ...words], { variables });
  });

  test("show prints all events of an entry", async () => {
    const { code, stdout } = await journal("show", booked.id);
    expect(code).toBe(0);
    for (const words of ["trades.book", "trade-1", "jane", "Ångström & Søn", '"status":200'])
      expect(stdout.replace(/\s+/g, " ")).toContain(words);
    expect(stdout).toMatch(/ intent [^]* sent[^]* ended /);
    expect(await json("show", booked.id)).toMatchObject({
      ...(asJson(booked) as object),
      events: [
        { seq: 1, kind: "intent" },
        { seq: 2, kind: "sent" },
        { seq: 3, kind: "ended" },
      ],
    });
  });

  test("resolve records the outcome and the person, once", async () => {
    const words = [
      "resolve",
      lost.id,
      "--outcome",
      "done",
      "--identity",
      "trade-2",
      "--note",
      "seen in the list",
    ];
    expect(await journal(...words)).toMatchObject({
      code: 0,
      stdout: `Entry ${lost.id} is done.\n`,
      stderr: "",
    });
    expect(await json("show", lost.id)).toMatchObject({
      ending: { state: "done", by: "person", identity: "trade-2" },
      endingDetails: { note: "seen in the list", actor: "treasurer" },
    });
    expect(await usageErrorOf(["journal", ...words], { variables })).toContain(
      "cannot be resolved: its outcome is already known",
    );
  });

  test("resolve needs the secret of a person of the people file", async () => {
    const people = join(await tempFolder(), "people.json");
    await createPeople(people, "anna", "correct horse battery");
    const resolveBy = (words: string, input = "") =>
      runFxdesk(
        ["journal", "resolve", lost.id, "--outcome", "not-sent", "--note", "seen", ...words.split(" ")],
        {
          variables: { ...variables, FXDESK_PEOPLE: people, FXDESK_ACTOR: "anna" },
          input,
        },
      );
    expect((await resolveBy("--json")).code).toBe(2);
    expect((await resolveBy("--by anna", "another secret\n")).code).toBe(2);
    expect(await json("show", lost.id)).toMatchObject({ state: "unknown" });
    expect((await resolveBy("--by anna", "correct horse battery\n")).code).toBe(0);
    expect(await json("show", lost.id)).toMatchObject({ endingDetails: { actor: "anna" } });
  });

  test("resolve as not-sent warns that the key is free again", async () => {
    const resolved = await journal("resolve", lost.id, "--outcome", "not-sent", "--note", "not there");
    expect(resolved).toMatchObject({ code: 0, stderr: expect.stringContaining("Its key is free") as string });
  });

  test("erase removes the details and the journal still verifies", async () => {
    const { code, stdout } = await journal("erase", booked.id);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `The details of entry ${booked.id} are erased.\n` });
    const { stdout: shown } = await journal("show", booked.id);
    expect(shown).not.toContain("Ångström");
    expect(shown).toContain('{"details":"erased"}');
    expect((await journal("verify")).code).toBe(0);
    expect((await journal("export")).stdout.split("\n")[0]).not.toContain("Ångström");
    expect(await usageErrorOf(["journal", "erase", lost.id], { variables })).toContain(
      "cannot be erased yet: its outcome is unknown",
    );
  });

  test("verifies an export with the head of the store", async () => {
    const { heads, ...rest } = await json("verify");
    const [{ head }] = heads as [{ head: string }];
    expect(heads).toEqual([{ environment: booked.environment, head }]);
    expect(rest).toEqual({ events: 6, entries: 2, faults: [], faultCount: 0 });
    const { stdout } = await journal("export");
    const path = join(folder, "export.jsonl");
    const verify = async (content: string, ...words: string[]) => {
      await writeFile(path, content);
      return runFxdesk(["journal", "verify", "--file", path, ...words]);
    };
    const verified = await verify(stdout, "--head", head);
    expect(verified.code).toBe(0);
    for (const words of ["Events", "6", head]) expect(verified.stdout).toContain(words);

    const changed = await verify(stdout.replace("trade-1", "trade-7"));
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(/line 3 +its hash does not match/);

    const lines = stdout.split("\n").slice(0, 3);
    const { environment } = booked;
    const { hash } = JSON.parse(lines[2]!) as { hash: string };
    const last = [{ count: 3, environment, head: hash }, { environments: 1 }].map((line) =>
      JSON.stringify(line),
    );
    const cutOff = [...lines, ...last, ""].join("\n");
    expect((await verify(cutOff)).code).toBe(0);
    const cut = await verify(cutOff, "--head", head, "--json");
    expect({ code: cut.code, ...(JSON.parse(cut.stdout) as object) }).toMatchObject({
      code: 1,
      heads: [{ environment, head: `3:${hash}` }],
      faults: [{ where: "end" }],
    });
  });

  test("verify and store check find changed events", async () => {
    await withStore({ location: variables.FXDESK_STORE!, key }, ({ database }) =>
      database.run("UPDATE fxdesk_journal_events SET at = at + 1 WHERE seq = 2"),
    );
    const { code, stdout } = await journal("verify");
    expect(code).toBe(1);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      `event 2 of ${booked.environment} its hash does not match`,
    );
    const checked = await runFxdesk(["store", "check"], { variables });
    expect(checked.code).toBe(1);
    expect(checked.stdout.replaceAll(/\s+/g, " ")).toContain(
      `Journal, event 2 of ${booked.environment}: its hash does not match`,
    );
  });
});

describe("recover", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  beforeEach(() => {
    sandbox.control.clearFaults();
    variables = { ...variablesOf(sandbox), FXDESK_STORE: variables.FXDESK_STORE! };
  });

  /** Books and drops the response; the entry is unknown if recovery could not run. */
  async function bookWithLostResponse(kind: "reset-before" | "reset-after"): Promise<string> {
    const client = sandboxClient(sandbox, { environment: "sandbox", store: variables.FXDESK_STORE! });
    const quote_id = await makeQuote(client);
    sandbox.control.addFault({ operation: "trades.book", kind });
    // Ends the background recovery, which would otherwise find the booking first.
    sandbox.control.addFault({ operation: "trades.list", kind: "status", status: 403, times: 1 });
    const { journal: note } = await client.trades.book({ quote_id, reason: "other" }).then(
      () => Promise.reject(new Error("It was not lost.")),
      (error: { journal: { entry: string } }) => error,
    );
    await client.close();
    return note.entry;
  }

  test("finds a booked trade and reports others as unknown", async () => {
    const [booked, not] = [
      await bookWithLostResponse("reset-after"),
      await bookWithLostResponse("reset-before"),
    ];
    const { code, stdout } = await journal("recover");
    expect(code).toBe(7);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^${booked}  trades.book  done  TR\\d+  fxdesk searched`)),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^${not}  trades.book  unknown  fxdesk searched .*no match`)),
    );
    expect(await json("recover")).toMatchObject([{ entry: not, state: "unknown" }]);
  });

  test("names an entry for which another process searches", async () => {
    const booked = await bookWithLostResponse("reset-after");
    const opened = closeLater(await openJournal({ location: variables.FXDESK_STORE!, key: undefined }));
    await opened.reschedule(booked, 0);
    await opened.leaseOne(booked, longMs);
    const { code, stdout } = await journal("recover");
    expect(code).toBe(7);
    expect(stdout).toMatch(new RegExp(`^${booked}  trades.book  unknown  Not searched`));
  });

  test("recovers one entry, and none if nothing is unknown", async () => {
    const booked = await bookWithLostResponse("reset-after");
    expect(await json("recover", booked)).toMatchObject([{ entry: booked, state: "done" }]);
    expect(await journal("recover")).toMatchObject({ code: 0, stdout: "No call has an unknown outcome.\n" });
    const again = await usageErrorOf(["journal", "recover", booked], { variables });
    expect(again).toContain(`Journal entry ${booked} is done`);
    await usageErrorOf(["journal", "recover", "no-such"], { variables });
  });
});
