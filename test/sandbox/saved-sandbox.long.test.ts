/**
 * Tests that a sandbox saved, loaded or forked at any moment continues byte-identically. FXDESK_POINTS=200 tests more
 * moments.
 */
import * as fc from "fast-check";
import { type ControlPlane, HttpError } from "@fxdesk/sandbox";
import { saveState, parseSavedState } from "../../sandbox/src/session/saved-sandbox";
import { copyState } from "../../sandbox/src/session/state-serialization";
import { activities, seedActivities, now, step } from "./support/activities";
import type { Ask } from "./support/http";
import { startInProcess, startInProcessFrom, type InProcessSandbox } from "./support/in-process";

const points = Number(process.env.FXDESK_POINTS ?? 15);
const stepsEach = 14;

type RecordedStep = (sandbox: InProcessSandbox) => Promise<string>;

const requestStep =
  (...request: Parameters<Ask>): RecordedStep =>
  async ({ ask }) => {
    const { status, headers, text } = await ask(...request);
    return JSON.stringify([status, [...headers], text]);
  };

const controlStep =
  (method: keyof ControlPlane, input: unknown): RecordedStep =>
  async ({ control }) => {
    try {
      return JSON.stringify((control[method] as (input: unknown) => unknown)(input) ?? null);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return `${error.status} ${error.message} ${error.details}`;
    }
  };

/** Records the requests and controls of a sandbox. */
function recordingSandbox(sandbox: InProcessSandbox, steps: RecordedStep[]): InProcessSandbox {
  const control = Object.fromEntries(
    Object.entries(sandbox.control).map(([method, act]) => [
      method,
      (input?: never) => {
        steps.push(controlStep(method as keyof ControlPlane, input));
        return (act as (input?: never) => unknown)(input);
      },
    ]),
  );
  return {
    ...sandbox,
    control: control as unknown as ControlPlane,
    get world() {
      return sandbox.world;
    },
    ask: (...request) => {
      steps.push(requestStep(...request));
      return sandbox.ask(...request);
    },
  };
}

/** Records the steps of a random sequence from the common start. */
async function recordSteps(seed: number): Promise<RecordedStep[]> {
  const sandbox = startInProcessFrom(copyState(base.state));
  const steps: RecordedStep[] = [];
  const recorded = recordingSandbox(sandbox, steps);
  for (const [name, values] of fc.sample(step, { numRuns: stepsEach, seed }))
    await activities[name]!.act(recorded, values);
  await sandbox.close();
  return steps;
}

async function replaySteps(sandbox: InProcessSandbox, steps: readonly RecordedStep[]): Promise<string[]> {
  const responses: string[] = [];
  for (const replayStep of steps) responses.push(await replayStep(sandbox));
  return responses;
}

const textOf = ({ state }: InProcessSandbox) => JSON.stringify(saveState(state));

let base: InProcessSandbox;
beforeAll(async () => {
  base = startInProcess(now, "fxdesk", { living: true });
  await seedActivities(base);
});
afterAll(() => base.close());

const seeds = Array.from({ length: points }, (_, index) => index + 1 + Number(process.env.FXDESK_SEED ?? 0));

test.each(seeds)(
  "sequence %i",
  async (seed) => {
    const recordedSteps = await recordSteps(seed);
    const point = (seed * 7) % recordedSteps.length;
    const [before, after] = [recordedSteps.slice(0, point), recordedSteps.slice(point)];
    const untouched = startInProcessFrom(copyState(base.state));
    const original = startInProcessFrom(copyState(base.state));
    const responses = await replaySteps(untouched, recordedSteps);
    expect(await replaySteps(original, before)).toEqual(responses.slice(0, point));
    const text = textOf(original);
    const forked = startInProcessFrom(copyState(original.state));
    const rest = responses.slice(point);
    expect(await replaySteps(original, after)).toEqual(rest);
    const loaded = startInProcessFrom(parseSavedState(JSON.parse(text)));
    expect(textOf(loaded)).toBe(text);
    expect(await replaySteps(forked, after)).toEqual(rest);
    expect(await replaySteps(loaded, after)).toEqual(rest);
    const end = textOf(untouched);
    for (const each of [original, forked, loaded]) expect(textOf(each) === end).toBe(true);
    for (const each of [untouched, original, forked, loaded]) await each.close();
  },
  60_000,
);

/** Picks an undoable request, and the steps from it on. */
function someRequest(
  seed: number,
  before: number,
  steps: readonly RecordedStep[],
  numbers: readonly number[],
) {
  const candidates = steps.map((_, index) => index).filter((index) => numbers[index]! > before);
  const index = candidates[(seed * 13) % candidates.length]!;
  return { request: numbers[index]!, again: steps.slice(index) };
}

test.each(seeds)(
  "undoes one of the requests of sequence %i",
  async (seed) => {
    const recordedSteps = await recordSteps(seed);
    const sandbox = startInProcessFrom(copyState(base.state));
    const before = sandbox.state.arrived;
    const [responses, numbers]: [string[], number[]] = [[], []];
    let arrived = before;
    for (const runStep of recordedSteps) {
      responses.push(await runStep(sandbox));
      // Number of the request, or 0 if the step was not logged.
      numbers.push(sandbox.state.arrived > arrived ? sandbox.state.arrived : 0);
      arrived = sandbox.state.arrived;
    }
    const end = textOf(sandbox);
    const { request, again } = someRequest(seed, before, recordedSteps, numbers);
    sandbox.control.undo({ request });
    expect(sandbox.state.arrived).toBe(request - 1);
    expect(await replaySteps(sandbox, again)).toEqual(responses.slice(-again.length));
    expect(textOf(sandbox) === end).toBe(true);
    await sandbox.close();
  },
  60_000,
);
