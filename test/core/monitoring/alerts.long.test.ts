/** The alert rules of the documentation under promtool, which Debian has in its package prometheus. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(__dirname, "../../../docs/monitoring");
const runPromtool = (...args: readonly string[]) =>
  spawnSync("promtool", args, { cwd: folder, encoding: "utf8" });

test("every alert rule is tested", () => {
  const namesIn = (file: string, pattern: RegExp) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(pattern)].map(([, name]) => name);
  const rules = namesIn("alerts.yml", /alert: (\w+)/g);
  expect(rules.length).toBeGreaterThan(5);
  expect(new Set(namesIn("alerts.test.yml", /alertname="(\w+)"/g))).toEqual(new Set(rules));
});

(runPromtool("--version").error ? test.skip : test)(
  "the rules fire when they should (needs promtool)",
  () => {
    const { status, stdout, stderr } = runPromtool("test", "rules", "alerts.test.yml");
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  },
);
