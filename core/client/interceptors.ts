/** What users put round every call. */
import { FxdeskError } from "../errors";
import { callerAbortedError } from "../transport/deadline";
import { toFxdeskError } from "./call-errors";
import { ReceivedFile } from "./received-file";
import type { PreparedCall } from "./prepared-call";
import type { ServiceResponse } from "./response";

export type Next = (call?: PreparedCall) => Promise<ServiceResponse>;

/**
 * A link round every call: it may look at the call, wait, refuse it by throwing, and look at the response. A read may also
 * be changed, tried again or answered by the link itself. A call that commits money is frozen and goes as it is: `next`
 * works once, and its response is what the caller gets.
 */
export type Interceptor = (call: PreparedCall, next: Next) => Promise<ServiceResponse>;

type Send = (call: PreparedCall) => Promise<ServiceResponse>;

/** What a link did that no link may do. */
function misuseError(
  { operation }: PreparedCall,
  message: string,
  { cause, passedOn = false }: { cause?: unknown; passedOn?: boolean } = {},
): FxdeskError {
  const end = passedOn ? "The call may have been carried out." : "Nothing was sent.";
  return new FxdeskError(`${operation.name}: An interceptor ${message} ${end}`, {
    operation: operation.name,
    code: "interceptor",
    outcome: passedOn ? "unknown" : "not-sent",
    cause,
  });
}

const lateCallError = (call: PreparedCall) => misuseError(call, "passed a call on after it had ended.");

function rejectLateCall(call: PreparedCall): Promise<never> {
  const rejection = Promise.reject(lateCallError(call));
  // Nobody may wait for it any more.
  rejection.catch(() => undefined);
  return rejection;
}

/** What a link threw, in the family of errors. */
function toInterceptorError(call: PreparedCall, cause: unknown, passedOn: boolean): FxdeskError {
  if (cause instanceof FxdeskError) return cause;
  const words = cause instanceof Error ? cause.message : String(cause);
  return misuseError(call, `${passedOn ? "failed after" : "refused"} the call: ${words}`, {
    cause,
    passedOn,
  });
}

/** Waits for links for as long as the caller does. */
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

/** A response to look at: what is done to it is not done to the original. */
const copyResponse = (response: ServiceResponse): ServiceResponse => ({
  ...response,
  headers: { ...response.headers },
  body: response.body instanceof ReceivedFile ? response.body : structuredClone(response.body),
  violations: response.violations,
});

/** A call that commits money goes through a link once and unchanged, and its outcome is told whatever the link does. */
async function interceptMoneyCall(
  interceptor: Interceptor,
  call: PreparedCall,
  next: Send,
): Promise<ServiceResponse> {
  let sent: Promise<ServiceResponse> | undefined;
  let hasEnded = false;
  const pass = async (given: PreparedCall): Promise<ServiceResponse> => {
    if (given !== call) throw misuseError(call, "changed a call that commits money.");
    if (sent) throw misuseError(call, "passed a call on twice that commits money.", { passedOn: true });
    if (hasEnded) throw lateCallError(call);
    sent = next(call);
    return copyResponse(await sent);
  };
  const nextOnce: Next = (given = call) => {
    const result = pass(given);
    // The outcome is told below: a link that does not wait for it must not end the process.
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

/** `violations` is a getter of the class: a copy by `{...response}` loses it, and it is taken from the original. */
const violationsOf = async (
  sent: Promise<ServiceResponse> | undefined,
): Promise<ServiceResponse["violations"]> =>
  sent?.then(
    ({ violations }) => violations,
    () => [],
  ) ?? [];

/** Any other call goes through the links as they like; what they throw and give is looked at once, outside of all. */
async function interceptCall(
  interceptors: readonly Interceptor[],
  call: PreparedCall,
  send: Send,
): Promise<ServiceResponse> {
  let sent: Promise<ServiceResponse> | undefined;
  let hasEnded = false;
  const pass = (index: number, given: PreparedCall): Promise<ServiceResponse> => {
    // A read may be made for later: a link may keep what it answers with fresh.
    if (hasEnded && call.operation.effect !== "read") return rejectLateCall(call);
    const interceptor = interceptors[index];
    if (interceptor) return interceptor(given, (next = given) => pass(index + 1, next));
    return (sent = send(given));
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
    // What had left ends by the same signal, and knows how far it came.
    if (call.options.signal?.aborted) await sent;
    throw toInterceptorError(call, error, sent !== undefined);
  } finally {
    hasEnded = true;
  }
  throw misuseError(call, "gave no response.", { passedOn: sent !== undefined });
}

/** What sends, with interceptors round it; built once for all calls. */
export function composeInterceptors(interceptors: readonly Interceptor[], send: Send): Send {
  if (interceptors.length === 0) return send;
  const money = interceptors.reduceRight<Send>(
    (next, each) => (call) => interceptMoneyCall(each, call, next),
    send,
  );
  return (call) =>
    call.operation.effect === "money" ? money(call) : interceptCall(interceptors, call, send);
}
