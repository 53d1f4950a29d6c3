/** Failed attempts: their record, and the pauses after them, over surfaces and processes. */
import { appendFile, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  AttemptRefused,
  createTokenRecorder,
  listAttempts,
  type Origin,
  recordAttempt,
} from "../../../core/people/attempts";
import { authenticate } from "../../../core/people/authenticate";
import { secretOf, writePeople } from "../../support/people-file";
import { tempFolder } from "../../support/resources";

let path: string;
let log: jest.SpyInstance;
beforeEach(async () => {
  path = join(await tempFolder(), "people.json");
  await writePeople(path, ["anna", "bert"]);
  log = jest.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

const from = (address: string, more: Partial<Origin> = {}): Origin => ({ surface: "page", address, ...more });

/** Returns what an attempt ended with. */
const attempt = (person: string, secret: string, origin: Origin): Promise<string> =>
  authenticate(path, { person, secret }, origin).then(
    () => "accepted",
    ({ name }: Error) => name,
  );

/** Fails as often as is free. */
async function failOften(person: string, origin: Origin): Promise<void> {
  for (let count = 0; count < 5; count += 1)
    expect(await attempt(person, "a wrong guess", origin)).toBe("WrongSecret");
}

test("records time, surface, address, name and result, but no secret, where only the owner can read it", async () => {
  await attempt("anna", "a wrong guess", from("10.0.0.1"));
  await attempt("anna", secretOf("anna"), from("user@host", { surface: "cli" }));
  await attempt("mallory\u202e", "a wrong guess", from("10.0.0.2"));
  expect(await listAttempts(path)).toMatchObject([
    { result: "failed", name: "anna", surface: "page", address: "10.0.0.1", at: expect.any(String) },
    { result: "accepted", name: "anna", surface: "cli", address: "user@host" },
    { result: "failed", name: "mallory<U+202E>", surface: "page", address: "10.0.0.2" },
  ]);
  const file = `${path}.attempts`;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, "utf8");
  for (const secret of ["a wrong guess", secretOf("anna")]) expect(text).not.toContain(secret);
  expect(log).toHaveBeenCalledTimes(2);
});

test("pauses after failures in a row grow, and end with the right secret", async () => {
  const start = Date.now();
  const clock = jest.spyOn(Date, "now");
  const at = (seconds: number) => clock.mockReturnValue(start + seconds * 1_000);
  at(0);
  await failOften("anna", from("10.0.0.1"));
  at(14);
  expect(await attempt("anna", secretOf("anna"), from("10.0.0.1"))).toBe("TooManyAttempts");
  at(60);
  expect(await attempt("anna", "a wrong guess", from("10.0.0.1"))).toBe("WrongSecret");
  at(89);
  expect(await attempt("anna", secretOf("anna"), from("10.0.0.2"))).toBe("TooManyAttempts");
  at(120);
  expect(await attempt("anna", secretOf("anna"), from("10.0.0.1"))).toBe("accepted");
  expect(await attempt("anna", "a wrong guess", from("10.0.0.1"))).toBe("WrongSecret");
});

const keptOut: readonly [string, string, Origin, string][] = [
  ["the same name from another address", "anna", from("10.0.0.2"), "TooManyAttempts"],
  ["another name from the same address", "bert", from("10.0.0.1"), "TooManyAttempts"],
  ["another name from another address", "bert", from("10.0.0.2"), "accepted"],
  ["a person who is signed in", "anna", from("10.0.0.1", { isSignedIn: true }), "accepted"],
];
test.each(keptOut)("after failures of anna, %s", async (_, person, origin, result) => {
  await failOften("anna", from("10.0.0.1"));
  expect(await attempt(person, secretOf(person), origin)).toBe(result);
});

test("wrong guesses of others keep no person out at an address that they use", async () => {
  expect(await attempt("anna", secretOf("anna"), from("10.0.0.9"))).toBe("accepted");
  await failOften("anna", from("10.0.0.1"));
  await failOften("bert", from("10.0.0.9"));
  expect(await attempt("anna", secretOf("anna"), from("10.0.0.9"))).toBe("accepted");
});

test("invented names delay no person, even from the same address and all at once", async () => {
  const flood = Array.from({ length: 40 }, (_, index) =>
    attempt(`invented-${index}`, "a wrong guess", from("10.0.0.1")),
  );
  expect(await attempt("anna", secretOf("anna"), from("10.0.0.1"))).toBe("accepted");
  const results = await Promise.all(flood);
  expect(results.filter((result) => result === "WrongSecret").length).toBeLessThanOrEqual(10);
  expect(new Set(results)).toEqual(new Set(["WrongSecret", "TooManyAttempts"]));
});

test("attempts side by side do not get round a pause", async () => {
  let checks = 0;
  const check = async () => {
    checks += 1;
    return false;
  };
  const given = { name: "anna", isKnown: true, origin: from("10.0.0.1") };
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, () => recordAttempt(path, given, check)),
  );
  expect(checks).toBe(5);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(7);
});

test("wrong tokens are recorded and paused by address, with and without a people file", async () => {
  for (const record of [createTokenRecorder(path), createTokenRecorder(undefined)]) {
    for (let count = 0; count < 5; count += 1) await record("10.0.0.1");
    await expect(record("10.0.0.1")).rejects.toThrow(AttemptRefused);
    await record("10.0.0.2");
  }
  expect(await listAttempts(path)).toHaveLength(6);
  expect(log).toHaveBeenCalledTimes(12);
});

test("the record is bounded, and keeps where people were accepted", async () => {
  await attempt("anna", secretOf("anna"), from("10.0.0.9"));
  const line = (index: number) =>
    `${JSON.stringify({ id: String(index), at: new Date().toISOString(), surface: "page", address: `a-${index}`, name: "x", isKnown: false, result: "failed" })}\n`;
  await appendFile(`${path}.attempts`, Array.from({ length: 3_000 }, (_, index) => line(index)).join(""));
  await attempt("bert", secretOf("bert"), from("10.0.0.8"));
  const kept = await listAttempts(path);
  expect(kept.length).toBeLessThanOrEqual(1_000);
  expect(kept).toContainEqual(expect.objectContaining({ name: "anna", result: "accepted" }));
});
