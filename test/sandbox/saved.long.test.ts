/**
 * Saved, loaded or forked at any moment, a sandbox goes on as if nothing had been done to it: to the byte.
 * FXDESK_POINTS=200 tries more moments.
 */
import * as fc from "fast-check";
import { type ControlPlane, Refusal } from "@fxdesk/sandbox";
import { saved, stateIn } from "../../sandbox/src/saved";
import { copyOf } from "../../sandbox/src/world/values";
import { activities, begin, now, step } from "./support/activities";
import type { Ask } from "./support/http";
import { inProcess, inProcessFrom, type InProcess } from "./support/in-process";

const points = Number(process.env.FXDESK_POINTS ?? 15);
const stepsEach = 14;

type Deed = (desk: InProcess) => Promise<string>;

const asked =
  (...request: Parameters<Ask>): Deed =>
  async ({ ask }) => {
    const { status, headers, text } = await ask(...request);
    return JSON.stringify([status, [...headers], text]);
  };

const controlled =
  (method: keyof ControlPlane, input: unknown): Deed =>
  async ({ control }) => {
    try {
      return JSON.stringify((control[method] as (input: unknown) => unknown)(input) ?? null);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return `${error.status} ${error.message} ${error.details}`;
    }
  };

/** A desk of which is noted what is done to it: requests as they are sent, and controls with their input. */
function noting(desk: InProcess, deeds: Deed[]): InProcess {
  const control = Object.fromEntries(
    Object.entries(desk.control).map(([method, act]) => [
      method,
      (input?: never) => {
        deeds.push(controlled(method as keyof ControlPlane, input));
        return (act as (input?: never) => unknown)(input);
      },
    ]),
  );
  return {
    ...desk,
    control: control as unknown as ControlPlane,
    get world() {
      return desk.world;
    },
    ask: (...request) => {
      deeds.push(asked(...request));
      return desk.ask(...request);
    },
  };
}

/** What a random sequence does, from the same beginning. */
async function deedsOf(seed: number): Promise<Deed[]> {
  const desk = inProcessFrom(copyOf(base.state));
  const deeds: Deed[] = [];
  const noted = noting(desk, deeds);
  for (const [name, values] of fc.sample(step, { numRuns: stepsEach, seed }))
    await activities[name]!.act(noted, values);
  await desk.close();
  return deeds;
}

async function done(desk: InProcess, deeds: readonly Deed[]): Promise<string[]> {
  const responses: string[] = [];
  for (const deed of deeds) responses.push(await deed(desk));
  return responses;
}

const textOf = ({ state }: InProcess) => JSON.stringify(saved(state));

let base: InProcess;
beforeAll(async () => {
  base = inProcess(now, "fxdesk", { living: true });
  await begin(base);
});
afterAll(() => base.close());

const seeds = Array.from({ length: points }, (_, index) => index + 1 + Number(process.env.FXDESK_SEED ?? 0));

test.each(seeds)(
  "sequence %i",
  async (seed) => {
    const deeds = await deedsOf(seed);
    const point = (seed * 7) % deeds.length;
    const [before, after] = [deeds.slice(0, point), deeds.slice(point)];
    const untouched = inProcessFrom(copyOf(base.state));
    const kept = inProcessFrom(copyOf(base.state));
    const responses = await done(untouched, deeds);
    expect(await done(kept, before)).toEqual(responses.slice(0, point));
    const text = textOf(kept);
    const forked = inProcessFrom(copyOf(kept.state));
    const rest = responses.slice(point);
    expect(await done(kept, after)).toEqual(rest);
    const loaded = inProcessFrom(stateIn(JSON.parse(text)));
    expect(textOf(loaded)).toBe(text);
    expect(await done(forked, after)).toEqual(rest);
    expect(await done(loaded, after)).toEqual(rest);
    const end = textOf(untouched);
    for (const each of [kept, forked, loaded]) expect(textOf(each) === end).toBe(true);
    for (const each of [untouched, kept, forked, loaded]) await each.close();
  },
  60_000,
);

/** A request of the log among the last that can be undone, and the deeds from it on. */
function someRequest(seed: number, before: number, deeds: readonly Deed[], numbers: readonly number[]) {
  const kept = deeds.map((_, index) => index).filter((index) => numbers[index]! > before);
  const index = kept[(seed * 13) % kept.length]!;
  return { request: numbers[index]!, again: deeds.slice(index) };
}

test.each(seeds)(
  "sequence %i goes back to before one of its requests",
  async (seed) => {
    const deeds = await deedsOf(seed);
    const desk = inProcessFrom(copyOf(base.state));
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
    expect(await done(desk, again)).toEqual(responses.slice(-again.length));
    expect(textOf(desk) === end).toBe(true);
    await desk.close();
  },
  60_000,
);
