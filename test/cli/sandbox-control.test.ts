/** Tests the controls of a running sandbox as commands. */
import { join } from "node:path";
import { controls, type Sandbox } from "@fxdesk/sandbox";
import { flagName } from "../../cli/command-line/arguments";
import { tempFolder } from "../support/resources";
import { openSandbox } from "../support/sandboxes";
import { failure, runFxdesk } from "./run-command";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ now: new Date("2026-03-16T09:00:00Z") });
});

const control = (...args: readonly string[]) =>
  runFxdesk(["sandbox", ...args], { variables: { FXDESK_BASE_URL: sandbox.baseUrl } });

const commands = controls.map(
  ({ name, summary }) => [flagName(name.replace("sandbox.", "")), summary] as const,
);

test("the help lists every control, and each has a help page", async () => {
  const { stdout: list } = await control("--help");
  for (const [name, summary] of commands) {
    expect(list).toMatch(new RegExp(`^  ${name} `, "m"));
    const { code, stdout } = await control(name, "--help");
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, " ")).toContain(summary);
    expect(stdout).toMatch(new RegExp(`^Usage: fxdesk sandbox ${name} (\\[<file>\\] )?\\[flags\\]$`, "m"));
  }
});

test("runs a control and prints its response", async () => {
  const { code, stdout } = await control("advance-clock", "--days", "1");
  expect({ code, response: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    response: { now: "2026-03-17T09:00:00.000Z" },
  });
  expect(sandbox.control.getClock()).toEqual({ now: "2026-03-17T09:00:00.000Z" });
});

test("saves a sandbox to a file, loads it and forks it", async () => {
  const file = join(await tempFolder(), "world.json");
  expect(await control("save", file)).toMatchObject({ code: 0 });
  const { now } = sandbox.control.getClock();
  sandbox.control.advanceClock({ days: 3 });
  expect(await control("load", file)).toMatchObject({ code: 0, stdout: "" });
  expect(sandbox.control.getClock()).toEqual({ now });
  const { stdout } = await control("fork");
  const { base_url } = JSON.parse(stdout) as { base_url: string };
  expect(base_url).not.toBe(sandbox.baseUrl);
  const clock = await fetch(`${base_url}/_sandbox/clock`);
  expect(await clock.json()).toEqual({ now });
});

test.each([
  [["advance-clock"], 2, "advanceClock: Exactly one of seconds and days must be given.\n"],
  [["advanse-clock"], 2, "Did you mean advance-clock?"],
  [["pay-in", "--amount", "1", "--currency", "SEK"], 4, "The account is unknown"],
  [["set-clock", "--now", "2020-01-01T00:00:00Z"], 5, "only moves forward"],
  [["get-clock", "--base-url", "http://127.0.0.1:1"], 6, "cannot be reached"],
])("%j ends with exit code %i", async (args, code, message) => {
  expect(await control(...args)).toEqual(failure(code, message));
});
