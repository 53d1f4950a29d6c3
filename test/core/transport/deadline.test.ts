/** The limits of one call: each ends what is under way, once, and for the reason that came first. */
import { Deadline, type DeadlineEnded } from "../../../core/transport/deadline";
import { onCleanup } from "../support/client-fixtures";

const openDeadline = (queueTimeoutMs: number, signal?: AbortSignal) => {
  const deadline = new Deadline(queueTimeoutMs, signal);
  onCleanup(() => deadline.release());
  return deadline;
};

const never = () => new Promise<never>(() => undefined);
const endReasonOf = (waiting: Promise<unknown>) =>
  waiting.then(
    () => "no end",
    (reason: DeadlineEnded) => reason.by,
  );

describe("what ends a call ends the step it is in, and stops it", () => {
  test.each<[by: string, deadline: (signal: AbortSignal) => Deadline, end: (c: AbortController) => void]>([
    ["caller", (signal) => openDeadline(60_000, signal), (controller) => controller.abort()],
    ["queue", () => openDeadline(1), () => undefined],
    [
      "time",
      () => {
        const deadline = openDeadline(60_000);
        deadline.startTimeLimit(1);
        return deadline;
      },
      () => undefined,
    ],
  ])("%s", async (by, make, end) => {
    const controller = new AbortController();
    const deadline = make(controller.signal);
    const stopped: DeadlineEnded[] = [];
    const step = endReasonOf(deadline.waitFor(() => (reason) => void stopped.push(reason)));
    end(controller);
    expect(await step).toBe(by);
    expect(stopped.map((reason) => reason.by)).toEqual([by]);
    expect(await endReasonOf(deadline.race(never()))).toBe(by);
    expect(await endReasonOf(deadline.wait(60_000))).toBe(by);
    expect(() => deadline.assertOpen()).toThrow(stopped[0]);
  });
});

test("a signal that was aborted before ends the call before its first step", async () => {
  const start = jest.fn();
  await expect(openDeadline(60_000, AbortSignal.abort()).waitFor(start)).rejects.toMatchObject({
    by: "caller",
  });
  expect(start).not.toHaveBeenCalled();
});

test("the first reason stays", async () => {
  const controller = new AbortController();
  const deadline = openDeadline(1, controller.signal);
  expect(await endReasonOf(deadline.race(never()))).toBe("queue");
  controller.abort();
  expect(deadline.ended?.by).toBe("queue");
});

test("the time of a call begins when it may go, and takes the place of its wait", async () => {
  const deadline = openDeadline(1);
  deadline.startTimeLimit(60_000);
  expect(deadline.remainingMs).toBeGreaterThan(1_000);
  // Longer than its wait might have been.
  await deadline.wait(20);
  deadline.assertOpen();
});

test("a caller who is not heeded ends nothing until he is heeded again", async () => {
  const controller = new AbortController();
  const deadline = openDeadline(60_000, controller.signal);
  deadline.setAbortable(false);
  controller.abort();
  await deadline.wait(1);
  deadline.setAbortable(true);
  expect(deadline.ended?.by).toBe("caller");
});

test("a released deadline ends nothing, and leaves no listener and no timer", async () => {
  const controller = new AbortController();
  const added = jest.spyOn(controller.signal, "addEventListener");
  const removed = jest.spyOn(controller.signal, "removeEventListener");
  const timers = jest.spyOn(globalThis, "setTimeout");
  const deadline = openDeadline(60_000, controller.signal);
  await deadline.race(Promise.resolve());
  deadline.startTimeLimit(60_000);
  await deadline.race(Promise.resolve());
  deadline.release();
  controller.abort();
  deadline.startTimeLimit(60_000);
  expect(deadline.ended).toBeUndefined();
  expect([added.mock.calls.length, removed.mock.calls.length >= 1]).toEqual([1, true]);
  expect(timers).toHaveBeenCalledTimes(2);
  for (const { value } of timers.mock.results)
    expect((value as { _destroyed: boolean })._destroyed).toBe(true);
  timers.mockRestore();
});

test("a promise that nobody waits for any more may fail without harm", async () => {
  const deadline = openDeadline(1);
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise((_, reject) => (fail = reject));
  expect(await endReasonOf(deadline.race(promise))).toBe("queue");
  expect(await endReasonOf(deadline.race(Promise.reject(new Error("late"))))).toBe("queue");
  fail(new Error("late"));
});

test("following a file, it is told the reason", async () => {
  const deadline = openDeadline(60_000);
  const told = new Promise<DeadlineEnded>((resolve) => deadline.setCancel(resolve));
  deadline.startTimeLimit(1);
  expect((await told).by).toBe("time");
});
