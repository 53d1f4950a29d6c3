/** Tests fxdesk keys. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadPeople } from "../../core/people/people-file";
import { hashToken } from "../../core/people/token";
import { tempFolder } from "../support/resources";
import { secretOf, writePeople } from "../support/people-file";
import { failure, runFxdesk } from "./run-command";

let path: string;
beforeEach(async () => {
  path = join(await tempFolder(), "people.json");
  await writePeople(path, ["anna", "bert"], ["desk"]);
});

const keys = (args: readonly string[], by = "anna") =>
  runFxdesk(["keys", ...args], { variables: { FXDESK_PEOPLE: path }, input: `${secretOf(by)}\n` });
const issue = (name: string, ...flags: string[]) => keys(["issue", name, "--by", "anna", ...flags]);

test("prints a key once, stores its hash and scopes, and revokes it", async () => {
  const scopes = [
    "--effects",
    "money",
    "--operations",
    "trades.order, payments.initiate",
    "--until",
    "2099-12-31",
  ];
  const { code, stdout } = await issue("payroll", ...scopes, "--per-request", "1000", "--per-day", "5000.50");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^payroll:[\w-]{43}\n$/)]);
  expect(await readFile(path, "utf8")).not.toContain(stdout.split(":")[1]!.trim());
  const stored = await loadPeople(path);
  expect(stored.keys).toEqual({
    payroll: {
      hash: hashToken(stdout.trim()),
      effects: ["money"],
      operations: ["trades.order", "payments.initiate"],
      until: "2099-12-31",
      perRequest: "1000",
      perDay: "5000.50",
    },
  });
  expect(JSON.parse((await keys(["list", "--json"])).stdout)).toEqual([
    {
      name: "payroll",
      effects: "money",
      operations: "trades.order,payments.initiate",
      until: "2099-12-31",
      per_request: "1000",
      per_day: "5000.50",
    },
  ]);
  expect(await keys(["revoke", "payroll", "--by", "anna"])).toMatchObject({ code: 0 });
  const after = await loadPeople(path);
  expect(after.keys).toEqual({});
  expect(after.log.map(({ change, person, by }) => [change, person, by])).toEqual([
    ["service key issued", "payroll", "anna"],
    ["service key revoked", "payroll", "anna"],
  ]);
});

test.each([
  ["the name of a person", ["anna"]],
  ["a name that looks like one", ["Ann\u0430"]],
  ["an invalid name", ["a:b"]],
  ["an unknown operation", ["payroll", "--operations", "payment.initiate"]],
  ["an operation that only reads", ["payroll", "--operations", "payments.get"]],
  ["an unknown effect", ["payroll", "--effects", "read"]],
  ["no effect", ["payroll", "--effects", ""]],
  ["an end that is no day", ["payroll", "--until", "tomorrow"]],
  ["a limit that is no amount", ["payroll", "--per-day", "1,000"]],
])("refuses %s", async (_, [name, ...flags]) => {
  const before = await readFile(path, "utf8");
  expect(await issue(name!, ...flags)).toMatchObject({ code: 2 });
  expect(await readFile(path, "utf8")).toBe(before);
});

test("refuses a second key of a name, a person of that name, and changes by others than administrators", async () => {
  expect(await issue("payroll")).toMatchObject({ code: 0 });
  expect(await issue("payroll")).toMatchObject({ code: 2 });
  const added = runFxdesk(["people", "add", "payroll", "--requester", "--by", "anna"], {
    variables: { FXDESK_PEOPLE: path },
    input: `${secretOf("anna")}\n`,
  });
  expect(await added).toMatchObject({ code: 2 });
  for (const args of [
    ["issue", "other"],
    ["revoke", "payroll"],
  ])
    expect(await keys([...args, "--by", "bert"], "bert")).toEqual(failure(2, "no administrator"));
  expect(await keys(["revoke", "unknown", "--by", "anna"])).toMatchObject({ code: 2 });
  expect(Object.keys((await loadPeople(path)).keys)).toEqual(["payroll"]);
});
