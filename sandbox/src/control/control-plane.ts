/** The controls as functions: `sandbox.control` and the HTTP handlers, which refuse other web pages. */
import {
  checkInput,
  type Declaration,
  type InputOf,
  describeViolations,
  type Values,
  withDefaults,
} from "@fxdesk/toolkit/operations";
import type { AnyBehaviour, Call } from "../calls/behaviour";
import { toHttpError, HttpError } from "../http/http-error";
import type { SandboxSession } from "../session/sandbox-session";
import { controls } from "./controls";
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { isCrossOrigin } from "../http/http";

type Control = (typeof controls)[number];
type ControlsByMethod = { readonly [C in Control as C["name"] extends `sandbox.${infer M}` ? M : never]: C };

/** One method per control. Returns the body of the HTTP response, or throws an HttpError. */
export type ControlPlane = {
  readonly [M in keyof ControlsByMethod]: (
    ...input: Partial<InputOf<ControlsByMethod[M]>> extends InputOf<ControlsByMethod[M]>
      ? [input?: InputOf<ControlsByMethod[M]>]
      : [input: InputOf<ControlsByMethod[M]>]
  ) => ReturnType<ControlsByMethod[M]["act"]>;
};

export const methodOf = ({ name }: Declaration): string => name.slice(name.indexOf(".") + 1);

/** Control with its value type erased. The values are validated before `act`. */
type AnyControl = Declaration & { readonly act: (session: SandboxSession, values: never) => unknown };

/** Validates the input and runs a control. Throws an HttpError. */
export function runControl(session: SandboxSession, control: AnyControl, input: Values): unknown {
  session.world.runDueEvents();
  if (control.effect !== "read") session.undoHistory.markChanged();
  const violations = checkInput(control, input, session.world.now);
  if (violations.length > 0)
    throw new HttpError(400, "validation_error", "The request is invalid.", describeViolations(violations));
  const rethrow = (error: unknown): never => {
    throw toHttpError(error);
  };
  try {
    const result = control.act(session, withDefaults(control, input) as never);
    return result instanceof Promise ? result.catch(rethrow) : result;
  } catch (error) {
    return rethrow(error);
  }
}

export const controlPlane = (session: SandboxSession): ControlPlane =>
  Object.fromEntries(
    controls.map((control) => [
      methodOf(control),
      (input: Values = {}) => runControl(session, control, input),
    ]),
  ) as unknown as ControlPlane;

const toBehaviour =
  (session: SandboxSession, control: AnyControl) =>
  async ({ values }: Call) => {
    if (control.effect !== "read") session.undoHistory.markChanged();
    return {
      status: Number(Object.keys(control.responses)[0]),
      body: await control.act(session, values as never),
    };
  };

/** Behaviours of the control routes. */
export const controlBehaviours = (session: SandboxSession): Readonly<Record<string, AnyBehaviour>> =>
  Object.fromEntries(controls.map((control) => [control.name, toBehaviour(session, control)]));

/** Returns the host of a Host header, without port and brackets. */
const hostName = (host: string) => host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");

const toForbiddenError = (message: string, details: string) =>
  new HttpError(403, "foreign_origin", message, details);

/**
 * Throws unless the request is for an IP address or localhost, and not from another origin. Any other name may have
 * been pointed at this machine by DNS rebinding.
 */
export function assertSameOrigin(request: FastifyRequest): void {
  const { host = "", origin = "" } = request.headers;
  const name = hostName(host);
  if (name !== "localhost" && isIP(name) === 0)
    throw toForbiddenError("The controls are available by IP address or as localhost only.", host);
  if (isCrossOrigin(request)) throw toForbiddenError("Other web pages must not use the controls.", origin);
}
