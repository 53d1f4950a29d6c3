/** What users put round every call. */
import { FxdeskError } from "../errors";
import { endedByCaller } from "../transport/deadline";
import { errorFrom } from "./call-errors";
import { ReceivedFile } from "./file";
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
function misused(
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

const tooLate = (call: PreparedCall) => misused(call, "passed a call on after it had ended.");

function refusedTooLate(call: PreparedCall): Promise<never> {
  const refused = Promise.reject(tooLate(call));
  // Nobody may wait for it any more.
  refused.catch(() => undefined);
  return refused;
}

/** What a link threw, in the family of errors. */
function thrown(call: PreparedCall, cause: unknown, passedOn: boolean): FxdeskError {
  if (cause instanceof FxdeskError) return cause;
  const words = cause instanceof Error ? cause.message : String(cause);
  return misused(call, `${passedOn ? "failed after" : "refused"} the call: ${words}`, { cause, passedOn });
}

/** Waits for links for as long as the caller does. */
function untilAborted<T>(
  { operation, options: { signal } }: PreparedCall,
  run: () => Promise<T>,
  hasLeft: () => boolean,
): Promise<T> {
  if (!signal) return run();
  return new Promise<T>((resolve, reject) => {
    const end = () =>
      reject(errorFrom(operation, endedByCaller(), { attempts: Number(hasLeft()), sent: hasLeft() }));
    const settled = () => signal.removeEventListener("abort", end);
    if (signal.aborted) return end();
    signal.addEventListener("abort", end);
    void (async () => run())().then(resolve, reject).finally(settled);
  });
}

/** A response to look at: what is done to it is not done to the original. */
const copyOf = (response: ServiceResponse): ServiceResponse => ({
  ...response,
  headers: { ...response.headers },
  body: response.body instanceof ReceivedFile ? response.body : structuredClone(response.body),
  violations: response.violations,
});

/** A call that commits money goes through a link once and unchanged, and its outcome is told whatever the link does. */
async function guarded(interceptor: Interceptor, call: PreparedCall, next: Send): Promise<ServiceResponse> {
  let left: Promise<ServiceResponse> | undefined;
  let hasEnded = false;
  const pass = async (given: PreparedCall): Promise<ServiceResponse> => {
    if (given !== call) throw misused(call, "changed a call that commits money.");
    if (left) throw misused(call, "passed a call on twice that commits money.", { passedOn: true });
    if (hasEnded) throw tooLate(call);
    left = next(call);
    return copyOf(await left);
  };
  const once: Next = (given = call) => {
    const passed = pass(given);
    // The outcome is told below: a link that does not wait for it must not end the process.
    passed.catch(() => undefined);
    return passed;
  };
  try {
    await untilAborted(
      call,
      async () => interceptor(call, once),
      () => left !== undefined,
    );
  } catch (error) {
    if (!left) throw thrown(call, error, false);
  } finally {
    hasEnded = true;
  }
  if (!left) throw misused(call, "did not pass on a call that commits money.");
  return left;
}

/** `violations` is a getter of the class: a copy by `{...response}` loses it, and it is taken from the original. */
const foundIn = async (left: Promise<ServiceResponse> | undefined): Promise<ServiceResponse["violations"]> =>
  left?.then(
    ({ violations }) => violations,
    () => [],
  ) ?? [];

/** Any other call goes through the links as they like; what they throw and give is looked at once, outside of all. */
async function free(
  interceptors: readonly Interceptor[],
  call: PreparedCall,
  send: Send,
): Promise<ServiceResponse> {
  let left: Promise<ServiceResponse> | undefined;
  let hasEnded = false;
  const pass = (index: number, given: PreparedCall): Promise<ServiceResponse> => {
    // A read may be made for later: a link may keep what it answers with fresh.
    if (hasEnded && call.operation.effect !== "read") return refusedTooLate(call);
    const interceptor = interceptors[index];
    if (interceptor) return interceptor(given, (next = given) => pass(index + 1, next));
    return (left = send(given));
  };
  try {
    const response: unknown = await untilAborted(
      call,
      () => pass(0, call),
      () => left !== undefined,
    );
    if (typeof response === "object" && response !== null)
      return "violations" in response
        ? (response as ServiceResponse)
        : { ...(response as ServiceResponse), violations: await foundIn(left) };
  } catch (error) {
    // What had left ends by the same signal, and knows how far it came.
    if (call.options.signal?.aborted) await left;
    throw thrown(call, error, left !== undefined);
  } finally {
    hasEnded = true;
  }
  throw misused(call, "gave no response.", { passedOn: left !== undefined });
}

/** What sends, with interceptors round it; built once for all calls. */
export function intercepted(interceptors: readonly Interceptor[], send: Send): Send {
  if (interceptors.length === 0) return send;
  const money = interceptors.reduceRight<Send>((next, each) => (call) => guarded(each, call, next), send);
  return (call) => (call.operation.effect === "money" ? money(call) : free(interceptors, call, send));
}
