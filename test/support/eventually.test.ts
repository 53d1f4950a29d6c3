import { eventually } from "./eventually";

test("returns the first result of the check", async () => {
  const gives = [undefined, null, false, 0];
  expect(await eventually(() => gives.shift(), { withinMs: 30_000, what: "a number" })).toBe(0);
});

test("names the missing result at the limit", async () => {
  const waiting = { withinMs: 20, what: "the tide" };
  const message = "Not within 20 ms: the tide";
  await expect(eventually(() => false, waiting)).rejects.toThrow(message);
  await expect(eventually(() => new Promise(() => undefined), waiting)).rejects.toThrow(message);
  await expect(eventually(() => null, { ...waiting, what: () => "the ebb" })).rejects.toThrow("the ebb");
});

test("rejects with the error of the check", async () => {
  const check = () => {
    throw new Error("ran aground");
  };
  await expect(eventually(check, { withinMs: 30_000, what: "a ship" })).rejects.toThrow("ran aground");
});
