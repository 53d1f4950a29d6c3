/**
 * Saved, loaded or forked at any moment, a sandbox goes on as if nothing had been done to it: to the byte.
 * FXDESK_POINTS=200 tries more moments.
 */
import * as fc from "fast-check";
import { type ControlPlane, HttpError } from "@fxdesk/sandbox";
import { saveState, parseSavedState } from "../../sandbox/src/saved-sandbox";
import { copyState } from "../../sandbox/src/world/state-serialization";
import { activities, seedActivities, now, step } from "./support/activities";
import type { Ask } from "./support/http";
import { startInProcess, startInProcessFrom, type InProcessSandbox } from "./support/in-process";

const points = Number(process.env.FXDESK_POINTS ?? 15);
const stepsEach = 14;

type RecordedStep = (sandbox: InProcessSandbox) => Promise<string>;

const asked =
  (...request: Parameters<Ask>): RecordedStep =>
  async ({ ask }) => {
    const { status, headers, text } = await ask(...request);
    return JSON.stringify([status, [...headers], text]);
  };

const controlled =
  (method: keyof ControlPlane, input: unknown): RecordedStep =>
  async ({ control }) => {
    try {
      return JSON.stringify((control[method] as (input: unknown) => unknown)(input) ?? null);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return `${error.status} ${error.message} ${error.details}`;
    }
  };

/** A desk of which is noted what is done to it: requests as they are sent, and controls with their input. */
function recordingSandbox(sandbox: InProcessSandbox, steps: RecordedStep[]): InProcessSandbox {
  const control = Object.fromEntries(
    Object.entries(sandbox.control).map(([method, act]) => [
      method,
      (input?: never) => {
        steps.push(controlled(method as keyof ControlPlane, input));
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
      steps.push(asked(...request));
      return sandbox.ask(...request);
    },
  };
}

/** What a random sequence does, from the same beginning. */
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
    const deeds = await recordSteps(seed);
    const point = (seed * 7) % deeds.length;
    const [before, after] = [deeds.slice(0, point), deeds.slice(point)];
    const untouched = startInProcessFrom(copyState(base.state));
    const kept = startInProcessFrom(copyState(base.state));
    const responses = await replaySteps(untouched, deeds);
    expect(await replaySteps(kept, before)).toEqual(responses.slice(0, point));
    const text = textOf(kept);
    const forked = startInProcessFrom(copyState(kept.state));
    const rest = responses.slice(point);
    expect(await replaySteps(kept, after)).toEqual(rest);
    const loaded = startInProcessFrom(parseSavedState(JSON.parse(text)));
    expect(textOf(loaded)).toBe(text);
    expect(await replaySteps(forked, after)).toEqual(rest);
    expect(await replaySteps(loaded, after)).toEqual(rest);
    const end = textOf(untouched);
    for (const each of [kept, forked, loaded]) expect(textOf(each) === end).toBe(true);
    for (const each of [untouched, kept, forked, loaded]) await each.close();
  },
  60_000,
);

/** A request of the log among the last that can be undone, and the deeds from it on. */
function someRequest(
  seed: number,
  before: number,
  steps: readonly RecordedStep[],
  numbers: readonly number[],
) {
  const kept = steps.map((_, index) => index).filter((index) => numbers[index]! > before);
  const index = kept[(seed * 13) % kept.length]!;
  return { request: numbers[index]!, again: steps.slice(index) };
}

test.each(seeds)(
  "sequence %i goes back to before one of its requests",
  async (seed) => {
    const deeds = await recordSteps(seed);
    const desk = startInProcessFrom(copyState(base.state));
    const before = desk.state.arrived;
    const [responses, numbers]: [string[], number[]] = [[], []];
    let arrived = before;
    for (const deed of deeds) {
      responses.push(await deed(desk));
      // The number of the request, where the deed was one that is logged.
      numbers.push(desk.state.arrived > arrived ? desk.state.arrived : 0);
      arrived = desk.state.arrived;
    }
    const end = textOf(desk);
    const { request, again } = someRequest(seed, before, deeds, numbers);
    desk.control.undo({ request });
    expect(desk.state.arrived).toBe(request - 1);
    expect(await replaySteps(desk, again)).toEqual(responses.slice(-again.length));
    expect(textOf(desk) === end).toBe(true);
    await desk.close();
  },
  60_000,
);
