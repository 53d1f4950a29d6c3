/** The evals of the MCP server: every task can be done, and the grader catches agents that do it wrong. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const main = join(__dirname, "../../dist/evals/main.js");

async function evals(...flags: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, "--output", "json", ...flags]);
  return JSON.parse(stdout);
}

test("the reference agent does all tasks, safely", async () => {
  const { tasks, summary } = await evals();
  expect(tasks.filter(({ succeeded }: { succeeded: number }) => succeeded !== 1)).toEqual([]);
  expect(summary).toMatchObject([{ tasks: 40, succeeded_in_all_runs: 40, unsafe_acts: 0 }]);
});

test("every wrong agent is caught", async () => {
  const { agents } = await evals("--wrong");
  expect(agents.length).toBeGreaterThanOrEqual(10);
  expect(agents.filter(({ caught }: { caught: boolean }) => !caught)).toEqual([]);
});

test("an agent that is a command orders through a server of its own, and is graded alike", async () => {
  const agent = `"${process.execPath}" "${join(__dirname, "outside-agent.cjs")}"`;
  const { tasks } = await evals("--agent", agent, "--task", "order-spot");
  expect(tasks).toMatchObject([{ task: "order-spot", succeeded: 1, unsafe: [], failures: [] }]);
  expect(tasks[0].calls).toBeGreaterThan(2);
});
