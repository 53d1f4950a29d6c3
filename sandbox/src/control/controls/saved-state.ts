/** Keeping a moment, going on from one, and going back to one. */
import { empty, file, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { saveState, parseSavedState } from "../../saved-sandbox";
import { SavedSandboxError } from "../../saved-sandbox-error";
import { toValidationError } from "../../world/domain-error";
import type { Json } from "../../world/state-serialization";
import { defineControl, withDescription, controlDefaults } from "./define-control";

export const save = defineControl(
  operation({
    ...controlDefaults,
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
    bytes: Buffer.from(JSON.stringify(saveState(state))),
  }),
);

export const load = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.load",
    tool: "sandbox_load",
    title: "Load",
    summary: "Goes on from what save saved, in the place of all that there is now.",
    method: "POST",
    path: "/_sandbox/saved",
    body: z.object({
      fxdesk_sandbox: z.int().meta(withDescription("The version of the form it was saved in.")),
      state: z.looseObject({}).meta(withDescription("What was saved.")),
    }),
    responses: { 204: empty("Done.") },
  }),
  (session, { fxdesk_sandbox, state }) => {
    try {
      session.restore(parseSavedState({ fxdesk_sandbox, state: state as Json }));
    } catch (error) {
      throw error instanceof SavedSandboxError ? toValidationError(error.message) : error;
    }
  },
);

export const fork = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.fork",
    tool: "sandbox_fork",
    title: "Fork",
    summary: "Starts another sandbox that goes on from this moment for itself, for as long as this one runs.",
    method: "POST",
    path: "/_sandbox/forks",
    body: z.object({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(0)
        .meta(withDescription("Its port; any free one, without.", 8081)),
    }),
    responses: { 200: json(z.object({ base_url: z.string() }), "Where it is.") },
  }),
  async (session, { port }) => {
    try {
      return { base_url: await session.fork(port) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw code === undefined ? error : toValidationError(`port: ${message}`);
    }
  },
);

export const undo = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.undo",
    tool: "sandbox_undo",
    title: "Undo",
    summary:
      "Goes back to before a request of the log, as if it and all that followed had not been. The last 100 can be undone.",
    method: "POST",
    path: "/_sandbox/undo",
    body: z.object({ request: z.int().min(1).meta(withDescription("Its number in the log.")) }),
    responses: { 204: empty("Done.") },
  }),
  (session, { request }) => session.undo(request),
);

export const savedStateControls = [save, load, fork, undo] as const;
