/** User interceptors: code of the user around each call. */
import { createError, FxdeskError } from "../spec/errors";
import { callerAbortedError } from "../http/deadline";
import { toFxdeskError } from "./call-errors";
import { ReceivedFile } from "./received-file";
import type { ClientContext } from "./client-context";
import type { Interceptor, Next } from "./client-options";
import { createRequest, type Middleware } from "./middleware";
import type { PreparedCall } from "./prepared-call";
import type { ServiceResponse } from "./response";
import { operationOfCall } from "./service-operation";

type Send = (call: PreparedCall) => Promise<ServiceResponse>;

/** Returns the error for an interceptor that broke these rules or refused the call. */
function misuseError(
  { operation }: PreparedCall,
  message: string,
  { cause, passedOn = false }: { cause?: unknown; passedOn?: boolean } = {},
): FxdeskError {
  const end = passedOn ? "The call may have been carried out." : "Nothing was sent.";
  const text = `${operation.name}: An interceptor ${message.replace(/(?<![.!?])$/, ".")} ${end}`;
  return createError(operation.name, "interceptor", passedOn ? "unknown" : "not-sent", text, { cause });
}

const lateCallError = (call: PreparedCall) => misuseError(call, "passed on a call that had already ended.");

function rejectWith(failure: FxdeskError): Promise<never> {
  const rejection = Promise.reject(failure);
  // Avoids an unhandled rejection if the interceptor does not await it.
  rejection.catch(() => undefined);
  return rejection;
}

/** Wraps whatever an interceptor threw in an FxdeskError. */
function toInterceptorError(call: PreparedCall, cause: unknown, passedOn: boolean): FxdeskError {
  if (cause instanceof FxdeskError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return misuseError(call, `${passedOn ? "failed after" : "refused"} the call: ${reason}`, {
    cause,
    passedOn,
  });
}

/** Runs the interceptors, and rejects as soon as the caller aborts. */
function raceCallerAbort<T>(
  { operation, options: { signal } }: PreparedCall,
  run: () => Promise<T>,
  isSent: () => boolean,
): Promise<T> {
  if (!signal) return run();
  return new Promise<T>((resolve, reject) => {
    const abort = () =>
      reject(toFxdeskError(operation, callerAbortedError(), { attempts: Number(isSent()), sent: isSent() }));
    const removeListener = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    void (async () => run())().then(resolve, reject).finally(removeListener);
  });
}

/** Copies a response, so that interceptors cannot modify the original. */
const copyResponse = (response: ServiceResponse): ServiceResponse => ({
  ...response,
  headers: { ...response.headers },
  body: response.body instanceof ReceivedFile ? response.body : structuredClone(response.body),
  violations: response.violations,
});

/** Passes a money call through an interceptor once and unchanged, and reports its outcome whatever the interceptor does. */
async function interceptMoneyCall(
  interceptor: Interceptor,
  call: PreparedCall,
  next: Send,
): Promise<ServiceResponse> {
  let sent: Promise<ServiceResponse> | undefined;
  let hasEnded = false;
  const pass = async (given: PreparedCall): Promise<ServiceResponse> => {
    if (given !== call) throw misuseError(call, "changed a call that commits money.");
    if (sent) throw misuseError(call, "called next twice for a call that commits money.", { passedOn: true });
    if (hasEnded) throw lateCallError(call);
    sent = next(call);
    return copyResponse(await sent);
  };
  const nextOnce: Next = (given = call) => {
    const result = pass(given);
    // Avoids an unhandled rejection if the interceptor does not await it; the outcome is returned below.
    result.catch(() => undefined);
    return result;
  };
  try {
    await raceCallerAbort(
      call,
      async () => interceptor(call, nextOnce),
      () => sent !== undefined,
    );
  } catch (error) {
    if (!sent) throw toInterceptorError(call, error, false);
  } finally {
    hasEnded = true;
  }
  if (!sent) throw misuseError(call, "did not pass on a call that commits money.");
  return sent;
}

/** `violations` is a getter of the class, so a copy by `{...response}` loses it. */
const violationsOf = async (
  sent: Promise<ServiceResponse> | undefined,
): Promise<ServiceResponse["violations"]> =>
  sent?.then(
    ({ violations }) => violations,
    () => [],
  ) ?? [];

/** Passes any other call through all interceptors. Their errors and responses are validated once, outside of all. */
async function interceptCall(
  interceptors: readonly Interceptor[],
  call: PreparedCall,
  context: ClientContext,
  send: Send,
): Promise<ServiceResponse> {
  let sent: Promise<ServiceResponse> | undefined;
  let hasEnded = false;
  const pass = (index: number, given: PreparedCall): Promise<ServiceResponse> => {
    // Reads are allowed later: an interceptor may refresh its cache in the background.
    if (hasEnded && call.operation.effect !== "read") return rejectWith(lateCallError(call));
    const operation = given === call ? call.operation : operationOfCall(given, context);
    const { name, effect } = call.operation;
    if (operation.effect !== "read" && (operation.name !== name || operation.effect !== effect))
      return rejectWith(misuseError(call, `passed on ${operation.name} in its place.`));
    const passed = operation === given.operation ? given : { ...given, operation };
    const interceptor = interceptors[index];
    if (interceptor) return interceptor(passed, (next = passed) => pass(index + 1, next));
    return (sent = send(passed));
  };
  try {
    const response: unknown = await raceCallerAbort(
      call,
      () => pass(0, call),
      () => sent !== undefined,
    );
    if (typeof response === "object" && response !== null)
      return "violations" in response
        ? (response as ServiceResponse)
        : { ...(response as ServiceResponse), violations: await violationsOf(sent) };
  } catch (error) {
    // A sent call ends by the same signal, and its error has the exact outcome.
    if (call.options.signal?.aborted) await sent;
    throw toInterceptorError(call, error, sent !== undefined);
  } finally {
    hasEnded = true;
  }
  throw misuseError(call, "returned no response.", { passedOn: sent !== undefined });
}

/** Passes a money call through all interceptors, the first one outermost. */
const interceptMoney = (interceptors: readonly Interceptor[], call: PreparedCall, send: Send) =>
  interceptors.reduceRight<Send>(
    (next, each) => (given) => interceptMoneyCall(each, given, next),
    send,
  )(call);

/** Returns the middleware that runs the interceptors. Each time they pass a call on, it is sent with limits of its own. */
export const userInterceptors =
  (interceptors: readonly Interceptor[], context: ClientContext): Middleware =>
  (request, next) => {
    if (interceptors.length === 0) return next(request);
    // A call that an interceptor changed is no longer the one that was released with its order.
    const send: Send = (call) =>
      next(
        createRequest(
          call,
          context.service,
          call === request.call ? request : { isReleased: false, release: request.release },
        ),
      );
    return request.call.operation.effect === "money"
      ? interceptMoney(interceptors, request.call, send)
      : interceptCall(interceptors, request.call, context, send);
  };
