/** Keeping a moment, going on from one, and going back to one. */
import { empty, file, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { saved, stateIn } from "../../saved";
import { SavedSandboxError } from "../../saved-error";
import { unfit } from "../../world/domain-error";
import type { Json } from "../../world/values";
import { control, described, local } from "./parts";

export const save = control(
  operation({
    ...local,
    name: "sandbox.save",
    tool: "sandbox_save",
    title: "Save",
    summary:
      "Saves everything the sandbox holds as a JSON file: accounts, trades, what is to come, time and log.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/saved",
    responses: { 200: file("What load takes, here or in another sandbox.") },
  }),
  ({ state, world }) => ({
    contentType: "application/octet-stream",
    fileName: `sandbox-${world.now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}.json`,
    bytes: Buffer.from(JSON.stringify(saved(state))),
  }),
);

export const load = control(
  operation({
    ...local,
    name: "sandbox.load",
    tool: "sandbox_load",
    title: "Load",
    summary: "Goes on from what save saved, in the place of all that there is now.",
    method: "POST",
    path: "/_sandbox/saved",
    body: z.object({
      fxdesk_sandbox: z.int().meta(described("The version of the form it was saved in.")),
      state: z.looseObject({}).meta(described("What was saved.")),
    }),
    responses: { 204: empty("Done.") },
  }),
  (stage, { fxdesk_sandbox, state }) => {
    try {
      stage.restore(stateIn({ fxdesk_sandbox, state: state as Json }));
    } catch (error) {
      throw error instanceof SavedSandboxError ? unfit(error.message) : error;
    }
  },
);

export const fork = control(
  operation({
    ...local,
    name: "sandbox.fork",
    tool: "sandbox_fork",
    title: "Fork",
    summary: "Starts another sandbox that goes on from this moment for itself, for as long as this one runs.",
    method: "POST",
    path: "/_sandbox/forks",
    body: z.object({
      port: z.int().min(0).max(65_535).default(0).meta(described("Its port; any free one, without.", 8081)),
    }),
    responses: { 200: json(z.object({ base_url: z.string() }), "Where it is.") },
  }),
  async (stage, { port }) => {
    try {
      return { base_url: await stage.fork(port) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw code === undefined ? error : unfit(`port: ${message}`);
    }
  },
);

export const undo = control(
  operation({
    ...local,
    name: "sandbox.undo",
    tool: "sandbox_undo",
    title: "Undo",
    summary:
      "Goes back to before a request of the log, as if it and all that followed had not been. The last 100 can be undone.",
    method: "POST",
    path: "/_sandbox/undo",
    body: z.object({ request: z.int().min(1).meta(described("Its number in the log.")) }),
    responses: { 204: empty("Done.") },
  }),
  (stage, { request }) => stage.undo(request),
);

export const momentsControls = [save, load, fork, undo] as const;
