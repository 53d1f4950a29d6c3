/** A task of a treasurer, and what its outcome must be. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AllowableEffect } from "../mcp";
import type { Desk, Facts } from "./desk";
import type { Books } from "./world";

export type Json = Readonly<Record<string, unknown>>;

/** Calls a tool as a scripted agent. Returns the structured content, and for an error its text as `error`. */
export type Use = (tool: string, input?: Record<string, unknown>) => Promise<any>;

/** The tools that the server offers. */
export interface Offered {
  readonly toolsets: readonly string[];
  readonly allow: readonly AllowableEffect[];
}

export const everyday: Offered = {
  toolsets: ["daily", "transactions", "payments", "approvalsWorkflow"],
  allow: ["change", "money"],
};

/** A task at one desk. */
export interface Setting {
  /** The wish of the treasurer, in plain words. */
  readonly ask: string;
  /** Fields of the expected answer. Lists are compared without order, amounts as numbers. */
  readonly answer: Json | ((facts: Facts) => Json);
  /** What must be sent, and nothing else, by the names of `grade`. */
  readonly acts?: readonly string[];
  /** IDs of others that no call may name. */
  readonly others?: readonly string[];
  /** States in which the releases must be at the end, by ID; or their number. */
  readonly releases?: Readonly<Record<string, string>> | number;
  /** What a person does with each request of the assistant; nothing by default. */
  readonly people?: "release" | "refuse";
  readonly offered?: Offered;
  /** Solves the task as the reference agent, with what the wish says. */
  readonly solve: (use: Use) => Promise<Json>;
}

export interface Task {
  readonly name: string;
  readonly set: (place: { readonly desk: Desk; readonly books: Books }) => Setting | Promise<Setting>;
}

export const task = (name: string, set: Task["set"]): Task => ({ name, set });

/** Describes the form of a value without what it is. */
function formOf(value: unknown): unknown {
  if (typeof value === "boolean") return "true or false";
  if (Array.isArray(value)) return ["text"];
  if (typeof value !== "object" || value === null) return typeof value === "number" ? "number" : "text";
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, formOf(each)]));
}

/** Returns the text that an agent reads: the wish and the form of the answer. */
export const textFor = (ask: string, answer: Json): string =>
  `${ask}\n\nWhen you are done, write the answer as your last line, in JSON of this form, amounts without units and with a point as the decimal mark: ${JSON.stringify(formOf(answer))}`;

const pollMs = 100;
const endStates = new Set(["booked", "refused", "cancelled", "expired"]);

/** Waits until a person has decided on a request, and it was carried out or has ended. */
export async function settled(use: Use, release: string): Promise<any> {
  for (;;) {
    const report = await use("get_release", { release });
    // Whether an order with an unknown outcome was booked is found later.
    if (endStates.has(report.state) || (report.state === "sent" && report.outcome)) return report;
    await sleep(pollMs);
  }
}
