/** Runs one task once, and grades it. */
import { Desk } from "./desk";
import { type Grade, grade } from "./grade";
import { type Message, openSession } from "./session";
import { everyday, type Json, type Offered, type Setting, type Task, textFor, type Use } from "./task";
import type { World } from "./world";

/** What an agent works with. */
export interface Assignment {
  readonly setting: Setting;
  /** The wish and the form of the answer. */
  readonly text: string;
  readonly desk: Desk;
  readonly offered: Offered;
}

/** Does a task. Returns its answer and the messages of its session. */
export type Agent = (
  assignment: Assignment,
) => Promise<{ readonly answer: unknown; readonly messages: readonly Message[] }>;

/** Creates an agent that calls the tools in this process. */
export const scriptedAgent =
  (act: (use: Use, assignment: Assignment) => Promise<Json>): Agent =>
  async (assignment) => {
    const { use, messages, close } = await openSession(assignment.desk, assignment.offered);
    const answer = await act(use, assignment).catch((error: Error) => `failed: ${error.message}`);
    await close();
    return { answer, messages };
  };

export const referenceAgent = scriptedAgent((use, { setting }) => setting.solve(use));

export interface Run extends Grade {
  readonly task: string;
  readonly ms: number;
}

export async function runTask({ name, set }: Task, agent: Agent, { sandbox, books }: World): Promise<Run> {
  const begin = performance.now();
  const desk = await Desk.open(sandbox);
  try {
    const setting = await set({ desk, books });
    const before = await desk.facts();
    const { ask, answer: expected, people, offered = everyday } = setting;
    if (people) desk.startDeciding(people);

    const text = textFor(ask, typeof expected === "function" ? expected(before) : expected);
    const { answer, messages } = await agent({ setting, text, desk, offered });
    const graded = grade(setting, answer, { before, after: await desk.facts(), messages });
    return { task: name, ...graded, ms: Math.round(performance.now() - begin) };
  } finally {
    await desk.close();
  }
}
