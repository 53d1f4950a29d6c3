/** Controls to save, load, fork and undo. */
import { empty, file, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { saveState, parseSavedState, SavedSandboxError } from "../../session/saved-sandbox";
import { toValidationError } from "../../world/common/domain-error";
import type { Json } from "../../session/state-serialization";
import { defineControl, withDescription, controlDefaults } from "./define-control";

export const save = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.save",
    tool: "sandbox_save",
    title: "Save",
    summary: "Saves the complete state of the sandbox as a JSON file.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/saved",
    responses: { 200: file("The saved sandbox. Load it here or in another sandbox.") },
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
    summary: "Replaces the current state with a saved one.",
    method: "POST",
    path: "/_sandbox/saved",
    body: z.object({
      fxdesk_sandbox: z.int().meta(withDescription("Version of the saved format.")),
      state: z.looseObject({}).meta(withDescription("The saved state.")),
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
    summary: "Starts a second sandbox from a copy of the current state. It stops with this one.",
    method: "POST",
    path: "/_sandbox/forks",
    body: z.object({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(0)
        .meta(withDescription("Port of the fork. Defaults to any free port.", 8081)),
    }),
    responses: { 200: json(z.object({ base_url: z.string() }), "Address of the fork.") },
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
      "Restores the state before a logged request, and so undoes it and all later ones. Works for the last 100 requests.",
    method: "POST",
    path: "/_sandbox/undo",
    body: z.object({ request: z.int().min(1).meta(withDescription("Number of the request in the log.")) }),
    responses: { 204: empty("Done.") },
  }),
  (session, { request }) => session.undo(request),
);

export const savedStateControls = [save, load, fork, undo] as const;
