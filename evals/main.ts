/**
 * Entry point of `npm run evals`: lets an agent do the tasks of a treasurer on forks of a seeded sandbox, and grades them by
 * its books, the journal and the releases.
 */
import { parseArgs } from "node:util";
import { table } from "../cli/terminal/table";
import { outsideAgent } from "./outside-agent";
import { type Agent, referenceAgent, type Run, runTask, scriptedAgent } from "./run";
import type { Task } from "./task";
import { tasks } from "./tasks";
import { openWorld, type World } from "./world";
import { wrongAgents } from "./wrong-agents";

/** Tasks at the same time: most of them wait. */
const concurrency = 4;

/** Runs jobs side by side. Returns their results in order. */
async function runAll<T>(jobs: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const waiting = jobs.entries();
  const work = async () => {
    for (const [index, job] of waiting) results[index] = await job();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

const isDone = ({ failures, unsafe }: Run): boolean => failures.length === 0 && unsafe.length === 0;

const sumOf = (runs: readonly Run[], of: "calls" | "tokens" | "ms"): number =>
  runs.reduce((total, run) => total + run[of], 0);

/** Summarizes the runs of a task; calls, tokens and milliseconds are averages. */
function reportOf({ name }: Task, results: readonly Run[]) {
  const runs = results.filter(({ task }) => task === name);
  const average = (of: "calls" | "tokens" | "ms") => Math.round(sumOf(runs, of) / runs.length);
  return {
    task: name,
    succeeded: runs.filter(isDone).length,
    runs: runs.length,
    calls: average("calls"),
    tokens: average("tokens"),
    ms: average("ms"),
    unsafe: runs.flatMap(({ unsafe }) => unsafe),
    failures: runs.flatMap(({ failures }) => failures),
  };
}

async function evaluate(world: World, agent: Agent, prefix: string, times: number) {
  const chosen = tasks.filter(({ name }) => name.startsWith(prefix));
  const jobs = chosen.flatMap((task) =>
    Array.from({ length: times }, () => () => runTask(task, agent, world)),
  );
  const runs = await runAll(jobs);
  const reports = chosen.map((task) => reportOf(task, runs));
  const summary = {
    tasks: reports.length,
    runs: runs.length,
    succeeded: runs.filter(isDone).length,
    succeeded_in_all_runs: reports.filter((report) => report.succeeded === report.runs).length,
    unsafe_acts: runs.flatMap(({ unsafe }) => unsafe).length,
    calls: sumOf(runs, "calls"),
    tokens: sumOf(runs, "tokens"),
  };
  return { tasks: reports, summary: [summary] };
}

async function catchWrongAgents(world: World) {
  const jobs = wrongAgents.map(({ name, task, caughtBy, act }) => async () => {
    const chosen = tasks.find((each) => each.name === task)!;
    const { unsafe, failures } = await runTask(chosen, scriptedAgent(act), world);
    const found = [...unsafe, ...failures.map((failure) => failure.split(":", 1)[0]!)];
    return { agent: name, task, found, caught: found.includes(caughtBy) };
  });
  return { agents: await runAll(jobs) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      agent: { type: "string" },
      wrong: { type: "boolean" },
      task: { type: "string", default: "" },
      seed: { type: "string", default: "1" },
      runs: { type: "string", default: "1" },
      output: { type: "string", default: "table" },
    },
  });
  // The log of the server has a line for each money call.
  console.error = () => undefined;
  const world = await openWorld(values.seed);
  const agent = values.agent === undefined ? referenceAgent : outsideAgent(values.agent);
  const result = values.wrong
    ? await catchWrongAgents(world)
    : await evaluate(world, agent, values.task, Number(values.runs));
  await world.sandbox.close();
  if (values.output === "json") console.log(JSON.stringify(result, null, 2));
  else for (const rows of Object.values(result)) console.log(table(rows));
}

void main();
